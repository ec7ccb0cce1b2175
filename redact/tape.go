package redact

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/internal/taint"
	"github.com/paytape/paytape/redact/surrogate"
)

// label names a value among the values of its kind.
type label struct {
	leaf.Unprinted
	kind profile.Sensitivity
	text string
}

// numbered is the number of a value, and the marker that has it; no marker for a fake.
type numbered struct {
	leaf.Unprinted
	n      int
	marker surrogate.Value
	opened uint8 // under which trusts what is in the value was learned, as bits
}

// tape is what a Redactor has learned and given out for its tape. It holds live secrets and
// is reached through pointers alone, which no format verb follows.
type tape struct {
	leaf.Unprinted
	mu     sync.RWMutex                // guards all below
	counts map[profile.Sensitivity]int // the highest number given out, by kind
	cards  map[string]surrogate.Value  // by live digits
	issued map[string]bool             // surrogates on the tape
	taken  map[int]bool                // ordinals of surrogates that a file holds
	values map[label]numbered          // of tokens, blobs and fakes
	taint  taint.Matcher
	// learnedValues are the values that were learned, in that order: a text that was searched when
	// there were as many need not be searched again.
	learnedValues []string
	// learned is the length of learnedValues. It is read without the lock: every search asks for it.
	learned atomic.Int64
}

func newTape() *tape {
	return &tape{
		counts: map[profile.Sensitivity]int{},
		cards:  map[string]surrogate.Value{},
		issued: map[string]bool{},
		taken:  map[int]bool{},
		values: map[label]numbered{},
	}
}

// resume has the numbers of a kind go on after n.
func (t *tape) resume(kind profile.Sensitivity, n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.counts[kind] = max(t.counts[kind], n)
}

// noteIssued notes a surrogate that is on the tape, so that no other card gets it.
func (t *tape) noteIssued(digits string) {
	t.mu.RLock()
	known := t.issued[digits]
	t.mu.RUnlock()
	if known {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.issued[digits] = true
	t.taken[surrogate.Ordinal(digits)] = true
}

// isIssued reports whether digits are a surrogate of the tape and no live number.
func (t *tape) isIssued(digits string) bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.exact([]byte(digits), false) == scan.Surrogate
}

// reserve keeps an ordinal from being given out.
func (t *tape) reserve(ordinal int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken[ordinal] = true
}

// card returns what stands for a card number, and has the number searched for from now on.
func (t *tape) card(digits string) surrogate.Value {
	t.mu.RLock()
	got, known := t.cards[digits]
	t.mu.RUnlock()
	if known {
		return got
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if got, known = t.cards[digits]; known {
		return got
	}
	digits = strings.Clone(digits) // and not the body they lie in
	t.noteLearnedLocked(digits)
	got = t.newCardLocked(digits)
	t.cards[digits] = got
	mark := got.Marked() // of what is no number
	if len(digits) >= scan.MinDigits {
		t.taint.AddEncoded(digits, mark)
	} else {
		t.taint.Add(digits, mark)
	}
	return got
}

// maxSkipped is how many ordinals are tried for a number of which no surrogate may hold what passes for
// a shorter card number. A number in seventy of 17 to 19 digits has none and becomes a marker; no other
// number skipped more than 6 ordinals (TestLongSurrogatesHoldNoCard).
const maxSkipped = 30

// newCardLocked gives out the next ordinal. It skips ordinals that a surrogate on an older part of
// the tape has, and ordinals whose surrogate is a live number or holds what passes for one.
func (t *tape) newCardLocked(digits string) surrogate.Value {
	for skipped := 0; ; {
		t.counts[profile.PAN]++
		n := t.counts[profile.PAN]
		if t.taken[n] {
			continue
		}
		got, ok := surrogate.CardNumber(digits, n)
		if !ok {
			return got
		}
		if surrogate.HoldsCard(got.Text) {
			if skipped++; skipped > maxSkipped {
				return surrogate.Numbered(profile.PAN, n)
			}
			continue
		}
		if _, live := t.cards[got.Text]; live || t.issued[got.Text] || got.Text == digits {
			continue
		}
		t.issued[got.Text] = true
		return got
	}
}

// number returns the number of a value among the values of its kind.
func (t *tape) number(kind profile.Sensitivity, text string) int {
	return t.numbered(kind, text).n
}

// marker returns the marker of a value by its number. A list that repeats a secret has the marker in
// memory once.
func (t *tape) marker(kind profile.Sensitivity, text string) surrogate.Value {
	return t.numbered(kind, text).marker
}

func (t *tape) numbered(kind profile.Sensitivity, text string) numbered {
	l := label{kind: kind, text: text}
	t.mu.RLock()
	got, known := t.values[l]
	t.mu.RUnlock()
	if known {
		return got
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if got, known = t.values[l]; known {
		return got
	}
	l.text = strings.Clone(text) // and not the body it lies in
	t.counts[kind]++
	got = numbered{n: t.counts[kind]}
	if !kind.Personal() {
		got.marker = surrogate.Numbered(kind, got.n)
	}
	t.values[l] = got
	return got
}

// opened returns the marker of a value whose content was learned under a trust; false if it was not.
func (t *tape) opened(kind profile.Sensitivity, text string, as trust) (surrogate.Value, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	got := t.values[label{kind: kind, text: text}]
	return got.marker, got.opened&(1<<as) != 0
}

// noteOpened notes that what is in a value that has a marker was learned under a trust.
func (t *tape) noteOpened(kind profile.Sensitivity, text string, as trust) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := label{kind: kind, text: text}
	if got, known := t.values[l]; known {
		got.opened |= 1 << as
		t.values[l] = got
	}
}

// numberOf returns the number of a value, and whether it has a number.
func (t *tape) numberOf(kind profile.Sensitivity, text string) (int, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	got, known := t.values[label{kind: kind, text: text}]
	return got.n, known
}

// learn has a value searched for from now on.
func (t *tape) learn(text string, by surrogate.Value) {
	t.mu.RLock()
	known := t.taint.Has(text)
	t.mu.RUnlock()
	if known || !taint.IsSearchable(text) {
		return
	}
	text = strings.Clone(text) // and not the body it lies in
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taint.Add(text, by) {
		t.noteLearnedLocked(text)
	}
}

// noteLearnedLocked notes that a value was learned.
func (t *tape) noteLearnedLocked(text string) {
	t.learnedValues = append(t.learnedValues, text)
	t.learned.Add(1)
}

// findTainted finds what was learned in a long text, and has the lock for a stretch of it at a time.
func (t *tape) findTainted(s string) []taint.Hit {
	var hits []taint.Hit
	for from := 0; from < len(s); from += longText {
		t.mu.RLock()
		hits = t.taint.FindIn(hits, s, from, min(from+longText, len(s)))
		t.mu.RUnlock()
	}
	return taint.WithoutOverlaps(hits)
}

// learnedCount returns how many values were learned.
func (t *tape) learnedCount() int { return int(t.learned.Load()) }

// learnedSince returns what was learned after the first n values, as far as it is searched
// for outside its field.
func (t *tape) learnedSince(n int) []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.learnedValues[n:]
}

// exact tells what a tape knows of digits. Where live numbers are cleaned, a number that happens to
// be a surrogate too is live; in what has been cleaned it is a surrogate.
func (t *tape) exact(digits []byte, live bool) scan.Verdict {
	_, known := t.cards[string(digits)]
	issued := t.issued[string(digits)]
	switch {
	case known && (live || !issued):
		return scan.Card
	case issued:
		return scan.Surrogate
	}
	return scan.Nothing
}
