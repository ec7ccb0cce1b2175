package match

import (
	"bytes"
	"fmt"
	"reflect"
	"weak"

	"github.com/paytape/paytape/internal/codec"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// Derived is Compile by way of the file in which a tape is kept. The tape that is read must be the tape
// that was written, in all that can be reached from it.
func Derived(o Options, cassettes ...Cassette) *Tape {
	compiled := Compile(o, cassettes...)
	var file bytes.Buffer
	if err := compiled.Write(&file, codec.Key{1}); err != nil {
		panic(fmt.Sprintf("writing a tape: %v", err))
	}
	read, err := Read(o, bytes.NewReader(file.Bytes()), int64(file.Len()), codec.Key{1})
	if err != nil {
		panic(fmt.Sprintf("reading a tape that was written: %v", err))
	}
	if !reflect.DeepEqual(compiled.machine.Tape, read.machine.Tape) {
		panic("the tape that was read is another than was written")
	}
	return read
}

// NewPlayerOf returns a player of a tape that keeps so many entities.
func NewPlayerOf(t *Tape, entities int) *Player {
	p := NewSessions(t).newPlayerLocked("small")
	p.most = entities
	return p
}

// Awaited returns of how many entities the player remembers which change comes by itself.
func (p *Player) Awaited() int { return len(p.awaits) }

// Newest returns a function that reports whether the entity that was used last is still in memory.
func (p *Player) Newest() func() bool {
	kept := weak.Make(p.used.front)
	return func() bool { return kept.Value() != nil }
}

// Looked returns how many recordings of its operation a missed request is compared with, or might be.
func Looked(p *Player, r *Request) int {
	q := p.query(r)
	defer q.end()
	l := p.tape.likeness(q.Op, p.tape.machine.Of(q.Op))
	return len(l.pool(&q.asking)) + len(l.kinds)
}

// AskedAndKept returns what the player takes a request for, and what a trace of it tells of that.
func AskedAndKept(p *Player, r *Request) (asked, kept []tape.Asked) {
	q := p.query(r)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resolve(q)
	return q.Asked, p.trace(q, found{}).asked()
}

// BuildAgain makes the machine of a tape once more.
func BuildAgain(t *Tape) { machine.Build(t.machine.Tape) }
