package merge

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
	"github.com/paytape/paytape/redact/renumber"
	"github.com/paytape/paytape/redact/surrogate"
)

// side is a tape that takes part in a merge.
type side struct {
	tape  *renumber.Tape
	items []*item
	flows [][]*item // of a stable tape; nil of any other
}

// item is an exchange of a side.
type item struct {
	x       *leaf.Exchange
	outline [sha256.Size]byte // a sum of all that it holds but numbers
	found   []renumber.Surrogate
	base    *item // the same exchange of the base; nil if the base has none
	other   *item // the same exchange of the other side; nil if it has none
	missing int   // how many numbers the tape lacks before it: calls that nobody knows
	number  int   // on the merged tape; 0 for what is not on it
}

// changed reports whether the exchange is another than that of the base.
func (i *item) changed() bool { return i.base != nil && i.base.outline != i.outline }

// noted returns the surrogates that the notes of the exchange name, line by line.
func (i *item) noted() []renumber.Surrogate {
	var all []renumber.Surrogate
	for _, line := range i.x.Meta.Redactions {
		if kind, n := surrogate.ReadNote(line); n > 0 {
			all = append(all, renumber.Surrogate{Kind: kind, N: n})
		}
	}
	return all
}

func newSide(r *redact.Redactor, all []redact.Clean) *side {
	s := &side{}
	xs := make([]*leaf.Exchange, len(all))
	for i, c := range all {
		xs[i] = c.Exchange()
	}
	s.tape = renumber.Read(r, slices.Values(xs))
	last := 0
	for _, x := range xs {
		text, found := s.tape.Outline(x)
		s.items = append(s.items, &item{
			x: x, outline: sha256.Sum256([]byte(text)), found: found, missing: x.Meta.Number - last - 1,
		})
		last = x.Meta.Number
	}
	return s
}

// pair is two items that are one exchange.
type pair struct{ a, b *item }

// join notes that the items stand once on the merged tape.
func (p pair) join() { p.a.other, p.b.other = p.b, p.a }

// equalPairs pairs the items of two lists that have one outline. Of several with one outline the
// first goes with the first.
func equalPairs(as, bs []*item) []pair {
	waiting := map[[sha256.Size]byte][]*item{}
	for _, b := range bs {
		waiting[b.outline] = append(waiting[b.outline], b)
	}
	var pairs []pair
	for _, a := range as {
		if list := waiting[a.outline]; len(list) > 0 {
			pairs = append(pairs, pair{a, list[0]})
			waiting[a.outline] = list[1:]
		}
	}
	return pairs
}

// keepFrom notes which exchanges of a side are those of the base.
func (s *side) keepFrom(base *side) {
	for _, p := range equalPairs(base.items, s.items) {
		p.b.base = p.a
	}
}

// changeFrom notes which of the other exchanges of a side have come from which of the base. timed says
// that the moment at which an exchange began is its own.
func (s *side) changeFrom(base *side, timed bool) {
	known := s.byBase()
	waiting := map[string][]*item{}
	last := -1 // index of the last of the base that the side has
	for i, b := range base.items {
		if known[b] != nil {
			last = i
			continue
		}
		key := b.identity(last, timed)
		waiting[key] = append(waiting[key], b)
	}
	index := map[*item]int{}
	for i, b := range base.items {
		index[b] = i
	}
	last = -1
	for _, i := range s.items {
		if i.base != nil {
			last = index[i.base]
			continue
		}
		key := i.identity(last, timed)
		if list := waiting[key]; len(list) > 0 {
			i.base, waiting[key] = list[0], list[1:]
		}
	}
}

// identity returns what an exchange that has changed is known by: the moment at which it began, or what
// comes before it in the base, of which after is the index.
func (i *item) identity(after int, timed bool) string {
	path := i.x.URL
	if u, err := url.Parse(path); err == nil {
		path = u.Path
	}
	if at := i.x.Meta.At; timed && !at.IsZero() {
		return fmt.Sprint(at.UnixNano(), " ", i.x.Method, " ", path)
	}
	return fmt.Sprint("behind ", after, " ", i.x.Method, " ", path)
}

// byBase returns the items of a side by what they come from.
func (s *side) byBase() map[*item]*item {
	all := map[*item]*item{}
	for _, i := range s.items {
		if i.base != nil {
			all[i.base] = i
		}
	}
	return all
}

// added returns what the base has not.
func (s *side) added() []*item {
	var all []*item
	for _, i := range s.items {
		if i.base == nil {
			all = append(all, i)
		}
	}
	return all
}

// timed reports whether the times of tapes are those at which requests began: they go up, on each tape,
// but for parallel requests, which are numbered in the order in which they were read. The times of a
// stable tape (package match/stable) begin anew with each flow.
func timed(sides ...*side) bool {
	for _, s := range sides {
		for n := 1; n < len(s.items); n++ {
			was, is := s.items[n-1].x.Meta.At, s.items[n].x.Meta.At
			if !was.IsZero() && !is.IsZero() && (was.Equal(is) || was.Sub(is) > time.Second) {
				return false
			}
		}
	}
	return true
}
