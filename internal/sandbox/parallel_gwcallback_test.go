package sandbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/sandbox"
)

// Every event of 64 orders is told once, those of one order in their order.
func TestParallelCallbacks(t *testing.T) {
	t.Parallel()
	s := newListener(t)
	o := sandbox.Options{}
	o.Callbacks.Address = s.url
	c := newClient(t, o)
	inParallel(clients, func(i int) {
		id := c.hold(fmt.Sprint(i), cardPaid)
		c.manage("deposit.do", id, "0")
		c.manage("refund.do", id, "0")
	})
	orders := map[string][]string{}
	for range 3 * clients {
		d := s.next()
		number := d.get("orderNumber")
		orders[number] = append(orders[number], d.get("operation"))
	}
	want := []string{"approved", "deposited", "refunded"}
	for i := range clients {
		if got := orders[fmt.Sprint(i)]; !slices.Equal(got, want) {
			t.Errorf("order %d was told of %v, want %v", i, got, want)
		}
	}
}

// The control address shows what became of callbacks, and no address and no value of the shop.
func TestStateShowsCallbacks(t *testing.T) {
	t.Parallel()
	s := newListener(t)
	c := newClient(t, sandbox.Options{})
	id := c.order(cardPaid2, cardPaid, "dynamicCallbackUrl", s.url+"?token=hunter2")
	s.wants("deposited")
	foreign := c.order("2", cardPaid, "dynamicCallbackUrl", "http://192.0.2.1/?token=hunter2")
	a := c.control("GET", "/state")
	for a.get("gateway.callbacks.counts.pending") != "0" { // the answer of the shop is under way
		a = c.control("GET", "/state")
	}
	c.is(a, "gateway.callbacks.counts", `{"delivered":1,"pending":0,"failed":1}`)
	c.is(a, "gateway.callbacks.latest.0",
		`{"orderId":"`+id+`","operation":"deposited","state":"delivered","attempts":1}`)
	c.is(a, "gateway.callbacks.latest.1",
		`{"orderId":"`+foreign+`","operation":"deposited","state":"failed","attempts":1,`+
			`"reason":"the address is neither on this machine nor allowed"}`)
	if strings.Contains(a.body, "hunter2") || strings.Contains(a.body, s.url) {
		t.Error("the state shows an address of the shop")
	}
}

// A reset forgets callbacks that are under way.
func TestResetForgetsCallbacks(t *testing.T) {
	t.Parallel()
	s := newListener(t)
	c := newClient(t, sandbox.Options{})
	for i := range clients {
		c.order(fmt.Sprint(i), cardPaid, "dynamicCallbackUrl", s.url)
	}
	c.code(c.control("POST", "/reset"), 204)
	none := `{"counts":{"delivered":0,"pending":0,"failed":0},"latest":[]}`
	c.is(c.control("GET", "/state"), "gateway.callbacks", none)
	c.order("after", cardPaid, "dynamicCallbackUrl", s.url)
	for s.next().get("orderNumber") != "after" { // the others were under way already
	}
}

// Options that cannot work are refused before anything is started.
func TestCallbackOptionsAreChecked(t *testing.T) {
	t.Parallel()
	var o sandbox.Options
	if err := o.Check(); err != nil {
		t.Errorf("the published options: %v", err)
	}
	o.Callbacks.Address = "shop.example"
	if o.Check() == nil {
		t.Error("an address without its protocol passes")
	}
}
