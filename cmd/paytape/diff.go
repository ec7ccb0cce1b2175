package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/match/drift"
	"github.com/spf13/cobra"
)

const diffLong = `diff tells what differs between two tapes: by flow, and in a flow exchange by exchange.
OLD and NEW are names of cassettes, or files. Variables are folded to their nouns before
anything is compared (an order id is <order>, a time <date>), so two recordings of one
suite are equal. Flows are paired by what was said in them, whatever their ids are and in
whichever order they stand. A difference is added, removed, changed type, changed
constant, changed value (of a variable: its length, its alphabet, how it is written) or
new code (a status that OLD has nowhere for that operation).

The exit code is 0 if the tapes are equal, 1 if they differ, 2 if one cannot be read.

--textconv prints a text of the tape FILE, with numbered nouns and without times, for git:
git diff then shows what is truly different in a tape that was recorded again.`

// differ is the command "diff" with its flags.
type differ struct {
	*app
	knowledge
	dir      string
	asJSON   bool
	textconv bool
}

func diffCommand(a *app) *cobra.Command {
	d := &differ{app: a}
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "tell what differs between two tapes, whatever their ids and times",
		Long:  diffLong,
		Example: `  paytape diff checkout checkout-new
  paytape diff old/checkout.yaml cassettes/checkout.yaml
  paytape diff --json checkout checkout-new | jq '.flows[].exchanges[].findings[]'
  git config diff.paytape.textconv 'paytape diff --textconv'
  echo 'cassettes/**/*.yaml diff=paytape' >> .gitattributes`,
		Args: func(cmd *cobra.Command, args []string) error {
			want := 2
			if d.textconv {
				want = 1
			}
			return arguments(want, want)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return interruptibly(cmd.Context(), func() error { return d.run(args) })
		},
	}
	fs := cmd.Flags()
	fs.BoolVar(&d.asJSON, "json", false, "print JSON")
	fs.BoolVar(&d.textconv, "textconv", false, "print one FILE as text for git diff")
	dirFlag(fs, &d.dir)
	d.knowledge.flags(fs)
	d.piiFlag(fs)
	return cmd
}

func (d *differ) run(args []string) error {
	if d.textconv && d.asJSON {
		return misused(errors.New("--textconv and --json exclude each other"))
	}
	if err := d.check(); err != nil {
		return err
	}
	if d.textconv {
		return d.convert(args[0])
	}
	var tapes []*drift.Tape
	for _, name := range args {
		t, err := d.load(name)
		if err != nil {
			return misused(err)
		}
		tapes = append(tapes, t)
	}
	r := drift.Compare(tapes[0], tapes[1])
	if d.asJSON {
		if err := writeJSON(d.out, r); err != nil {
			return err
		}
	} else {
		d.print("%s", printable(diffText(r)))
	}
	if !r.Equal() {
		return fmt.Errorf("the tapes differ in %s", count.Of(len(r.Flows), "flow"))
	}
	return nil
}

// convert prints a tape as text. Of a file that is no tape, because a merge has left its marks in it, it
// prints in one line why, and a digest: git shows nothing at all where a conversion fails, and must show
// that the file has changed. Its text is not printed: only of a message it is known what is a secret.
func (d *differ) convert(file string) error {
	t, err := d.load(file)
	if err == nil {
		d.print("%s", printable(t.Text()))
		return nil
	}
	data, unread := os.ReadFile(file)
	if unread != nil {
		return misused(err)
	}
	d.voice.warn(err.Error())
	why := strings.ReplaceAll(err.Error(), "\n", "; ")
	d.print("no tape: %s; sha256 %x\n", printable(why), sha256.Sum256(data))
	return nil
}

// load reads a cassette of the folder or, where there is a file of that name, the file.
func (d *differ) load(name string) (*drift.Tape, error) {
	load := func(dir, name string) (*cassettes.Tape, error) { return d.loadTape(dir, name, d.voice.warn) }
	tape, err := loadNamed(d.dir, name, load)
	if err != nil {
		return nil, err
	}
	c := cassetteOf(tape)
	c.Name = name
	return drift.Read(drift.Options{Profiles: d.profiles()}, c), nil
}

// loadNamed loads a cassette by its name in a folder, or by the path of its file. A file that is empty
// is a tape without exchanges: git compares a new file with such a file.
func loadNamed(dir, name string, load func(dir, name string) (*cassettes.Tape, error),
) (*cassettes.Tape, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return load(dir, name)
	}
	if err != nil {
		return nil, fmt.Errorf("reading a tape: %w", err)
	}
	if info.Size() == 0 {
		return &cassettes.Tape{Name: name}, nil
	}
	base := filepath.Base(name)
	if filepath.Ext(base) == ".yaml" && cassettes.CheckName(base) == nil {
		return load(filepath.Dir(name), base)
	}
	return loadCopy(name, load)
}

