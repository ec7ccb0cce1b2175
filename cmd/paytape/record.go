package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/paytape/paytape/cassettes"
	"github.com/spf13/cobra"
)

const recordLong = `record forwards requests to the sandbox and writes what happens to the cassette
NAME, with card numbers, CVCs, PINs, tokens and personal data taken out of the
copy; client and sandbox see each other's bytes. A cassette that exists is
continued. SIGINT and SIGTERM stop it.

Use its address as the base URL of the API. What a client has received in full
is on disk, and survives even the end of the process.`

// recorder is the command "record" with its flags.
type recorder struct {
	*app
	front
	knowledge
	dir       string
	upstreams []string
}

func recordCommand(a *app) *cobra.Command {
	r := &recorder{app: a}
	cmd := &cobra.Command{
		Use:   "record --upstream URL NAME",
		Short: "record a sandbox on a cassette",
		Long:  recordLong,
		Example: `  paytape record --upstream sandbox checkout     # the built-in sandbox answers
  paytape record --upstream https://sandbox.example checkout
  paytape record --upstream gateway=https://pay.example --upstream cardv1=sandbox all`,
		Args: arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.run(cmd.Context(), args[0])
		},
	}
	fs := cmd.Flags()
	upstreamFlag(cmd, &r.upstreams)
	dirFlag(fs, &r.dir)
	r.front.flags(fs, "127.0.0.1:8080")
	r.knowledge.flags(fs)
	r.piiFlag(fs)
	return cmd
}

func (r *recorder) run(ctx context.Context, name string) error {
	if err := r.check(); err != nil {
		return err
	}
	ln, err := r.open(r.voice)
	if err != nil {
		return err
	}
	d, err := startRecord(ctx, ln, recordOptions{
		deckOptions: deckOptions{&r.knowledge, r.upstreams, observer(r.log)},
		dir:         r.dir, name: name, cleaner: r.redactor(withheld(r.log)),
	})
	if err != nil {
		return err
	}
	if found := d.recorder.Recovered(); found != "" {
		r.voice.warn(found)
	}
	r.voice.say("recording cassette %q in %q at %s", name, r.dir, d.url)
	err = ready{Proxy: d.url, Sandbox: d.sandboxes.address()}.while(r.ready, d.done)
	summary, ended := d.eject()
	r.recorded(summary)
	return errors.Join(err, ended)
}

func (r *recorder) check() error {
	return firstError(
		func() error { return r.front.check(r.voice) },
		r.knowledge.check,
		func() error { return checkUpstreams(&r.knowledge, r.upstreams) },
	)
}

// recorded tells what a recording came to.
func (a *app) recorded(s cassettes.Summary) {
	switch {
	case s.File == "":
		a.print("recorded nothing\n")
	case s.New == s.Exchanges:
		a.print("recorded %d exchanges to %s\n", s.New, s.File)
	default:
		a.print("recorded %d exchanges to %s, which holds %d\n", s.New, s.File, s.Exchanges)
	}
}

// print writes data. Nobody is left to be told if stdout is closed.
func (a *app) print(format string, args ...any) { _, _ = fmt.Fprintf(a.out, format, args...) }

// firstError runs steps until one fails.
func firstError(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
