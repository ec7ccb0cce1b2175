package machine

// Kin are entities whose states are looked at together: a family, the members of a scope. It keeps a
// digest of their own states, and of which of them share a card, that is up to date after each move
// whatever their number. The zero Kin is empty.
type Kin struct {
	sum   uint64
	cards map[uint64]*sharers // nil while no member has a card
	ties  uint64
	n     int
}

// sharers are the members that have one card.
type sharers struct {
	sum uint64
	n   int
}

// Add enters a member. card is a digest of the number that it was paid with; 0 for none.
func (k *Kin) Add(o Own, card uint64) {
	k.n++
	k.sum += mix(uint64(o), 1)
	k.share(card, mix(uint64(o), 2), 1)
}

// Remove takes a member out that is in an own state.
func (k *Kin) Remove(o Own, card uint64) {
	k.n--
	k.sum -= mix(uint64(o), 1)
	k.share(card, -mix(uint64(o), 2), -1)
}

func (k *Kin) share(card, sum uint64, n int) {
	if card == 0 {
		return
	}
	if k.cards == nil {
		k.cards = map[uint64]*sharers{}
	}
	s := k.cards[card]
	if s == nil {
		s = &sharers{}
		k.cards[card] = s
	}
	k.ties -= s.tie()
	s.sum, s.n = s.sum+sum, s.n+n
	k.ties += s.tie()
	if s.n == 0 {
		delete(k.cards, card)
	}
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
	for card, s := range o.cards {
		k.share(card, s.sum, s.n)
	}
}

// View returns the digest.
func (k *Kin) View() View { return View(mix(k.sum, mix(k.ties, uint64(k.n)))) }

// Len returns how many members there are.
func (k *Kin) Len() int { return k.n }

// CardDigest digests a card number, for Kin.
func CardDigest(number string) uint64 { return digest(number) | 1 }
