package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/trust"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
)

const runLong = `run starts a deck, runs a command with it, and ends as the command does: with its
exit code. If the cassette NAME exists it is replayed, else recorded, for which
--upstream says from where. --mode says so for certain: replay never records, record
goes on with a cassette that exists, and spy replays what is on it and records the
rest. With CI=true in the environment nothing is recorded unless --record-in-ci is
given: a forgotten cassette shall fail the build.

The command finds the deck's address in PAYTAPE_URL. Programs that heed the usual
variables for proxies (HTTP_PROXY, HTTPS_PROXY, NO_PROXY) and for certificates
(SSL_CERT_FILE, NODE_EXTRA_CA_CERTS, REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE and the
like) reach the sandbox's own addresses through the deck without being changed,
and no other host: in replay nothing gets to the network that way. Java is told
by JAVA_TOOL_OPTIONS, and repeats them on stderr.

With --deck URL no deck is started: the command is run with decks that run already, in a
session of its CI job, and PAYTAPE_URL leads there.

Signals go to the command; the deck stops after it. A miss under --strict makes 1
of its 0.`

// runner is the command "run" with its flags.
type runner struct {
	deckCommand
	mode    string // a word below; empty for replay, or record where there is no cassette
	inCI    bool   // record even there
	shared  sharedRun
	noProxy string // hosts that the command reaches past the deck
	beside  bool   // the recording is a part of something: whoever asked for it tells what came of it
}

// runModes are the words of --mode.
var runModes = map[string]deck.Mode{"record": deck.Record, "replay": deck.Replay, "spy": deck.Spy}

func runCommand(a *app) *cobra.Command {
	r := &runner{deckCommand: deckCommand{app: a}}
	r.forward, r.commands = true, true
	cmd := &cobra.Command{
		Use:   "run NAME -- COMMAND [ARG...]",
		Short: "run a command with a deck: replay a cassette, or record it first",
		Long:  runLong,
		Example: `  paytape run --upstream https://sandbox.example checkout -- npm test
  paytape run --strict checkout -- go test ./...
  paytape run --deck http://decks.example:8080 checkout -- npm test
  paytape run --mode spy --upstream sandbox checkout -- sh suite.sh
  paytape run --upstream sandbox --host pay.example=sandbox checkout -- python -m pytest`,
		Args: r.arguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			if r.mode != "" && runModes[r.mode] == "" {
				return misused(fmt.Errorf("--mode: expected record, replay or spy, found %q", r.mode))
			}
			if err := r.shared.check(); err != nil {
				return err
			}
			return r.run(cmd.Context(), args[0], args[1:])
		},
	}
	fs := cmd.Flags()
	r.shared.flags(fs)
	fs.StringVar(&r.mode, "mode", "", "`WORD` for what to do: record, replay or spy; without it, "+
		"replay, or\nrecord where there is no cassette")
	fs.BoolVar(&r.inCI, "record-in-ci", false, "record although CI=true is set")
	stableFlag(fs, &r.stable)
	r.playFlags.flags(fs)
	r.storeFlags.flags(fs)
	r.flagsOfAll(fs)
	return cmd
}

// flagsOfAll declares the flags of a deck for one command, whatever its mode.
func (r *runner) flagsOfAll(fs *pflag.FlagSet) {
	r.upstreamFlags(fs)
	r.tapeFlags(fs)
	r.callbacks.flags(fs, true, true)
	r.callbacks.waitFlag(fs)
	fs.StringVar(&r.noProxy, "no-proxy", "localhost,127.0.0.1,::1", "`HOSTS` that the command "+
		"reaches past the\ndeck")
	r.commonFlags(fs, "127.0.0.1:0")
	// The terminal is the command's: what goes well need not be told there.
	r.logLevel, fs.Lookup("log-level").DefValue = "warn", "warn"
}

// commandArguments wants one name, a double dash, and a command.
func commandArguments(cmd *cobra.Command, args []string) error {
	if cmd.ArgsLenAtDash() != 1 || len(args) < 2 {
		return wrongArguments(cmd, "no command is given")
	}
	return nil
}

