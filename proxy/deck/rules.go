package deck

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/admin"
)

// WithRules reads rules files, and returns what is known if their rows for fields ("rewrite") lie on
// top of all profiles: k itself if they have none. The files are read with what it returns. An error
// names file, line and column of each mistake.
func (k *Knowledge) WithRules(names ...string) (*Knowledge, []*rules.File, error) {
	read, err := readRules(k.profiles, names)
	if err != nil || read.rewrite == k.rewrite {
		return k, read.files, err
	}
	set, err := k.base.set() // k serves others, whose rows stay as they are
	if err != nil {
		return nil, nil, err
	}
	if read, err = readRules(set, names); err != nil {
		return nil, nil, err
	}
	for _, f := range read.files {
		set.Override(f.Rewrite)
	}
	with := *k
	with.profiles, with.rewrite = set, read.rewrite
	return &with, read.files, nil
}

// rulesRead is what there was in rules files at one time.
type rulesRead struct {
	files   []*rules.File
	rewrite string      // the rows of all files, in one form: equal texts are the same rows
	stamps  []fileStamp // of all that was read, bodies of answers included
	sum     [sha256.Size]byte
	empty   string // the name of a file in which nothing stands; "" for none
}

// readRules reads rules files; set has the operations that they name.
func readRules(set *Profiles, names []string) (rulesRead, error) {
	var read rulesRead
	var errs []error
	sum := sha256.New()
	for _, name := range names {
		data, err := read.file(name)
		_, _ = fmt.Fprintf(sum, "%q%q%v", name, data, err)
		if err != nil {
			errs = append(errs, fmt.Errorf("reading rules: %w", err))
			continue
		}
		if len(bytes.TrimSpace(data)) == 0 {
			read.empty = name
		}
		open := func(body string) ([]byte, error) {
			data, err := read.body(filepath.Dir(name), body)
			_, _ = fmt.Fprintf(sum, "%q%q%v", body, data, err)
			return data, err
		}
		f, err := rules.Parse(name, data, rules.Source{Profiles: set, Open: open})
		if err != nil {
			errs = append(errs, err)
			continue
		}
		read.files = append(read.files, f)
		for _, o := range f.Rewrite {
			read.rewrite += fmt.Sprintf("%s/%s %d %v %s: %v\n", o.Operation.Profile.Name,
				o.Operation.Name, o.Dir, o.Header, o.Key, o.Field)
		}
	}
	read.sum = [sha256.Size]byte(sum.Sum(nil))
	if len(errs) == 0 { // names stand once in all files
		errs = append(errs, rules.New(rules.Options{Profiles: set}).Set(rules.FromFile, read.files...))
	}
	return read, errors.Join(errs...)
}

// doubts returns what may be a mistake in the files, with its place.
func (r *rulesRead) doubts() []string {
	var all []string
	for _, f := range r.files {
		all = append(all, f.Doubts()...)
	}
	return all
}

// Bounds of what is read, in bytes.
const (
	largestRules = 4 << 20
	largestBody  = 16 << 20
)

// file reads a rules file.
func (r *rulesRead) file(name string) ([]byte, error) {
	r.stamps = append(r.stamps, stampOf(name))
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readRegular(f, largestRules)
}

// body reads the body of an answer, which lies beside its rules file or in a folder below it.
func (r *rulesRead) body(dir, name string) ([]byte, error) {
	r.stamps = append(r.stamps, stampOf(filepath.Join(dir, name)))
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readRegular(f, largestBody)
}

// readRegular reads a regular file, which has an end.
func readRegular(f *os.File, most int64) ([]byte, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", f.Name())
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s has more than %d bytes", f.Name(), most)
	}
	return data, err
}

// fileStamp tells whether a file may have changed.
type fileStamp struct {
	name string
	info os.FileInfo // nil: it cannot be had
}

func stampOf(name string) fileStamp {
	info, err := os.Stat(name)
	if err != nil {
		info = nil
	}
	return fileStamp{name, info}
}

// same reports whether a file looks as it did.
func (s fileStamp) same(other fileStamp) bool {
	a, b := s.info, other.info
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// ruleFiles keeps the rules of an engine those of files.
type ruleFiles struct {
	names    []string
	profiles *Profiles
	engine   *rules.Engine
	rewrite  string // the rows that the deck was started with
	tell     func(note proxy.Note, text string)

	mu     sync.Mutex // guards the rest, and is held while the files are read
	read   rulesRead  // what was read last, be it in force or broken
	wrong  string     // with what was read last; empty if that is in force
	coming []fileStamp
	waits  string // the rows that wait for the next start, as they were told of
}

// poll reads the files again if they have changed and look finished: the same at two looks.
func (r *ruleFiles) poll() {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := make([]fileStamp, len(r.read.stamps))
	for i, s := range r.read.stamps {
		now[i] = stampOf(s.name)
	}
	switch {
	case slices.EqualFunc(now, r.read.stamps, fileStamp.same):
		r.coming = nil
	case !slices.EqualFunc(now, r.coming, fileStamp.same):
		r.coming = now // somebody may be writing
	default:
		r.coming = nil
		_ = r.reload(false) // it has told
	}
}

// reload reads the files again. What is broken leaves the rules in force. What is equal to what was
// read before is told of only if somebody has asked.
func (r *ruleFiles) reload(asked bool) error {
	read, err := readRules(r.profiles, r.names)
	if err == nil && read.empty != "" && r.read.empty != read.empty {
		err = fmt.Errorf("%s:1:1: expected rules, found an empty file: write \"rules: []\" for none",
			read.empty)
	}
	if read.sum == r.read.sum && !asked {
		r.read.stamps = read.stamps
		return nil
	}
	empty := r.read.empty
	r.read = read
	if err == nil {
		err = r.engine.Set(rules.FromFile, read.files...)
	}
	if err != nil {
		r.read.empty, r.wrong = empty, strings.ReplaceAll(err.Error(), "\n", "; ")
		r.tell(proxy.NoteRulesBroken, r.wrong)
		return err
	}
	r.wrong = ""
	n := 0
	for _, f := range read.files {
		n += len(f.Rules)
	}
	r.tell(proxy.NoteRulesRead, strings.Join(append([]string{count.Of(n, "rule")}, read.doubts()...), "; "))
	if read.rewrite != r.rewrite && read.rewrite != r.waits {
		r.tell(proxy.NoteRewriteWaits, "")
	}
	r.waits = read.rewrite
	return nil
}

// pollInterval is how often the files are looked at.
const pollInterval = 500 * time.Millisecond

// watch looks at the files until ctx ends.
func (r *ruleFiles) watch(ctx context.Context) {
	t := time.NewTicker(pollInterval)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			r.poll()
		}
	}
}

