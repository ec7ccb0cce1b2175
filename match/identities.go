package match

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// known is a variable found by an identity, and how the text renders it.
type known struct {
	v *variable
	rendering
	thread *thread
}

// identities are the minted and unique variables of a cassette, by what all ways of writing
// them have in common: most of a large tape's variables are looked for in no other way than
// as they are, so no way has an entry of its own. Short values (a STAN has six digits) may be
// minted twice, so an identity may have several.
type identities map[uint64]*namesakes

// namesakes are variables whose texts fold alike, the first born first.
type namesakes struct {
	all []born
	// by has them by thread as well, if they are many: an approval code that is the same in
	// every payment.
	by map[*thread][]born
}

// born is a variable, the thread that it was born in, and its place among its namesakes.
type born struct {
	v      *variable
	thread *thread
	at     int
}

// manyNamesakes is how many are looked through one by one.
const manyNamesakes = 16

func (ids identities) add(v *variable, t *thread) {
	ids.put(v.text, born{v: v, thread: t})
	if tail := v.unprefixed(); tail != "" {
		ids.put(tail, born{v: v, thread: t})
	}
	if ends, ok := pan.Ends(v.text); ok && v.secret == profile.PAN {
		ids.put(ends, born{v: v, thread: t})
	}
}

func (ids identities) put(text string, b born) {
	key := folded(text)
	n := ids[key]
	if n == nil {
		n = &namesakes{}
		ids[key] = n
	}
	b.at = len(n.all)
	n.all = append(n.all, b)
	switch {
	case n.by != nil:
		n.by[b.thread] = append(n.by[b.thread], b)
	case len(n.all) > manyNamesakes:
		n.by = map[*thread][]born{}
		for _, b := range n.all {
			n.by[b.thread] = append(n.by[b.thread], b)
		}
	}
}

// is returns how a text writes the variable, if it does: known by its noun, or by none where
// the text is long enough to be recognised anywhere.
func (b born) is(id identity) (known, bool) {
	if id.of != b.v.of && (id.of != "" || !embeddable(id.text)) {
		return known{}, false
	}
	if id.text == b.v.text {
		return known{b.v, rendering{}, b.thread}, true
	}
	for _, r := range renderings(b.v.text) {
		if r.apply(b.v.text) == id.text {
			return known{b.v, r, b.thread}, true
		}
	}
	if tail := b.v.unprefixed(); tail != "" && tail == id.text {
		return known{b.v, rendering{how: last, like: tail}, b.thread}, true
	}
	if ends, ok := pan.Ends(b.v.text); ok && b.v.secret == profile.PAN && ends == id.text {
		return known{b.v, rendering{how: masked}, b.thread}, true
	}
	return known{}, false
}

// first returns the first that an identity is.
func (n *namesakes) first(id identity) (known, bool) {
	if n == nil {
		return known{}, false
	}
	for _, b := range n.all {
		if k, ok := b.is(id); ok {
			return k, true
		}
	}
	return known{}, false
}

// last returns the last that an identity is.
func (n *namesakes) last(id identity) (known, bool) {
	for _, b := range slices.Backward(n.all) {
		if k, ok := b.is(id); ok {
			return k, true
		}
	}
	return known{}, false
}

// among returns the first of some threads that an identity is.
func (n *namesakes) among(threads []*thread, id identity) (found known, ok bool) {
	at := len(n.all)
	for _, t := range threads {
		of := n.all
		if n.by != nil {
			of = n.by[t]
		}
		for _, b := range of {
			if b.at >= at {
				break
			}
			if k, is := b.is(id); is && b.thread == t {
				found, ok, at = k, true, b.at
			}
		}
	}
	return found, ok
}

// find returns the variable that text is and notes that it recurs. A variable of one of the
// threads is preferred; a short text that none of them knows is taken for another thread's
// only if anyThread is set.
func (ids identities) find(of, text string, threads []*thread, anyThread bool) (known, bool) {
	k, ok := ids.look(identity{of, text}, threads, anyThread)
	if ok {
		k.v.recurs = true
	}
	return k, ok
}

func (ids identities) look(id identity, threads []*thread, anyThread bool) (known, bool) {
	n := ids[folded(id.text)]
	k, ok := n.first(id)
	if !ok {
		return ids.padded(id)
	}
	if k, ok := n.among(threads, id); ok {
		return k, true
	}
	if !anyThread && len(id.text) < embedLength && k.v.origin == minted {
		return known{}, false
	}
	return n.last(id)
}

// padded returns the variable that a text writes with zeros in front which it has not.
func (ids identities) padded(id identity) (known, bool) {
	bare := strings.TrimLeft(id.text, "0")
	if len(bare) == len(id.text) || len(id.text) < embedLength {
		return known{}, false
	}
	k, ok := ids[folded(bare)].first(identity{id.of, bare})
	return known{k.v, rendering{how: padded, like: id.text}, k.thread}, ok
}
