package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/pflag"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/store"
	"github.com/paytape/paytape/cassettes/store/kinds"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/proxy/inspect/live"
)

// storeFlags are those of commands that need tapes which lie in a store, perhaps.
type storeFlags struct {
	location string
	offline  bool
}

func (s *storeFlags) flags(fs *pflag.FlagSet) {
	storeFlag(fs, &s.location)
	fs.BoolVar(&s.offline, "offline", false, "ask no store for tapes that paytape.lock names")
}

// storeFlag declares the flag of commands that ask a store.
func storeFlag(fs *pflag.FlagSet, to *string) {
	fs.StringVar(to, "store", "", "`URL` of the store of tapes: dir:PATH, oci://REGISTRY/REPOSITORY,\n"+
		"s3://BUCKET/PREFIX or https://HOST/PATH")
}

// storeOptions returns what all commands tell a store.
func (a *app) storeOptions(dir, location string) store.Options {
	roots := func() (*x509.CertPool, error) {
		roots, _, err := systemRoots()
		return roots, err
	}
	return store.Options{Dir: dir, URL: location, Roots: roots, Lookup: a.env.Lookup}
}

// requireTapes brings tapes that the lock of the folder names and that are not in the folder.
func (c *deckCommand) requireTapes(ctx context.Context, names ...string) error {
	o := c.storeOptions(c.dir, c.storeFlags.location)
	o.Offline = c.storeFlags.offline
	o.Warn = func(err error) { c.voice.warn(err.Error() + "; no cassette is compared with it") }
	t := &tapeTeller{app: c.app, say: c.voice.say, patient: "pulling"}
	err := t.tell(&o, func() error { return store.Require(ctx, names, o) })
	return hintStore(err, names...)
}

// hintPull says how to come by a cassette that is not in its folder, if paytape.lock there names it. An
// error that has a hint keeps it.
func hintPull(err error) error {
	missing, ok := errors.AsType[*cassettes.MissingError](err)
	if _, has := errors.AsType[*hinted](err); has || !ok {
		return err
	}
	library, failed := cassettes.OpenExisting(missing.Dir)
	if failed != nil {
		return err
	}
	defer library.Close()
	if !slices.Contains(lockedNames(library), missing.Name) {
		return err
	}
	dir := ""
	if missing.Dir != deck.DefaultDir {
		dir = " --dir " + shellWord(missing.Dir)
	}
	return withHint(err, "%s is in a store: paytape pull%s %s", shellWord(missing.Name), dir,
		shellWord(missing.Name))
}

// tapeTeller tells what goes on with tapes.
type tapeTeller struct {
	*app
	say     func(format string, args ...any) // takes a line for a tape
	patient string                           // what goes on, for the line at the bottom: pulling
	idle    int                              // tapes that were where they should be
	told    bool                             // there was a tape
	shown   time.Time
	moved   int64
}

// tell has what goes on be told, while it goes on.
func (t *tapeTeller) tell(o *store.Options, do func() error) error {
	o.Tell = t.done
	screen := t.ttyOf(t.env.Stderr)
	if screen.file == nil || screen.dumb {
		o.Progress = func(p store.Progress) { t.moved = p.Moved }
		return do()
	}
	o.Progress = func(p store.Progress) {
		t.moved = p.Moved
		if time.Since(t.shown) < progressPause || p.Moved == 0 {
			return
		}
		t.shown = time.Now()
		text := fmt.Sprintf("%s: %d of %s, %s moved", t.patient, p.Tapes, count.Of(p.Of, "tape"),
			humanize.Bytes(uint64(p.Moved)))
		t.bottom(text[:min(len(text), screen.columns()-1)])
	}
	err := do()
	if !t.shown.IsZero() {
		t.bottom("")
	}
	return err
}

// progressPause is the time from one line of progress to the next.
const progressPause = 100 * time.Millisecond

// bottom keeps a line at the bottom of the terminal. Nobody is left to be told if stderr is closed.
func (t *tapeTeller) bottom(text string) { _, _ = fmt.Fprintln(t.voice.w, live.Bottom(text)) }

// done tells what became of a tape.
func (t *tapeTeller) done(d store.Done) {
	t.told = true
	if !t.shown.IsZero() {
		t.bottom("") // what is said next may go to the same terminal by another way
	}
	name, moved := d.Tape.Name, humanize.Bytes(uint64(d.Moved))
	of := fmt.Sprintf("%s, %s", count.Of(d.Tape.Exchanges, "exchange"), humanize.Bytes(uint64(d.Tape.Size)))
	switch d.What {
	case store.Pushed:
		t.say("pushed %s: %s; %s moved", name, of, moved)
	case store.Pulled:
		t.say("pulled %s: %s; %s moved", name, of, moved)
	case store.Replaced:
		t.say("pulled %s in the place of another: %s; %s moved", name, of, moved)
	case store.Waiting:
		t.voice.say("waiting for another process, which has cassette %q", name)
	case store.Kept:
		t.voice.warn(fmt.Sprintf("cassette %q is another than that of paytape.lock, and is played as it is: "+
			"paytape pull %s brings that of the lock, paytape push %s keeps this", name, shellWord(name),
			shellWord(name)))
	default:
		t.idle++
	}
}

// hintStore tells what to type next.
func hintStore(err error, names ...string) error {
	given := ""
	for _, name := range names[:min(len(names), 1)] {
		given = " " + shellWord(name)
	}
	secrets, ok := errors.AsType[*store.SecretsError](err)
	switch {
	case err == nil:
		return nil
	case ok:
		return withHint(err, "take them out of %s with an editor, then paytape seal %s; or record it again",
			secrets.Name, shellWord(secrets.Name))
	case errors.Is(err, context.Canceled):
		return errInterrupted
	case errors.Is(err, kinds.ErrURL):
		return withHint(misused(fmt.Errorf("--store: %w", err)), "paytape help store")
	case errors.Is(err, store.ErrNoStore):
		return withHint(err, "name it with --store URL, or in %s with store: URL", settingsFile)
	case errors.Is(err, store.ErrAbsent):
		return withHint(err, "paytape pull%s, and without --offline", given)
	case errors.Is(err, store.ErrUnpushed) && errors.Is(err, store.ErrWrong):
		return withHint(err, "paytape push --again%s where the tape is right; paytape pull --force%s gives "+
			"the file here up", given, given)
	case errors.Is(err, store.ErrWrong):
		return withHint(err, "paytape push --again%s, where the tape is, puts it anew", given)
	case errors.Is(err, store.ErrUnpushed):
		return withHint(err, "paytape push%s keeps the file here, paytape pull --force%s gives it up", given, given)
	case errors.Is(err, store.ErrNotLocked):
		return withHint(err, "paytape push%s, where the tape is", given)
	case errors.Is(err, cassettes.ErrUnsealed):
		return withHint(err, "paytape seal%s", given)
	}
	return hintFolder(err)
}
