package match

import (
	"encoding/binary"
	"errors"
	"sync"

	"github.com/paytape/paytape/internal/digests"
	"github.com/paytape/paytape/match/request"
)

// ledger remembers the values that were minted last in any session, and the sessions that did. It knows
// a value by its digest, and holds nothing that the collector would look into.
type ledger struct {
	mu         sync.Mutex // guards both
	young, old digests.Table[uint64]
}

// keptBit is the bit that a ledger sets beside the session of a value by which requests find something, or
// have found something that is no longer kept. All other values were issued, and nothing is kept of them.
const keptBit = 1 << 63

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
	if l.young.Len() >= ledgerSize {
		l.old, l.young = l.young, l.old
		l.young.Clear()
	}
	l.young.Put(value, session&^keptBit)
	return true
}

// name notes that requests find something by a value, if the value was minted.
func (l *ledger) name(text string) {
	if len(text) < request.EmbedLength {
		return
	}
	value := mintedDigest(text)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range [...]*digests.Table[uint64]{&l.young, &l.old} {
		if session, found := m.Find(value); found {
			m.Put(value, session|keptBit)
			return
		}
	}
}

// minter returns the session that minted a value, 0 if none did.
func (l *ledger) minter(text string) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.minterLocked(mintedDigest(text)) &^ keptBit
}

// isNamed reports whether requests find something by a value, or have found it while it was kept.
func (l *ledger) isNamed(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.minterLocked(mintedDigest(text))&keptBit != 0
}

func (l *ledger) minterLocked(value uint64) uint64 {
	if session, found := l.young.Find(value); found {
		return session
	}
	session, _ := l.old.Find(value)
	return session
}

var errLedger = errors.New("expected pairs of numbers")

// pairLength is that of a digest and a session in what write returns.
const pairLength = 16

// write returns what the ledger knows: the old values, and the young.
func (l *ledger) write() (old, young []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	write := func(m *digests.Table[uint64]) []byte {
		b := make([]byte, 0, pairLength*m.Len())
		for value, session := range m.All() {
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
	read := func(b []byte) (m digests.Table[uint64]) {
		for ; len(b) > 0; b = b[pairLength:] {
			m.Put(max(binary.BigEndian.Uint64(b), 1), binary.BigEndian.Uint64(b[8:]))
		}
		return m
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.old, l.young = read(old), read(young)
	return nil
}
