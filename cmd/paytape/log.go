package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/paytape/paytape/proxy"
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
	if lines, ok := w.(*oneAtATime); ok {
		return slog.New(unhurried{to(w), to(lines.soon())}), nil
	}
	return slog.New(to(w)), nil
}

// unhurried is a handler that lets lines wait which are routine, for others to be written with.
type unhurried struct {
	slog.Handler
	routine slog.Handler
}

func (h unhurried) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return h.routine.Handle(ctx, r)
	}
	return h.Handler.Handle(ctx, r)
}

func (h unhurried) WithAttrs(as []slog.Attr) slog.Handler {
	return unhurried{h.Handler.WithAttrs(as), h.routine.WithAttrs(as)}
}

func (h unhurried) WithGroup(name string) slog.Handler {
	return unhurried{h.Handler.WithGroup(name), h.routine.WithGroup(name)}
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
func levelOf(e proxy.Event) slog.Level {
	switch {
	case e.Kind == proxy.Failed && e.Problem == "" && e.Note == "":
		return slog.LevelInfo
	case refused(e):
		return slog.LevelWarn
	case e.Kind == proxy.Recorded && (e.Problem != "" || e.Withheld == proxy.WithheldBudget):
		return slog.LevelWarn
	}
	return levels[e.Kind]
}

// observer returns a function that logs events. What an event tells of the traffic has been
// cleaned before.
func observer(log *slog.Logger) func(proxy.Event) {
	c := calm{now: time.Now}
	return func(e proxy.Event) {
		level, before := levelOf(e), 0
		if reason, rest := frequent(e); reason != "" {
			n, ok := c.admits(reason)
			if before = n; !ok {
				level, before = rest, 0
			}
		}
		ctx := context.Background()
		if !log.Enabled(ctx, level) {
			return
		}
		// Nobody reads which line of ours logs, and a Logger spends a sixth of its time on that.
		r := slog.NewRecord(time.Now(), level, string(e.Kind), 0)
		var room [mostAttributes]slog.Attr
		r.AddAttrs(attributes(room[:0], e)...)
		if before > 0 {
			r.AddAttrs(slog.Int("before", before))
		}
		_ = log.Handler().Handle(ctx, r) // nobody is left to be told if stderr is closed
	}
}

// refused reports whether it was the client's doing that it got no answer of a sandbox or a
// tape. Only its answer tells that of a request whose body breaks off.
func refused(e proxy.Event) bool {
	client := e.Code >= http.StatusBadRequest && e.Code < http.StatusInternalServerError
	return e.Kind == proxy.Refused || e.Kind == proxy.Failed && client
}

// frequent returns the reason of an event that clients can cause at will, and the level of those
// that are too many. The reason of others is empty.
func frequent(e proxy.Event) (reason string, rest slog.Level) {
	switch {
	case refused(e):
		return e.Problem, slog.LevelDebug
	case e.Withheld == proxy.WithheldBudget:
		return e.Withheld, slog.LevelInfo
	}
	return "", 0
}

// mostAttributes is how many things an event has to tell at most, what was before it included.
const mostAttributes = 22

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
	text("method", e.Method.String())
	text("target", e.Target.String())
	number("code", e.Code)
	if e.Took > 0 {
		as = append(as, slog.Duration("took", e.Took))
	}
	text("reason", string(e.Reason))
	text("problem", e.Problem)
	text("cause", e.Cause)
	text("withheld", e.Withheld)
	text("nearest", e.Nearest)
	text("where", e.Where)
	text("note", string(e.Note))
	text("text", e.Text.String())
	text("hint", e.Hint.String())
	return as
}

// withheld logs what the redactor's gate had to keep off the tape. A client that sends such a thing
// once may do so with every request.
func withheld(log *slog.Logger) func(redact.Safe) {
	c := calm{now: time.Now}
	return func(s redact.Safe) {
		level, as := slog.LevelDebug, []any{"text", s.String()}
		before, ok := c.admits("withheld")
		if ok {
			level = slog.LevelWarn
		}
		if before > 0 {
			as = append(as, "before", before)
		}
		log.Log(context.Background(), level, "withheld", as...)
	}
}