// arguments wants what commandArguments wants, and refuses flags that --mode says the opposite of. Only
// those that were given are looked at: settings are for all modes.
func (r *runner) arguments(cmd *cobra.Command, args []string) error {
	if err := r.shared.excludes(cmd); err != nil {
		return err
	}
	excluded := map[string]string{}
	switch r.mode {
	case "record":
		for _, name := range []string{"strict", "fail-unused", "ids", "clock", "latency", "marked", "failures",
			"at-once", "credentials"} {
			excluded[name] = "nothing is answered from tape"
		}
	case "replay":
		excluded["upstream"], excluded["record-in-ci"] = "nothing is passed on", "nothing is recorded"
	}
	for _, name := range slices.Sorted(maps.Keys(excluded)) {
		if cmd.Flags().Changed(name) {
			return misused(fmt.Errorf("--mode %s and --%s exclude each other: %s", r.mode, name,
				excluded[name]))
		}
	}
	return commandArguments(cmd, args)
}

func (r *runner) run(ctx context.Context, name string, command []string) error {
	if err := cassettes.CheckName(name); err != nil {
		return err // before anything is made for it
	}
	if r.shared.deck != "" {
		return r.runShared(ctx, name, command)
	}
	signals := watchSignals() // before anything takes time
	defer signals.stop()
	program, err := exec.LookPath(command[0])
	if err != nil {
		return misused(fmt.Errorf("finding the command: %w", err))
	}
	d, err := r.startDeck(ctx, name)
	if err != nil {
		return err
	}
	trusted, err := trust.Write(d.authority.PEM(), r.env.Lookup)
	if err != nil {
		return r.stopDeck(d, err)
	}
	t := task{
		program: program, args: command, signals: signals, app: r.app,
		env: trusted.Environ(r.env.Environ, d.URL, r.noProxy),
	}
	ended := make(chan struct{})
	var result error
	go func() {
		defer close(ended)
		result = t.run(ctx)
	}()
	err = readyAt(d.Deck).publish(r.ready, ended)
	<-ended
	return errors.Join(r.stopDeck(d, result), err, trusted.Remove())
}

// commandDeck is a deck for one command.
type commandDeck struct {
	*loggedDeck
	authority *proxy.Authority
	mode      deck.Mode
}

// startDeck starts a deck of the mode that was asked for. The deck lasts until it is stopped, whatever
// becomes of ctx: the command stops first.
func (r *runner) startDeck(ctx context.Context, name string) (*commandDeck, error) {
	if !r.beside && runModes[r.mode] != deck.Record {
		if err := r.requireTapes(ctx, name); err != nil {
			return nil, err
		}
	}
	mode, err := r.chooseMode(name)
	if err != nil {
		return nil, err
	}
	o, err := r.options(mode, name)
	if err != nil {
		return nil, err
	}
	d, err := r.start(context.WithoutCancel(ctx), o)
	if err != nil {
		return nil, err
	}
	return &commandDeck{loggedDeck: d, authority: o.Authority, mode: mode}, nil
}

// stopDeck ends the deck when the command has ended, with an error or without, and tells what the
// deck has done. Its own error is the command's, and what is not as it should be. Data goes where
// diagnostics go: stdout is the command's.
func (r *runner) stopDeck(d *commandDeck, ended error) error {
	err := d.Close()
	s, stderr := d.Summary(), &app{out: r.voice.w, voice: r.voice}
	tell := func(line string) { stderr.print("%s\n", line) }
	if r.logFormat == logJSON { // the log has all of it, whatever its level was while the command ran
		r.log, _ = newLog("info", logJSON, r.voice.w) // there is such a log
		stderr.out, tell = io.Discard, func(line string) { r.log.Info(line) }
	}
	shown := r.live != nil
	r.warnOfUnstable(s.Recorded)
	if records(d.mode) {
		if !shown && !r.beside {
			tell(recordingLine(s.Recorded))
		}
		if s.Recorded.New > 0 {
			r.warnOfIdle(s.Rules)
		}
		ended = r.warnOfPartial(ended, s.Recorded)
	}
	err = errors.Join(ended, err)
	if answersFromTape(d.mode) {
		err = errors.Join(err, r.verdict(stderr, s, shown))
	}
	err = errors.Join(err, r.verdictOfRules(stderr, s.RunRules, shown))
	if shown {
		stderr.print("%s", r.live.ending(d.loggedDeck, s, err))
	}
	return err
}

