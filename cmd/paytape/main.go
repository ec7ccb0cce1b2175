// Command paytape is a tape deck for card-payment sandboxes: it records what happens between
// a client and the sandbox, with every card number, CVC, PIN and token taken out, and plays
// it back without the sandbox.
//
// This package is the command line and nothing else. Each subcommand is one file. What subcommands
// share is small:
//
//	root.go help.go       the tree of commands; the reference, whose pages are help/*.md
//	completion.go         what a shell may complete, told by usage lines and a table of words
//	manpage.go            manual pages, made of both
//	settings.go           a flag beats the environment beats paytape.yaml; values of flags
//	deck.go               the command that serves a deck: its flags and its options
//	verdict.go byflag.go  how it ends; the flag that an option which is wrong comes from
//	serve.go              flags: where it listens, and how clients get to it
//	play.go knowledge.go  flags: how it answers from tape; what is known of the APIs
//	tls.go                certificates and keys
//	voice.go log.go       what is said to the operator; the log of what happens
//	summary.go            what is said at the end
//	output.go             stdout, which remembers that it could not be written
//
// What a deck is and how it starts and stops is package deck's to know. For example, "paytape record
// --upstream sandbox checkout" is recordCommand, which gives a deckCommand the flags of deck.Record;
// when settings.go has filled the flags, deckCommand.serve turns them into deck.Options, starts the
// deck, keeps the ready file until a signal comes, closes the deck and prints its summary.
// Everything is read and checked before anything is started, and everything that was started is
// stopped before the process ends.
//
// A new flag of decks is a field of a group of flags in one of these files, and a line in
// deckCommand.options. A new key of the ready file is a field of the type ready and a row of
// help/ready-file.md. A new subcommand is a file and a line in newRoot.
//
// Data goes to stdout, diagnostics to stderr. The exit code is 0 if the command did what it
// was asked to, 1 if it failed, 2 if it was asked wrongly.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/paytape/paytape/internal/lines"
	"github.com/paytape/paytape/proxy/inspect/live"
)

// sameSignal is how long after a signal another is taken for the same.
const sameSignal = 500 * time.Millisecond

func main() {
	// net/http has things to say through the standard logger, and quotes what peers send.
	log.SetOutput(io.Discard)
	ignored := signal.Ignored(os.Interrupt) // as of what a script has put into the background
	signalled, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(context.Background())
	onSignal(signalled, cancel, func() {
		stop()
		if ignored {
			endOn(os.Interrupt)
		}
	})
	os.Exit(run(ctx, Env{
		Args: os.Args[1:], Lookup: os.LookupEnv, Environ: os.Environ(),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		EndWithReader: outliveReaders(),
	}))
}

// onSignal has the first signal stop gracefully, and lets go of signals after that: a second one
// ends the process at once, but not if it comes right behind. timeout(1) signals its command and
// then all of its group, and so does a terminal beside whatever passes signals on.
func onSignal(signalled context.Context, stop, letGo func()) {
	context.AfterFunc(signalled, func() {
		stop()
		time.AfterFunc(sameSignal, letGo)
	})
}

// endOn ends the process as soon as a signal comes, which would be ignored otherwise.
func endOn(s os.Signal) {
	came := make(chan os.Signal, 1)
	signal.Notify(came, s)
	go func() {
		<-came
		os.Exit(exitFailed)
	}()
}

// outliveReaders has a write to stdout or stderr fail when nobody reads them any more, where it would end
// the process: a deck goes on for its clients, and folds what it has recorded. The signal is asked
// for and not ignored, because a command that is run would inherit that. endWithReader undoes it.
func outliveReaders() (endWithReader func()) {
	if len(pipeSignals) == 0 {
		return func() {}
	}
	came := make(chan os.Signal, 1) // nobody looks: the write tells
	signal.Notify(came, pipeSignals...)
	return func() { signal.Stop(came) }
}

// Env is all that a run takes from the process, except its working directory.
type Env struct {
	Args    []string                         // without the name of the program
	Lookup  func(name string) (string, bool) // of environment variables
	Environ []string                         // all variables, NAME=VALUE, for commands that are run
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	// EndWithReader has the process end when nobody reads any more what it writes. Nil: it goes on.
	EndWithReader func()
}

// run runs one command until it is done or ctx ends, and returns the exit code.
func run(ctx context.Context, env Env) int {
	out := &output{to: env.Stdout}
	a := &app{env: env, out: out}
	diagnostics := env.Stderr
	if a.ttyOf(diagnostics).file != nil {
		diagnostics = live.NewScreen(diagnostics) // a deck may keep a line at the bottom
	}
	stderr := lines.New(diagnostics)
	defer stderr.Close()
	a.voice = voice{stderr, &lineFormat{}}
	root := newRoot(a, env.Lookup)
	root.SetArgs(env.Args)
	root.SetIn(env.Stdin)
	root.SetOut(out)
	root.SetErr(env.Stderr)
	cmd, err := root.ExecuteContextC(ctx)
	a.chooseFormat(cmd) // it may not have come to that
	return a.voice.verdict(errors.Join(hintPull(err), out.lost()))
}

// app is what every subcommand speaks with.
type app struct {
	env   Env
	out   io.Writer // data
	voice voice     // diagnostics
}

// print writes data. What goes wrong is told at the end: see output.
func (a *app) print(format string, args ...any) { _, _ = fmt.Fprintf(a.out, format, args...) }

// errInterrupted is why a command ends that a signal came for while it was loading.
var errInterrupted = errors.New("interrupted")

// interruptible does what looks at no context, such as reading a large file that another program
// wrote, and ends when ctx does. It is for what leaves nothing behind: what is still under way then
// ends with the process.
func interruptible[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	var none T
	if ctx.Err() != nil {
		return none, errInterrupted
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return none, errInterrupted
	}
}

// interruptibly is interruptible for what has no result.
func interruptibly(ctx context.Context, do func() error) error {
	_, err := interruptible(ctx, func() (struct{}, error) { return struct{}{}, do() })
	return err
}
