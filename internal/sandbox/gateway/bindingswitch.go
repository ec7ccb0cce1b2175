package gateway

import (
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// The operations that change a binding answer like those on an order: neither document shows
// an answer (domain facts, Operations).
var switchRules = []paramRule{
	{name: "bindingId", required: true, ok: wire.Within(255)},
}

// bindCard switches a binding on again (domain facts, Operations).
func (b *book) bindCard(c call) (any, error) {
	return b.switchBinding(c, true)
}

// unBindCard switches a binding off (domain facts, Operations). It is kept: bindCard finds it.
func (b *book) unBindCard(c call) (any, error) {
	return b.switchBinding(c, false)
}

// switchBinding refuses to do what is done already. The facts are silent about that; gateways
// of the family use the errorCode of a binding that is not found.
func (b *book) switchBinding(c call, on bool) (any, error) {
	if err := c.params.check(switchRules); err != nil {
		return nil, err
	}
	found := b.bindingByID[c.params["bindingId"]]
	switch {
	case found == nil:
		return nil, errNoBinding.about("bindingId")
	case found.active == on:
		return nil, errBindingState.about("bindingId")
	}
	b.turn(found, c.now)
	return doneIn(c.language), nil
}

// turn switches a binding over and tells the shop (document 3, Events).
func (b *book) turn(bound *binding, now time.Time) {
	bound.active = !bound.active
	b.tell(bound.origin, event{
		operation: eventBindingSwitched, at: now, bound: bound, disabled: !bound.active,
	})
}

var extendRules = []paramRule{
	{name: "bindingId", required: true, ok: wire.Within(255)},
	{name: "newExpiry", required: true, ok: isExpiry},
}

// extendBinding gives the stored card another expiry, YYYYMM, which must not be past. The
// facts name the operation (domain facts, Operations); the parameter is the family's.
func (b *book) extendBinding(c call) (any, error) {
	if err := c.params.check(extendRules); err != nil {
		return nil, err
	}
	if wire.IsOver(c.params["newExpiry"], c.now) {
		return nil, errValue.about("newExpiry")
	}
	found := b.bindingByID[c.params["bindingId"]]
	if found == nil {
		return nil, errNoBinding.about("bindingId")
	}
	found.card.expiry = c.params["newExpiry"]
	return doneIn(c.language), nil
}
