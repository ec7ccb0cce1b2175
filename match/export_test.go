package match

// NewPlayerOf returns a player of a tape that keeps so many entities.
func NewPlayerOf(t *Tape, entities int) *Player { return NewSessions(t).newPlayer("small", entities) }

// Awaited returns of how many entities the player remembers which change comes by itself.
func (p *Player) Awaited() int { return len(p.awaits) }
