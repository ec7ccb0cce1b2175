package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/paytape/paytape/match"
	"github.com/spf13/cobra"
)

const replayLong = `replay answers from cassettes, without the sandbox: ids that the sandbox made
are fresh in every run, values that the client chooses are its own, and dates
move to today. A request that is not on tape is a miss: status 501, with a JSON
body that says which field differs, from which recorded exchange, and what would
make it match. Nothing is ever forwarded.`

// replayer is the command "replay" with its flags.
type replayer struct {
	*app
	front
	knowledge
	dir        string
	seed       uint64
	strict     bool
	skipWrites bool
	quiet      bool
}

func replayCommand(a *app) *cobra.Command {
	r := &replayer{app: a}
	cmd := &cobra.Command{
		Use:   "replay NAME...",
		Short: "play cassettes back",
		Long:  replayLong,
		Example: `  paytape replay checkout
  paytape replay --strict --listen 127.0.0.1:0 --ready-file ready.json checkout cards`,
		Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}
	fs := cmd.Flags()
	fs.BoolVar(&r.strict, "strict", false, "exit with 1 if any request was a miss")
	fs.Uint64Var(&r.seed, "seed", 0, "make fresh values repeatable; 0 takes a random `NUMBER`")
	fs.BoolVar(&r.skipWrites, "skip-writes", false, "let a write be served before those recorded "+
		"ahead of it")
	fs.BoolVar(&r.quiet, "quiet-headers", false, "leave Paytape-Served out of the answers")
	dirFlag(fs, &r.dir)
	r.front.flags(fs, "127.0.0.1:8080")
	r.knowledge.flags(fs)
	r.piiFlag(fs)
	return cmd
}

func (r *replayer) run(ctx context.Context, names []string) error {
	err := firstError(func() error { return r.front.check(r.voice) }, r.knowledge.check)
	if err != nil {
		return err
	}
	tape, err := r.load(names)
	if err != nil {
		return err
	}
	ln, err := r.open(r.voice)
	if err != nil {
		return err
	}
	d, err := startReplay(ctx, ln, replayOptions{
		knowledge: &r.knowledge, tape: tape, observe: observer(r.log), quiet: r.quiet,
	})
	if err != nil {
		return err
	}
	r.voice.say("replaying %d exchanges at %s", tape.Exchanges(), d.url)
	err = ready{Proxy: d.url}.while(r.ready, d.done)
	return errors.Join(err, d.close(), r.verdict(d))
}

// load makes the tape of all cassettes.
func (r *replayer) load(names []string) (*match.Tape, error) {
	tapes, err := loadTapes(shelf{&r.knowledge, r.dir}, names, r.voice.warn)
	if err != nil {
		return nil, err
	}
	tape := compile(tapes, match.Options{
		Profiles: r.profiles, Seed: r.seed, SkipWrites: r.skipWrites,
	})
	if tape.Exchanges() == 0 {
		r.voice.warn("no exchange on tape can be replayed: every request will be a miss")
	}
	return tape, nil
}

// verdict tells what was served, and fails under --strict if anything was missed.
func (r *replayer) verdict(d *replayDeck) error {
	s := d.mode.Stats()
	r.print("replayed %d requests from tape, %d misses\n", s.Hits, s.Misses)
	if r.strict && s.Misses > 0 {
		return withHint(fmt.Errorf("%d requests found nothing on tape", s.Misses),
			"see the lines with msg=missed above, then paytape record what is missing")
	}
	return nil
}
