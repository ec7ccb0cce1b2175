package gateway

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/sandbox/mint"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

// payWith is a payment with a card that needs no authentication.
func payWith(number string, at time.Time) payment {
	return payment{card: payCard{number: number, expiry: "203012"}, now: at}
}

const goodCard = "411111" + "1111111111"

func newOrderBook(twoStage bool) (*book, *order) {
	b := newBook(mint.NewSource(1, 1))
	o := b.newOrder("1", call{params: params{"amount": "1000"}, now: noon})
	o.twoStage = twoStage
	return b, o
}

// Every move that the shop is called back for is told once, in its order.
func TestLifeIsTold(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		twoStage bool
		live     func(*book, *order) error
		want     []string
	}{
		"paid and refunded twice": {false, func(b *book, o *order) error {
			b.authorize(o, payWith(goodCard, noon))
			if err := b.refund(o, 1, noon); err != nil {
				return err
			}
			return b.refund(o, 0, noon)
		}, []string{"deposited", "refunded", "refunded"}},
		"held and deposited": {true, func(b *book, o *order) error {
			b.authorize(o, payWith(goodCard, noon))
			return b.deposit(o, 500, noon)
		}, []string{"approved", "deposited"}},
		"held and reversed": {true, func(b *book, o *order) error {
			b.authorize(o, payWith(goodCard, noon))
			return b.reverse(o, noon)
		}, []string{"approved", "reversed"}},
		"timed out, noticed twice": {false, func(b *book, o *order) error {
			_, _ = b.order(o.id, noon.Add(orderLifetime))
			_, err := b.order(o.id, noon.Add(2*orderLifetime))
			return err
		}, []string{"declinedByTimeout"}},
		"called off":         {false, func(_ *book, o *order) error { return o.callOff() }, nil},
		"declined by a bank": {false, declined, nil},
	} {
		b, o := newOrderBook(row.twoStage)
		if err := row.live(b, o); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var got []string
		for _, e := range b.events {
			if e.orderID != o.id {
				t.Errorf("%s: told of another order", name)
			}
			got = append(got, e.operation)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func declined(b *book, o *order) error {
	b.authorize(o, payWith("400000"+"0000009995", noon))
	return nil
}

// A time-out happens at the deadline and not when somebody looks.
func TestTimeOutIsToldAsOfTheDeadline(t *testing.T) {
	t.Parallel()
	b, o := newOrderBook(false)
	_, _ = b.order(o.id, noon.Add(time.Hour))
	if len(b.events) != 1 || !b.events[0].at.Equal(noon.Add(orderLifetime)) {
		t.Errorf("told %d events, the time-out not at the deadline", len(b.events))
	}
}

// An order at the ACS can still be declined and timed out, but not managed like a payment.
func TestOrderAtTheACS(t *testing.T) {
	t.Parallel()
	b, o := newOrderBook(false)
	o.status = orderAuthenticating
	for name, err := range map[string]error{
		"deposit": b.deposit(o, 0, noon), "refund": b.refund(o, 0, noon),
		"reversal": b.reverse(o, noon),
	} {
		if err == nil {
			t.Errorf("%s went through", name)
		}
	}
	_, _ = b.order(o.id, noon.Add(orderLifetime))
	if o.status != orderDeclined || o.action != actionTimedOut {
		t.Errorf("status is %d, actionCode %d", o.status, o.action)
	}
}

// The same day is a day of the clock's zone, whatever zone the deposit was noted in.
func TestReverseOnTheSameDay(t *testing.T) {
	t.Parallel()
	east := time.FixedZone("", 3*60*60)
	for name, row := range map[string]struct {
		paid, now time.Time
		ok        bool
	}{
		"later that day":       {noon, noon.Add(11 * time.Hour), true},
		"at midnight":          {noon, noon.Add(12 * time.Hour), false},
		"a year later":         {noon, noon.AddDate(1, 0, 0), false},
		"another zone, same":   {noon.Add(10 * time.Hour), noon.Add(11 * time.Hour).In(east), true},
		"another zone, passed": {noon, noon.Add(9 * time.Hour).In(east), false},
	} {
		b, o := newOrderBook(false)
		b.collect(o, 1000, row.paid)
		if err := b.reverse(o, row.now); (err == nil) != row.ok {
			t.Errorf("%s: reversed: %v", name, err == nil)
		}
	}
}

// Whatever is done in whatever order, no more is refunded than was deposited, no more deposited
// than was held, and a refusal changes nothing.
func FuzzLife(f *testing.F) {
	f.Add(true, []byte("p\x00d\x50r\x10r\x10r\x00v\x00"))
	f.Add(false, []byte("p\x00r\x00v\x00c\x00"))
	f.Add(true, []byte("p\x00v\x00d\x00t\xff"))
	f.Add(false, []byte("t\xffp\x00c\x00"))
	f.Fuzz(func(t *testing.T, twoStage bool, moves []byte) {
		b, o := newOrderBook(twoStage)
		now := noon
		for ; len(moves) >= 2; moves = moves[2:] {
			status, before := o.status, o.sums
			refused := move(b, o, step{moves[0], moves[1], &now}) != nil
			s := o.sums
			if s.refunded > s.deposited || s.deposited > s.approved || s.approved > o.amount {
				t.Fatalf("the sums are %+v", s)
			}
			if refused && (o.status != status || s != before) {
				t.Fatal("a refused move changed the order")
			}
			if s.deposited > 0 != (o.status == orderPaid || o.status == orderRefunded) {
				t.Fatalf("status %d with %d deposited", o.status, s.deposited)
			}
		}
	})
}

// step is a move of FuzzLife.
type step struct {
	verb byte
	size byte // tens of the amount, or minutes
	now  *time.Time
}

func move(b *book, o *order, s step) error {
	sum := int64(s.size) * 10
	switch s.verb {
	case 'p':
		_, err := b.charge(o, payWith(goodCard, *s.now))
		return err
	case 'd':
		return b.deposit(o, sum, *s.now)
	case 'r':
		return b.refund(o, sum, *s.now)
	case 'v':
		return b.reverse(o, *s.now)
	case 'c':
		return o.callOff()
	}
	*s.now = s.now.Add(time.Duration(s.size) * time.Minute)
	_, err := b.order(o.id, *s.now)
	return err
}
