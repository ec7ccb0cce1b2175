package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// deckCommand is a command that serves a deck, with its flags: where the deck listens and what it
// tells, what is known of the APIs, how clients get to it, where it is looked after, and what the
// mode of the deck needs beside.
type deckCommand struct {
	*app
	serveFlags
	knowledge
	doorFlags
	adminFlags
	inspect inspectFlags
	playFlags
	storeFlags
	cluster   clusterFlags // of a deck that is not for one command
	callbacks callbackFlags
	dir       string   // of the cassettes
	upstreams []string // URL, or PROFILE=URL
	sync      string   // none, interval or always; empty means interval
	stable    bool     // what is recorded becomes a stable tape
	rules     []string // files
	keep      int      // exchanges that are held for whoever looks
	attached  bool     // it stops when standard input ends
	commands  bool     // the terminal is that of a command which is run beside

	live *liveTerminal // nil: there is a log
}

// answersFromTape reports whether a deck of a mode does that.
func answersFromTape(mode deck.Mode) bool { return mode == deck.Replay || mode == deck.Spy }

// records reports whether a deck of a mode does that.
func records(mode deck.Mode) bool { return mode == deck.Record || mode == deck.Spy }

// flags declares the flags of a command whose deck always has one mode.
func (c *deckCommand) flags(cmd *cobra.Command, mode deck.Mode) {
	fs := cmd.Flags()
	if mode != deck.Replay {
		c.upstreamFlags(fs)
	}
	if answersFromTape(mode) {
		c.playFlags.flags(fs)
		c.storeFlags.flags(fs)
	}
	c.cluster.flags(fs, mode)
	if records(mode) {
		fs.StringVar(&c.sync, "sync", string(cassettes.SyncInterval), "have the disk confirm `WHEN`: "+
			"none, interval or always")
		stableFlag(fs, &c.stable)
	}
	if mode != deck.Pass {
		c.tapeFlags(fs)
	}
	c.callbacks.flags(fs, mode != deck.Replay, answersFromTape(mode))
	fs.BoolVar(&c.forward, "forward", false, "be a forward proxy too, for clients whose hosts are "+
		"hard-coded")
	fs.BoolVar(&c.attached, "stop-with-stdin", false, "stop when standard input ends, as it does when "+
		"the program\nthat has started the deck ends in any way")
	c.commonFlags(fs, "127.0.0.1:8080")
}

// upstreamFlags declares the flags of decks that pass requests on.
func (c *deckCommand) upstreamFlags(fs *pflag.FlagSet) {
	fs.StringArrayVar(&c.upstreams, "upstream", nil, "`URL` of the sandbox, or sandbox for "+
		"ours; PROFILE=URL\nfor one API; repeatable")
	c.secure.flags(fs)
}

// tapeFlags declares the flags of decks that have a cassette.
func (c *deckCommand) tapeFlags(fs *pflag.FlagSet) {
	dirFlag(fs, &c.dir)
	c.bodyFlag(fs)
}

// commonFlags declares the flags of all decks. listen is where the deck listens by default.
func (c *deckCommand) commonFlags(fs *pflag.FlagSet, listen string) {
	c.doorFlags.flags(fs)
	c.serveFlags.flags(fs, listen)
	c.adminFlags.flags(fs)
	c.inspect.flags(fs)
	fs.IntVar(&c.keep, "keep", hub.DefaultEvents, "hold the last `N` exchanges for tail, why and the "+
		"inspector")
	rulesFlag(fs, &c.rules)
	fs.Uint64Var(&c.seed, "seed", 0, "make fresh values, and chances and delays of rules, "+
		"repeatable; 0\ntakes a random `NUMBER`")
	c.knowledge.flags(fs)
	c.piiFlag(fs)
}

// rulesFlag declares the flag of commands that look at rules files.
func rulesFlag(fs *pflag.FlagSet, to *[]string) {
	fs.StringArrayVar(to, "rules", nil, "`FILE` with rules for this run, see paytape help rules; "+
		"repeatable")
}

