package main

import (
	"context"
	"errors"

	"github.com/paytape/paytape/match"
	"github.com/spf13/cobra"
)

const replayLong = `replay answers from cassettes, without the sandbox: ids that the sandbox made
are fresh in every run, values that the client chooses are its own, and dates
move to today. A request that is not on tape is a miss: status 501, with a JSON
body that says which field differs, from which recorded exchange, and what would
make it match. Nothing is ever forwarded.

With --clock recorded the clock starts when the tape began; with --ids recorded
a thread of the tape is live once at a time. Clients that must not even share a
test card or a clientId put a session of their own before every path:
http://127.0.0.1:8080/~NAME/ is a deck of its own.`

// replayer is the command "replay" with its flags.
type replayer struct {
	*app
	front
	knowledge
	playing
	dir string
}

func replayCommand(a *app) *cobra.Command {
	r := &replayer{app: a}
	cmd := &cobra.Command{
		Use:   "replay NAME...",
		Short: "play cassettes back",
		Long:  replayLong,
		Example: `  paytape replay checkout
  paytape replay --strict --listen 127.0.0.1:0 --ready-file ready.json checkout cards
  paytape replay --ids recorded --clock recorded checkout`,
		Args: arguments(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd.Context(), args) },
	}
	fs := cmd.Flags()
	r.playing.flags(fs)
	dirFlag(fs, &r.dir)
	r.front.flags(fs, "127.0.0.1:8080")
	r.knowledge.flags(fs)
	r.piiFlag(fs)
	return cmd
}

func (r *replayer) run(ctx context.Context, names []string) error {
	err := firstError(
		func() error { return r.front.check(r.voice) },
		r.knowledge.check,
		r.playing.check,
		func() error { return distinct(names) },
	)
	if err != nil {
		return err
	}
	o, err := r.load(names)
	if err != nil {
		return err
	}
	ln, err := r.open(r.voice)
	if err != nil {
		return err
	}
	d, err := startReplay(ctx, ln, o)
	if err != nil {
		return err
	}
	r.voice.say("replaying %d exchanges at %s", o.tape.Exchanges(), d.url)
	err = ready{Proxy: d.url}.while(r.ready, d.done)
	err = errors.Join(err, d.close())
	s := summarise(d.mode, o.tape.Exchanges())
	s.log(r.log)
	return errors.Join(err, r.verdict(r.app, s))
}

// load makes the tape of all cassettes.
func (r *replayer) load(names []string) (replayOptions, error) {
	tapes, err := loadTapes(shelf{&r.knowledge, r.dir}, names, r.voice.warn)
	if err != nil {
		return replayOptions{}, err
	}
	cs := cassettesOf(tapes)
	o := r.options(&r.knowledge, cs, r.voice.warn)
	tape := match.Compile(o, cs...)
	if tape.Exchanges() == 0 {
		r.voice.warn("no exchange on tape can be replayed: every request will be a miss")
	}
	return replayOptions{
		knowledge: &r.knowledge, tape: tape, now: o.Now, observe: observer(r.log), quiet: r.quiet,
	}, nil
}
