package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/lines"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/redact"
)

// The forms of a log.
const logText, logJSON = "text", "json"

// newLog returns a log of what happens while serving. Its text and JSON forms escape control
// characters themselves.
func newLog(level, format string, w io.Writer) (*slog.Logger, error) {
	var from slog.Level
	switch level {
	case "debug", "info", "warn", "error":
		if err := from.UnmarshalText([]byte(level)); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("--log-level: expected debug, info, warn or error, found %q", level)
	}
	o := &slog.HandlerOptions{Level: from}
	var to func(w io.Writer) slog.Handler
	switch format {
	case logText:
		to = func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, o) }
	case logJSON:
		to = func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, o) }
	default:
		return nil, fmt.Errorf("--log-format: expected text or json, found %q", format)
	}
	if shared, ok := w.(*lines.Writer); ok {
		shared.TellLost(func(lost int) []byte { return lostLine(to, lost) })
		return slog.New(delayedHandler{to(shared.Prompt()), to(shared.Delayed())}), nil
	}
	return slog.New(to(w)), nil
}

// unlogged is the message of a log line that says how much is missing before it: lines, because
// nobody read stderr, or events, because the log was slower than the traffic. The number has the
// key of what is missing.
const unlogged = "unlogged"

// lostLine makes the line that says how many lines are missing before it.
func lostLine(to func(io.Writer) slog.Handler, lost int) []byte {
	var line bytes.Buffer
	slog.New(to(&line)).Warn(unlogged, "lines", lost)
	return line.Bytes()
}

// delayedHandler is the handler of a log that never waits for whoever reads it. Lines that are
// routine are written a little later, together with others.
type delayedHandler struct {
	slog.Handler
	routine slog.Handler
}

func (h delayedHandler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return h.routine.Handle(ctx, r)
	}
	return h.Handler.Handle(ctx, r)
}

func (h delayedHandler) WithAttrs(as []slog.Attr) slog.Handler {
	return delayedHandler{h.Handler.WithAttrs(as), h.routine.WithAttrs(as)}
}

func (h delayedHandler) WithGroup(name string) slog.Handler {
	return delayedHandler{h.Handler.WithGroup(name), h.routine.WithGroup(name)}
}

// levels are those of the kinds of event that are not routine.
var levels = map[proxy.Kind]slog.Level{
	proxy.Missed:  slog.LevelWarn,
	proxy.Warning: slog.LevelWarn,
	proxy.Refused: slog.LevelWarn,
	proxy.Failed:  slog.LevelError,
	proxy.Lost:    slog.LevelDebug, // why is told at a level of its own
}

// levelOf is the level at which an event is logged. A client that leaves is no error of
// anybody's; a sandbox that fails is worth a look although the exchange is on tape.
func levelOf(e *proxy.Event) slog.Level {
	switch {
	case e.Kind == proxy.Failed && e.Problem == "" && e.Note == "":
		return slog.LevelInfo
	case refused(e):
		return slog.LevelWarn
	case e.Kind == proxy.Callback:
		return levelOfCallback(e)
	case e.Kind == proxy.Recorded && (e.Problem != "" || e.Withheld == proxy.WithheldBudget):
		return slog.LevelWarn
	}
	return levels[e.Kind]
}

// levelOfCallback is the level at which an event of a callback is logged. Of those that are dropped for
// one reason the first has a note, which tells what to do.
func levelOfCallback(e *proxy.Event) slog.Level {
	switch e.Outcome {
	case proxy.OutcomeRefused, proxy.OutcomeUnanswered, proxy.OutcomeGivenUp:
		return slog.LevelWarn
	case proxy.OutcomeDropped:
		if e.Note != "" || e.Problem == proxy.ProblemStopped {
			return slog.LevelWarn
		}
	}
	return slog.LevelInfo
}

// follow logs the events of a deck until the deck is closed and all of them are logged, which the
// returned channel tells by being closed. The log is a subscriber: no request waits for it, and
// where traffic overtakes it, it says how many events are missing. An event below the level of the log
// does not wake it.
func follow(log *slog.Logger, events *hub.Hub) (logged <-chan struct{}) {
	done := make(chan struct{})
	l := newEventLog(log)
	go func() {
		defer close(done)
		for e, lost := range events.FollowOnly(context.Background(), 0, l.wants) {
			if lost > 0 {
				log.Warn(unlogged, "events", lost)
			}
			l.add(e.Time, e.Event)
		}
	}()
	return done
}

// observer returns a function that logs events now.
func observer(log *slog.Logger) func(proxy.Event) {
	l := newEventLog(log)
	return func(e proxy.Event) { l.add(time.Now(), e) }
}

// eventLog logs events. What an event tells of the traffic has been cleaned before.
type eventLog struct {
	log   *slog.Logger
	limit rateLimiter
}

func newEventLog(log *slog.Logger) *eventLog {
	return &eventLog{log: log, limit: rateLimiter{now: time.Now}}
}

// wants reports whether the log may have an event, which is never logged above its level.
func (l *eventLog) wants(e *proxy.Event) bool {
	return l.log.Enabled(context.Background(), levelOf(e))
}

