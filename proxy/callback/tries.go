package callback

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"strings"
	"sync"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Tries count the attempts of callbacks: equal bytes are attempts of one event. What is on tape
// when a deck starts counts too. There the bytes are cleaned, so that a callback counts as an
// attempt of one on tape if all fields are equal in which nothing is secret:
//
//	on tape   ?mdOrder=3f...&operation=deposited&status=1&checksum=REDACTED-token-4   attempt 1
//	comes     ?mdOrder=3f...&operation=deposited&status=1&checksum=EAF2...            attempt 2
//
// A recorder that was killed between its tape and the last byte for the sandbox so knows the next
// attempt. The oldest events are forgotten when there are too many. It is safe for concurrent use;
// NewTries makes one.
type Tries struct {
	set *profile.Set

	mu     sync.Mutex // guards the rest
	last   int        // the number of the latest event
	count  map[digest]tried
	order  []digest       // of count, the oldest first
	onTape map[digest]int // by the fields in which nothing is secret
}

// tried is an event with its attempts so far.
type tried struct{ number, attempts int }

// digest stands for a text.
type digest [sha256.Size]byte

// maxEvents is how many events are remembered.
const maxEvents = 4096

// NewTries returns Tries that know of no attempt. set tells which fields are secret.
func NewTries(set *profile.Set) *Tries {
	return &Tries{set: set, count: map[digest]tried{}, onTape: map[digest]int{}}
}

// OnTape is told of the exchanges of a tape, in their order.
func (t *Tries) OnTape(x *leaf.Exchange) {
	if x.Meta.Callback == nil {
		return
	}
	sum := t.fields(t.set.FindCallback(x.Meta.Profile), x.Method, leaf.Read(x.Asked()))
	t.mu.Lock()
	defer t.mu.Unlock()
	t.onTape[sum]++
}

// next counts an attempt, from 1, and numbers the event in the order in which this deck has heard of
// events, from 1 too. taped is its path and query as a tape holds them.
func (t *Tries) next(in *incoming, taped string) (attempt, number int) {
	event := in.sum()
	t.mu.Lock()
	defer t.mu.Unlock()
	e, known := t.count[event]
	if !known {
		t.last++
		e.number = t.last
		if len(t.order) == maxEvents {
			delete(t.count, t.order[0])
			t.order = append(t.order[:0], t.order[1:]...)
		}
		t.order = append(t.order, event)
		if len(t.onTape) > 0 {
			m := leaf.Read(leaf.Message{Target: rooted(taped), Header: in.Header, Body: in.text})
			e.attempts = t.onTape[t.fields(in.call, in.method, m)]
		}
	}
	e.attempts++
	t.count[event] = e
	return e.attempts, e.number
}

// fields stands for the fields of a callback in which nothing is secret.
func (t *Tries) fields(call profile.Call, method string, m *leaf.Message) digest {
	h := sha256.New()
	write(h, method)
	for i := range m.Leaves {
		l := &m.Leaves[i]
		at := profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape}
		if l.Place == leaf.Header {
			continue
		}
		if f, _ := t.set.Field(call, profile.Request, at); f.Secret == profile.NotSecret {
			write(h, l.Place.String(), l.Path, l.Value)
		}
	}
	return digest(h.Sum(nil))
}

// write adds texts to a hash, each with its length.
func write(h hash.Hash, texts ...string) {
	for _, text := range texts {
		_, _ = fmt.Fprintf(h, "%d %s\n", len(text), text) // a hash takes everything
	}
}

// rooted puts a slash before a target that has no path.
func rooted(target string) string {
	if strings.HasPrefix(target, "/") {
		return target
	}
	return "/" + target
}
