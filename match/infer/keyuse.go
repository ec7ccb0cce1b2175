package infer

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/request"
)

// A client that has got no answer sends a write again, under the idempotency key that it had before: it is one
// write, and an API that knows such keys answers with the answer that it gave first. What else an API does with a
// key that comes again differs, and a tape tells it where somebody has tried.

// KeyUse says what became of a write whose idempotency key had come before, with a call of one path.
type KeyUse byte

// The uses of a key.
const (
	// FirstUse is that of a write whose key is new, of a write without a key, and of one of which the tape tells
	// nothing.
	FirstUse KeyUse = iota
	// RepeatedWrite is the same write with the answer of the first, but for what each answer has anew: it has
	// done nothing. So has one of which nobody has read the answer, if another was answered.
	RepeatedWrite
	// RepeatedOtherwise is a RepeatedWrite whose answer tells of another state of the same thing.
	RepeatedOtherwise
	// AnsweredByKey is another write with the answer of the first.
	AnsweredByKey
	// RefusedRepeat is the same write, refused because it has come before.
	RefusedRepeat
	// RefusedKey is another write, refused because of the key.
	RefusedKey
	// TriedAgain is the same write, which had failed the first time and now has not.
	TriedAgain
	// IgnoredKey is a write that has made another thing, as if it had a key of its own.
	IgnoredKey
	// UnclearKey is the same write with another answer, of which nobody knows whether it has done anything.
	UnclearKey
)

// Excluded reports whether such an exchange tells of no state: what it came to is a matter of its key.
func (u KeyUse) Excluded() bool { return u >= RepeatedWrite && u <= RefusedKey }

// Repeats reports whether such an exchange has done nothing and says what the first has done.
func (u KeyUse) Repeats() bool { return u >= RepeatedWrite && u <= AnsweredByKey }

// keyUses are the writes with an idempotency key.
type keyUses struct {
	first map[uint64]*keyedWrite // by key and call
	again map[int]keyReuse       // by place
}

// keyedWrite is a write with an idempotency key.
type keyedWrite struct {
	place    int
	lost     bool     // nobody has read its answer
	attempts []int    // the places of such writes behind a lost one that are the same
	sameness uint64   // see request.Sameness
	code     int      // of its answer
	answer   uint64   // the digest of the answer,
	outcome  uint64   // and of what it came to
	failed   bool     // so the answer says
	refuses  bool     // and it may do so because of the key
	ids      []uint64 // digests of what stands in the answer under names of ids
	makes    []uint64 // tokens that its answer is the first to show, and no request before
	shared   int      // how many of those that the first write under the key makes its answer shows
}

// keyReuse is a write whose key had come before, and the place of the first.
type keyReuse struct {
	use   KeyUse
	first int
	makes []uint64 // of the write, if it tells by these alone
}

// keyUse notes a write with an idempotency key, at a place and answered at a time, and says what became of it.
// What a profile describes is not looked at: nothing in the three documents says that such keys are known there.
func (s *Survey) keyUse(r *Reading, place int, answered time.Time) KeyUse {
	x := r.x
	key := request.IdempotencyKey(r.call, x.Request.Headers, r.params)
	lost := x.Meta.Failure != "" && x.Meta.Fault == "" && x.Meta.Withheld == ""
	if key == "" || !r.call.Infers() || !r.writes() || !lost && (!x.Replayable() || request.Transient(x.Code)) {
		return FirstUse
	}
	call := request.Digest(x.Meta.Host, strings.TrimSuffix(x.URL, x.Target()), x.Method, request.PathOf(x.Target()),
		r.called, key)
	first := s.keys.first[call]
	now := &keyedWrite{place: place, lost: lost, sameness: request.Sameness(r.params)}
	if !lost {
		s.answered(now, r, first, answered)
	}
	if first == nil {
		s.keys.first[call] = now
		return FirstUse
	}
	use := s.behind(now, first)
	if use != FirstUse {
		s.keys.again[place] = keyReuse{use: use, first: first.place}
		if use == IgnoredKey && len(now.ids) == 0 {
			s.keys.again[place] = keyReuse{use, first.place, now.makes}
		}
	}
	if !lost && !use.Excluded() && (first.lost && !now.failed || !first.lost && first.failed) {
		s.keys.first[call] = now
	}
	return use
}

