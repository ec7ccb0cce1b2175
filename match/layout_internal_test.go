package match

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/profile"
)

// A request of a layout that was seen before costs no memory to be recognised, however many parameters
// it has, and another request is not taken for it.
func TestALayoutIsWorkedOutOnce(t *testing.T) {
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	tape := Compile(Options{Profiles: set})
	request := func(params int, last string) *Request {
		var body strings.Builder
		body.WriteString("orderId=1")
		for i := range params - 2 {
			fmt.Fprintf(&body, "&p%d=%d", i, i)
		}
		return NewRequest(set, "POST", "/payment/rest/getOrderStatusExtended.do",
			http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, body.String()+"&"+last+"=1")
	}
	for _, params := range []int{4, 16} {
		first, again := request(params, "last"), request(params, "last")
		l := tape.layoutOf(first, "op")
		if len(l.params) != params {
			t.Fatalf("a layout has %d parameters of %d", len(l.params), params)
		}
		if got := testing.AllocsPerRun(20, func() { tape.layoutOf(again, "op") }); got != 0 {
			t.Errorf("to recognise %d parameters took %v pieces of memory", params, got)
		}
		if tape.layoutOf(again, "op") != l {
			t.Errorf("the layout of %d parameters was worked out twice", params)
		}
		for _, other := range []*layout{
			tape.layoutOf(request(params, "other"), "op"), tape.layoutOf(again, "another"),
		} {
			if other == l {
				t.Errorf("a request of %d parameters was taken for another", params)
			}
		}
	}
}
