package gateway

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

func bindingCall(id string) call {
	return call{now: testNow, params: params{"bindingId": id}}
}

// Document 3, Events: a binding that is created, switched off or on is told, each once
// and with the way it went.
func TestBindingEvents(t *testing.T) {
	t.Parallel()
	b := newBook(mint.NewSource(1, 1))
	made, again := testOrder(b), testOrder(b)
	pays(t, b, made, payment{tii: "CI"})
	id := made.binding.id
	for _, act := range []func(call) (any, error){
		b.bindCard, b.unBindCard, b.unBindCard, b.bindCard, b.unBindCard,
	} {
		_, _ = act(bindingCall(id)) // the first and the third are refused
	}
	pays(t, b, again, payment{tii: "CI"})
	var got []string
	for _, e := range b.events {
		told := e.operation
		if e.disabled {
			told += " off"
		}
		if e.bound != nil && e.bound.id != id {
			t.Errorf("%s is about another binding", told)
		}
		got = append(got, told)
	}
	want := []string{
		"deposited", "bindingCreated", "bindingActivityChanged off", "bindingActivityChanged",
		"bindingActivityChanged off", "deposited", "bindingActivityChanged",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if again.binding != made.binding || !made.binding.active {
		t.Error("the second payment did not bring the binding back")
	}
}

// A binding that another order makes while this one is being authenticated changes nothing
// for this one: it is paid with what it was started with.
func TestAPaymentKeepsItsBinding(t *testing.T) {
	t.Parallel()
	b := newBook(mint.NewSource(1, 1))
	first := testOrder(b)
	pays(t, b, first, payment{tii: "II"})
	second := testOrder(b)
	pays(t, b, second, payment{tii: "II"})
	o := testOrder(b)
	pays(t, b, o, payment{tii: "I", bound: first.binding})
	if o.binding != first.binding || first.binding == second.binding {
		t.Error("the order does not show the binding it was paid with")
	}
	if n := len(b.bindings["7"]); n != 2 {
		t.Errorf("there are %d bindings, want 2", n)
	}
}

func TestInstalmentTerms(t *testing.T) {
	t.Parallel()
	pair := func(count, total string) []wire.NameValue {
		return []wire.NameValue{{Name: "installments", Value: count}, {Name: "x", Value: "9"},
			{Name: "totalInstallmentAmount", Value: total}}
	}
	for name, row := range map[string]struct {
		params []wire.NameValue
		want   *instalment
	}{
		"both":              {pair("3", "4500"), &instalment{installments: 3, total: 4500}},
		"one alone":         {pair("3", "4500")[:2], nil},
		"none, with tii II": {nil, nil},
		"no number":         {pair("3", "a lot"), nil},
		"the last one holds": {
			append(pair("3", "1"), pair("2", "5")...), &instalment{installments: 2, total: 5},
		},
		"below zero": {pair("-3", "4500"), nil},
	} {
		got := newInstalment(row.params)
		if diff := cmp.Diff(row.want, got, cmp.AllowUnexported(instalment{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	var none *instalment
	none.count(1) // a binding without terms counts nothing and does not fail
}
