package machine

import "testing"

// TestViewTellsWhoseIsWhich has a transfer between the cards of two accounts make one family of both. An account
// whose card has paid is seen otherwise than one whose card was paid to, and one family by itself as ever.
func TestViewTellsWhoseIsWhich(t *testing.T) {
	t.Parallel()
	api := &APIState{}
	join := func(own Own, wholes ...*Standing) *Standing {
		s := &Standing{Member: Member{Own: own}}
		s.Join(Relatives{Wholes: wholes, All: &api.All, Alone: &Family{}})
		return s
	}
	view := func(s *Standing) View { return ViewOf(true, []*Standing{s}, api) }
	payer, payee := join(1), join(1)
	from, to := join(2, payer), join(2, payee)
	if view(payer) != view(payee) {
		t.Error("two families that are alike are seen in two ways")
	}
	before := view(payer)
	join(3, from, to) // the transfer
	if view(payer) != view(payee) || view(payer) == before {
		t.Error("one family with two cards in one state")
	}
	from.Move(4, 0, Relatives{Wholes: []*Standing{payer}, All: &api.All})
	to.Move(5, 0, Relatives{Wholes: []*Standing{payee}, All: &api.All})
	paid, received := view(payer), view(payee)
	if paid == received {
		t.Error("whose card has paid is not seen")
	}
	from.Move(5, 0, Relatives{Wholes: []*Standing{payer}, All: &api.All})
	to.Move(4, 0, Relatives{Wholes: []*Standing{payee}, All: &api.All})
	if view(payer) != received || view(payee) != paid {
		t.Error("the other way round it is not the other way round")
	}
	to.Leave(Relatives{Wholes: []*Standing{payee}, All: &api.All})
	if payee.parts != 0 || payer.parts == 0 {
		t.Error("a card that has left is counted")
	}
}
