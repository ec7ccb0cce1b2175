package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/lines"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/proxy/inspect/line"
	"github.com/paytape/paytape/proxy/inspect/live"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// liveTerminal shows a person at a terminal what a deck does, in place of a log. A pipe, CI and
// --log-format have the log.
type liveTerminal struct {
	tty
	to    *lines.Writer
	since time.Time
	level slog.Level // of what is shown
	quiet bool       // the terminal is another program's: no header, nothing at the bottom
	words *redact.Redactor
	limit rateLimiter
	reads map[string]bool // operations that change nothing, by profile and name

	seen line.Seen
}

// liveTerminal returns the terminal that stderr is; nil where the log is wanted.
func (c *deckCommand) liveTerminal() *liveTerminal {
	t := c.ttyOf(c.env.Stderr)
	ci, _ := c.env.Lookup(deck.CIVariable)
	to, ok := c.voice.w.(*lines.Writer)
	if t.file == nil || t.dumb || !ok || deck.InCI(ci) || c.formatGiven() {
		return nil
	}
	l := &liveTerminal{
		tty: t, to: to, since: time.Now(), quiet: c.commands, words: c.redactor(),
		limit: rateLimiter{now: time.Now}, reads: map[string]bool{},
	}
	_ = l.level.UnmarshalText([]byte(c.logLevel)) // newLog has checked it
	for _, p := range c.profiles().Profiles() {
		for _, op := range p.Operations {
			l.reads[p.Name+"/"+op.Name] = !op.Writes
		}
	}
	return l
}

// options say how lines are written now.
func (l *liveTerminal) options() line.Options {
	return line.Options{Columns: l.columns(), Color: l.color(), Now: time.Now()}
}

// header says what a deck is and where.
func (l *liveTerminal) header(d *deck.Deck) {
	s := l.status(d)
	_, _ = l.to.Write([]byte(line.Header(&s, d.Inspector, l.options())))
}

// linksOf returns the address of an inspector without its token, for links.
func linksOf(inspector string) string {
	at, err := url.Parse(inspector)
	if err != nil || inspector == "" {
		return ""
	}
	return at.Scheme + "://" + at.Host + "/"
}

// status is what the terminal shows of a deck. A deck without an inspector counts nothing, and then the
// rows count that were seen.
func (l *liveTerminal) status(d *deck.Deck) view.Status {
	s := d.Status()
	if s.Since.IsZero() {
		s.Since = l.since
		l.seen.Count(&s)
	}
	return s
}

// follow shows the traffic of a deck until the deck is closed and all of it is shown, which the
// returned channel tells by being closed.
func (l *liveTerminal) follow(d *deck.Deck) (shown <-chan struct{}) {
	resized, stop := watchSize()
	options := l.options()
	options.Base = linksOf(d.Inspector)
	status := func() view.Status { return l.status(d) }
	if l.quiet {
		status = nil
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer stop()
		live.Follow(live.Options{
			Rows: d.Traffic().Follow(context.Background(), 0, ""), Status: status, Shows: l.shows, Seen: &l.seen,
			Reads: func(r *view.Row) bool { return l.reads[r.Profile+"/"+r.Operation] },
			To:    l.to.Delayed(), Line: options, Columns: l.columns, Resized: resized,
		})
		_, _ = l.to.Write(nil) // what comes next on stdout comes after all of it
	}()
	return done
}

// watchSize returns a channel that holds a token when the terminal has another size, until stop is
// called.
func watchSize() (resized <-chan struct{}, stop func()) {
	if len(sizeSignals) == 0 {
		return nil, func() {}
	}
	came, tokens, ended := make(chan os.Signal, 1), make(chan struct{}, 1), make(chan struct{})
	signal.Notify(came, sizeSignals...)
	go func() {
		defer close(ended)
		for range came {
			select {
			case tokens <- struct{}{}:
			default:
			}
		}
	}()
	return tokens, func() {
		signal.Stop(came)
		close(came)
		<-ended
	}
}

