package gateway

import "time"

// The operations that a callback names (domain facts, Callbacks).
const (
	eventApproved        = "approved"  // held
	eventDeposited       = "deposited" // paid
	eventReversed        = "reversed"
	eventRefunded        = "refunded"
	eventTimedOut        = "declinedByTimeout"
	eventDeclined        = "declinedCardpresent"
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

// tell notes an event of an order. The book's lock is held.
func (b *book) tell(o *order, e event) {
	b.events = append(b.events, told{o.id, e})
}

// told is an event and the order that it is about.
type told struct {
	orderID string
	event
}
