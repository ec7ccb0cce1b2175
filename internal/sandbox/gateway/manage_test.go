package gateway

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// An answer is written after the book was let go, so that nothing it shows may change then.
func TestSetParamLeavesAnswersAlone(t *testing.T) {
	t.Parallel()
	_, o := newOrderBook(false)
	o.setParam(wire.NameValue{Name: "a", Value: "1"})
	answer, want := o.view("en"), []wire.NameValue{{Name: "a", Value: "1"}}
	o.setParam(wire.NameValue{Name: "a", Value: "2"})
	o.setParam(wire.NameValue{Name: "b", Value: "3"})
	if diff := cmp.Diff(want, answer.MerchantOrderParams); diff != "" {
		t.Errorf("an answer under way has changed (-want +got):\n%s", diff)
	}
	want = []wire.NameValue{{Name: "a", Value: "2"}, {Name: "b", Value: "3"}}
	if diff := cmp.Diff(want, o.params); diff != "" {
		t.Errorf("the order's pairs (-want +got):\n%s", diff)
	}
}
