package infer

import (
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/paytape/paytape/internal/digests"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/request"
)

// A client that has got no answer sends a write again, with the idempotency key that it had before: it is one
// write, and the API answers as the first time. What an API does with a key that comes again is not the same
// everywhere, and the tape tells it where somebody has tried.

// KeyUse says what became of a write whose idempotency key had come before.
type KeyUse byte

// The uses of a key.
const (
	// FirstUse is that of a write without a key too.
	FirstUse KeyUse = iota
	// RepeatedWrite is the same write, answered as the first time: it has done nothing.
	RepeatedWrite
	// RefusedRepeat is the same write, refused because it has come before.
	RefusedRepeat
	// RefusedKey is another write, refused because of the key.
	RefusedKey
)

// KeyHabit is what an API does with idempotency keys.
type KeyHabit struct {
	Ignores bool // a second write under a key is a write like any other
	Retries bool // a write that has failed is tried again under its key
	ByKey   bool // another write under a key is answered as the first was
}

// add adds what another tape has shown.
func (h KeyHabit) add(o KeyHabit) KeyHabit {
	return KeyHabit{h.Ignores || o.Ignores, h.Retries || o.Retries, h.ByKey || o.ByKey}
}

// keyedWrites are the writes with an idempotency key.
type keyedWrites struct {
	last   map[uint64]*keyedWrite // by key: the one that counts
	shown  digests.Map[uint64]    // by the tokens of answers the key of the write; ofSeveral for those of several
	again  map[int]keyReuse       // by place: those whose key had come before
	habits map[string]KeyHabit    // by the name of the host
}

func newKeyedWrites() keyedWrites {
	return keyedWrites{
		last: map[uint64]*keyedWrite{}, again: map[int]keyReuse{}, habits: map[string]KeyHabit{},
	}
}

// keyedWrite is a write with an idempotency key.
type keyedWrite struct {
	place  int
	asks   uint64   // what is the same in a write that comes again
	code   int      // of its answer
	failed bool     // so the answer says
	made   []uint64 // tokens that its answer brings and its request did not have
}

// keyReuse is a write whose key had come before.
type keyReuse struct {
	use   KeyUse
	first int // the place of the write that had the key first
	host  string
}

// use notes a write with an idempotency key, and says what became of it. What the profiles do not know is
// looked at: the three APIs have no such keys.
func (k *keyedWrites) use(r *Reading, place int, answered time.Time) KeyUse {
	key := request.IdempotencyKey(r.call, r.x.Request.Headers, r.params)
	if key == "" || !r.call.Infers() || !Changes(r.x.Method) || !r.x.Replayable() {
		return FirstUse
	}
	host := r.x.Meta.Host
	digest := request.Digest(host, r.x.Method, request.PathOf(r.x.Target()), key)
	now := r.keyedWrite(place, answered)
	now.made = slices.DeleteFunc(now.made, func(token uint64) bool { return k.isOfSeveral(token, digest) })
	first := k.last[digest]
	use := FirstUse
	if first != nil {
		if disturbed(r.x.Code) {
			return FirstUse
		}
		var shows KeyHabit
		use, shows = now.behind(first)
		k.habits[host] = k.habits[host].add(shows)
	}
	if use == FirstUse {
		k.last[digest] = now
		return use
	}
	k.again[place] = keyReuse{use, first.place, host}
	return use
}

// isOfSeveral notes that the answer to a write with a key shows a token, and reports whether answers under other
// keys do: then no write has made it.
func (k *keyedWrites) isOfSeveral(token, key uint64) bool {
	before := k.shown.At(token)
	if *before != 0 && *before != key {
		key = ofSeveral
	}
	*before = key
	return key == ofSeveral
}

const ofSeveral = math.MaxUint64

// disturbed reports whether a status tells of the client's credentials, its haste or the sandbox's trouble, and
// nothing of the write.
func disturbed(code int) bool {
	return code == http.StatusUnauthorized || code == http.StatusTooManyRequests || code >= http.StatusInternalServerError
}

// behind says what a write is whose key another had before, and what that shows of the API.
func (w *keyedWrite) behind(first *keyedWrite) (KeyUse, KeyHabit) {
	same := w.asks == first.asks
	shown := slices.ContainsFunc(w.made, func(token uint64) bool { return slices.Contains(first.made, token) })
	switch {
	case first.failed && same && w.failed && w.code == first.code:
		return RepeatedWrite, KeyHabit{}
	case first.failed:
		return FirstUse, KeyHabit{Retries: same}
	case w.failed && same:
		return RefusedRepeat, KeyHabit{}
	case w.failed:
		return RefusedKey, KeyHabit{}
	case len(w.made) > 0 && !shown:
		return FirstUse, KeyHabit{Ignores: true}
	case same:
		return RepeatedWrite, KeyHabit{}
	case shown:
		return RepeatedWrite, KeyHabit{ByKey: true}
	}
	return FirstUse, KeyHabit{} // the answers have nothing that would tell
}

// keyedWrite returns what counts of a write with an idempotency key.
func (r *Reading) keyedWrite(place int, answered time.Time) *keyedWrite {
	w := &keyedWrite{place: place, code: r.x.Code, failed: r.x.Code >= 400 || Fails(&r.answer.message)}
	for i := range r.params {
		if r.asked.leaves[i].Place != leaf.Header {
			w.asks += request.Digest(r.params[i].Path, r.params[i].Text) // in any order
		}
	}
	sent := func(token uint64) bool {
		return slices.ContainsFunc(r.asked.tokens, func(d digested) bool { return d.key == token })
	}
	for i := range r.answer.leaves {
		if r.answer.leaves[i].Place == leaf.Header {
			continue
		}
		for _, tok := range r.answer.of(i) {
			if !TellsTime(tok.Text, answered) && !sent(tok.key) {
				w.made = append(w.made, tok.key)
			}
		}
	}
	return w
}

// KeyUse returns what became of the exchange at a place because of its idempotency key, and the place of the
// write that had the key first; FirstUse and 0 where it had none, or the API takes no notice of keys.
func (s *Survey) KeyUse(place int) (use KeyUse, first int) {
	again, ok := s.keys.again[place]
	if !ok || s.keys.habits[again.host].Ignores {
		return FirstUse, 0
	}
	return again.use, again.first
}

// AddKeyHabits adds to what tapes have shown, by the names of hosts, what this one shows.
func (s *Survey) AddKeyHabits(to map[string]KeyHabit) {
	for host, habit := range s.keys.habits {
		to[host] = to[host].add(habit)
	}
}