// writes reports whether the method and the name of a call say that it changes state.
func (r *Reading) writes() bool {
	return Changes(r.x.Method) &&
		!Asks(&request.Request{Method: r.x.Method, Target: r.x.Target(), Call: r.call, Params: r.params})
}

// answered notes the answer to a write under the key of a first one; nil if it is the first.
func (s *Survey) answered(w *keyedWrite, r *Reading, first *keyedWrite, at time.Time) {
	w.code, w.answer, w.outcome = r.x.Code, request.Digest(r.x.Response.Body), outcomeOf(r.x)
	w.failed = w.code >= http.StatusBadRequest || Fails(&r.answer.message)
	switch w.code {
	case http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity:
		w.refuses = true
	}
	for i := range r.answer.leaves {
		l := &r.answer.leaves[i]
		if l.Place == leaf.Header {
			continue
		}
		w.refuses = w.refuses || strings.Contains(strings.ToLower(l.Value), "idempot")
		if request.IDNamed(l.Key) && !numbersRequest(l.Key) {
			w.ids = append(w.ids, request.Digest(l.Path, l.Value))
		}
		for _, tok := range r.answer.of(i) {
			if first != nil && slices.Contains(first.makes, tok.key) {
				w.shared++
			}
			if s.shownAt(tok.key) == 0 && s.carried(tok.key).first == 0 && !r.asked.has(tok.key) &&
				!TellsTime(tok.Text, at) {
				w.makes = append(w.makes, tok.key)
			}
		}
	}
}

// numbersRequest reports whether a name for an id is that of the request or of the answer, which each has anew.
func numbersRequest(key string) bool {
	words := request.AppendWords(nil, key)
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(requestWords, w) })
}

var requestWords = request.Words("request")

// has reports whether some leaf has a token.
func (h *half) has(token uint64) bool {
	return slices.ContainsFunc(h.tokens, func(d digested) bool { return d.key == token })
}

// behind says what became of a write because another had its key before.
func (s *Survey) behind(w, first *keyedWrite) KeyUse {
	same := w.sameness == first.sameness
	equal := w.code == first.code && w.answer == first.answer
	again := same && !first.failed && !w.failed && w.repeats(first)
	switch {
	case w.lost && first.lost:
		if same {
			first.attempts = append(first.attempts, w.place)
		}
	case w.lost && same && !first.failed:
		return RepeatedWrite
	case w.lost:
	case first.lost && same && !w.failed:
		for _, place := range append(first.attempts, first.place) {
			s.keys.again[place] = keyReuse{use: RepeatedWrite, first: w.place}
		}
	case first.lost && same && w.refuses:
		return RefusedRepeat
	case first.lost:
	case equal && same, again && w.outcome == first.outcome:
		return RepeatedWrite
	case again:
		return RepeatedOtherwise
	case equal && !w.failed && len(first.makes) > 0:
		return AnsweredByKey
	case first.failed && same && !w.failed:
		return TriedAgain
	case first.failed:
	case w.failed && w.refuses && same:
		return RefusedRepeat
	case w.failed && w.refuses:
		return RefusedKey
	case w.failed:
	case len(w.ids) == 0 && len(w.makes) > 0 && w.shared == 0,
		len(w.ids) > 0 && len(w.ids) == len(first.ids) && !slices.Equal(w.ids, first.ids):
		return IgnoredKey
	case same:
		return UnclearKey
	}
	return FirstUse
}

// repeats reports whether a write has an answer about the thing that the first write under its key has made.
func (w *keyedWrite) repeats(first *keyedWrite) bool {
	if len(w.ids) > 0 || len(first.ids) > 0 {
		return slices.Equal(w.ids, first.ids)
	}
	return w.shared > 0 && w.shared == len(first.makes)
}

// KeyUse returns what became of the exchange at a place because of its idempotency key, and the place of the write
// that had the key first, or that repeats the exchange if nobody has read its answer.
func (s *Survey) KeyUse(place int) (use KeyUse, first int) {
	again := s.keys.again[place]
	sent := func(token uint64) bool { return s.carried(token).first != 0 }
	if again.makes != nil && !slices.ContainsFunc(again.makes, sent) {
		return UnclearKey, again.first // what is new may be a number of the answer, and not of a thing
	}
	return again.use, again.first
}
