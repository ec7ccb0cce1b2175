package stable

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// rewriter makes a stable tape of a recording.
type rewriter struct {
	opts  tape.Options
	all   []*exchange
	flows []*flow
	order []*exchange // on the stable tape
	clock *clock
	names *names
	hosts *hosts
	loose *looseness
	shown map[shownDate]string
}

// shownDate is a date that stands in the messages of an exchange.
type shownDate struct {
	by   *exchange
	form profile.Form
	text string
}

// made is a stable tape that nobody has looked at.
type made struct {
	exchanges []*leaf.Exchange
	places    []int // where the recorded exchanges are now, from 0
	// reworded says of the recorded exchanges whether the answer has other text outside of its holes.
	reworded []bool
}

func newRewriter(o tape.Options, m *machine.Machine, recorded []*leaf.Exchange, p plan) *rewriter {
	r := &rewriter{
		opts: o, all: exchangesOf(m, recorded), names: newNames(), hosts: newHosts(),
		shown: map[shownDate]string{},
	}
	for _, x := range r.all {
		x.settled = x.settled && !p.again[x.Meta.Number]
	}
	r.flows = flowsOf(r.all)
	r.order = r.all
	if p.blocks && consecutive(recorded) {
		r.order = ordered(r.all)
	}
	r.clock = newClock(r.flows, r.all, r.order, p.clock)
	for _, x := range r.all {
		x.holes(func(h *tape.Hole) {
			r.names.shown(h.Source, x)
			if x.settled {
				r.names.settle(h.Source)
			}
		})
	}
	r.loose = r.newLooseness()
	return r
}

// consecutive reports whether no number is missing. A missing number stands for a call of which nobody
// knows what it did, and so it matters what came before and what behind.
func consecutive(xs []*leaf.Exchange) bool {
	for i, x := range xs {
		if x.Meta.Number != xs[0].Meta.Number+i {
			return false
		}
	}
	return true
}

// make makes the exchanges of the stable tape, unless ctx ends.
func (r *rewriter) make(ctx context.Context) (made, error) {
	m := made{places: make([]int, len(r.all)), reworded: make([]bool, len(r.all))}
	numbers := map[int]int{} // by the recorded number
	for i, x := range r.order {
		m.places[x.place] = i
		numbers[x.Meta.Number] = r.all[i].Meta.Number
	}
	for _, x := range r.order {
		if err := ctx.Err(); err != nil {
			return made{}, err
		}
		m.exchanges = append(m.exchanges, r.exchange(x, numbers))
	}
	for _, x := range r.order {
		r.makeLoose(x)
	}
	for i, x := range r.order {
		if err := ctx.Err(); err != nil {
			return made{}, err
		}
		m.reworded[x.place] = r.sweep(m.exchanges[i], x)
	}
	return m, nil
}

// exchange makes the exchange that stands for a recorded one.
func (r *rewriter) exchange(x *exchange, numbers map[int]int) *leaf.Exchange {
	y := *x.Exchange
	y.Meta.Number = numbers[x.Meta.Number]
	if !x.Meta.At.IsZero() {
		y.Meta.At, y.Duration = r.clock.began[x], r.clock.ended[x].Sub(r.clock.began[x])
	}
	if cb := x.Meta.Callback; cb != nil {
		own := *cb
		if of, known := numbers[cb.Of]; known {
			own.Of = of
		}
		own.Gap = cb.Gap.Truncate(time.Second)
		y.Meta.Callback = &own
	}
	w := &writer{rewriter: r, x: x, y: &y}
	switch {
	case x.rec != nil:
		w.request()
		w.answer()
	case x.callback != nil:
		w.calledBack()
	}
	return &y
}

// writer writes one exchange.
type writer struct {
	*rewriter
	x *exchange
	y *leaf.Exchange
	// params are the recorded parameters of the request, and asked is what each of them is now.
	params []tape.Asked
	asked  []string
}

// answer writes an answer: what fills its holes is known to the tape.
func (w *writer) answer() {
	rec := w.x.rec
	if rec.Lost {
		return
	}
	if rec.Body().Text(w.recorded) == w.x.Response.Body {
		w.y.Response.Body = rec.Body().Text(w.fill)
	}
	w.y.Response.Headers = w.header(w.x.Response.Headers, rec.Header)
}

// calledBack writes a callback.
func (w *writer) calledBack() {
	cb := w.x.callback
	if cb.Body().Text(w.recorded) == w.x.Request.Body {
		w.y.Request.Body = cb.Body().Text(w.fill)
	}
	path, query := cb.Target(w.recorded)
	target := path
	if query != "" {
		target += "?" + query
	}
	if base, ok := cutTarget(w.x.URL, target); ok {
		path, query = cb.Target(w.fill)
		w.y.URL = base + path
		if query != "" {
			w.y.URL += "?" + query
		}
	}
	w.y.Request.Headers = w.header(w.x.Request.Headers, cb.Header)
}

