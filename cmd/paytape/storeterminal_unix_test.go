//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whoever waits at a terminal for tapes sees how far it is, and a log does not.
func TestProgressAtATerminal(t *testing.T) {
	t.Parallel()
	dir, tapes := t.TempDir(), "dir:"+t.TempDir()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "stories.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	tape := filepath.Join(dir, "stories.yaml")
	if err := os.WriteFile(tape, text, 0o600); err != nil {
		t.Fatal(err)
	}
	shows := func(line, command string, args ...string) {
		t.Helper()
		p := startAtTTY(t, 100, nil, append([]string{command, "--store", tapes, "--dir", dir}, args...)...)
		if err := p.cmd.Wait(); err != nil {
			t.Fatalf("%v:\n%s", err, p.text())
		}
		<-p.ends
		shown := p.text()
		// A slow process tells of its progress once more behind the last tape.
		if !strings.Contains(shown, line+": 0 of 1 tape, ") || !strings.Contains(shown, " moved") ||
			!strings.Contains(shown, "\r\x1b[K"+command+"ed stories: 28 exchanges") {
			t.Errorf("%s shows\n%q", command, shown)
		}
		// What stands behind the last erasure stays.
		if _, stays, _ := cutLast(shown, "\r\x1b[K"); strings.Contains(stays, line+":") {
			t.Errorf("%s leaves %q", command, stays)
		}
	}
	shows("pushing", "push", "stories")
	if err := os.Remove(tape); err != nil {
		t.Fatal(err)
	}
	shows("pulling", "pull")
}

// cutLast cuts a text around the last of a separator.
func cutLast(text, by string) (before, after string, found bool) {
	at := strings.LastIndex(text, by)
	if at < 0 {
		return text, "", false
	}
	return text[:at], text[at+len(by):], true
}
