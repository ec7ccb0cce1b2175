package tape

import (
	"hash/maphash"
	"slices"
	"strconv"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/redact/surrogate"
)

// seed is that of all classes of the process.
var seed = maphash.MakeSeed()

// cell is what a leaf of an answer counts for in its class.
type cell struct {
	at    uint64 // the leaf, among those of its operation: its place and path
	shape uint64 // the same without indexes
	says  uint64 // its type, and its text with the keys of its holes
	// open says that no profile knows the leaf and nothing fills it: it may be volatile.
	open, fluid bool
}

// cellOf returns what a leaf without holes counts for in an answer of whatever operation. What cleaning
// left of a secret is no difference.
func cellOf(l *leaf.Leaf, f profile.Field) cell {
	c := cell{at: request.Digest(l.Place.String(), l.Key, l.Path, l.Name)}
	if c.shape = c.at; l.Path != l.Shape || l.Name != "" {
		c.shape = request.Digest(l.Place.String(), l.Key, l.Shape, "")
	}
	secret := f.Secret != profile.NotSecret && f.Secret != profile.PAN && !f.Secret.Personal()
	switch {
	case f.From == profile.Ignored:
		c.says = uint64(l.Kind) // the row says that its value does not matter
	case secret && l.Value != "":
		c.says = says(l.Kind, surrogate.Prefix)
	default:
		c.says = says(l.Kind, unsecret(l.Value))
	}
	return c
}

// says digests a text.
func says(kind leaf.Kind, text string) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteByte(byte(kind))
	h.WriteString(text)
	return h.Sum64()
}

// cells digests the leaves of the answer at hand. They are good until the next answer is read.
func (a *answerReader) cells() []cell {
	cells, op := a.cellRoom[:0], digestText(a.rec.Op)
	for i := range a.m.Leaves {
		l := &a.m.Leaves[i]
		if ownHeader(l) && !a.compared(l) {
			continue
		}
		c := a.notes.leaves[i].cell
		c.at, c.shape = c.at^op, c.shape^op
		if spans := a.pieces[l]; len(spans) > 0 {
			c.says = a.says(l, spans)
		} else {
			c.open = a.rec.Infers && !ownHeader(l) && a.unsaid(l)
		}
		c.fluid = c.open && a.fluid[l]
		cells = append(cells, c)
	}
	a.cellRoom = cells
	return cells
}

// classify decides the class of the answer at hand, unless some leaf may be volatile: that the whole
// tape decides.
func (a *answerReader) classify() {
	cells := a.cells()
	if slices.ContainsFunc(cells, func(c cell) bool { return c.open }) {
		a.tape.cells[a.rec] = slices.Clone(cells)
		return
	}
	a.rec.Class = a.rec.classOf(cells, func(*cell) bool { return false })
}

// classOf digests the cells of an answer but for what the volatile ones say.
func (r *Recording) classOf(cells []cell, volatile func(*cell) bool) uint64 {
	return maphash.Comparable(seed, [2]uint64{uint64(r.Code), digestCells(cells, volatile)})
}

// digestCells digests cells, in whatever order they come, but for what the volatile ones say.
func digestCells(cells []cell, volatile func(*cell) bool) uint64 {
	sum := uint64(0)
	for i := range cells {
		if c := &cells[i]; volatile(c) {
			sum += c.at
		} else {
			sum += maphash.Comparable(seed, [2]uint64{c.at, c.says})
		}
	}
	return sum
}

// compared reports whether a header takes part in classes: what kind of body it is, where it leads,
// and what the profile names.
func (a *answerReader) compared(l *leaf.Leaf) bool {
	if l.Key == "Content-Type" || l.Key == "Location" {
		return true
	}
	return len(a.pieces[l]) > 0 && !slices.Contains(a.numbers, l.Value)
}

