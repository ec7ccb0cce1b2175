package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/merge"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/redact"
)

const rerecordLong = `rerecord runs a command against the sandbox, as run does, and puts what it did in the
place of flow N of the cassette NAME, as paytape flows numbers it: where the flow stood,
with its callbacks. All else stays as it is. A secret or a card that stands where the
flow had one keeps its surrogate, so that a diff shows what the sandbox says now. With
--stable all of the cassette is made stable at the end, as record --stable makes it.

The recording is made beside the cassette, which is replaced by one rename at the end.
If the command fails, if it made no call, or if somebody has changed the cassette
meanwhile, the cassette is as it was, and the exit code is that of the command, or 1.`

// rerecorder is the command "rerecord" with its flags.
type rerecorder struct {
	runner
	flow int
}

func rerecordCommand(a *app) *cobra.Command {
	r := &rerecorder{runner: runner{deckCommand: deckCommand{app: a}}}
	r.forward, r.commands, r.beside, r.mode = true, true, true, "record"
	cmd := &cobra.Command{
		Use:   "rerecord NAME --flow N -- COMMAND [ARG...]",
		Short: "record a flow of a cassette anew",
		Long:  rerecordLong,
		Example: `  paytape flows checkout
  paytape rerecord checkout --flow 2 --upstream https://sandbox.example -- npm test -- -t refund`,
		Args: commandArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.rerecord(cmd.Context(), args[0], args[1:])
		},
	}
	fs := cmd.Flags()
	fs.IntVar(&r.flow, "flow", 0, "record flow `N` anew, as paytape flows numbers them")
	fs.BoolVar(&r.inCI, "record-in-ci", false, "record although CI=true is set")
	stableFlag(fs, &r.stable)
	r.flagsOfAll(fs)
	return cmd
}

// rerecord records beside the cassette, and puts the recording into it.
func (r *rerecorder) rerecord(ctx context.Context, name string, command []string) (err error) {
	switch {
	case r.flow < 1:
		return withHint(misused(errors.New("expected --flow and the number of a flow")), "paytape flows %s",
			shellWord(name))
	case len(r.upstreams) == 0:
		return withHint(misused(errors.New("expected --upstream: from where is the flow to be recorded?")),
			"paytape rerecord %s --flow %d --upstream URL -- COMMAND", shellWord(name), r.flow)
	}
	if err := r.knowledge.check(); err != nil {
		return err
	}
	e := &tapeEditor{app: r.app, knowledge: r.knowledge, dir: r.dir, ctx: context.WithoutCancel(ctx)}
	f := e.find(name)
	tape, err := e.load(f)
	if err != nil {
		return err
	}
	gone, err := r.replaceable(e, tape)
	if err != nil {
		return err
	}
	before, err := cassettes.Encode(tape.Exchanges)
	if err != nil {
		return err
	}
	fresh, err := r.record(ctx, e, command)
	if err != nil {
		return withHint(err, "the cassette is as it was; paytape flows %s", shellWord(name))
	}
	file, err := e.edit(f, func(t *cassettes.Tape) ([]redact.Clean, error) {
		now, err := cassettes.Encode(t.Exchanges)
		if err == nil && !bytes.Equal(now, before) {
			err = errors.New("the cassette has changed meanwhile, and is left alone")
		}
		if err != nil {
			return nil, err
		}
		tellGone(t, gone)
		return merge.Replace(t.Exchanges, gone, fresh, e.redactor), nil
	})
	if err != nil {
		return err
	}
	r.print("recorded flow %d of %s anew: %s in the place of %d\n", r.flow, file,
		count.Of(len(fresh), "exchange"), len(gone))
	if !r.stable {
		return nil
	}
	library, err := cassettes.OpenExisting(f.dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, library.Close()) }()
	return e.stabilise(library, f)
}

// replaceable returns the exchanges of the flow, or why it cannot be replaced.
func (r *rerecorder) replaceable(e *tapeEditor, t *cassettes.Tape) ([]int, error) {
	parts := flowsOf(e.profiles(), t)
	gone := parts.Exchanges(r.flow)
	if gone == nil {
		return nil, noFlow(t.Name, r.flow, parts.Count())
	}
	if reasons := parts.Without(gone, []int{r.flow}); len(reasons) > 0 {
		for _, reason := range reasons {
			r.voice.warn(reason)
		}
		return nil, fmt.Errorf("flow %d cannot be replaced by itself: what stays needs a part of it", r.flow)
	}
	return gone, nil
}

// record runs the command against a deck that records into a folder of its own, and returns what it
// recorded.
func (r *rerecorder) record(
	ctx context.Context, e *tapeEditor, command []string,
) (all []redact.Clean, err error) {
	const part = "flow"
	beside, err := os.MkdirTemp("", "paytape-rerecord-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(beside)) }()
	r.dir = beside
	if err := r.run(ctx, part, command); err != nil {
		return nil, err
	}
	library, err := cassettes.Open(beside)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, library.Close()) }()
	fresh, err := library.Load(part, e.redactor())
	if errors.Is(err, cassettes.ErrNotFound) {
		return nil, errors.New("the command made no call of the sandbox")
	}
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(fresh.Exchanges, func(c redact.Clean) bool { return c.Exchange().Replayable() }) {
		return nil, errors.New("no call of the command was answered by the sandbox")
	}
	for _, c := range fresh.Exchanges {
		if x := c.Exchange(); !x.Replayable() && x.Meta.Callback == nil {
			r.voice.warn(fmt.Sprintf("an exchange of the new flow (%s) is not replayed: %s", calledOf(x),
				x.Meta.Why()))
		}
	}
	return fresh.Exchanges, nil
}
