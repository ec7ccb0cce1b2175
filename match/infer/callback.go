package infer

import (
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/request"
)

// LookAtCallback surveys a callback, the next exchange of a cassette. Of an API that no profile
// knows it proves what a request would: what an answer has shown, and a callback repeats, is an id;
// and what a client has made up, and a callback repeats, is a reference.
func (s *Survey) LookAtCallback(x *leaf.Exchange) {
	s.at, s.wrote = append(s.at, x.Meta.At), append(s.wrote, false)
	if s.set.FindCallback(x.Meta.Profile).Operation != nil {
		return
	}
	q := x.Asked()
	q.Headless = true
	m := leaf.ReadInto(s.room, q)
	s.room = m.Leaves
	passages := m.Passages()
	for i := range m.Leaves {
		l := &m.Leaves[i]
		for _, tok := range Tokens(l, passages) {
			s.repeats(tok.Text)
			key := request.Folded(tok.Text)
			if s.shown[key] == 0 {
				s.told[key] = true
				continue
			}
			s.carries(l, tok, len(s.at))
		}
	}
}

// OfEvent reports whether a leaf of a callback holds an id of the callback itself, by which a shop
// tells it from others: nothing else has it.
func (s *Survey) OfEvent(l *leaf.Leaf, at time.Time) bool {
	return unsentLike(l) && s.told[request.Folded(l.Value)] && !s.Sent(l.Value) &&
		s.ShownFirst(l.Value) == 0 && !TellsTime(l.Value, at)
}
