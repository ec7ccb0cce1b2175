package stable

import (
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/tape"
)

const (
	// tick lies between two exchanges of a flow. It is more than clocks differ by (tape.maxSkew), so
	// that no date tells the time of two exchanges.
	tick = 2 * time.Second
	// wait is how long clients that poll pause at most. Longer pauses are kept.
	wait = 10 * time.Second
	// noise is how far a date is from the exchange that it tells by chance.
	noise = 1500 * time.Millisecond
)

// clock says when the exchanges of a stable tape were.
type clock struct {
	epoch time.Time
	began map[*exchange]time.Time
	ended map[*exchange]time.Time
	at    map[int64][]*exchange // by when they were answered, in nanoseconds since 1970
	sent  map[string]bool       // the dates that clients have sent
	shown map[flowDate]string   // the dates that answers have shown last, and what they are now
	done  map[doneDate]bool     // the dates that exchanges have on the stable tape
}

// The first epochs that are tried are at noon of a 15th of January, and a fraction of a second behind it: a
// date that tells milliseconds must not be equal to one that tells seconds, as nearly none is on tape.
const (
	epochMonth = time.January
	epochDay   = 15
	noon       = 12
	fraction   = 250 * time.Millisecond
)

// Clocked reports whether an exchange stands on a stable tape: its clock stood between two exchanges,
// and began at noon of such a day. Nothing else takes place so. Its times tell nothing of the recording.
func Clocked(x *leaf.Exchange) bool {
	at := x.Meta.At
	return !at.IsZero() && at.Nanosecond() == int(fraction) && x.Duration%time.Second == 0 &&
		at.Month() == epochMonth && at.Day() == epochDay && at.Hour() >= noon
}

// epochOf returns where the clocks of flows begin: at noon, so that a flow has a day for itself. Cards
// that have expired have not yet at an earlier time, and what is past is to come; so the epoch is the
// first at which the dates that clients have written down say what they did.
func epochOf(all []*exchange) time.Time {
	var recorded time.Time
	for _, x := range all {
		if !x.Meta.At.IsZero() {
			recorded = x.Meta.At
			break
		}
	}
	if recorded.IsZero() {
		return recorded
	}
	zone := recorded.Location()
	year := recorded.Year()
	for _, epoch := range []time.Time{
		time.Date(2020, epochMonth, epochDay, noon, 0, 0, int(fraction), zone),
		time.Date(year-year%5, epochMonth, epochDay, noon, 0, 0, int(fraction), zone),
		time.Date(year, epochMonth, epochDay, noon, 0, 0, int(fraction), zone),
		time.Date(year, recorded.Month(), 1, noon, 0, 0, int(fraction), zone),
	} {
		if !epoch.After(recorded) && sameDates(all, epoch) {
			return epoch
		}
	}
	y, m, d := recorded.Date()
	return time.Date(y, m, d, noon, 0, 0, int(fraction), zone)
}

// sameDates reports whether the dates that clients have written down say the same at an epoch.
func sameDates(all []*exchange, epoch time.Time) bool {
	for _, x := range all {
		if x.rec == nil {
			continue
		}
		for _, a := range x.rec.Request.All() {
			if isDate(a.Field, a.Text) && !says(a.Field.Form, a.Text, x.rec.Answered(), epoch) {
				return false
			}
		}
	}
	return true
}

// says reports whether a date that the client has written down says the same at an epoch as when it was
// sent: that a card has expired, or that something is past.
func says(f profile.Form, text string, sent, epoch time.Time) bool {
	if dates.Expiry(f) {
		return dates.Expired(f, text, sent) == dates.Expired(f, text, epoch)
	}
	t, ok := dates.Parse(f, text, sent.Location())
	return !ok || t.Sub(sent).Abs() <= nearest || t.Before(sent) == t.Before(epoch)
}

// newClock sets the clocks of flows, of which the exchanges come in an order. If the clocks are not to run,
// times stay as they were recorded.
func newClock(flows []*flow, all, order []*exchange, runs bool) *clock {
	c := &clock{
		epoch: epochOf(all), began: map[*exchange]time.Time{}, ended: map[*exchange]time.Time{},
		at: map[int64][]*exchange{}, sent: map[string]bool{}, shown: map[flowDate]string{},
		done: map[doneDate]bool{},
	}
	for _, x := range all {
		at := tape.AnsweredAt(x.Exchange)
		c.at[at.UnixNano()] = append(c.at[at.UnixNano()], x)
		c.began[x], c.ended[x] = x.Meta.At, at
		if x.Meta.Callback != nil && !x.Meta.At.Equal(at) {
			c.at[x.Meta.At.UnixNano()] = append(c.at[x.Meta.At.UnixNano()], x)
		}
		if x.rec == nil {
			continue
		}
		for _, a := range x.rec.Request.All() {
			for _, d := range dates.Find(a.Text) {
				c.sent[a.Text[d.From:d.To]] = true
			}
		}
	}
	if runs && !c.epoch.IsZero() {
		c.run(order)
		for _, f := range flows {
			c.end(f)
		}
	}
	return c
}