// loadCopy loads a file that has not the name of a cassette: git gives files such names now and then.
func loadCopy(file string, load func(dir, name string) (*cassettes.Tape, error)) (*cassettes.Tape, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading a tape: %w", err)
	}
	dir, err := os.MkdirTemp("", "paytape-*") // for its owner only
	if err != nil {
		return nil, fmt.Errorf("reading a tape: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "tape.yaml"), data, 0o600); err != nil {
		return nil, fmt.Errorf("reading a tape: %w", err)
	}
	return load(dir, "tape")
}

// diffText writes what differs for people.
func diffText(r *drift.Report) string {
	var b strings.Builder
	for _, f := range r.Flows {
		b.WriteString(flowHead(&f) + "\n")
		for i := range f.Exchanges {
			exchangeText(&b, &f.Exchanges[i], f.Grade != "")
		}
		b.WriteByte('\n')
	}
	changesText(&b, r.Changes)
	if r.Equal() {
		fmt.Fprintf(&b, "no difference in %s\n", count.Of(r.Same, "exchange"))
	} else {
		fmt.Fprintf(&b, "difference in %s; %s the same\n", count.Of(len(r.Flows), "flow"),
			count.Of(r.Same, "exchange"))
	}
	return b.String()
}

// flowHead names a flow by its numbers on the tapes, and by what was done.
func flowHead(f *drift.FlowReport) string {
	const most = 8
	ops, more := f.Operations, ""
	if n := len(ops) - most; n > 0 {
		ops, more = ops[:most], fmt.Sprintf(" and %d more", n)
	}
	what := strings.Join(ops, ", ") + more
	switch {
	case f.Old+f.New == 0 && f.Grade != "":
		return fmt.Sprintf("exchange of no flow %s: %s", f.Grade, what)
	case f.Old+f.New == 0:
		return "exchange of no flow: " + what
	case f.Grade == drift.Added:
		return fmt.Sprintf("flow %d of the new tape added: %s", f.New, what)
	case f.Grade == drift.Removed:
		return fmt.Sprintf("flow %d of the old tape removed: %s", f.Old, what)
	}
	return fmt.Sprintf("flow %d (new: %d): %s", f.Old, f.New, what)
}

// exchangeText writes what differs in an exchange. alone says that its flow stands alone, and all its
// exchanges do.
func exchangeText(b *strings.Builder, x *drift.ExchangeReport, alone bool) {
	state := ""
	if x.State != "" {
		state = ", after " + x.State
	}
	switch {
	case alone:
		fmt.Fprintf(b, "  #%d %s: %s\n", x.Old+x.New, x.Operation, x.Outcome)
		return
	case x.Grade != "":
		fmt.Fprintf(b, "  #%d %s %s%s: %s\n", x.Old+x.New, x.Grade, x.Operation, state, x.Outcome)
		return
	}
	fmt.Fprintf(b, "  #%d (new: #%d) %s%s\n", x.Old, x.New, x.Operation, state)
	findingsText(b, x.Findings)
}

// findingsText writes findings as a table.
func findingsText(b *strings.Builder, findings []drift.Finding) {
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		fmt.Fprintf(w, "    %s\t%s %s\t%s\n", f.Grade, f.Side, f.Path, wasAndIs(f))
	}
	_ = w.Flush() // a strings.Builder takes everything
}

// changesText writes what several exchanges of an operation have in common as a table.
func changesText(b *strings.Builder, changes []drift.Change) {
	if len(changes) == 0 {
		return
	}
	b.WriteString("changes\n")
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, c := range changes {
		fmt.Fprintf(w, "  %s\t%s\t%s %s\t%s\tin %s, the first is #%d\n", c.Grade, c.Operation, c.Side, c.Path,
			wasAndIs(c.Finding), count.Of(c.Exchanges, "exchange"), c.First)
	}
	_ = w.Flush() // a strings.Builder takes everything
	b.WriteByte('\n')
}

// wasAndIs tells both sides of a finding, in one cell of a table.
func wasAndIs(f drift.Finding) string {
	what := f.Was + f.Is
	if f.Was != "" && f.Is != "" {
		what = f.Was + " -> " + f.Is
	}
	if f.Why != "" {
		what += " (" + f.Why + ")"
	}
	return strings.NewReplacer("\t", " ", "\n", " ").Replace(what)
}
