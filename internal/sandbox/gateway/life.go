package gateway

import (
	"slices"
	"strconv"
	"time"
)

// Order statuses (domain facts, Order status). 7 (pending) and 8 (partly completed) exist too,
// but no move to them is shown.
const (
	orderRegistered     = 0
	orderHeld           = 1
	orderPaid           = 2
	orderReversed       = 3
	orderRefunded       = 4 // also partly
	orderAuthenticating = 5 // the payer is at the issuer's ACS
	orderDeclined       = 6
)

// paymentStates by order status (domain facts, Order status). An order at the ACS has no
// payment yet; which state it shows is not shown.
var paymentStates = map[int]string{
	orderRegistered:     "CREATED",
	orderHeld:           "APPROVED",
	orderPaid:           "DEPOSITED",
	orderReversed:       "REVERSED",
	orderRefunded:       "REFUNDED",
	orderAuthenticating: "CREATED",
	orderDeclined:       "DECLINED",
}

// sums are what became of the amount of an order, in its smallest unit.
type sums struct {
	approved  int64 // held or paid; nothing after a reversal
	deposited int64 // refunds do not make it smaller
	refunded  int64
}

// awaitsPayment tells whether an order can still be paid.
func (o *order) awaitsPayment() bool {
	return o.status == orderRegistered || o.status == orderAuthenticating
}

// accept moves an order that the bank has approved: 0 or 5 to 2, or to 1 if it was registered
// for two stages.
func (b *book) accept(o *order, p payment) {
	o.attempt = &attempt{
		card: p.card, ip: p.ip, at: p.now,
		approval: b.source.DigitsNotZero(6),
		refNum:   strconv.FormatInt(b.refNums.Next(), 10),
	}
	o.action = actionOK
	o.sums.approved = o.amount
	if o.twoStage {
		o.status = orderHeld
		b.tell(o, event{operation: eventApproved, at: p.now})
		return
	}
	b.collect(o, o.amount, p.now)
}

// collect takes a sum that is approved: the order is paid.
func (b *book) collect(o *order, sum int64, now time.Time) {
	o.status, o.sums.deposited, o.deposited = orderPaid, sum, now
	b.tell(o, event{operation: eventDeposited, at: now})
}

// decline ends an order whose payment did not come about: 0 or 5 to 6.
func (b *book) decline(o *order, p payment, action int) {
	o.attempt = &attempt{card: p.card, ip: p.ip, at: p.now}
	o.status, o.action = orderDeclined, action
}

// timeOut ends an order that nobody has paid in time: 0 or 5 to 6. It happens at the deadline,
// whenever it is noticed. The callback says 1 like the others, for what it names did happen
// (the status of this one is not shown).
func (b *book) timeOut(o *order) {
	o.status, o.action = orderDeclined, actionTimedOut
	b.tell(o, event{operation: eventTimedOut, at: o.deadline})
}

// reverse gives all of a payment back before it is cleared: 1 to 3, or 2 to 3 on the day of
// the deposit, as the clock's zone has it.
func (b *book) reverse(o *order, now time.Time) error {
	today := o.status == orderPaid && sameDay(o.deposited.In(now.Location()), now)
	if o.status != orderHeld && !today {
		return errPaymentState
	}
	o.status, o.sums = orderReversed, sums{}
	b.tell(o, event{operation: eventReversed, at: now})
	return nil
}

func sameDay(one, other time.Time) bool {
	return one.Year() == other.Year() && one.YearDay() == other.YearDay()
}

// deposit completes a held payment: 1 to 2, once. The sum may be a part; 0 is the whole
// (domain facts, Operations). What is not deposited goes back to the payer.
func (b *book) deposit(o *order, sum int64, now time.Time) error {
	if o.status != orderHeld {
		return errPaymentState
	}
	if sum > o.sums.approved {
		return errValue.about("amount")
	}
	if sum == 0 {
		sum = o.sums.approved
	}
	b.collect(o, sum, now)
	return nil
}

// refund gives a part back: 2 to 4, and again up to the deposited sum; 0 is all that is left
// of it (domain facts, Operations).
func (b *book) refund(o *order, sum int64, now time.Time) error {
	left := o.sums.deposited - o.sums.refunded
	if !slices.Contains([]int{orderPaid, orderRefunded}, o.status) || left == 0 {
		return errPaymentState
	}
	if sum > left {
		return errValue.about("amount")
	}
	if sum == 0 {
		sum = left
	}
	o.status = orderRefunded
	o.sums.refunded += sum
	b.tell(o, event{operation: eventRefunded, at: now})
	return nil
}

// callOff ends an order that nobody has paid. It shows actionCode -100 if no card was tried
// (domain facts, Order status); no callback names it.
func (o *order) callOff() error {
	if !o.awaitsPayment() {
		return errState
	}
	o.status = orderDeclined
	return nil
}
