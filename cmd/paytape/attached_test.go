package main

import (
	"bytes"
	"io"
	"path/filepath"
	"strings"
	"testing"
)

// TestADeckStopsWithItsInput starts a deck as a fixture of another language does, and lets go of it by
// closing a pipe: the deck stops well and tells what it has done.
func TestADeckStopsWithItsInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "ready.json")
	in, held := io.Pipe()
	defer held.Close()
	var out, diagnostics bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(t.Context(), Env{
			Args: []string{"record", "--upstream", "sandbox", "--listen", "127.0.0.1:0", "--dir", dir,
				"--ready-file", file, "--stop-with-stdin", "tape"},
			Lookup: func(string) (string, bool) { return "", false },
			Stdin:  in, Stdout: &out, Stderr: &diagnostics,
		})
	}()
	if code, _, stderr := inProcess(t, "ready", "--ready-file", file, "--wait", "60s"); code != exitDone {
		t.Fatalf("the deck is not ready: %s", stderr)
	}
	if _, err := held.Write([]byte("words that mean nothing\n")); err != nil {
		t.Fatal(err)
	}
	select {
	case code := <-ended:
		t.Fatalf("it stopped with %d before its input ended: %s", code, diagnostics.String())
	default:
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if code := <-ended; code != exitDone || !strings.Contains(out.String(), "recorded nothing") {
		t.Errorf("exit code %d, printed %q, said %q", code, out.String(), diagnostics.String())
	}
}
