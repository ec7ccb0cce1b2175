package gateway

import "time"

// The operations that a callback names (domain facts, Callbacks), but for declinedCardpresent:
// no card is ever present here, and what is declined otherwise is told by the status alone.
const (
	eventApproved        = "approved"  // held
	eventDeposited       = "deposited" // paid
	eventReversed        = "reversed"
	eventRefunded        = "refunded"
	eventTimedOut        = "declinedByTimeout"
	eventBindingCreated  = "bindingCreated"
	eventBindingSwitched = "bindingActivityChanged"
)

// event is something that happened to an order or a binding and that the shop may be called
// back for (document 3, Events).
type event struct {
	operation string // one of the above
	failed    bool   // status 0 in the callback; otherwise 1
	at        time.Time
	bound     *binding // what a binding event is about; nil means the one of the order
	disabled  bool     // of eventBindingSwitched: the binding was switched off
}

// ofBinding tells whether the event is no payment; its callback goes another way (document
// 3, Events).
func (e event) ofBinding() bool {
	return e.operation == eventBindingCreated || e.operation == eventBindingSwitched
}

// tell notes an event of an order; a binding event is one of the order that made the binding.
// The book's lock is held, and what was noted goes out when it is let go.
func (b *book) tell(o *order, e event) {
	b.events = append(b.events, told{o.id, e})
}

// told is an event and the order that it is about.
type told struct {
	orderID string
	event
}

// takeEvents empties the list of events.
func (b *book) takeEvents() []told {
	list := b.events
	b.events = nil
	return list
}