// run lets exchanges begin. A flow whose exchange must come behind an exchange of another flow, such as a
// list of all orders, waits for that flow.
func (c *clock) run(order []*exchange) {
	before := map[*flow]*exchange{}
	latest := map[place]map[*flow]time.Time{}
	for _, x := range order {
		if x.Meta.At.IsZero() {
			continue
		}
		began := x.Meta.At
		if !x.settled {
			began = c.begins(x, before[x.flow], latest)
		}
		c.began[x] = began
		c.ended[x] = began
		before[x.flow] = x
		for _, p := range standsAt(x) {
			if latest[p] == nil {
				latest[p] = map[*flow]time.Time{}
			}
			latest[p][x.flow] = began.Add(x.Duration.Truncate(time.Second))
		}
	}
}

// begins returns when an exchange begins behind the last of its flow, nil for none, and behind what must
// come before it in other flows.
func (c *clock) begins(x, last *exchange, latest map[place]map[*flow]time.Time) time.Time {
	began := c.epoch
	if last != nil {
		began = c.after(last, x, c.began[last])
	}
	for _, p := range behindInTime(x) {
		for f, ended := range latest[p] {
			if soonest := ended.Add(tick); f != x.flow && began.Before(soonest) {
				began = soonest
			}
		}
	}
	return began
}

// end lets the exchanges of a flow end. What overlapped on tape does so here, because that says that
// nobody knows which of the two came first.
func (c *clock) end(f *flow) {
	for i, x := range f.exchanges {
		if x.settled {
			c.ended[x] = x.Meta.At.Add(x.Duration)
			continue
		}
		if x.Meta.At.IsZero() || x.Meta.Callback != nil {
			continue
		}
		c.ended[x] = c.began[x].Add(x.Duration.Truncate(time.Second))
		answered := x.Meta.At.Add(x.Duration)
		for _, next := range f.exchanges[i+1:] {
			if next.Meta.At.IsZero() || next.Meta.Callback != nil {
				continue
			}
			if !answered.After(next.Meta.At) {
				if c.ended[x].After(c.began[next]) {
					c.ended[x] = c.began[next]
				}
				break
			}
			if !c.ended[x].After(c.began[next]) {
				c.ended[x] = c.began[next].Add(tick / 2)
			}
		}
	}
}

// after returns when an exchange begins behind another that began at a time. A callback comes when
// the exchange before has come.
func (c *clock) after(before, x *exchange, at time.Time) time.Time {
	gap := x.Meta.At.Sub(before.Meta.At)
	if !before.Meta.At.IsZero() && gap > wait {
		return at.Add(c.pause(x, at, min(gap, longest)))
	}
	gap = tick + before.Duration.Truncate(time.Second)
	if before.Meta.At.Add(before.Duration).After(x.Meta.At) {
		gap = tick
	}
	if x.Meta.Callback != nil {
		gap = 0
	}
	return at.Add(gap)
}

// pause returns how long a pause is that ends with an exchange. The calls before it are further apart than
// on tape, and what the sandbox waits for has begun with one of them: so the pause is as much shorter,
// but stays a pause.
func (c *clock) pause(x *exchange, from time.Time, gap time.Duration) time.Duration {
	first := x.flow.exchanges[0]
	if began, known := c.began[first]; known && !first.settled && !first.Meta.At.IsZero() {
		recorded := x.Meta.At.Sub(first.Meta.At)
		if gained := from.Add(gap).Sub(began) - recorded; gained > 0 {
			gap -= gained
		}
	}
	return max(gap.Truncate(time.Second), wait+time.Second)
}

// longest is the longest pause that is kept. What lies further apart was recorded on two days.
const longest = 24 * time.Hour

// answered returns the exchange that was answered at an instant, or the callback that came then, for
// what is shown by an exchange; nil if there is none.
func (c *clock) answered(at time.Time, by *exchange) *exchange {
	var found *exchange
	for _, x := range c.at[at.UnixNano()] {
		if x == by {
			return x
		}
		if found == nil || found.flow != by.flow && x.flow == by.flow {
			found = x
		}
	}
	return found
}

