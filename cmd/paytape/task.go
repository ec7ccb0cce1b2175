package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

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
			return outcome(err)
		case s := <-t.signals.came:
			if typed && (s == os.Interrupt || s == syscall.SIGQUIT) {
				continue // a terminal sends what is typed to the command as well
			}
			_ = cmd.Process.Signal(s) // a command that has gone needs none
		}
	}
}

// outcome makes our exit code of how a command ended. A command that a signal ended has, as
// in a shell, 128 and the signal's number.
func outcome(err error) error {
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
