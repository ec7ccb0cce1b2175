package stable_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/stable"
)

// checkout is an order of a number, registered and asked for.
func checkout(number, answer string) []*leaf.Exchange {
	return []*leaf.Exchange{
		form(1, 0, "register.do", "orderNumber="+number+"&amount=100", `{"orderId":"`+first+`"}`),
		form(2, 40e6, "getOrderStatusExtended.do", "orderId="+first, answer),
	}
}

// TestApart has two branches that have each recorded a flow which begins with the very same call. The
// flow of one gets ids and an order number of its own, and keeps its times.
func TestApart(t *testing.T) {
	t.Parallel()
	set := builtin(t)
	tapes := stable.Tapes{Profiles: set}
	status := `{"errorCode":"0","orderNumber":"A-1","orderStatus":STATUS,"amount":100}`
	ours := makeStable(t, set, checkout("A-1", strings.Replace(status, "STATUS", "0", 1))).Exchanges
	theirs := makeStable(t, set, checkout("A-1", strings.Replace(status, "STATUS", "2", 1))).Exchanges
	if ours[0].Response.Body != theirs[0].Response.Body {
		t.Fatal("the flows do not begin with the same call")
	}
	if got := tapes.Flows(ours); !reflect.DeepEqual(got, [][]int{{1, 2}}) {
		t.Errorf("the flows are %v", got)
	}
	if got := tapes.Flows(checkout("A-1", status)); got != nil {
		t.Errorf("a tape that is not stable has the flows %v", got)
	}
	apart, done := tapes.Apart(theirs, []int{1, 2}, ours)
	if !done {
		t.Fatal("the flow has no ids of its own")
	}
	id := strings.TrimPrefix(apart[1].Request.Body, "orderId=")
	if apart[0].Response.Body != `{"orderId":"`+id+`"}` || strings.Contains(ours[0].Response.Body, id) {
		t.Errorf("the order is %s, in %s", id, apart[0].Response.Body)
	}
	number := strings.TrimPrefix(strings.TrimSuffix(apart[0].Request.Body, "&amount=100"), "orderNumber=")
	if number == "A-1" || len(number) != 3 || !strings.Contains(apart[1].Response.Body, `"`+number+`"`) {
		t.Errorf("the order number is %s, in %s", number, apart[1].Response.Body)
	}
	for i, x := range apart {
		if !x.Meta.At.Equal(theirs[i].Meta.At) || x.Meta.Number != i+1 {
			t.Errorf("exchange %d is number %d, at %v", i+1, x.Meta.Number, x.Meta.At)
		}
	}
	if same, _ := tapes.Apart(theirs, nil, ours); !reflect.DeepEqual(same, theirs) {
		t.Error("flows that nobody has named are changed")
	}
}
