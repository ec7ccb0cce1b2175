package machine

import (
	"hash/maphash"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// Own is an own state: a digest of the chain of effects on an entity. 0 is none.
type Own uint64

// View digests what else an answer may depend on: the own states of families, scopes or all.
type View uint64

// Key digests what a request asks, apart from the values that differ from run to run.
type Key uint64

// Row digests a key and the own states of the entities that the request names.
type Row uint64

// seed is that of all digests of the process.
var seed = maphash.MakeSeed()

// mix makes one digest of two. The order counts.
func mix(a, b uint64) uint64 {
	x := a*0x9e3779b97f4a7c15 ^ (b+0x7f4a7c15)*0xbf58476d1ce4e5b9
	x ^= x >> 31
	x *= 0x94d049bb133111eb
	return x ^ x>>29
}

func digest(s string) uint64 { return maphash.String(seed, s) }

// part is what a key has of one parameter.
type part struct {
	label uint64 // the digest of its label, or of its path
	how   byte   // 'c' a constant, 'n' a name, 'u' a name that nothing has yet, 'v' a value's class
	way   way
	n, m  int    // of a name its role and how many came since; of a class the class, and 1 if it is tied
	text  string // of a name the text of an entity that was there from the start, and how it is written
}

// digest digests the part.
func (p *part) digest() uint64 {
	x := mix(p.label, uint64(p.how)|uint64(p.way.body)<<8|uint64(p.way.kind)<<16)
	x = mix(x, uint64(uint32(p.n))|uint64(uint32(p.m))<<32)
	if p.text != "" {
		x = mix(x, digest(p.text))
	}
	if p.way.scheme != "" {
		x = mix(x+1, digest(p.way.scheme))
	}
	return x
}

// way tells how a parameter travels, and of which JSON type it is: an API that wants a form may refuse
// the same in JSON. Query and form are one way, which is the zero one. Of credentials in a header it
// is their scheme.
type way struct {
	scheme     string
	body, kind byte // 'j' and the JSON type, 'p' for a part
}

// Question is a request as keys see it. Config tells for each role the text under which its entity
// was there from the start; "" for an entity that was born.
type Question struct {
	Call   profile.Call
	Op     string
	Host   string
	Broken bool // see request.Request.Broken
	Asked  []tape.Asked
	Config []string
}

// Places are what keys need to know of the parameters of like questions, whatever their values.
type Places struct {
	Known  []*tape.Place // what the tape knows of each parameter; nil for nothing
	op     uint64
	called []called
}

// called are the digests of what a parameter is called.
type called struct{ path, label uint64 }

func calledOf(a *tape.Asked) called {
	c := called{path: digest(a.Path)}
	if c.label = c.path; a.Label != a.Path {
		c.label = digest(a.Label)
	}
	return c
}

// PlacesOf returns what keys need to know of the parameters of an operation.
func (m *Machine) PlacesOf(op string, asked []tape.Asked) Places {
	at := Places{
		Known: make([]*tape.Place, len(asked)), op: digest(op), called: make([]called, len(asked)),
	}
	for i := range asked {
		at.Known[i], at.called[i] = m.Tape.Place(op, asked[i].Path), calledOf(&asked[i])
	}
	return at
}

// Key digests a question.
func (m *Machine) Key(q *Question) Key {
	parts := uint64(0) // a sum: in which order they come is no difference
	for i := range q.Asked {
		a := &q.Asked[i]
		parts += q.digest(a, m.Tape.Place(q.Op, a.Path), calledOf(a))
	}
	return q.keyOf(digest(q.Op), parts)
}

// KeyAt is Key for a question whose parameters have these places.
func (m *Machine) KeyAt(q *Question, at *Places) Key {
	parts := uint64(0)
	for i := range q.Asked {
		parts += q.digest(&q.Asked[i], at.Known[i], at.called[i])
	}
	return q.keyOf(at.op, parts)
}

func (q *Question) keyOf(op, parts uint64) Key {
	if q.Broken {
		parts++ // it is one more part
	}
	return Key(mix(mix(op, digest(q.Host)), parts))
}

// digest digests what the key has of a parameter; 0 for one that it leaves out.
func (q *Question) digest(a *tape.Asked, place *tape.Place, c called) uint64 {
	p, ok := q.part(a, place, c)
	if !ok {
		return 0
	}
	return p.digest()
}

// part returns what the key has of a parameter; false for one that it leaves out.
func (q *Question) part(a *tape.Asked, place *tape.Place, c called) (part, bool) {
	way := wayOf(a)
	switch {
	case place != nil && place.Apart(a.Class):
		return part{label: c.path, how: 'v', way: way, n: int(a.Class)}, true
	case place != nil && place.Free:
		return part{label: c.path, how: 'v', way: way, n: int(request.There)}, true
	case a.Whole():
		n := &a.Names[0]
		return part{c.label, 'n', way, n.Role, n.Behind, q.Config[n.Role] + a.Spelling()}, true
	case len(a.Names) > 0:
		return part{label: c.path, how: 'c', text: embedded(q, a)}, true
	case a.Unborn, place != nil && place.Chosen:
		return part{label: c.label, how: 'u', way: way}, true
	case a.Field.From == profile.Exact || a.Field.From == profile.Rendering,
		a.Field.From == profile.Minted && a.Field.Secret != profile.PAN:
		if a.Place == leaf.Path && q.Call.Operation == nil {
			return part{}, false // it is part of the name of the operation
		}
		return part{label: c.path, how: 'c', way: way, text: q.Compared(a.Text, place)}, true
	}
	p := part{label: c.path, how: 'v', way: way, n: int(a.Class)}
	if a.Tied {
		p.m = 1
	}
	return p, true
}

// wayOf returns how a parameter travels.
func wayOf(a *tape.Asked) way {
	switch a.Place {
	case leaf.Header:
		return way{scheme: a.Scheme()}
	case leaf.JSON:
		return way{body: 'j', kind: byte(a.Kind)}
	case leaf.Part:
		return way{body: 'p'}
	}
	return way{}
}

// Compared returns what a key has of a text that must be equal. Where the tape has at the place, inside of texts,
// names that the same request gives to what it bears, each such name counts for where the request gives it,
// however short it is, and of two that overlap the longer.
func (q *Question) Compared(text string, place *tape.Place) string {
	if place == nil || !place.Embeds {
		return text
	}
	type named struct {
		from, to int
		label    string
	}
	var all []named
	for _, u := range q.names() {
		for at := range request.Inside(text, u.Text) {
			n := named{at, at + len(u.Text), u.Label}
			if !slices.ContainsFunc(all, func(o named) bool { return n.from < o.to && o.from < n.to }) {
				all = append(all, n)
			}
		}
	}
	slices.SortFunc(all, func(a, b named) int { return a.from - b.from })
	var b strings.Builder
	last := 0
	for _, n := range all {
		b.WriteString(text[last:n.from] + "\x00" + n.label + "\x00")
		last = n.to
	}
	return b.String() + text[last:]
}

// names returns the parameters that name what the request bears, the longest names first.
func (q *Question) names() []*tape.Asked {
	var all []*tape.Asked
	for i := range q.Asked {
		if u := &q.Asked[i]; u.Unborn {
			all = append(all, u)
		}
	}
	slices.SortStableFunc(all, func(a, b *tape.Asked) int { return len(b.Text) - len(a.Text) })
	return all
}

// name digests whose name stands somewhere: of which role, and which of its names of the noun.
func name(q *Question, n *tape.Named) string {
	return strconv.Itoa(n.Role) + "." + strconv.Itoa(n.Behind) + q.Config[n.Role]
}

// embedded writes a text with the names in it replaced by whose they are.
func embedded(q *Question, a *tape.Asked) string {
	var b strings.Builder
	last := 0
	for i := range a.Names {
		n := &a.Names[i]
		b.WriteString(a.Text[last:n.From])
		b.WriteString("\x00" + name(q, n) + "\x00")
		last = n.To
	}
	b.WriteString(a.Text[last:])
	return b.String()
}

// Deciding returns the values of a question that decide what is answered: the cards that the client
// brings. "" for none.
func Deciding(asked []tape.Asked) string {
	text := ""
	for i := range asked {
		if a := &asked[i]; a.Deciding != "" && len(a.Names) == 0 && a.Class != request.Empty {
			text += a.Path + "=" + a.Deciding + "\x00"
		}
	}
	return text
}

// Issuer returns what the deciding values tell of the issuers of the cards: their first six digits.
func Issuer(deciding string) string {
	text := ""
	for pair := range strings.SplitSeq(deciding, "\x00") {
		path, card, ok := strings.Cut(pair, "=")
		if ok {
			text += path + "=" + card[:min(6, len(card))] + "\x00"
		}
	}
	return text
}

// Tie says how two of the entities that a request names belong together.
type Tie byte

// The ties.
const (
	Apart Tie = iota
	SameFamily
	SameScope // members of one scope
)

// RowOf digests a key, the own states of the entities by role, and how each two of them belong
// together: ties are the ties of role 0 with 1, 0 with 2, 1 with 2 and so on.
func RowOf(k Key, owns []Own, ties []Tie) Row {
	x := uint64(k)
	for _, o := range owns {
		x = mix(x, uint64(o))
	}
	for _, t := range ties {
		x = mix(x, uint64(t)+1)
	}
	return Row(x)
}

// Unborn is the own state of an entity before anything was done to it: the state of configuration,
// of a scope, and of an entity that a read has shown first. The parts of config are one text.
func Unborn(kind string, config ...string) Own {
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteString(kind)
	h.WriteByte(0)
	for _, part := range config {
		h.WriteString(part)
	}
	return Own(h.Sum64())
}

// BornBy is the own state of the n-th entity that a write has borne.
func BornBy(kind string, effect uint64, n int) Own {
	return Own(mix(digest(kind), mix(effect, uint64(n)+101)))
}

// Moved is the own state of an entity that plays a role in a write.
func Moved(o Own, effect uint64, role int) Own {
	return Own(mix(uint64(o), mix(effect, uint64(role)+1)))
}

// Silently is the own state behind a silent edge.
func Silently(o Own, k Key, class uint64) Own {
	return Own(mix(uint64(o), mix(uint64(k), class^0x51e7)))
}

// Effect digests what a write does: its key, its deciding values, and the class of its answer.
func Effect(k Key, deciding string, class uint64) uint64 {
	return mix(mix(uint64(k), digest(deciding)), class)
}
