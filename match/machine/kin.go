package machine

import "cmp"

// Kin are entities whose states are looked at together: a family, or the members of a scope. It
// keeps a digest of their own states, and of which members share a card. A move updates the digest
// in the same time, however many members there are. The zero Kin is empty.
type Kin struct {
	sum   uint64
	first sharers             // of the first card: most Kin have one card
	more  map[uint64]*sharers // of further cards, by card; nil for none
	ties  uint64
	n     int
}

// sharers are the members that have one card.
type sharers struct {
	card uint64
	sum  uint64
	n    int
}

// Member is an entity of a Kin.
type Member struct {
	Own  Own
	Card uint64 // a digest of the number that it was paid with; 0 for none
	// Nth is how many parts its whole had before it. It matters which of two cards is blocked.
	Nth int32
	// Idle says that nothing was done to the entity: a read has shown it first, or it was there
	// from the start. An idle member does not count in the digest.
	Idle bool
}

func (m Member) digest() uint64 { return mix(uint64(m.Own), uint64(m.Nth)+1) }

// counted is the digest of a member that is counted; 0 of an idle one.
func (m Member) counted() uint64 {
	if m.Idle {
		return 0
	}
	return m.digest()
}

// Add adds a member.
func (k *Kin) Add(m Member) {
	if m.Idle {
		return
	}
	k.n++
	k.sum += m.digest()
	k.share(m.Card, mix(m.digest(), 2), 1)
}

// Remove takes a member out. The member has the values with which it was added.
func (k *Kin) Remove(m Member) {
	if m.Idle {
		return
	}
	k.n--
	k.sum -= m.digest()
	k.share(m.Card, -mix(m.digest(), 2), -1)
}

func (k *Kin) share(card, sum uint64, n int) {
	if card == 0 {
		return
	}
	s := k.sharers(card)
	k.ties -= s.tie()
	s.sum, s.n = s.sum+sum, s.n+n
	k.ties += s.tie()
	if s.n == 0 {
		delete(k.more, card)
	}
}

// sharers returns the sharers of a card, which may have no members yet.
func (k *Kin) sharers(card uint64) *sharers {
	s := k.more[card]
	switch {
	case s != nil:
		return s
	case k.first.n == 0:
		k.first = sharers{card: card}
		return &k.first
	case k.first.card == card:
		return &k.first
	case k.more == nil:
		k.more = map[uint64]*sharers{}
	}
	s = &sharers{card: card}
	k.more[card] = s
	return s
}

// tie is a digest of the members that share a card; 0 if one member has it alone.
func (s *sharers) tie() uint64 {
	if s.n < 2 {
		return 0
	}
	return mix(s.sum, uint64(s.n))
}

// Merge adds all members of another Kin.
func (k *Kin) Merge(o *Kin) {
	k.n += o.n
	k.sum += o.sum
	k.share(o.first.card, o.first.sum, o.first.n)
	for card, s := range o.more {
		k.share(card, s.sum, s.n)
	}
}

// View returns the digest.
func (k *Kin) View() View { return View(mix(k.sum, mix(k.ties, uint64(k.n)))) }

// Family are entities that are wholes and parts of one another.
type Family struct {
	Kin
	Mark string  // why answers about some member say assumed; only replay sets it
	into *Family // the family with which it was united; nil for none
	of   int     // how many other families it was united of
}

// Current returns the family into which a family was united, or the family itself. It shortens the
// chain of united families that it walks.
func (f *Family) Current() *Family {
	for f.into != nil {
		if f.into.into != nil {
			f.into = f.into.into
		}
		f = f.into
	}
	return f
}

// Unite makes one family of two, and returns it.
func Unite(f, g *Family) *Family {
	f, g = f.Current(), g.Current()
	if f == g {
		return f
	}
	if f.of < g.of {
		f, g = g, f
	}
	f.Merge(&g.Kin)
	f.Mark = cmp.Or(f.Mark, g.Mark)
	g.into, f.of = f, f.of+g.of+1
	return f
}

// CardDigest digests a card number, for Kin.
func CardDigest(number string) uint64 { return digest(number) | 1 }
