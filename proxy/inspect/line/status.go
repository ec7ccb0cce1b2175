package line

import (
	"fmt"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// Status returns what a deck is and what it has come to so far.
func Status(s *view.Status, o Options) string {
	p := &page{o: o}
	p.line(o.paint(strong, cut(title(s), o.columns())))
	p.table(0, cells("deck", s.URL), cells("since", s.Since.Format(time.DateTime)))
	p.line(StatusLine(s, o))
	return p.b.String()
}

// Header returns what a terminal is told when a deck begins: what it is, and where. inspect is the
// address of its inspector with the token; empty for none.
func Header(s *view.Status, inspect string, o Options) string {
	p := &page{o: o}
	say := func(what, text string) { p.line(o.paint(dim, pad(what, 9)) + plain(text)) }
	say("paytape", title(s))
	say("deck", s.URL) // an address is not broken: a terminal opens it
	if inspect != "" {
		const key = "  (this link is your key)"
		if 9+width(inspect)+width(key) <= o.columns() {
			inspect += key
		}
		say("inspect", inspect)
	}
	say("stop", "Ctrl+C")
	p.line("")
	return p.b.String()
}

// title says what a deck is: "replay of checkout, cards: 96 exchanges, 6 rules".
func title(s *view.Status) string {
	of := strings.Join(s.Cassettes, ", ")
	if of != "" {
		of = "of " + of
	}
	return plain(join(": ", join(" ", s.Mode, of),
		join(", ", counted(s.Exchanges, "exchange"), counted(s.Rules, "rule"))))
}

// StatusLine returns the line that is kept at the bottom of a terminal: the counts of a deck, and
// how long it has run. What a narrow terminal has no room for is left out from the end.
func StatusLine(s *view.Status, o Options) string {
	parts := []struct {
		text   string
		colour style
	}{
		{s.Mode, strong},
		{count.Of(s.Requests, "request"), none},
		{counted(int(s.Misses), "miss"), magenta},
		{number(int(s.Failed), "failed"), red},
		{number(int(s.Recorded), "recorded"), none},
		{number(int(s.Marked), "marked"), amber},
		{callbackCounts(s.Callbacks), cyan},
	}
	clock := ""
	if !o.Now.IsZero() {
		clock = clockOf(o.Now.Sub(s.Since))
	}
	room, line := o.columns()-width(clock), ""
	for _, part := range parts {
		w := width(part.text) + 2
		if part.text == "" || w > room {
			continue
		}
		line += o.paint(part.colour, part.text) + "  "
		room -= w
	}
	return strings.TrimRight(line+spaces(room)+o.paint(dim, clock), " ")
}

// callbackCounts writes what became of callbacks: "callbacks 3 ok 1 refused 1 held".
func callbackCounts(c view.CallbackCounts) string {
	text := join(" ", number(c.Accepted, "ok"), number(c.Refused, "refused"),
		number(c.Pending, "due"), number(c.Held, "held"), number(c.Dropped, "not sent"))
	if text == "" {
		return ""
	}
	return "callbacks " + text
}

// clockOf writes how long a deck has run: "04:47".
func clockOf(d time.Duration) string {
	s := int(d.Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d", s/60, s%60)
}
