package match

import (
	"cmp"
	"encoding/binary"
	"errors"
	"iter"
	"sync"

	"github.com/paytape/paytape/match/request"
)

// ledger remembers the values that were minted last in any session, and the sessions that did. It knows
// a value by its digest, and holds nothing that the collector would look into.
type ledger struct {
	mu         sync.Mutex // guards both
	young, old minters
}

// ledgerSize is how many values a ledger remembers at least, once so many were minted.
const ledgerSize = 50_000

func newLedger() *ledger { return &ledger{} }

// mintedDigest returns the digest of a minted value (FNV-1a), which is never 0. It is the same in every
// process, because a ledger may go from one to another, and nobody chooses what is minted.
func mintedDigest(text string) uint64 {
	sum := uint64(14695981039346656037)
	for i := range len(text) {
		sum = (sum ^ uint64(text[i])) * 1099511628211
	}
	return max(sum, 1)
}

// claim notes a value of a session and reports whether nobody has it yet. Short values identify
// nothing and may be minted twice.
func (l *ledger) claim(text string, session uint64) bool {
	if len(text) < request.EmbedLength {
		return true
	}
	value := mintedDigest(text)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.minterLocked(value) != 0 {
		return false
	}
	if l.young.n >= ledgerSize {
		l.old, l.young = l.young, l.old
		l.young.clear()
	}
	l.young.put(value, session)
	return true
}

// minter returns the session that minted a value, 0 if none did.
func (l *ledger) minter(text string) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.minterLocked(mintedDigest(text))
}

func (l *ledger) minterLocked(value uint64) uint64 {
	return cmp.Or(l.young.of(value), l.old.of(value))
}

// minters are values by their digests, with the session that minted each. It is a table of open
// addresses: a value is in the first place from its own on that has the value or is empty. Places lie side
// by side, so that to look for a value that nobody has, as nearly all that are looked for, takes one look
// at memory where a map takes three. The zero minters are empty.
type minters struct {
	values   []uint64 // 0 where a place is empty; as many as a power of two, or none
	sessions []uint64 // of the values
	n        int      // how many places are not empty
}

// place returns the place of a value among places that are not all taken.
func (m *minters) place(value uint64) int {
	const spread = 0x9e3779b97f4a7c15 // odd: digests that differ in a few bits get places far apart
	last := len(m.values) - 1
	at := int(value*spread>>32) & last
	for m.values[at] != 0 && m.values[at] != value {
		at = (at + 1) & last
	}
	return at
}

// of returns the session that minted a value, 0 if none did.
func (m *minters) of(value uint64) uint64 {
	if m.n == 0 {
		return 0
	}
	return m.sessions[m.place(value)] // 0 in an empty place
}

// put notes a value.
func (m *minters) put(value, session uint64) {
	if 5*m.n >= 4*len(m.values) { // ledgerSize fits in 1<<16 places
		m.grow()
	}
	at := m.place(value)
	if m.values[at] == 0 {
		m.n++
	}
	m.values[at], m.sessions[at] = value, session
}

// grow makes room for twice as many values.
func (m *minters) grow() {
	const least = 1 << 8
	places := max(least, 2*len(m.values))
	more := minters{values: make([]uint64, places), sessions: make([]uint64, places)}
	for value, session := range m.all() {
		more.put(value, session)
	}
	*m = more
}

// clear takes all values out.
func (m *minters) clear() {
	clear(m.values)
	clear(m.sessions)
	m.n = 0
}

// all yields the values with their sessions.
func (m *minters) all() iter.Seq2[uint64, uint64] {
	return func(yield func(value, session uint64) bool) {
		for at, value := range m.values {
			if value != 0 && !yield(value, m.sessions[at]) {
				return
			}
		}
	}
}

var errLedger = errors.New("expected pairs of numbers")

// pairLength is that of a digest and a session in what write returns.
const pairLength = 16

// write returns what the ledger knows: the old values, and the young.
func (l *ledger) write() (old, young []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	write := func(m *minters) []byte {
		b := make([]byte, 0, pairLength*m.n)
		for value, session := range m.all() {
			b = binary.BigEndian.AppendUint64(b, value)
			b = binary.BigEndian.AppendUint64(b, session)
		}
		return b
	}
	return write(&l.old), write(&l.young)
}

// read has the ledger know what another has written, and nothing else.
func (l *ledger) read(old, young []byte) error {
	if len(old)%pairLength != 0 || len(young)%pairLength != 0 {
		return errLedger
	}
	read := func(b []byte) (m minters) {
		for ; len(b) > 0; b = b[pairLength:] {
			m.put(max(binary.BigEndian.Uint64(b), 1), binary.BigEndian.Uint64(b[8:]))
		}
		return m
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.old, l.young = read(old), read(young)
	return nil
}
