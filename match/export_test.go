package match

import "weak"

// NewPlayerOf returns a player of a tape that keeps so many entities.
func NewPlayerOf(t *Tape, entities int) *Player { return NewSessions(t).newPlayer("small", entities) }

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
	return len(l.pool(q.asking)) + len(l.kinds)
}