// startRules puts the rules of files in force, and keeps watching the files.
func (d *Deck) startRules(ctx context.Context) error {
	o := &d.options
	d.rules = rules.New(rules.Options{
		Profiles: o.Knowledge.profiles, Seed: o.Play.Seed, Now: func() time.Time { return d.now() },
	})
	if len(o.RuleFiles) == 0 {
		return nil
	}
	r := &ruleFiles{
		names: o.RuleFiles, profiles: o.Knowledge.profiles, engine: d.rules,
		rewrite: o.Knowledge.rewrite, tell: d.tellOfRules,
	}
	var err error
	if r.read, err = readRules(r.profiles, r.names); err == nil {
		err = d.rules.Set(rules.FromFile, r.read.files...)
	}
	if err == nil && d.cluster != nil {
		err = checkShared(d.rules)
	}
	if err != nil {
		return wrong("RuleFiles", err)
	}
	for _, text := range r.read.doubts() {
		o.warn(text)
	}
	if d.cluster != nil || o.owner != nil {
		return nil // decks would see a change at different times
	}
	d.ruleFiles = r
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.watch(ctx)
	}()
	d.stopRules = func() {
		stop()
		<-done
	}
	return nil
}

// tellOfRules tells an observer what became of rules files that have changed.
func (d *Deck) tellOfRules(note proxy.Note, text string) {
	e := proxy.Event{Kind: proxy.Warning, Note: note}
	if text != "" {
		e.Text = d.options.Knowledge.Redactor(nil).Text(text)
	}
	d.options.Observe(e)
}

// tellDoubts tells an observer what may be a mistake in rules that the admin address has put in
// force.
func (d *Deck) tellDoubts(texts []string) {
	d.tellOfRules(proxy.NoteRulesDoubtful, strings.Join(texts, "; "))
}

// Rules returns what the deck does beside its mode: the rules of files, of the admin address and of
// the program, with what they have done. It is there until the deck is closed and after that.
func (d *Deck) Rules() []rules.Status { return d.rules.Report() }

// ReloadRules reads the files of Options.RuleFiles again, as the deck does by itself when they
// change. If one is broken the rules in force stay, and the error says where it is.
func (d *Deck) ReloadRules() error {
	if d.ruleFiles == nil {
		return nil
	}
	d.ruleFiles.mu.Lock()
	defer d.ruleFiles.mu.Unlock()
	return d.ruleFiles.reload(true)
}

// AddRules puts rules in force beside those of files: text is one rule, a list of rules or a rules
// file, in YAML or JSON. It returns their names, and what may be a mistake in them with line and
// column. An error tells each mistake so, or that a name is that of a rule in force.
func (d *Deck) AddRules(text string) (names, doubts []string, err error) {
	f, err := rules.ParseSome("rule", []byte(text), "", rules.Source{Profiles: d.options.Knowledge.profiles})
	if err != nil {
		return nil, nil, err
	}
	d.mu.Lock() // for those who add one name at once
	defer d.mu.Unlock()
	inForce := d.rules.Report()
	for _, r := range f.Rules {
		if slices.ContainsFunc(inForce, func(s rules.Status) bool { return s.Name == r.Name }) {
			return nil, nil, fmt.Errorf("rule:%d: a rule %q is in force", r.Line, r.Name)
		}
		names = append(names, r.Name)
	}
	if d.cluster != nil {
		err = d.share(admin.Change{Do: admin.Add, Origin: rules.FromTest, Text: text})
		return names, f.Doubts(), err
	}
	return names, f.Doubts(), d.rules.Add(rules.FromTest, f)
}

// RemoveRules takes rules out of force that AddRules has put there; no names: all of them. Among decks
// that share sessions it warns if the others cannot be told, and then the rules stay.
func (d *Deck) RemoveRules(names ...string) {
	if len(names) == 0 {
		names = []string{""}
	}
	for _, name := range names {
		if d.cluster != nil {
			c := admin.Change{Do: admin.Remove, Origin: rules.FromTest, Name: name}
			if err := d.share(c); err != nil {
				d.options.warn(err.Error())
			}
			continue
		}
		d.rules.Remove(rules.FromTest, name)
	}
}
