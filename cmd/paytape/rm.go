package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/flow"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/redact"
	"github.com/spf13/cobra"
)

const rmLong = `rm takes flows off the cassette NAME, under the numbers that paytape flows gives them, with
their callbacks; or single exchanges, with theirs. What stays keeps its numbers and its
bytes, so that a diff shows what went and nothing else.

rm refuses what would break what stays, and says why: an exchange that is about another
flow too, one that bore a value which an exchange that stays brings, and a write if an
exchange that stays found what it did. Name these as well, or leave both. --dry-run only
says what would go.`

// remover is the command "rm" with its flags.
type remover struct {
	tapeEditor
	flows, exchanges []int
	dryRun           bool
}

func rmCommand(a *app) *cobra.Command {
	r := &remover{tapeEditor: tapeEditor{app: a}}
	cmd := &cobra.Command{
		Use:   "rm NAME --flow N",
		Short: "take flows or exchanges off a cassette",
		Long:  rmLong,
		Example: `  paytape rm checkout --flow 2
  paytape rm checkout --flow 2,5 --dry-run
  paytape rm checkout --exchange 7`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r.ctx = cmd.Context()
			return r.run(args[0])
		},
	}
	fs := cmd.Flags()
	fs.IntSliceVar(&r.flows, "flow", nil, "take flow `N` off, as paytape flows numbers them; repeatable")
	fs.IntSliceVar(&r.exchanges, "exchange", nil, "take exchange `N` off; repeatable")
	fs.BoolVar(&r.dryRun, "dry-run", false, "only say what would go")
	dirFlag(fs, &r.dir)
	r.knowledge.flags(fs)
	r.piiFlag(fs)
	return cmd
}

func (r *remover) run(name string) error {
	if len(r.flows)+len(r.exchanges) == 0 {
		return withHint(misused(errors.New("expected --flow or --exchange")), "paytape flows %s",
			shellWord(name))
	}
	if err := r.check(); err != nil {
		return err
	}
	f := r.find(name)
	if r.dryRun {
		tape, err := r.load(f)
		if err != nil {
			return err
		}
		going, err := interruptible(r.ctx, func() ([]int, error) { return r.going(tape) })
		if err == nil {
			r.tell("would take", going, tape)
		}
		return err
	}
	var going []int
	var was *cassettes.Tape
	_, err := r.edit(f, func(t *cassettes.Tape) ([]redact.Clean, error) {
		var err error
		was = t
		if going, err = r.going(t); err != nil {
			return nil, err
		}
		if len(going) == len(t.Exchanges) {
			return nil, withHint(errors.New("nothing would be left on the cassette"), "rm %s",
				shellWord(f.dir+"/"+f.name+tapeSuffix))
		}
		tellGone(t, going)
		return without(t.Exchanges, going), nil
	})
	if err != nil {
		return err
	}
	r.tell("took", going, was)
	return nil
}

// going returns the numbers of the exchanges that are to go, or why they cannot.
func (r *remover) going(t *cassettes.Tape) ([]int, error) {
	parts := flowsOf(r.profiles(), t)
	going := slices.Clone(r.exchanges)
	for _, n := range r.flows {
		of := parts.Exchanges(n)
		if of == nil {
			return nil, noFlow(t.Name, n, parts.Count())
		}
		going = append(going, of...)
	}
	for _, n := range r.exchanges {
		has := func(c redact.Clean) bool { return c.Exchange().Meta.Number == n }
		if !slices.ContainsFunc(t.Exchanges, has) {
			return nil, withHint(fmt.Errorf("cassette %q has no exchange %d", t.Name, n),
				"paytape show %s", t.Name)
		}
	}
	going = append(going, parts.Callbacks(going)...)
	slices.Sort(going)
	going = slices.Compact(going)
	if reasons := parts.Without(going, r.flows); len(reasons) > 0 {
		for _, reason := range reasons {
			r.voice.warn(reason)
		}
		return nil, withHint(errors.New("what stays needs what would go; nothing was changed"),
			"name these exchanges too, or their flows")
	}
	return going, nil
}

// tellGone has the head of a file tell with which profiles exchanges were recorded that go.
func tellGone(t *cassettes.Tape, going []int) {
	for _, c := range t.Exchanges {
		if m := &c.Exchange().Meta; slices.Contains(going, m.Number) {
			t.TellProfiles(m.Profiles...)
		}
	}
}

// flowsOf takes a tape apart into flows.
func flowsOf(set *deck.Profiles, t *cassettes.Tape) *flow.Tape {
	c := cassetteOf(t)
	return flow.New(match.Describe(match.Options{Profiles: set}, c), c.Exchanges)
}

// noFlow says that a cassette has no flow of a number.
func noFlow(name string, n, flows int) error {
	return withHint(fmt.Errorf("cassette %q has no flow %d: it has %s", name, n, count.Of(flows, "flow")),
		"paytape flows %s", name)
}

// without returns what stays of a tape.
func without(all []redact.Clean, going []int) []redact.Clean {
	return slices.DeleteFunc(slices.Clone(all), func(c redact.Clean) bool {
		return slices.Contains(going, c.Exchange().Meta.Number)
	})
}

// tell says what goes.
func (r *remover) tell(did string, going []int, t *cassettes.Tape) {
	r.print("%s %s off %s, %d stay:\n", did, count.Of(len(going), "exchange"), t.Name,
		len(t.Exchanges)-len(going))
	for _, c := range t.Exchanges {
		if x := c.Exchange(); slices.Contains(going, x.Meta.Number) {
			r.print("  #%d %s\n", x.Meta.Number, printable(calledOf(x)))
		}
	}
}

// calledOf names an exchange in a word or two.
func calledOf(x *leaf.Exchange) string {
	if told := x.Meta.Callback; told != nil {
		return (*callbackJSON)(told).words()
	}
	if x.Meta.Operation != "" {
		return x.Meta.Operation
	}
	target, _, _ := strings.Cut(x.Target(), "?")
	return x.Method + " " + target
}