// says digests the text of a leaf, with the keys of its holes in their places. What cleaning left of
// a secret is no difference.
func (a *answerReader) says(l *leaf.Leaf, spans []span) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteByte(byte(l.Kind))
	if len(spans) > 1 {
		spans = slices.Clone(spans)
		slices.SortStableFunc(spans, func(x, y span) int { return x.from - y.from })
	}
	last := 0
	for _, s := range spans {
		if s.from < last {
			continue
		}
		h.WriteString(unsecret(l.Value[last:s.from]))
		h.WriteByte(0)
		a.keyRoom = s.hole.appendKey(a.keyRoom[:0])
		h.Write(a.keyRoom)
		h.WriteByte(0)
		last = s.to
	}
	h.WriteString(unsecret(l.Value[last:]))
	return h.Sum64()
}

// unsecret replaces what cleaning left of secrets by one word.
func unsecret(text string) string {
	if surrogate.Holds(text) || surrogate.IsCard(text) {
		return surrogate.Prefix
	}
	return text
}

// appendKey appends what is equal for holes that are filled alike.
func (h *Hole) appendKey(b []byte) []byte {
	s := h.Source
	if s.What == Value && s.K < 0 { // whether it is kept, another answer tells
		b = h.Rendering.appendForm(strconv.AppendInt(b, int64(Now), 10))
		return append(b, s.term()...)
	}
	b = h.Rendering.appendForm(strconv.AppendInt(b, int64(s.What), 10))
	switch s.What {
	case Sent, Header:
		b = append(b, s.Param...)
	case Value:
		b = append(append(s.Ref.appendKey(b), ' '), s.Slot.Name...)
		if !s.Mint {
			b = strconv.AppendInt(append(b, ' '), int64(s.Slot.N), 10)
		}
	case Event:
		b = append(s.Ref.appendKey(b), ' ')
		if s.Cause { // how much was done before is no difference
			b = append(b, 'c')
		} else {
			b = strconv.AppendInt(b, int64(s.K), 10)
		}
		b = append(b, s.term()...)
	case Now:
		b = append(b, s.term()...)
	case Leads:
		if !s.Home {
			b = append(append(b, h.To.Host.Name...), h.To.Host.Address...)
		}
	case Document:
		h.inner.Holes(func(in *Hole) { b = in.appendKey(b) })
	}
	return b
}

// term returns how far a date lies from its event: in days or, of an expiry or where they are whole, in
// months. Within an hour it tells the event itself.
func (s *Source) term() string {
	born := s.At()
	t, ok := dates.Parse(s.Form, s.Text, born.Location())
	if !ok {
		return ""
	}
	if d := t.Sub(born); dates.Fine(s.Form) && d.Abs() < time.Hour {
		return s.Form.String()
	}
	if months, _ := dates.Distance(born, t); s.Term && months != 0 {
		return s.Form.String() + strconv.Itoa(months) + "m"
	}
	if dates.Expiry(s.Form) {
		return s.Form.String() + strconv.Itoa(dates.Months(born, t))
	}
	return s.Form.String() + strconv.Itoa(dates.Days(born, t.In(born.Location())))
}

// spread is what the answers of an operation have in one place.
type spread struct {
	seen  map[uint64]bool
	again bool // two answers have one value there
	fluid bool // all look generated
}

// classify decides which leaves are volatile, for the whole tape, and digests without them every
// answer that has such leaves. A volatile leaf never has one value twice, and looks generated or has had five values.
func (t *Tape) classify() {
	const many = 5
	spreads := map[uint64]*spread{}
	for _, r := range t.Recordings {
		for _, c := range t.cells[r] {
			if !c.open {
				continue
			}
			s := spreads[c.shape]
			if s == nil {
				s = &spread{seen: map[uint64]bool{}, fluid: true}
				spreads[c.shape] = s
			}
			s.again = s.again || s.seen[c.says]
			s.fluid = s.fluid && c.fluid
			s.seen[c.says] = true
		}
	}
	volatile := func(c *cell) bool {
		s := spreads[c.shape]
		return c.open && !s.again && (s.fluid || len(s.seen) >= many)
	}
	for _, r := range t.Recordings {
		if r.Class == 0 {
			r.Class = r.classOf(t.cells[r], volatile)
		}
	}
}

func digestText(s string) uint64 { return maphash.String(seed, s) }
