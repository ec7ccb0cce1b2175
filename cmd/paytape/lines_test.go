package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/proxy"
)

// counted counts how often it is written to.
type counted struct {
	strings.Builder
	writes int
}

func (c *counted) Write(p []byte) (int, error) {
	c.writes++
	return c.Builder.Write(p)
}

// TestRoutineLinesAreWrittenTogether has a busy deck log: the first line is seen at once, those
// behind it soon and together, and a warning at once with all that came before it.
func TestRoutineLinesAreWrittenTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &counted{}
		log, err := newLog("info", logText, &oneAtATime{w: w})
		if err != nil {
			t.Fatal(err)
		}
		observe := observer(log)
		seen := func(when string, writes, lines int) {
			t.Helper()
			if got := strings.Count(w.String(), "\n"); w.writes != writes || got != lines {
				t.Errorf("%s: %d lines in %d writes, want %d in %d", when, got, w.writes, lines, writes)
			}
		}
		serve := func(n int) {
			for range n {
				observe(proxy.Event{Kind: proxy.Served, Number: 1})
			}
		}
		serve(10)
		seen("ten requests", 1, 1)
		time.Sleep(2 * lineDelay)
		seen("a while later", 2, 10)
		serve(5)
		observe(proxy.Event{Kind: proxy.Missed})
		seen("a miss", 4, 16)
		if !strings.HasSuffix(w.String(), "\n") || !strings.Contains(w.String()[w.Len()-80:], "missed") {
			t.Error("the miss is not the last line")
		}
		serve(10_000)
		if held := 10_016 - strings.Count(w.String(), "\n"); held > mostHeld/20 {
			t.Errorf("%d lines wait", held)
		}
		time.Sleep(2 * lineDelay)
		seen("all in all", w.writes, 10_016)
	})
}

// TestNoLineIsLostAtTheEnd ends while lines wait.
func TestNoLineIsLostAtTheEnd(t *testing.T) {
	t.Parallel()
	var w counted
	lines := &oneAtATime{w: &w}
	for range 3 {
		_, _ = lines.soon().Write([]byte("line\n"))
	}
	lines.flush()
	if got := strings.Count(w.String(), "line\n"); got != 3 {
		t.Errorf("%d lines of 3 were written", got)
	}
}

// BenchmarkLine logs an answer to a file: at once, and as a busy deck does.
func BenchmarkLine(b *testing.B) {
	file, err := os.Create(filepath.Join(b.TempDir(), "log"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	event := proxy.Event{
		Kind: proxy.Served, Number: 3, Cassette: "tape", Thread: 7, Profile: "gateway",
		Operation: "register.do", Code: 200, Took: 123 * time.Microsecond,
	}
	for name, w := range map[string]io.Writer{"at_once": file, "soon": &oneAtATime{w: file}} {
		log, err := newLog("info", logText, w)
		if err != nil {
			b.Fatal(err)
		}
		observe := observer(log)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				observe(event)
			}
		})
	}
}
