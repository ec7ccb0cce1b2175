package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/merge"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/match/stable"
	"github.com/paytape/paytape/redact"
	"github.com/spf13/cobra"
)

const mergeLong = `merge makes one cassette of two. Exchanges that both have stand once, all are ordered
by time and numbered anew. The surrogates of B get other numbers where A has given
theirs out: REDACTED-token-2 of A is not that of B. A FILE ends in .yaml; any other
word is the NAME of a cassette of the folder. An edited file is cleaned again first,
and what comes of it is searched for secrets, as check does, before it is written.

With --base, A and B are versions of that cassette: what either has removed or changed
is removed or changed. An exchange that both have changed, each in its own way, is a
conflict; then nothing is written, and the exit code is 1.

Git merges cassettes so itself once paytape merge --install was run in the repository:
two branches that have each appended a flow merge without a conflict. Git then calls
merge --driver BASE OURS THEIRS, which leaves what came of it in OURS. Conflicts are
marked in the file as git marks them; paytape seal puts the seal on what you choose.`

// merger is the command "merge" with its flags.
type merger struct {
	tapeEditor
	out, base       string
	driver, install bool
}

func mergeCommand(a *app) *cobra.Command {
	m := &merger{tapeEditor: tapeEditor{app: a}}
	cmd := &cobra.Command{
		Use:   "merge A B -o C",
		Short: "make one cassette of two, or have git do it",
		Long:  mergeLong,
		Example: `  paytape merge checkout refund -o shop
  paytape merge checkout ../other/cassettes/refund.yaml -o checkout
  paytape merge --install                            # in a git repository, once`,
		Args: m.arguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			m.ctx = cmd.Context()
			switch {
			case m.install:
				return m.installDriver()
			case m.driver:
				return m.drive(args)
			}
			return m.run(args[0], args[1])
		},
	}
	fs := cmd.Flags()
	fs.StringVarP(&m.out, "output", "o", "", "`CASSETTE` to write; it may be A or B")
	fs.StringVar(&m.base, "base", "", "`CASSETTE` that both come from")
	fs.BoolVar(&m.driver, "driver", false, "merge the files BASE OURS THEIRS [PATH] for git, into OURS")
	fs.BoolVar(&m.install, "install", false, "have git merge the cassettes of this repository so")
	dirFlag(fs, &m.dir)
	m.knowledge.flags(fs)
	m.piiFlag(fs)
	return cmd
}

// arguments wants what the flags ask for.
func (m *merger) arguments(cmd *cobra.Command, args []string) error {
	switch {
	case m.driver && m.install:
		return misused(errors.New("--driver and --install exclude each other"))
	case m.driver && (len(args) < 3 || len(args) > 4):
		return withHint(misused(errors.New("--driver: expected BASE OURS THEIRS [PATH], as git gives them")),
			"paytape merge --install")
	case (m.driver || m.install) && (m.out != "" || m.base != ""):
		return misused(errors.New("--output and --base belong to A and B"))
	case m.install:
		return arguments(0, 0)(cmd, args)
	case m.driver:
		return nil
	}
	if err := arguments(2, 2)(cmd, args); err != nil {
		return err
	}
	if m.out == "" {
		return withHint(misused(errors.New("--output is missing: what is to become of the two?")),
			"paytape merge %s %s -o NAME", shellWord(args[0]), shellWord(args[1]))
	}
	return nil
}

// run merges two cassettes into a third, or into one of the two.
func (m *merger) run(first, second string) error {
	if err := m.check(); err != nil {
		return err
	}
	a, b, out := m.find(first), m.find(second), m.find(m.out)
	var base []redact.Clean
	if m.base != "" {
		tape, err := m.load(m.find(m.base))
		if err != nil {
			return err
		}
		base = tape.Exchanges
	}
	theirs, err := m.load(b)
	if err != nil {
		return err
	}
	var merged *merge.Merged
	var ours *cassettes.Tape
	join := func(first *cassettes.Tape) ([]redact.Clean, error) {
		ours = first
		merged = merge.Merge(merge.Tapes{
			Base: base, Ours: ours.Exchanges, Theirs: theirs.Exchanges,
			Stable: stable.Tapes{Profiles: m.profiles()},
		}, m.redactor)
		if err := m.refuse(merged); err != nil {
			return nil, err
		}
		// Of one profile the last edition counts: that of ours.
		ours.TellProfiles(slices.Concat(theirs.HeadProfiles(), ours.HeadProfiles())...)
		return merged.Exchanges(), nil
	}
	var file string
	if out.same(a) {
		file, err = m.edit(a, join)
	} else {
		file, err = m.third(a, b, out, join)
	}
	if err != nil {
		return err
	}
	for _, w := range merged.Warnings {
		m.voice.warn(w)
	}
	m.warnOfGone(a.given, ours, merged.OursGone)
	m.warnOfGone(b.given, theirs, merged.TheirsGone)
	m.print("merged %s and %s into %s: %s\n", a.given, b.given, file, told(merged))
	return nil
}

// third writes what comes of the first cassette in the place of the second, or as a new one.
func (m *merger) third(
	a, b, out tapeFile, join func(*cassettes.Tape) ([]redact.Clean, error),
) (string, error) {
	ours, err := m.load(a)
	if err != nil {
		return "", err
	}
	if out.same(b) {
		return m.edit(b, func(second *cassettes.Tape) ([]redact.Clean, error) {
			all, err := join(ours)
			second.TellProfiles(ours.HeadProfiles()...)
			return all, err
		})
	}
	all, err := interruptible(m.ctx, func() ([]redact.Clean, error) { return join(ours) })
	if err != nil {
		return "", err
	}
	file, err := m.create(out, all, ours.HeadProfiles())
	if errors.Is(err, cassettes.ErrExists) {
		err = withHint(fmt.Errorf("merging: %w", err), "choose another name, or remove it first")
	}
	return file, err
}

// refuse makes an error of conflicts.
func (m *merger) refuse(merged *merge.Merged) error {
	if len(merged.Conflicts) == 0 {
		return nil
	}
	for _, c := range merged.Conflicts {
		m.voice.warn("conflict: " + c)
	}
	return withHint(fmt.Errorf("merging: %s; nothing was written",
		count.Of(len(merged.Conflicts), "conflict")),
		"make the two agree in these exchanges, and merge again")
}

// warnOfGone warns of what a side has and needs, and is not on the merged cassette because the other side
// has removed it.
func (m *merger) warnOfGone(side string, t *cassettes.Tape, gone []int) {
	if len(gone) == 0 {
		return
	}
	for _, reason := range flowsOf(m.profiles(), t).Without(gone, nil) {
		m.voice.warn(fmt.Sprintf("the other side has removed what %s needs: %s", side, reason))
	}
}

// told says what a merge came to.
func told(m *merge.Merged) string {
	text := fmt.Sprintf("%s, %d in both, %d and %d in one only", count.Of(len(m.Pieces), "exchange"),
		m.Both+m.Changed, m.OursOnly, m.TheirsOnly)
	if m.Changed > 0 || m.Removed > 0 {
		text += fmt.Sprintf("; %d changed, %d removed", m.Changed, m.Removed)
	}
	if m.Renumbered > 0 {
		text += "; " + count.Of(m.Renumbered, "surrogate") + " of the second got another number"
	}
	return text
}