// stableFlag declares the flag of commands that record.
func stableFlag(fs *pflag.FlagSet, to *bool) {
	fs.BoolVar(to, "stable", false, "make the tape's text depend on what was said and not on when: "+
		"recorded\nagain it is the same, see paytape help recording")
}

// dirFlag declares the flag of commands that use cassettes.
func dirFlag(fs *pflag.FlagSet, to *string) {
	fs.StringVar(to, "dir", deck.DefaultDir, "`FOLDER` of the cassettes")
}

// options looks at the flags, and returns what they say to a deck of a mode.
func (c *deckCommand) options(mode deck.Mode, names ...string) (deck.Options, error) {
	o := deck.Options{
		Mode: mode, Cassettes: names, Dir: c.dir, Upstreams: c.upstreams, Sync: c.sync,
		Stable:    c.stable,
		RuleFiles: c.rules, Keep: c.keep,
	}
	err := firstError(
		func() error { return c.serveFlags.check(c.voice) },
		func() error {
			if c.keep < 1 {
				return misused(fmt.Errorf("--keep: expected 1 or more, found %d", c.keep))
			}
			return nil
		},
		c.knowledge.check,
		func() (err error) {
			if answersFromTape(mode) {
				o.Play, err = c.playFlags.check()
			}
			return err
		},
		c.adminFlags.check,
		c.inspect.check,
		c.secure.check,
		func() error { return c.cluster.check(mode) },
		func() error { return c.callbacks.check(c.profiles()) },
	)
	if err != nil {
		return o, err
	}
	if mode != deck.Record || c.cluster.servers == "" { // nobody sits before decks that others use
		c.live = c.liveTerminal()
	}
	if c.live != nil {
		c.log = slog.New(c.live)
	}
	o.Listen, o.Certificate, o.Knowledge = c.listen, c.serveFlags.identity.certificate, c.known
	o.Hosts, o.UpstreamTLS, o.MaxBody = c.doorFlags.hosts, c.secure.config, int64(c.maxBody)
	o.Admin, o.Callbacks = c.adminFlags.options(), c.callbacks.options(mode)
	o.Inspect = c.inspect.options(c.env)
	if o.Callbacks.Mode == deck.CallbacksRelay {
		if o.Callbacks.Install, err = authorityFolder(c.caDir); err != nil {
			return o, err
		}
	}
	o.Cluster = c.cluster.options()
	o.Play.Seed = c.seed // which rules of any deck take
	o.Withheld, o.Tell = withheld(c.log), c.voice.notice
	o.Alone = true
	if answersFromTape(mode) {
		o.Index = c.index.folder()
	}
	if err := o.Check(); err != nil {
		return o, byFlag(err)
	}
	o.Authority, err = c.authority(c.voice)
	return o, err
}

// loggedDeck is a deck whose events are logged, or shown on a terminal.
type loggedDeck struct {
	*deck.Deck
	options deck.Options
	logged  <-chan struct{} // closed when all are
}

// Close closes the deck. Whatever it did is logged then, or shown.
func (d *loggedDeck) Close() error {
	err := d.Deck.Close()
	<-d.logged
	return err
}

// start starts a deck and says what it does where.
func (c *deckCommand) start(ctx context.Context, o deck.Options) (*loggedDeck, error) {
	started, err := begin(ctx, o)
	if err != nil {
		return nil, byFlag(err)
	}
	d := &loggedDeck{Deck: started, options: o}
	if c.live == nil {
		d.logged = follow(c.log, started.Events())
		c.sayStarted(o, d.Deck)
	} else {
		c.showStarted(o, d.Deck)
		d.logged = c.live.follow(d.Deck)
	}
	c.announce(o, d.Deck)
	return d, nil
}

// showStarted tells a person at a terminal what a deck does where. Beside a command that is one line.
func (c *deckCommand) showStarted(o deck.Options, d *deck.Deck) {
	if c.live.quiet {
		c.sayStarted(o, d)
		return
	}
	c.live.header(d)
}