// cutTarget returns a URL without the target in which it ends.
func cutTarget(url, target string) (string, bool) {
	at := len(url) - len(target)
	if target == "" || at < 0 || url[at:] != target {
		return "", false
	}
	return url[:at], true
}

// header writes a header of which the tape knows some values.
func (w *writer) header(
	recorded http.Header, known func(func(*tape.Hole) string) http.Header,
) http.Header {
	before, after := known(w.recorded), known(w.fill)
	out := recorded.Clone()
	for name, values := range before {
		for i, v := range values {
			if i < len(out[name]) && out[name][i] == v {
				out[name][i] = after[name][i]
			}
		}
	}
	if date, ok := w.date(out.Get("Date")); ok {
		out.Set("Date", date)
	}
	return out
}

// date returns the Date header of an exchange.
func (w *writer) date(recorded string) (string, bool) {
	at := tape.AnsweredAt(w.x.Exchange)
	if recorded == "" || at.IsZero() || w.clock.ended[w.x].Equal(at) {
		return "", false
	}
	return w.clock.date(profile.HTTPDate, recorded, at.Truncate(time.Second), w.clock.ended[w.x]), true
}

// lengths writes how long the messages are: as much longer or shorter as their bodies are. How long a
// compressed body was depends on each of its bytes; replay computes lengths anew.
func (w *writer) lengths() {
	measure := func(h http.Header, before, after int, coding string) {
		v := h["Content-Length"]
		if len(v) != 1 {
			return
		}
		n, err := strconv.Atoi(v[0])
		if err != nil || n == 0 {
			return
		}
		if n += after - before; coding != "" {
			n = after
		}
		v[0] = strconv.Itoa(n)
	}
	x, y := w.x, w.y
	y.Request.Headers, y.Response.Headers = y.Request.Headers.Clone(), y.Response.Headers.Clone()
	measure(y.Request.Headers, len(x.Request.Body), len(y.Request.Body), x.Meta.RequestCoding)
	measure(y.Response.Headers, len(x.Response.Body), len(y.Response.Body), x.Meta.Coding)
}

// recorded returns the text of a hole as it stands on tape.
func (w *writer) recorded(h *tape.Hole) string {
	if h.Source.What == tape.Leads {
		return h.Like
	}
	return h.Apply(h.Source.Text)
}

// fill returns the text of a hole as it stands on the stable tape.
func (w *writer) fill(h *tape.Hole) string {
	s := h.Source
	switch s.What {
	case tape.Leads:
		return h.Like // the addresses of a tape are looked for by their text
	case tape.Sent:
		return h.Apply(w.sent(s))
	case tape.Now, tape.Event:
		return h.Apply(w.told(s))
	case tape.PerOne:
		return h.Apply(w.names.minted(s, w.x, w.clock.ended[w.x]))
	case tape.Header:
		if s.Mint {
			return w.names.minted(s, w.x, w.clock.ended[w.x])
		}
		return w.names.of("", s.Text)
	case tape.Value:
		return h.Apply(w.value(s))
	}
	return h.Apply(s.Text)
}

// sent returns what the request has now where the answer repeats it.
func (w *writer) sent(s *tape.Source) string {
	at := slices.IndexFunc(w.params, func(a tape.Asked) bool { return a.Path == s.Param })
	if at < 0 || w.asked[at] == w.params[at].Text {
		return s.Text
	}
	return w.asked[at]
}

// told returns the text of a date that tells an event.
func (w *writer) told(s *tape.Source) string {
	moved, ok := w.clock.moved(s.At(), w.x)
	if !ok {
		return s.Text
	}
	text := w.clock.date(s.Form, s.Text, s.At(), moved)
	w.clock.done[doneDate{w.x, text}] = true
	if dates.Fine(s.Form) {
		w.clock.show(w.x.flow, s.Text, text)
	}
	return text
}

// value returns what stands in the place of an entity's value.
func (w *writer) value(s *tape.Source) string {
	switch {
	case s.Form != profile.NoForm && s.Mint:
		return w.told(s)
	case s.Form != profile.NoForm:
		return w.sentBy(w.clock.answered(s.At(), w.x), s.Form, s.Text)
	case s.Mint:
		return w.names.minted(s, w.x, w.clock.ended[w.x])
	}
	return w.names.of(s.Slot.Name, s.Text)
}

// sentBy returns what a date is now that the client has sent in an exchange.
func (w *writer) sentBy(x *exchange, form profile.Form, text string) string {
	if now, known := w.shown[shownDate{x, form, text}]; known {
		return now
	}
	return text
}