// warnOfPartial warns of a recording of a command that failed. It is kept, for the command may have done all
// that it does but for its own checks, and is worth a look in any case; but what was left out would
// be missing from every replay.
func (r *runner) warnOfPartial(ended error, s cassettes.Summary) error {
	if ended == nil || s.New == 0 || s.File == "" || r.beside {
		return ended
	}
	r.voice.warn(s.File + " holds what the command did until it failed, and is replayed from now on")
	return withHint(ended, "rm %s, then run the command again to record it anew", s.File)
}

// chooseMode returns the mode that was asked for. Without one, a cassette that exists is replayed and
// any other recorded.
func (r *runner) chooseMode(name string) (deck.Mode, error) {
	there, err := exists(r.dir, name)
	mode, asked := runModes[r.mode]
	switch {
	case err != nil:
		return mode, err
	case !asked && there:
		return deck.Replay, nil
	case !asked:
		mode = deck.Record
	case mode == deck.Replay && !there:
		return mode, withHint(fmt.Errorf("there is no cassette %q in %q, and --mode replay records none",
			name, r.dir), "paytape run --mode record --upstream URL %s -- COMMAND", name)
	}
	if records(mode) {
		err = r.mayRecord(name)
	}
	return mode, err
}

// mayRecord refuses to record where nobody said from where, and where builds are made.
func (r *runner) mayRecord(name string) error {
	value, _ := r.env.Lookup(deck.CIVariable)
	without := fmt.Sprintf("there is no cassette %q in %q", name, r.dir)
	if r.mode != "" {
		without = fmt.Sprintf("--mode %s records cassette %q", r.mode, name)
	}
	switch {
	case len(r.upstreams) == 0:
		return withHint(fmt.Errorf("%s, and no --upstream to record it from", without),
			"paytape run --upstream URL %s -- COMMAND", name)
	case deck.InCI(value) && !r.inCI:
		return withHint(fmt.Errorf("%s, and %s=%s: nothing is recorded", without, deck.CIVariable, value),
			"record it elsewhere and commit it, or add --record-in-ci")
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

// exitCode is the exit code of a command that was run and did not end with 0. It becomes the
// exit code of paytape.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("the command ended with %d", int(e)) }

// signals are those that a command is to have in place of us.
type signals struct{ came chan os.Signal }

// watchSignals begins to collect signals, which no longer end the process then.
func watchSignals() *signals {
	s := &signals{make(chan os.Signal, 16)}
	signal.Notify(s.came, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	if len(ownSignals) > 0 { // without any, Notify would take all
		signal.Notify(s.came, ownSignals...)
	}
	return s
}

func (s *signals) stop() { signal.Stop(s.came) }

// task is a command while it runs.
type task struct {
	*app
	program string
	args    []string // with the name it was called by
	env     []string
	signals *signals
}

// run runs the command to its end, with the streams of this process.
func (t task) run(ctx context.Context) error {
	if ctx.Err() != nil {
		return errors.New("stopped before the command began")
	}
	cmd := &exec.Cmd{
		Path: t.program, Args: t.args, Env: t.env,
		Stdin: t.app.env.Stdin, Stdout: t.app.env.Stdout, Stderr: t.app.env.Stderr,
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the command: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	typed := terminal(t.app.env.Stdin)
	for {
		select {
		case err := <-ended:
			return exitOf(err)
		case s := <-t.signals.came:
			if typed && (s == os.Interrupt || s == syscall.SIGQUIT) {
				continue // a terminal sends what is typed to the command as well
			}
			_ = cmd.Process.Signal(s) // a command that has gone needs none
		}
	}
}

// exitOf makes our exit code of how a command ended. A command that a signal ended has, as
// in a shell, 128 and the signal's number.
func exitOf(err error) error {
	failed, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	if status, ok := failed.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return exitCode(128 + int(status.Signal()))
	}
	return exitCode(failed.ExitCode())
}

// terminal reports whether a stream is one at which somebody types. The null device looks
// much like it.
func terminal(stream any) bool {
	file, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}
