package match

import (
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// TestMasksNameAlternatives has two flows whose cards have the same mask: either may be meant,
// and they are not connected.
func TestMasksNameAlternatives(t *testing.T) {
	o := newOwners(maxFlows, false)
	card := &variable{origin: minted, of: "card", secret: profile.PAN}
	var flows []*flow
	for _, number := range []string{"427600" + "0000010000", "427600" + "0000020000"} {
		f := &flow{}
		o.add(f, binding{card, number})
		flows = append(flows, f)
	}
	mask := param{
		place: leaf.JSON, path: "cardNumberMask", text: "427600******0000",
		field: profile.Field{From: profile.Rendering, Form: profile.Mask, Of: "card"},
	}
	related := func(ps ...param) related {
		r := &Request{params: ps}
		r.identify()
		return o.related(r)
	}
	rel := related(mask)
	if len(rel.minted) != 0 || len(rel.unique) != 2 {
		t.Errorf("got %d flows that must all own it, %d that may", len(rel.minted), len(rel.unique))
	}
	number := param{
		place: leaf.JSON, path: "cardNumber", text: "427600" + "0000020000",
		field: profile.Field{From: profile.Shared, Of: "card", Secret: profile.PAN},
	}
	rel = related(mask, number)
	if len(rel.minted) != 1 || rel.minted[0] != flows[1] {
		t.Error("the number does not decide")
	}
}

// TestNarrowKeepsOneFlow opens a thread that stands alone, where another recording would open
// it beside a flow: what is kept must not bring that flow into the new one.
func TestNarrowKeepsOneFlow(t *testing.T) {
	own, other := &thread{index: 0}, &thread{index: 1}
	e := &exchange{threads: []*thread{own}, before: []int{0}, writes: true}
	alone := option{cand: newCandidate(own, 1), e: e, alone: true}
	beside := option{cand: newCandidate(other, 2).join(newCandidate(own, 1)), e: e}
	if kept := narrow(alone, []option{alone, beside}); len(kept) != 1 {
		t.Errorf("%d readings of two flows were kept", len(kept))
	}
	if kept := narrow(beside, []option{alone, beside}); len(kept) != 1 {
		t.Errorf("%d readings of two flows were kept", len(kept))
	}
}

// TestForgottenFlowsLeaveNothing has flows with values and connections in common, of which two
// become one, and forgets them: their values have nobody left.
func TestForgottenFlowsLeaveNothing(t *testing.T) {
	o := newOwners(maxFlows, false)
	var flows []*flow
	for n, conn := range []string{"a", "a", "b", ""} {
		f := &flow{used: uint64(n)}
		for origin, text := range map[origin]string{shared: "c-1", configured: "c-2", unique: "n-1"} {
			o.add(f, binding{&variable{origin: origin, of: "client"}, text})
		}
		o.touch(f, conn)
		flows = append(flows, f)
	}
	common := chosen{identity{"client", "c-1"}, false}
	o.join(flows[0], flows[2])
	o.touch(flows[0], "c")
	if u := o.users[common]; len(u.places) != 3 || u.recent.Front().Value != flows[0] {
		t.Errorf("%d flows use the value, or the last active is not the first", len(u.places))
	}
	if len(o.conns) != 2 {
		t.Errorf("flows of %d connections are known", len(o.conns))
	}
	for _, f := range []*flow{flows[0], flows[1], flows[3]} {
		o.forget(f)
	}
	if n := len(o.users) + len(o.conns) + len(o.byID) + o.active.Len(); n > 0 {
		t.Errorf("%d things are left", n)
	}
}
