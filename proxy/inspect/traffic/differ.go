package traffic

import (
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/outcome"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// The bounds of a comparison of two exchanges.
const (
	maxLeaves = 1 << 12 // values of a message that are compared
	maxDeltas = 20      // differences of a message that are shown
	maxSame   = 200     // pairs of values that stand for each other
)

// differ compares the exchanges of two flows one after another. It remembers which values of one flow
// stand for which of the other: an order has another id in each, and so has every answer that
// repeats the id, or an address that has it inside. A value that was told as a difference once is no
// difference again where an answer repeats it.
type differ struct {
	set    *profile.Set
	same   map[[2]string]bool // pairs of values, of the first flow and of the second
	pairs  []string           // the same, for a strings.Replacer
	folded int                // differences that are none
}

// exchanges returns what differs in two requests, and in their answers.
func (d *differ) exchanges(x, y redact.Clean) (sent, answered []view.Delta) {
	a, b := x.Exchange(), y.Exchange()
	if a == nil || b == nil || d.set == nil {
		return nil, nil
	}
	call := callOf(d.set, a)
	sent = d.messages(call, profile.Request, side{x, a.Asked()}, side{y, b.Asked()})
	return sent, d.messages(call, profile.Response, side{x, a.Answered()}, side{y, b.Answered()})
}

// side is a message of an exchange that was cleaned.
type side struct {
	of redact.Clean
	leaf.Message
}

// leaves returns the values of a message by their places, and the places in their order.
func (s *side) leaves() (order []string, at map[string]leaf.Leaf) {
	m := s.Message
	m.Headless, m.Most = true, maxLeaves
	if len(m.Body) > outcome.MaxBody {
		m.Body = ""
	}
	if len(m.Target) > outcome.MaxBody {
		m.Target, m.Skip = "", 0
	}
	at = map[string]leaf.Leaf{}
	for _, l := range leaf.Append(nil, m) {
		path := l.Place.String() + " " + l.Path
		if _, again := at[path]; !again {
			at[path] = l
			order = append(order, path)
		}
	}
	return order, at
}

// text returns a value as safe. What is known to be a date is shown, although it has as many digits as
// a card number may have.
func (s *side) text(l leaf.Leaf, f profile.Field) redact.Safe {
	text := l.Value
	if f.From != profile.Date {
		text = shown(text)
	}
	return s.of.Derive(func(*leaf.Exchange) string { return leaf.Clip(text, maxText) })
}

// shown returns a value as people may see it in a list: of a card number, also of one that stands for
// another on a tape, the mask.
func shown(value string) string {
	if mask, is := outcome.MaskOf(value); is {
		return mask
	}
	return value
}

// messages returns what differs in two messages.
func (d *differ) messages(call profile.Call, dir profile.Direction, a, b side) []view.Delta {
	orderA, ofA := a.leaves()
	orderB, ofB := b.leaves()
	var deltas []view.Delta
	text := func(s side, l leaf.Leaf) redact.Safe { return s.text(l, meaning(d.set, call, dir, l)) }
	tell := func(path string, va, vb redact.Safe) {
		if len(deltas) < maxDeltas {
			deltas = append(deltas, view.Delta{Path: path, A: va, B: vb})
		}
	}
	for _, path := range orderA {
		l := ofA[path]
		m, both := ofB[path]
		switch {
		case !both:
			tell(pathOf(a, l), text(a, l), redact.Safe{})
		case l.Value == m.Value:
		case d.folds(call, dir, l, m):
			d.folded++
		default:
			tell(pathOf(a, l), text(a, l), text(b, m))
			d.bind(l.Value, m.Value)
		}
	}
	for _, path := range orderB {
		if _, both := ofA[path]; !both {
			tell(pathOf(b, ofB[path]), redact.Safe{}, text(b, ofB[path]))
		}
	}
	return deltas
}

// pathOf names a value.
func pathOf(s side, l leaf.Leaf) string {
	return s.of.Derive(func(*leaf.Exchange) string {
		if l.Place == leaf.Path || l.Path == "" {
			return strings.TrimSpace(l.Place.String() + " " + l.Path)
		}
		return leaf.Clip(l.Path, maxText)
	}).String()
}

// folds reports whether two values that differ are no difference of the flows: they are fresh in
// each, or stand for each other, or follow values that do.
func (d *differ) folds(call profile.Call, dir profile.Direction, a, b leaf.Leaf) bool {
	f := meaning(d.set, call, dir, a)
	card := f.Secret == profile.PAN
	switch {
	case d.same[[2]string{a.Value, b.Value}]:
		return true
	case f.Signs, f.From == profile.Date, f.From == profile.Rendering && dir == profile.Response,
		f.From == profile.Ignored && dir == profile.Request:
		return true
	case !card && (f.From == profile.Minted || f.From == profile.Unique):
		d.bind(a.Value, b.Value)
		return true
	}
	return strings.NewReplacer(d.pairs...).Replace(a.Value) == b.Value
}

// bind notes that two values stand for each other.
func (d *differ) bind(a, b string) {
	const least = 4 // a shorter value stands in many texts by chance
	if len(d.same) == maxSame || a == "" || b == "" {
		return
	}
	d.same[[2]string{a, b}] = true
	if len(a) >= least && len(b) >= least {
		d.pairs = append(d.pairs, a, b)
	}
}

// callOf returns what the profiles recognise of an exchange.
func callOf(set *profile.Set, x *leaf.Exchange) profile.Call {
	if x.Meta.Callback != nil {
		return set.FindCallback(x.Meta.Profile)
	}
	path, _, _ := strings.Cut(x.Target(), "?")
	return set.Find(x.Request.Method, path)
}

// meaning returns what the profiles know of a value.
func meaning(set *profile.Set, call profile.Call, dir profile.Direction, l leaf.Leaf) profile.Field {
	at := profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape}
	if l.Place == leaf.Path && call.Operation != nil {
		i, _ := strconv.Atoi(l.Key)
		at.Key = call.Operation.Segment(i)
		if at.Shape = at.Key; at.Key == "" {
			return profile.Field{}
		}
	}
	f, _ := set.Meaning(call, dir, at)
	return f
}
