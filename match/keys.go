package match

import (
	"hash/maphash"
	"slices"

	"github.com/paytape/paytape/internal/profile"
)

var keySeed = maphash.MakeSeed()

// keyer hashes the operation, the host and the constants of a request. Unequal keys never unify;
// equal ones are compared in full.
type keyer struct{ hash maphash.Hash }

func (k *keyer) start(op, host string) {
	k.hash.SetSeed(keySeed)
	k.hash.WriteString(op)
	k.hash.WriteByte(2)
	k.hash.WriteString(host)
}

// add takes a parameter in: a constant with its text, others with their name alone, ignored
// ones not at all.
func (k *keyer) add(p *param, varies bool) {
	if p.field.From == profile.Ignored {
		return
	}
	k.hash.WriteByte(0)
	k.hash.WriteString(p.path)
	if p.field.From == profile.Exact && !varies {
		k.hash.WriteByte(1)
		k.hash.WriteString(p.text)
	}
}

// variant are the parameters that hold values in a request though no profile calls them so:
// they are found by inference, in some requests of an operation and not in others. Where they
// stand, a key has their names alone.
type variant []string

func (v variant) has(path string) bool { return len(v) > 0 && slices.Contains(v, path) }

// maxVariants bounds the variants of an operation, and so the keys of a request. Beyond it the
// operation has one, of all the parameters: its keys then tell less apart.
const maxVariants = 8

// variants collects what is inferred of every operation, of exchanges that are compiled.
func (t *Tape) collectVariants() {
	for _, e := range t.exchanges {
		v := e.inferred()
		same := func(o variant) bool { return slices.Equal(o, v) }
		if !slices.ContainsFunc(t.variants[e.op], same) {
			t.variants[e.op] = append(t.variants[e.op], v)
		}
	}
	for op, vs := range t.variants {
		if len(vs) > maxVariants {
			all := slices.Concat(vs...)
			slices.Sort(all)
			t.variants[op] = []variant{slices.Compact(all)}
		}
	}
}

// inferred returns the variant of a recorded request.
func (e *exchange) inferred() variant {
	var v variant
	for i := range e.request {
		if w := &e.request[i]; len(w.value) > 1 && (w.assumed || w.field.From == profile.Exact) {
			v = append(v, w.path)
		}
	}
	return v
}

// recordedKey returns the key of an exchange: that of its own variant, or of the one of all.
func (t *Tape) recordedKey(e *exchange) uint64 {
	v := e.inferred()
	if vs := t.variants[e.op]; len(vs) == 1 {
		v = vs[0]
	}
	var k keyer
	k.start(e.op, e.host)
	for i := range e.request {
		p := e.request[i].param()
		k.add(&p, v.has(p.path))
	}
	return k.hash.Sum64()
}

// liveKeys returns the keys under which recordings of a request may be found: most often one,
// and none for an operation that the tape does not have. Its host has been found.
func (t *Tape) liveKeys(r *Request) []uint64 {
	vs := t.variants[r.op]
	keys := make([]uint64, 0, len(vs)*len(r.hosts))
	for _, host := range r.hosts {
		for _, v := range vs {
			// Two variants may differ in parameters that this request has not: their keys are one.
			if key := r.key(host, v); !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// key returns the key of a request to a host, if a variant is what it varies in.
func (r *Request) key(host string, v variant) uint64 {
	var k keyer
	k.start(r.op, host)
	for i := range r.params {
		k.add(&r.params[i], v.has(r.params[i].path))
	}
	return k.hash.Sum64()
}