// shows reports whether a row is shown: those are that a log of the level would have. What clients
// can cause at will is shown ten times a minute, and then with how often it was not.
func (l *liveTerminal) shows(r *view.Row) bool {
	e := proxy.Event{
		Kind: proxy.Kind(r.Kind), Problem: r.Problem, Code: r.Code, Outcome: r.CallbackOutcome,
		Note: proxy.Note(r.Sentence.String()),
	}
	level := levelOf(&e)
	if reason, rest := limited(&e); reason != "" {
		before, ok := l.limit.allow(reason)
		if !ok {
			level = rest
		} else if before > 0 {
			r.Hint = l.words.Text(fmt.Sprintf("%d more of these were not shown", before))
		}
	}
	return level >= l.level
}

// Enabled reports whether a log of the level would have a line: liveTerminal is the handler of the
// log while it shows a deck, for what is told beside the events of the deck.
func (l *liveTerminal) Enabled(_ context.Context, level slog.Level) bool { return level >= l.level }

// Handle shows a line of the log as a note.
func (l *liveTerminal) Handle(_ context.Context, r slog.Record) error {
	var text strings.Builder
	text.WriteString(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(&text, " %s=%v", a.Key, a.Value)
		return true
	})
	row := view.Row{
		At: r.Time, Sign: view.SignNote, Kind: strings.ToLower(r.Level.String()),
		Sentence: l.words.Text(text.String()),
	}
	if r.Level == slog.LevelWarn {
		row.Kind = string(proxy.Warning)
	}
	_, err := fmt.Fprintln(l.to.Delayed(), strings.Join(line.Row(&row, l.options()), "\n"))
	return err
}

// WithAttrs and WithGroup are for logs with attributes of their own, which nobody makes here.
func (l *liveTerminal) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup returns the same handler.
func (l *liveTerminal) WithGroup(string) slog.Handler { return l }

// ending returns what a run of a deck came to.
func (l *liveTerminal) ending(d *loggedDeck, came deck.Summary, err error) string {
	o, s := d.options, summarise(came)
	e := line.Ending{
		Status: l.status(d.Deck), Took: time.Since(l.since),
		Seen: l.seen, Rules: s.RunRules, Unused: s.unusedLines, UnusedCount: len(s.Unused),
		UnusedOf: s.Exchanges, Exit: exitCodeOf(err),
	}
	if len(o.Cassettes) == 1 {
		for i, text := range e.Unused {
			e.Unused[i] = strings.TrimPrefix(text, o.Cassettes[0]+" ")
		}
	}
	if err == nil {
		e.Would = wouldFail(s)
	}
	if records(o.Mode) {
		e.Recorded = recordingLine(s.Recorded)
	}
	if answersFromTape(o.Mode) {
		e.Status.Hits, e.Status.Misses, e.Status.Marked = s.Hits, s.Misses, s.Marked
	}
	for _, m := range s.Marks {
		e.Marks = append(e.Marks, line.Count{Name: m.Mark, N: int(m.Count)})
	}
	return line.End(&e, l.options())
}

// wouldFail says which flags would have failed a run that did not fail.
func wouldFail(s summary) string {
	var strict, parts []string
	for _, n := range []struct {
		count int64
		thing string
	}{
		{s.Misses, "miss"}, {s.refused(), "refused request"},
		{int64(s.Callbacks.Undelivered + s.Callbacks.Differing), "callback"},
	} {
		if n.count > 0 {
			strict = append(strict, count.Of(n.count, n.thing))
		}
	}
	if len(strict) > 0 {
		parts = append(parts, "--strict: 1 for "+strings.Join(strict, " and "))
	}
	if len(s.Unused) > 0 {
		parts = append(parts, "--fail-unused: 1")
	}
	return strings.Join(parts, "; ")
}