// sayStarted says what a deck does where.
func (c *deckCommand) sayStarted(o deck.Options, d *deck.Deck) {
	switch exchanges := count.Of(d.Exchanges(), "exchange"); o.Mode {
	case deck.Record:
		c.voice.say("recording cassette %q in %q at %s", o.Cassettes[0], o.Dir, d.URL)
	case deck.Replay:
		c.voice.say("replaying %s at %s", exchanges, d.URL)
	case deck.Spy:
		c.voice.say("spying with %s of cassette %q in %q at %s", exchanges, o.Cassettes[0], o.Dir,
			d.URL)
	case deck.Pass:
		c.voice.say("passing requests on at %s", d.URL)
	}
	if d.Inspector != "" {
		c.voice.say("inspector at %s", d.Inspector)
	}
}

// begin starts a deck. A replay may be interrupted while it loads its tapes: it holds nothing then
// that must be folded or unlocked.
func begin(ctx context.Context, o deck.Options) (*deck.Deck, error) {
	start := func() (*deck.Deck, error) { return deck.Start(ctx, o) }
	if o.Mode == deck.Replay {
		return interruptible(ctx, start)
	}
	return start()
}

// serve serves a deck of a mode until ctx ends, and tells what the deck has done.
func (c *deckCommand) serve(ctx context.Context, mode deck.Mode, names ...string) error {
	o, err := c.options(mode, names...)
	if err == nil && answersFromTape(mode) {
		err = c.requireTapes(ctx, names...)
	}
	if err != nil {
		return err
	}
	if c.attached {
		var cancel context.CancelFunc
		ctx, cancel = untilEnd(ctx, c.env.Stdin)
		defer cancel()
	}
	if mode == deck.Record && o.Cluster != nil {
		return c.recordTogether(ctx, o)
	}
	d, err := c.start(ctx, o)
	if err != nil {
		return err
	}
	stop := reloadOnSignal(d.Deck, o)
	err = readyAt(d.Deck).publish(c.ready, d.Done())
	stop()
	err = errors.Join(err, d.Close())
	s := d.Summary()
	shown := c.live != nil && c.ttyOf(c.out).file != nil
	if records(mode) && !shown {
		c.print("%s\n", recordingLine(s.Recorded))
	}
	c.warnOfUnstable(s.Recorded)
	if records(mode) && s.Recorded.New > 0 {
		c.tellRules(c.app, s.Rules)
	}
	if answersFromTape(mode) {
		err = errors.Join(err, c.verdict(c.app, s, shown))
	}
	err = errors.Join(err, c.verdictOfRules(c.app, s.RunRules, shown))
	if shown {
		c.print("%s", c.live.ending(d, s, err))
	}
	return err
}

// untilEnd returns a context that ends when a stream does, too. What the stream holds is not looked at.
// Nothing ends a read of standard input: if the context ends first, the read ends with the process.
func untilEnd(ctx context.Context, in io.Reader) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if in == nil {
		cancel()
		return ctx, cancel
	}
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, in) // a stream that fails has ended
	}()
	return ctx, cancel
}

// reloadOnSignal has a deck read its rules files again when a signal asks for that, until stop is
// called. The log tells what came of it. A deck without such files ends on that signal, as any program
// does whose terminal is closed.
func reloadOnSignal(d *deck.Deck, o deck.Options) (stop func()) {
	if len(o.RuleFiles) == 0 || len(reloadSignals) == 0 {
		return func() {}
	}
	came, ended := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(came, reloadSignals...)
	go func() {
		defer close(ended)
		for range came {
			_ = d.ReloadRules() // an event tells of it
		}
	}()
	return func() {
		signal.Stop(came)
		close(came)
		<-ended
	}
}

// announce tells which hosts the proxy serves: clients are refused all others.
func (c *deckCommand) announce(o deck.Options, d *deck.Deck) {
	if o.Authority == nil {
		return
	}
	names := d.Hosts()
	if len(names) == 0 {
		c.voice.warn("no host can be asked of the proxy: none is on tape, and none is named with --host")
		return
	}
	c.voice.say("as a proxy it serves %s", strings.Join(names, ", "))
}
