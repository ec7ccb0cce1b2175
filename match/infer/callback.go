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
	if !s.set.FindCallback(x.Meta.Profile).Infers() {
		return
	}
	q := x.Asked()
	q.Headless = true
	s.room.digest(s.room.read(q), true)
	for i := range s.room.leaves {
		l := &s.room.leaves[i]
		for _, tok := range s.room.of(i) {
			s.repeats(tok.Text)
			if s.shownAt(tok.key) == 0 {
				s.told[tok.key] = true
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
