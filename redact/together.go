package redact

import (
	"iter"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/parallel"
)

// CleanAll cleans exchanges as captured, on all processors. What any of them teaches to be secret is
// taken out of all of them, and surrogates are numbered in the order of the exchanges. The exchanges
// themselves are not changed.
func (r *Redactor) CleanAll(list []*leaf.Exchange) []Clean { return r.s.cleanAll(list, live) }

// RecleanAll is CleanAll of exchanges from a file that is not sealed.
func (r *Redactor) RecleanAll(list []*leaf.Exchange) []Clean {
	for _, x := range list {
		r.Note(x)
	}
	return r.s.cleanAll(list, ours)
}

// cleanAll cleans exchanges in three rounds. Take three exchanges, of which the second has the card of
// the first and the third logs in with a password that stands in a note of the first:
//
//	taking apart   1, 2, 3  in parallel, a little before they are cleaned
//	cleaning       1        teaches card 1
//	               2        teaches nothing, and its card is card 1
//	               3        teaches token 1
//	the last look  1        in parallel: the password stands in the note
//	               2, 3     are clean of all that is known
//	cleaning       1        once more, with all that is known
//
// Cleaning gives out numbers, so it has one exchange at a time. The last look asks what all have taught,
// and teaches nothing, so it comes to the same whoever looks first. It goes on until no exchange is
// cleaned that teaches anything.
func (s *state) cleanAll(list []*leaf.Exchange, as trust) []Clean {
	drafts := make([]*draft, len(list))
	for i, d := range s.drafts(list, as) {
		d.clean()
		d.asRead = nil // all drafts are held
		drafts[i] = d
	}
	done := make([]Clean, len(list))
	again := make([]bool, len(list))
	parallel.Stretches(len(list), atATime, func(from, to int) {
		for i := from; i < to; i++ {
			if again[i] = !drafts[i].passes(); !again[i] {
				done[i] = drafts[i].finish()
			}
			drafts[i] = nil
		}
	})
	for taught := true; taught; {
		known := s.tape.learnedCount()
		for i := range list {
			if again[i] {
				done[i] = s.clean(list[i], as)
			}
		}
		taught = s.tape.learnedCount() != known
		if taught {
			parallel.Stretches(len(list), atATime, func(from, to int) {
				for i := from; i < to; i++ {
					again[i] = done[i].learned != s.tape.learnedCount() && s.holdsLearned(done[i])
				}
			})
		}
	}
	return done
}

// holdsLearned reports whether an exchange that was cleaned holds what is known by now to be secret.
func (s *state) holdsLearned(x Clean) bool {
	c := cleaning{state: s, trust: verified, searchWords: true}
	return c.holds(x.x, slices.Values(x.hidden))
}

// Bounds of what is taken apart before it is cleaned: how many exchanges, and how long their messages
// are. What is taken apart takes ten times its room.
const (
	draftsAhead = 64
	longDraft   = 16 << 10 // in bytes
)

// drafts yields exchanges taken apart, which is done by a goroutine of its own.
func (s *state) drafts(list []*leaf.Exchange, as trust) iter.Seq2[int, *draft] {
	return func(yield func(int, *draft) bool) {
		ahead := make(chan *draft, draftsAhead)
		go func() {
			defer close(ahead)
			for _, x := range list {
				if len(x.Request.Body)+len(x.Response.Body) > longDraft {
					ahead <- nil // whoever cleans it takes it apart
					continue
				}
				ahead <- s.draft(x, as)
			}
		}()
		for i, x := range list {
			d := <-ahead
			if d == nil {
				d = s.draft(x, as)
			}
			if !yield(i, d) {
				break
			}
		}
		for range ahead { // until the goroutine has ended
		}
	}
}

// atATime is how many of a list a goroutine takes at a time.
const atATime = 64
