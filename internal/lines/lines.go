// Package lines has many goroutines write lines to one stream, and none of them wait for whoever
// reads it.
//
// A program that serves requests logs to stderr, and stderr may be a pipe that nobody reads: a
// terminal that was stopped, a supervisor that hangs. A write to it then takes for ever, and the
// request that is logged must not. So a Writer takes lines into a bounded piece of memory, from
// where a goroutine of its own writes them:
//
//	register.do --Prompt----+
//	status      --Delayed---+--> [ held: 1 MiB at most ] --one goroutine--> stderr
//	the command --Write-----+
//
// An example. Nobody reads stderr while a shop asks a deck 5000 times. The Writer holds the first
// 3000 lines or so and counts the others. When somebody reads again, these 3000 lines come, then
// one line of TellLost that says how many are missing, and then what is logged from now on.
//
// Lines of a busy program are written together, because a write costs as much as all the rest of a
// line.
package lines

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// Bounds of a Writer.
const (
	// MaxHeld is how many bytes wait at most to be written. What comes beyond is lost.
	MaxHeld = 1 << 20
	// Delay is how long a line of Delayed waits at most for others.
	Delay = 50 * time.Millisecond
	// Patience is how long Write and Close wait for a stream that takes nothing.
	Patience = time.Second

	batch = 32 << 10 // bytes that wait for no others
)

// Writer takes lines for a stream. It is safe for concurrent use; New makes one.
type Writer struct {
	to io.Writer

	mu      sync.Mutex // guards the rest
	held    []byte     // lines that wait to be written
	spare   []byte     // memory for the next held
	lost    int        // lines for which there was no room, since lines were taken last
	tell    func(lost int) []byte
	running bool          // there is a goroutine that writes
	since   time.Time     // when the write under way began; zero between writes
	changed chan struct{} // closed when the fields above change; nil while nobody waits
	hurry   chan struct{} // holds one token if lines are not to wait for others
}

// New returns a Writer of lines to a stream.
func New(to io.Writer) *Writer {
	return &Writer{
		to: to, hurry: make(chan struct{}, 1),
		tell: func(lost int) []byte {
			return fmt.Appendf(nil, "%d lines were lost here: nobody read them\n", lost)
		},
	}
}

// TellLost sets what makes the line that says how many lines were lost.
func (w *Writer) TellLost(line func(lost int) []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tell = line
}

// Write takes lines and waits until they are written, so that what the program writes elsewhere
// next comes next. It gives up waiting when the stream takes nothing for as long as Patience. It is
// for what the program says beside its work, and never fails: nobody would be left to be told.
func (w *Writer) Write(p []byte) (int, error) {
	w.put(p, true)
	w.wait(false)
	return len(p), nil
}

// Close waits as Write does, until all lines are written and nothing of the Writer goes on. The
// Writer stays usable.
func (w *Writer) Close() error {
	w.put(nil, true)
	w.wait(true)
	return nil
}

// Prompt returns a writer that waits for nothing, and whose lines are written now.
func (w *Writer) Prompt() io.Writer { return put{w, true} }

// Delayed returns a writer that waits for nothing, and whose lines are written within Delay and
// then together with others. The first line after a pause is written now.
func (w *Writer) Delayed() io.Writer { return put{w, false} }

// put is a Writer for those who do not wait.
type put struct {
	*Writer
	now bool
}

func (p put) Write(b []byte) (int, error) {
	p.put(b, p.now)
	return len(b), nil
}

// put takes lines if there is room. After a line that was lost all are, until lines are written: so
// the line that tells of it is where they would have been.
func (w *Writer) put(p []byte, now bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost > 0 || len(w.held)+len(p) > MaxHeld {
		w.lost += bytes.Count(p, []byte("\n"))
	} else {
		w.held = append(w.held, p...)
	}
	if !w.running && len(w.held) > 0 {
		w.running = true
		go w.run()
	}
	if now || len(w.held) >= batch {
		select {
		case w.hurry <- struct{}{}:
		default:
		}
	}
}

// run writes until nothing has come for as long as Delay.
func (w *Writer) run() {
	pause := time.NewTimer(Delay)
	defer pause.Stop()
	for {
		text := w.take()
		if len(text) == 0 {
			return
		}
		for rest := text; len(rest) > 0; {
			var part []byte
			part, rest = cut(rest)
			w.begin()
			_, _ = w.to.Write(part) // nobody is left to be told
		}
		w.end(text)
		pause.Reset(Delay)
		select {
		case <-pause.C:
		case <-w.hurry:
		}
	}
}

// take returns what is to be written now. Without anything the goroutine is over.
func (w *Writer) take() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := w.held
	w.held = w.spare[:0]
	w.spare = nil
	if w.lost > 0 {
		text = append(text, w.tell(w.lost)...)
		w.lost = 0
	}
	if w.running = len(text) > 0; w.running {
		w.since = time.Now()
	} else {
		w.wakeLocked()
	}
	return text
}

// cut cuts whole lines off a text, about as many as a batch has: whoever reads slowly reads all the
// same, and does not try the patience of those who wait.
func cut(text []byte) (part, rest []byte) {
	if len(text) <= batch {
		return text, nil
	}
	end := bytes.IndexByte(text[batch:], '\n') + 1
	if end == 0 {
		return text, nil
	}
	return text[:batch+end], text[batch+end:]
}

// begin notes that a write begins.
func (w *Writer) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.since = time.Now()
	w.wakeLocked()
}

// end notes that all that was taken is written, and takes its memory back.
func (w *Writer) end(text []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spare, w.since = text[:0], time.Time{}
	w.wakeLocked()
}

// wakeLocked lets those look again who wait.
func (w *Writer) wakeLocked() {
	if w.changed != nil {
		close(w.changed)
		w.changed = nil
	}
}

// wait waits until nothing is held or being written, or a write has taken as long as Patience; and
// also for the end of the goroutine if it shall.
func (w *Writer) wait(end bool) {
	for {
		changed, left := w.pending(end)
		if left <= 0 {
			return
		}
		timer := time.NewTimer(left)
		select {
		case <-changed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// pending returns a channel that is closed when there is something to look at, and how long to wait
// for it; 0 if there is nothing to wait for.
func (w *Writer) pending(end bool) (changed <-chan struct{}, left time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	writing := !w.since.IsZero()
	if !writing && len(w.held) == 0 && !(end && w.running) {
		return nil, 0
	}
	if left = Patience; writing {
		left -= time.Since(w.since)
	}
	if w.changed == nil {
		w.changed = make(chan struct{})
	}
	return w.changed, left
}
