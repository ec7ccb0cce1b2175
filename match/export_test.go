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
