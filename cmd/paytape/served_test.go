package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// servedCommand is a command that serves in this process.
type servedCommand struct {
	ready
	// stop ends the command, which must have done what it was asked to. It may be called twice.
	stop func()
}

// startServing runs a command until it serves, with ports of its own and a page that shows its
// traffic. The command is stopped at the end of the test, if it has not been before.
func startServing(t *testing.T, args ...string) *servedCommand {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ready.json")
	args = append(args, "--listen", "127.0.0.1:0", "--inspect", "127.0.0.1:0",
		"--admin", "127.0.0.1:0", "--ready-file", file)
	ctx, cancel := context.WithCancel(context.Background())
	var said bytes.Buffer // read when the command has ended
	ended, code := make(chan struct{}), 0
	go func() {
		defer close(ended)
		code = run(ctx, Env{
			Args: args, Lookup: func(string) (string, bool) { return "", false },
			Stdout: io.Discard, Stderr: &said,
		})
	}()
	s := &servedCommand{stop: sync.OnceFunc(func() {
		cancel()
		<-ended
		if code != exitDone {
			t.Errorf("%s: exit code %d: %s", args[0], code, said.String())
		}
	})}
	t.Cleanup(s.stop)
	eventually(func() bool {
		data, err := os.ReadFile(file)
		select {
		case <-ended:
			return true
		default:
			return err == nil && json.Unmarshal(data, &s.ready) == nil
		}
	})
	if s.Proxy == "" {
		s.stop()
		t.Fatalf("%s did not come to serve: %s", args[0], said.String())
	}
	return s
}
