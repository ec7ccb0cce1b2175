package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/proxy"
)

// counted counts how often it is written to.
type counted struct {
	mu     sync.Mutex // guards the rest
	text   strings.Builder
	writes int
}

func (c *counted) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.writes++
	return c.text.Write(p)
}

// so returns what was written so far, and in how many writes.
func (c *counted) so() (text string, writes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String(), c.writes
}

// TestRoutineLinesAreWrittenTogether has a busy deck log: the first line is seen at once, those
// behind it soon and together, and a warning at once with all that came before it.
func TestRoutineLinesAreWrittenTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &counted{}
		log, err := newLog("info", logText, &lineWriter{w: w})
		if err != nil {
			t.Fatal(err)
		}
		observe := observer(log)
		// seen compares how many writes there were (0: any number), and lines in them.
		seen := func(when string, writes, lines int) {
			t.Helper()
			text, n := w.so()
			if got := strings.Count(text, "\n"); got != lines || writes > 0 && n != writes {
				t.Errorf("%s: %d lines in %d writes, want %d in %d", when, got, n, lines, writes)
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
		synctest.Wait() // until what was due then is done
		seen("a while later", 2, 10)
		serve(5)
		observe(proxy.Event{Kind: proxy.Missed})
		seen("a miss", 4, 16)
		lines, _ := w.so()
		if last := lines[strings.LastIndex(lines[:len(lines)-1], "\n")+1:]; !strings.Contains(last, "missed") {
			t.Errorf("the last line is %q", last)
		}
		serve(10_000)
		lines, _ = w.so()
		if held := 10_016 - strings.Count(lines, "\n"); held > mostHeld/20 {
			t.Errorf("%d lines wait", held)
		}
		time.Sleep(2 * lineDelay)
		synctest.Wait() // until what was due then is done
		seen("all in all", 0, 10_016)
	})
}

// TestNoLineIsLostAtTheEnd ends while lines wait.
func TestNoLineIsLostAtTheEnd(t *testing.T) {
	t.Parallel()
	var w counted
	lines := &lineWriter{w: &w}
	for range 3 {
		_, _ = lines.delayed().Write([]byte("line\n"))
	}
	lines.flush()
	if text, _ := w.so(); text != "line\nline\nline\n" {
		t.Errorf("of three lines this was written: %q", text)
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
		Kind: proxy.Served, Number: 3, Cassette: "tape", Flow: 7, State: "register.do", Profile: "gateway",
		Operation: "register.do", Code: 200, Took: 123 * time.Microsecond,
	}
	for name, w := range map[string]io.Writer{"at_once": file, "soon": &lineWriter{w: file}} {
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
