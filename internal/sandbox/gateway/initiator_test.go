package gateway

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/sandbox/mint"
)

var (
	testNow   = time.Date(2026, 3, 14, 10, 20, 30, 0, time.UTC)
	savedCard = payCard{number: "411111" + "1111111111", expiry: "203012"}
)

// testOrder enters an order of client 7.
func testOrder(b *book) *order {
	return b.newOrder(b.freeNumber(), call{now: testNow, params: params{
		"amount": "1500", "clientId": "7",
	}})
}

// pays charges a payment and fails the test if it is refused.
func pays(t *testing.T, b *book, o *order, p payment) {
	t.Helper()
	p.card, p.now = savedCard, testNow
	if _, err := b.charge(o, p); err != nil {
		t.Fatalf("charging with tii %q: %v", p.tii, err)
	}
}

// The table of document 3 as it stands there: who starts the payment, and what it saves.
func TestInitiators(t *testing.T) {
	t.Parallel()
	merchant := map[string]bool{}
	saves := map[string]string{}
	for tii, who := range initiators {
		if who.merchant {
			merchant[tii] = true
		}
		if who.saves != "" {
			saves[tii] = who.saves
		}
		if who.saves != "" && who.uses != "" {
			t.Errorf("tii %q both saves and uses a binding", tii)
		}
	}
	if diff := cmp.Diff(map[string]bool{"U": true, "R": true, "I": true}, merchant); diff != "" {
		t.Errorf("merchant-initiated (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"CI": "C", "RI": "R", "II": "I"}, saves); diff != "" {
		t.Errorf("saving (-want +got):\n%s", diff)
	}
}

// Document 3, Limits, 3: what the merchant starts is one-stage only.
func TestOnlyCustomersPayInTwoStages(t *testing.T) {
	t.Parallel()
	for tii, who := range initiators {
		b := newBook(mint.NewSource(1, 1))
		first := testOrder(b)
		pays(t, b, first, payment{tii: "CI"})
		o := testOrder(b)
		o.twoStage = true
		_, err := b.charge(o, payment{tii: tii, card: savedCard, now: testNow})
		if (err != nil) != who.merchant {
			t.Errorf("tii %q on a two-stage order: %v", tii, err)
		}
		if err != nil && o.status != orderRegistered {
			t.Errorf("tii %q: the refused order moved to status %d", tii, o.status)
		}
	}
}

func TestARefusedPaymentLeavesNoParameters(t *testing.T) {
	t.Parallel()
	b := newBook(mint.NewSource(1, 1))
	o := testOrder(b)
	extra := params{"jsonParams": `{"a":"b"}`}.jsonParams()
	if _, err := b.charge(o, payment{tii: "F", card: savedCard, extra: extra}); err == nil {
		t.Fatal("a card that was never saved paid as a saved one")
	}
	if len(o.params) != 0 {
		t.Errorf("the order has %d parameters", len(o.params))
	}
}
