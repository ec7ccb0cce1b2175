package machine

import "cmp"

// Kin are entities whose states are looked at together: a family, the members of a scope. It keeps a
// digest of their own states, and of which of them share a card, that is up to date after each move
// whatever their number. The zero Kin is empty.
type Kin struct {
	sum   uint64
	first sharers             // most have one card
	more  map[uint64]*sharers // those of other cards; nil for none
	ties  uint64
	n     int
}

// sharers are the members that have one card.
type sharers struct {
	card uint64
	sum  uint64
	n    int
}

// Member is one of a Kin.
type Member struct {
	Own  Own
	Card uint64 // a digest of the number that it was paid with; 0 for none
	// Nth is how many parts its whole had before it: of two cards it matters which is blocked.
	Nth int
	// Idle says that nothing was done to it: a read has shown it first, or it was there from the start.
	// What was there all the time makes no state another.
	Idle bool
}

func (m Member) digest() uint64 { return mix(uint64(m.Own), uint64(m.Nth)+1) }

// Add enters a member.
func (k *Kin) Add(m Member) {
	if m.Idle {
		return
	}
	k.n++
	k.sum += m.digest()
	k.share(m.Card, mix(m.digest(), 2), 1)
}

// Remove takes a member out, as it was when it was entered.
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

// sharers returns those of a card, who may be none yet.
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

// tie digests that members share a card; nothing where one has it alone.
func (s *sharers) tie() uint64 {
	if s.n < 2 {
		return 0
	}
	return mix(s.sum, uint64(s.n))
}

// Merge enters all members of another.
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
	Mark string  // why answers about some member say assumed; replay's
	into *Family // what it has become a part of
	of   int     // how many it was united of, beside itself
}

// Current returns the family that a family is now. Ways that were walked are shorter from then on.
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