// moved returns when an instant of the recording is on the stable tape, for what is shown by an
// exchange. It returns false for an instant at which nothing was answered.
func (c *clock) moved(at time.Time, by *exchange) (time.Time, bool) {
	x := c.answered(at, by)
	switch {
	case x == nil:
		return time.Time{}, false
	case x.Meta.Callback != nil && x.Meta.At.Equal(at):
		return c.began[x].In(at.Location()), true
	}
	return c.ended[x].In(at.Location()), true
}

// date returns the text of a date that is told of an instant.
func (c *clock) date(f profile.Form, text string, recorded, moved time.Time) string {
	if recorded.Equal(moved) {
		return text // the clock does not run
	}
	t, ok := dates.Parse(f, text, recorded.Location())
	if !ok {
		return text
	}
	if !dates.Fine(f) {
		return dates.Move(f, text, recorded, moved)
	}
	if t.Truncate(time.Second).Equal(t) {
		t = t.Add(time.Second / 2) // a date without fractions tells any instant of its second
	}
	return dates.Write(f, moved.Add(quiet(t.Sub(recorded))).In(t.Location()), text)
}

// quiet returns a distance without noise: a term of some minutes is one, whatever the answer took.
func quiet(apart time.Duration) time.Duration {
	if whole := apart.Round(time.Minute); (apart - whole).Abs() <= noise {
		return whole
	}
	return apart.Round(time.Second)
}

// isDate reports whether a field of a request holds a date.
func isDate(f profile.Field, text string) bool { return f.From == profile.Date && text != "" }

// nearest is how far from its exchange a date lies at most that the client has made of the day.
const nearest = 400 * 24 * time.Hour

// made returns the text of a date that the client has made itself: a date near its exchange is made
// of the day, and moves; any other is written down in the suite.
func (c *clock) made(f profile.Form, text string, x *exchange) string {
	at := x.Meta.At
	t, ok := dates.Parse(f, text, at.Location())
	if !ok || at.IsZero() || dates.Expiry(f) || f == profile.MonthOfYear || t.Sub(at).Abs() > nearest {
		return text
	}
	began := c.began[x].In(at.Location())
	if end := t.Add(time.Second).Truncate(time.Minute); dates.Fine(f) && atMidnight(end.In(t.Location())) {
		return dates.Write(f, t.AddDate(0, 0, dates.Days(at, began)), text) // of a day as a whole
	}
	return c.date(f, text, at, began)
}

// atMidnight reports whether a time is where a day begins.
func atMidnight(t time.Time) bool { return t.Hour() == 0 && t.Minute() == 0 }

// answeredDates returns a text of an answer with the dates moved that lie near the exchange: the tape
// knows nothing of them, and they are of the day on which it was recorded. A date that a client has sent
// as well is the client's.
func (c *clock) answeredDates(s string, x *exchange) string {
	const near = 36 * time.Hour
	at := tape.AnsweredAt(x.Exchange)
	moved := c.ended[x]
	if at.IsZero() || moved.Equal(at) {
		return s
	}
	var b strings.Builder
	last := 0
	for _, d := range dates.Find(s) {
		text := s[d.From:d.To]
		t, ok := dates.Parse(d.Form, text, at.Location())
		if ok && t.Sub(at).Abs() <= near && !c.sent[text] && !c.done[doneDate{x, text}] {
			now := c.date(d.Form, text, at, moved.In(at.Location()))
			c.show(x.flow, text, now)
			b.WriteString(s[last:d.From] + now)
			last = d.To
		}
	}
	return b.String() + s[last:]
}

// flowDate is a date in the answers of a flow; nil is any flow.
type flowDate struct {
	flow *flow
	text string
}

// doneDate is a date of the stable tape.
type doneDate struct {
	by   *exchange
	text string
}

// show notes a date that an answer shows.
func (c *clock) show(f *flow, text, now string) {
	c.shown[flowDate{f, text}], c.shown[flowDate{nil, text}] = now, now
}

// seen returns what a date is now that a client has seen in an answer, of its own flow first.
func (c *clock) seen(f *flow, text string) (string, bool) {
	for _, of := range []*flow{f, nil} {
		if now, known := c.shown[flowDate{of, text}]; known {
			return now, true
		}
	}
	return "", false
}

// sentBack returns a text of a request with the dates moved that an answer had: such as those in a message
// that a browser takes from one page to another.
func (c *clock) sentBack(s string, x *exchange) string {
	var b strings.Builder
	last := 0
	for _, d := range dates.Find(s) {
		if now, known := c.seen(x.flow, s[d.From:d.To]); known {
			b.WriteString(s[last:d.From] + now)
			last = d.To
		}
	}
	return b.String() + s[last:]
}
