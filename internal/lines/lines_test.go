package lines_test

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/paytape/paytape/internal/lines"
)

type stream struct {
	mu     sync.Mutex // guards the rest
	text   strings.Builder
	writes int
}

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	return s.text.Write(p)
}

// soFar returns what was written so far, and in how many writes.
func (s *stream) soFar() (text string, writes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String(), s.writes
}

// TestRoutineLinesAreWrittenTogether has a busy program log: the first line is seen at once, those
// behind it soon and together, and a prompt line at once with all that came before it.
func TestRoutineLinesAreWrittenTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s stream
		w := lines.New(&s)
		// seen compares how many writes there were, and lines in them.
		seen := func(when string, writes, count int) {
			t.Helper()
			synctest.Wait()
			text, n := s.soFar()
			if got := strings.Count(text, "\n"); got != count || n != writes {
				t.Errorf("%s: %d lines in %d writes, want %d in %d", when, got, n, count, writes)
			}
		}
		log := func(to io.Writer, n int) {
			for range n {
				_, _ = io.WriteString(to, "served\n")
			}
		}
		log(w.Delayed(), 1)
		seen("one request", 1, 1)
		log(w.Delayed(), 9)
		seen("nine more", 1, 1)
		time.Sleep(2 * lines.Delay)
		seen("a while later", 2, 10)
		log(w.Delayed(), 1)
		seen("after a pause", 3, 11)
		log(w.Delayed(), 5)
		log(w.Prompt(), 1)
		seen("a miss", 4, 17)
		if _, err := io.WriteString(w, "said\n"); err != nil {
			t.Error(err)
		}
		if text, _ := s.soFar(); !strings.HasSuffix(text, "said\n") {
			t.Error("Write has returned before its line was written")
		}
		_ = w.Close()
	})
}

// TestNoLineIsLostAtTheEnd ends while lines wait.
func TestNoLineIsLostAtTheEnd(t *testing.T) {
	t.Parallel()
	var s stream
	w := lines.New(&s)
	for range 3 {
		_, _ = io.WriteString(w.Delayed(), "line\n")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if text, _ := s.soFar(); text != "line\nline\nline\n" {
		t.Errorf("of three lines this was written: %q", text)
	}
}

// TestABlockedStreamHoldsUpNobody writes more lines than fit while nobody reads: in a bubble
// whoever waited for the reader would be a deadlock. Later each line was written or counted.
func TestABlockedStreamHoldsUpNobody(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		reader, writer := io.Pipe()
		w := lines.New(writer)
		w.TellLost(func(lost int) []byte { return fmt.Appendf(nil, "lost %d\n", lost) })
		const length, count = 64, lines.MaxHeld / 32 // twice as many as fit
		for i := range count {
			to := w.Delayed()
			if i%2 == 0 {
				to = w.Prompt()
			}
			_, _ = fmt.Fprintf(to, "%*d\n", length-1, i)
		}
		began := time.Now() // of the bubble's own clock
		_, _ = io.WriteString(w, "the end\n")
		if took := time.Since(began); took != lines.Patience {
			t.Errorf("Write waited for %v", took)
		}
		if _, _ = io.WriteString(w, "the very end\n"); time.Since(began) != lines.Patience {
			t.Error("Write waited again for a stream that takes nothing")
		}
		var got []byte
		var reading sync.WaitGroup
		reading.Go(func() { got, _ = io.ReadAll(reader) })
		synctest.Wait() // until all that was held is read
		_, _ = io.WriteString(w, "again\n")
		_ = w.Close()
		_ = writer.Close()
		reading.Wait()

		text := strings.SplitAfter(string(got), "\n")
		text = text[:len(text)-1]
		lost := 0
		for i, line := range text[:len(text)-2] {
			if want := fmt.Sprintf("%*d\n", length-1, i); line != want {
				t.Fatalf("line %d is %q", i, line)
			}
		}
		end := strings.Join(text[len(text)-2:], "")
		if _, err := fmt.Sscanf(end, "lost %d\nagain\n", &lost); err != nil {
			t.Fatalf("the last lines are %q", end)
		}
		if written := len(text) - 2; written+lost != count+2 || written*length < lines.MaxHeld-length {
			t.Errorf("%d lines were written and %d lost, of %d", written, lost, count+2)
		}
	})
}

// slow is a stream that takes its time, less than the patience of a Writer.
type slow struct{ stream }

func (s *slow) Write(p []byte) (int, error) {
	time.Sleep(lines.Patience / 2)
	return s.stream.Write(p)
}

// TestASlowReaderIsWaitedFor ends while somebody reads slowly, which takes longer than Patience.
func TestASlowReaderIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s slow
		w := lines.New(&s)
		const count = 10_000
		for range count {
			_, _ = io.WriteString(w.Delayed(), "a line that is not so short\n")
		}
		began := time.Now() // of the bubble's own clock
		_ = w.Close()
		if text, _ := s.soFar(); strings.Count(text, "\n") != count {
			t.Errorf("%d lines of %d were written", strings.Count(text, "\n"), count)
		}
		if took := time.Since(began); took < 2*lines.Patience {
			t.Errorf("it took %v: the stream was not slow", took)
		}
	})
}

// TestManyWriters is for the race detector: no line is torn, none is lost.
func TestManyWriters(t *testing.T) {
	t.Parallel()
	var s stream
	w := lines.New(&s)
	var writing sync.WaitGroup
	for i := range 8 {
		writing.Go(func() {
			for range 200 {
				_, _ = io.WriteString([]io.Writer{w, w.Prompt(), w.Delayed()}[i%3], "a whole line\n")
			}
		})
	}
	writing.Wait()
	_ = w.Close()
	text, _ := s.soFar()
	if want := strings.Repeat("a whole line\n", 8*200); text != want {
		t.Errorf("%d bytes were written, want %d", len(text), len(want))
	}
}
