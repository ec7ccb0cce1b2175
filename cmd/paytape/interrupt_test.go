package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What loads for minutes ends as soon as its context does.
func TestInterruptible(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	err := interruptibly(ctx, func() error {
		cancel()
		<-never
		return nil
	})
	if !errors.Is(err, errInterrupted) {
		t.Errorf("got %v", err)
	}
	seven := func() (int, error) { return 7, nil }
	if got, err := interruptible(t.Context(), seven); got != 7 || err != nil {
		t.Errorf("got %d, %v", got, err)
	}
}

// Commands that load tapes heed the first signal.
func TestCommandsThatLoadAreInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const tape = "version: 1\ninteractions:\n- request: {method: GET, url: 'http://a.test/x'}\n" +
		"  response: {code: 200, body: a}\n"
	if err := os.WriteFile(filepath.Join(dir, "tape.yaml"), []byte(tape), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"show", "--dir", dir, "tape"}, {"list", "--dir", dir}, {"flows", "--dir", dir, "tape"},
		{"replay", "--dir", dir, "--listen", "127.0.0.1:0", "tape"},
	} {
		var out, told strings.Builder
		code := run(ctx, Env{
			Args: args, Lookup: func(string) (string, bool) { return "", false },
			Stdin: strings.NewReader(""), Stdout: &out, Stderr: &told,
		})
		if code != exitFailed || !strings.Contains(told.String(), "error: interrupted\n") {
			t.Errorf("%s: ended with %d: %s", args[0], code, told.String())
		}
	}
}
