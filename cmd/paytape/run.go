package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/spf13/cobra"
)

const runLong = `run starts a deck, runs a command with it, and ends as the command does: with its
exit code. If the cassette NAME exists it is replayed, else recorded, for which
--upstream says from where. With CI=true in the environment nothing is recorded
unless --record-in-ci is given: a forgotten cassette shall fail the build.

The command finds the deck's address in PAYTAPE_URL. Programs that heed the usual
variables for proxies (HTTP_PROXY, HTTPS_PROXY, NO_PROXY) and for certificates
(SSL_CERT_FILE, NODE_EXTRA_CA_CERTS, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE and the
like) reach the sandbox's own addresses through the deck without being changed,
and no other host: in replay nothing gets to the network that way. Java is told
by JAVA_TOOL_OPTIONS, and repeats them on stderr.

Signals go to the command; the deck stops after it. A miss under --strict makes 1
of its 0.`

// runner is the command "run" with its flags.
type runner struct {
	replayer  // everything that replay needs, and with it the app and most flags
	upstreams []string
	inCI      bool   // record even there
	noProxy   string // hosts that the command reaches past the deck
}

func runCommand(a *app) *cobra.Command {
	r := &runner{replayer: replayer{deckCommand: deckCommand{app: a}}}
	r.forward = true
	cmd := &cobra.Command{
		Use:   "run NAME -- COMMAND [ARG...]",
		Short: "run a command with a deck: replay a cassette, or record it first",
		Long:  runLong,
		Example: `  paytape run --upstream https://sandbox.example checkout -- npm test
  paytape run --strict checkout -- go test ./...
  paytape run --upstream sandbox --host pay.example=sandbox checkout -- python -m pytest`,
		Args: commandArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.run(cmd.Context(), args[0], args[1:])
		},
	}
	fs := cmd.Flags()
	upstreamFlag(cmd, &r.upstreams)
	fs.BoolVar(&r.inCI, "record-in-ci", false, "record although CI=true is set")
	fs.StringVar(&r.noProxy, "no-proxy", "localhost,127.0.0.1,::1", "`HOSTS` that the command "+
		"reaches past the deck")
	r.playing.flags(fs)
	r.bodyFlag(fs)
	r.secure.flags(fs)
	dirFlag(fs, &r.dir)
	r.deckFlags(fs, "127.0.0.1:0")
	// The terminal is the command's: what goes well need not be told there.
	r.logLevel, fs.Lookup("log-level").DefValue = "warn", "warn"
	return cmd
}

// commandArguments wants one name, a double dash, and a command.
func commandArguments(cmd *cobra.Command, args []string) error {
	if cmd.ArgsLenAtDash() != 1 || len(args) < 2 {
		return wrongArguments(cmd, "no command is given")
	}
	return nil
}

func (r *runner) run(ctx context.Context, name string, command []string) error {
	if err := cassettes.CheckName(name); err != nil {
		return err // before anything is made for it
	}
	signals := watchSignals() // before anything takes time
	defer signals.stop()
	program, err := exec.LookPath(command[0])
	if err != nil {
		return misused(fmt.Errorf("finding the command: %w", err))
	}
	in, err := r.insert(ctx, name)
	if err != nil {
		return err
	}
	trust, err := writeTrust(in.authority, r.env.Lookup)
	if err != nil {
		return in.stop(err)
	}
	t := task{
		program: program, args: command, signals: signals, app: r.app,
		env: trust.environ(r.env.Environ, in.deck.URL, r.noProxy),
	}
	ended := make(chan struct{})
	var result error
	go func() {
		defer close(ended)
		result = t.run(ctx)
	}()
	err = readyAt(in.deck).while(r.ready, ended)
	<-ended
	return errors.Join(in.stop(result), err, trust.remove())
}

// inserted is a deck for one command.
type inserted struct {
	deck      *deck.Deck
	authority *proxy.Authority
	// stop ends the deck when the command has ended, with an error or without, and tells what it
	// has done. Its own error is the command's, and what is not as it should be.
	stop func(ended error) error
}

// insert starts to replay a cassette, or to record it if there is none. The deck lasts until
// it is stopped, whatever becomes of ctx: the command stops first.
func (r *runner) insert(ctx context.Context, name string) (*inserted, error) {
	ctx = context.WithoutCancel(ctx)
	there, err := exists(r.dir, name)
	if err != nil {
		return nil, err
	}
	if !there {
		return r.record(ctx, name)
	}
	o, err := r.replayer.options([]string{name})
	if err != nil {
		return nil, err
	}
	d, err := r.replayer.start(ctx, o)
	if err != nil {
		return nil, err
	}
	stop := func(ended error) error {
		return errors.Join(ended, d.Close(), r.summarise(r.aside(), d))
	}
	return &inserted{d, o.Authority, stop}, nil
}

func (r *runner) record(ctx context.Context, name string) (*inserted, error) {
	if err := r.mayRecord(name); err != nil {
		return nil, err
	}
	rec := &recorder{deckCommand: r.deckCommand, dir: r.dir, upstreams: r.upstreams}
	o, err := rec.options(name)
	if err != nil {
		return nil, err
	}
	d, err := rec.start(ctx, o)
	if err != nil {
		return nil, err
	}
	stop := func(ended error) error {
		err := d.Close()
		s := d.Summary()
		r.aside().print("%s\n", told(s.Recorded))
		if s.Recorded.New > 0 {
			r.warnOfIdle(s.Rules)
		}
		return errors.Join(r.half(ended, s.Recorded), err)
	}
	return &inserted{d, o.Authority, stop}, nil
}

// half warns of a recording of a command that failed. It is kept, for the command may have done all
// that it does but for its own checks, and is worth a look in any case; but what was left out would
// be missing from every replay.
func (r *runner) half(ended error, s cassettes.Summary) error {
	if ended == nil || s.New == 0 || s.File == "" {
		return ended
	}
	r.voice.warn(s.File + " holds what the command did until it failed, and is replayed from now on")
	return withHint(ended, "rm %s, then run the command again to record it anew", s.File)
}

// aside is an app whose data goes where its diagnostics do: stdout is the command's.
func (r *runner) aside() *app { return &app{out: r.voice.w, voice: r.voice} }

// mayRecord refuses to record where nobody said from where, and where builds are made.
func (r *runner) mayRecord(name string) error {
	value, _ := r.env.Lookup(deck.CIVariable)
	switch {
	case len(r.upstreams) == 0:
		return withHint(fmt.Errorf("there is no cassette %q in %q, and no --upstream to record it from",
			name, r.dir), "paytape run --upstream URL %s -- COMMAND", name)
	case deck.InCI(value) && !r.inCI:
		return withHint(fmt.Errorf("there is no cassette %q in %q, and %s=%s: nothing is recorded",
			name, r.dir, deck.CIVariable, value), "record it elsewhere and commit it, or add --record-in-ci")
	}
	return nil
}

// exists reports whether a folder holds a cassette. The folder need not exist.
func exists(dir, name string) (bool, error) {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	library, err := cassettes.Open(dir)
	if err != nil {
		return false, err
	}
	defer library.Close()
	names, err := library.List()
	if err != nil {
		return false, err
	}
	return slices.Contains(names, strings.TrimSuffix(name, ".yaml")), nil
}
