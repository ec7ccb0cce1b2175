package scan

import (
	"hash/maphash"
	"strings"
	"sync/atomic"

	"github.com/paytape/paytape/internal/leaf"
)

// Memo remembers what was found out about texts that come again and again: names of fields and
// headers, and the values that all messages of one client have. What it remembers of a text is a
// yes or a no that stays true. A text takes room when it comes the third time, and may be forgotten
// when another text comes. A Memo is of a fixed size. It is safe for concurrent use, and nobody
// waits for a lock.
type Memo struct {
	leaf.Unprinted
	seed   maphash.Seed
	places [memoPlaces]memoPlace
}

// memoPlaces is how many texts a Memo remembers at most. Messages of one API have some hundred
// texts that come again.
const memoPlaces = 1 << 11

// LongestNoted is the length of the longest text that a Memo remembers, in bytes: a longer text
// hardly comes twice.
const LongestNoted = 256

// memoPlace is where a text is remembered. A text has two places, by its hash.
type memoPlace struct {
	last  atomic.Uint64 // the hash of the text that came last and was not remembered: see note
	noted atomic.Pointer[noted]
}

// noted is what is remembered of a text.
type noted struct {
	leaf.Unprinted
	text   string
	answer bool
}

// NewMemo returns a Memo that remembers nothing.
func NewMemo() *Memo { return &Memo{seed: maphash.MakeSeed()} }

// Answer returns what find says of a text, which must depend on the text alone. A nil Memo
// remembers nothing.
func (m *Memo) Answer(s string, find func() bool) bool {
	if m == nil || len(s) > LongestNoted {
		return find()
	}
	hash := maphash.String(m.seed, s)
	if n := m.recall(hash, s); n != nil {
		return n.answer
	}
	answer := find()
	m.note(hash, s, answer)
	return answer
}

// Has reports whether a text is remembered with a yes.
func (m *Memo) Has(s string) bool {
	if len(s) > LongestNoted {
		return false
	}
	n := m.recall(maphash.String(m.seed, s), s)
	return n != nil && n.answer
}

// Note notes a yes for a text.
func (m *Memo) Note(s string) {
	if len(s) > LongestNoted {
		return
	}
	if hash := maphash.String(m.seed, s); m.recall(hash, s) == nil {
		m.note(hash, s, true)
	}
}

// placesOf returns the two places of a hash.
func (m *Memo) placesOf(hash uint64) [2]*memoPlace {
	return [...]*memoPlace{&m.places[hash>>8%memoPlaces], &m.places[hash>>32%memoPlaces]}
}

// recall returns what is remembered of a text; nil if nothing is.
func (m *Memo) recall(hash uint64, s string) *noted {
	for _, p := range m.placesOf(hash) {
		if n := p.noted.Load(); n != nil && n.text == s {
			return n
		}
	}
	return nil
}

// note notes an answer when a text comes the third time: an id that one message has comes twice. A
// text that shares a place with another, so that the two take turns there, is noted at its other
// place. What is noted leaves both places to others.
func (m *Memo) note(hash uint64, s string, answer bool) {
	const times = 3 // in the lowest bits of last
	places, again := m.placesOf(hash), false
	for _, p := range places {
		switch last := p.last.Load(); {
		case last&^times != hash&^times:
			p.last.Store(hash &^ times)
		case last&times < times-2:
			p.last.Store(last + 1)
		default:
			again = true
		}
	}
	if !again {
		return
	}
	p := places[0]
	if p.noted.Load() != nil && places[1].noted.Load() == nil {
		p = places[1]
	}
	p.noted.Store(&noted{text: strings.Clone(s), answer: answer}) // and not the message it lies in
}