// add logs an event of a time.
func (l *eventLog) add(at time.Time, e proxy.Event) {
	level, before := levelOf(&e), 0
	if reason, rest := limited(&e); reason != "" {
		n, ok := l.limit.allow(reason)
		if before = n; !ok {
			level, before = rest, 0
		}
	}
	ctx := context.Background()
	if !l.log.Enabled(ctx, level) {
		return
	}
	// Nobody reads which line of ours logs, and a Logger spends a sixth of its time on that.
	r := slog.NewRecord(at, level, string(e.Kind), 0)
	var room [mostAttributes]slog.Attr
	r.AddAttrs(attributes(room[:0], e)...)
	if before > 0 {
		r.AddAttrs(slog.Int("before", before))
	}
	_ = l.log.Handler().Handle(ctx, r) // nobody is left to be told if stderr is closed
}

// refused reports whether it was the client's doing that it got no answer of a sandbox or a
// tape. Only its answer tells that of a request whose body breaks off.
func refused(e *proxy.Event) bool {
	client := e.Code >= http.StatusBadRequest && e.Code < http.StatusInternalServerError
	return e.Kind == proxy.Refused || e.Kind == proxy.Failed && client
}

// limited returns the reason of an event that clients can cause at will, and the level of those
// that are too many. The reason of others is empty.
func limited(e *proxy.Event) (reason string, rest slog.Level) {
	switch {
	case refused(e):
		return e.Problem, slog.LevelDebug
	case e.Withheld == proxy.WithheldBudget:
		return e.Withheld, slog.LevelInfo
	}
	return "", 0
}

// mostAttributes is how many things an event has to tell at most, what was before it included.
const mostAttributes = 26

// attributes appends what an event has to tell; what is empty is left out.
func attributes(as []slog.Attr, e proxy.Event) []slog.Attr {
	text := func(key, value string) {
		if value != "" {
			as = append(as, slog.String(key, value))
		}
	}
	number := func(key string, n int) {
		if n != 0 {
			as = append(as, slog.Int(key, n))
		}
	}
	text("cassette", e.Cassette)
	number("number", e.Number)
	number("flow", e.Flow)
	text("state", e.State)
	text("mark", e.Mark)
	text("session", e.Session)
	text("profile", e.Profile)
	text("operation", e.Operation)
	method, target := e.Line()
	text("method", method.String())
	text("target", target.String())
	number("attempt", e.Attempt)
	text("outcome", e.Outcome)
	number("code", e.Code)
	if e.Given == proxy.GivenNothing {
		text("given", "nothing")
	} else {
		number("given", e.Given)
	}
	if e.Took > 0 {
		as = append(as, slog.Duration("took", e.Took))
	}
	text("rules", strings.Join(e.Rules, ", "))
	text("reason", string(e.Reason))
	text("problem", e.Problem)
	text("cause", e.Cause)
	text("withheld", e.Withheld)
	text("nearest", e.Nearest)
	text("where", e.Where)
	text("note", string(e.Note))
	text("text", e.Text.String())
	text("hint", e.Hint.String())
	text("row", e.Row.String())
	return as
}

// withheld logs what the redactor's gate had to keep off the tape. A client that sends such a thing
// once may do so with every request, which does not wait for stderr: see package lines.
func withheld(log *slog.Logger) func(redact.Safe) {
	c := rateLimiter{now: time.Now}
	return func(s redact.Safe) {
		level, as := slog.LevelDebug, []any{"text", s.String()}
		before, ok := c.allow("withheld")
		if ok {
			level = slog.LevelWarn
		}
		if before > 0 {
			as = append(as, "before", before)
		}
		log.Log(context.Background(), level, "withheld", as...)
	}
}

// The lines of one reason that are logged as they should be.
const (
	rateLimit  = 10
	ratePeriod = time.Minute
)

// rateLimiter keeps clients from flooding the log with what anybody can cause who reaches the deck:
// of one reason ten lines a minute are logged as they should be, and the others at a level where
// they do not disturb. The first line after those tells how many they were. Metrics count them all.
// Reasons are words of ours, so there are few.
type rateLimiter struct {
	now func() time.Time

	mu    sync.Mutex // guards the rest
	since map[string]rateWindow
}

// rateWindow is what was logged for one reason in a minute.
type rateWindow struct {
	began   time.Time
	lines   int
	dropped int // lines that no other has told of
}

// allow reports whether a line is logged as it should be, and then how many before it were not.
func (c *rateLimiter) allow(reason string) (before int, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.since == nil {
		c.since = map[string]rateWindow{}
	}
	now, s := c.now(), c.since[reason]
	if s.lines == 0 || now.Sub(s.began) >= ratePeriod {
		s.began, s.lines = now, 0
	}
	if ok = s.lines < rateLimit; ok {
		before = s.dropped
		s.lines, s.dropped = s.lines+1, 0
	} else {
		s.dropped++
	}
	c.since[reason] = s
	return before, ok
}
