package request

import (
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// laidOut are requests, each of a layout of its own.
var laidOut = []struct{ name, method, target, contentType, body string }{
	{"a form", "POST", "/payment/rest/getOrderStatusExtended.do", "application/x-www-form-urlencoded",
		"userName=shop&password=secret&orderId=06cf5599-3f17-7c86-bdbc-bd7d00a8b38b"},
	{"its parameters in the query", "GET", "/payment/rest/getOrderStatusExtended.do?userName=shop&orderId=1", "", ""},
	{"a parameter twice", "POST", "/payment/rest/register.do", "", "b=1&a=2&a=3&a=4"},
	{"a list of names and values", "POST", "/v1/apigate/ws/rest/registerCustomer", "application/json",
		`{"parameters":[{"name":"customer_number","value":"1"},{"name":"email","value":"a@b"}]}`},
	{"one name is another", "POST", "/v1/apigate/ws/rest/registerCustomer", "application/json",
		`{"parameters":[{"name":"customer_number","value":"1"},{"name":"phone","value":"2"}]}`},
	{"an empty body", "POST", "/v2/cards/inquiry?a=1", "application/json", `{}`},
	{"an empty member", "POST", "/v2/cards/inquiry", "application/json", `{"a":{},"b":null}`},
	{"a full one", "POST", "/v2/cards/inquiry", "application/json", `{"a":1,"b":null}`},
	{"a path of no profile", "POST", "/things/17/parts/4", "application/json", `{"a":{"b":1},"a.b":2}`},
	{"a document in a text", "POST", "/things", "application/json", `{"a":"{\"b\":1}"}`},
	{"a key like its path", "POST", "/things", "application/json", `{"a>b":1}`},
	{"a body in parts", "POST", "/things", "multipart/form-data; boundary=x",
		"--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n"},
	{"a text", "POST", "/things", "text/plain", "nothing but words"},
	{"no body", "GET", "/things", "", ""},
}

// A request of a layout has the parameters that it has without one, however many requests were read
// before, and no layout is that of another request.
func TestALayoutHasTheParametersOfItsRequests(t *testing.T) {
	t.Parallel()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	layouts := map[*Layout]string{}
	for round := range 2 {
		for _, row := range laidOut {
			h := http.Header{"Authorization": {"Bearer abc"}, "Accept": {"*/*"}}
			if row.contentType != "" {
				h["Content-Type"] = []string{row.contentType}
			}
			r := New(set, row.method, row.target, h, row.body)
			if r.Layout == nil {
				t.Fatalf("%s: it has no layout", row.name)
			}
			if of, known := layouts[r.Layout]; known && of != row.name || !known && round > 0 {
				t.Errorf("%s: the layout is that of %q", row.name, of)
			}
			layouts[r.Layout] = row.name
			want := &Request{Call: r.Call}
			m := leaf.Message{Target: row.target, Header: h, Headless: true, Body: row.body}
			if o := r.Call.Operation; o != nil && !o.HasSegments() {
				m.Skip = pathEnd(row.target)
			}
			leaves := appendHeaders(leaf.Append(nil, m), set, r.Call, h)
			want.addLeaves(set, leaves, isMultipart(row.contentType))
			sortByPath(want.Params)
			numberRepeats(want.Params)
			if !slices.Equal(r.Params, want.Params) {
				t.Errorf("%s: the parameters of the layout are others", row.name)
			}
		}
	}
}

// Requests that are read at once have the parameters of those that are read one behind the other.
func TestLayoutsOfRequestsReadAtOnce(t *testing.T) {
	t.Parallel()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for i := range 20 * len(laidOut) {
				row := laidOut[i%len(laidOut)]
				h := http.Header{"Content-Type": {row.contentType}}
				r := New(set, row.method, row.target, h, row.body)
				if l := r.Layout; l == nil || len(r.Params) != len(l.params) {
					t.Errorf("%s: %d parameters are not those of the layout", row.name, len(r.Params))
				}
				r.Release()
			}
		})
	}
	readers.Wait()
}

// What a passage is, its text tells: requests with passages have no layout.
func TestPassagesHaveNoLayout(t *testing.T) {
	t.Parallel()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"back":"https://shop.example/a?to=eyJhIjoxLCJiIjoyfQ"}`
	r := New(set, "POST", "/things", http.Header{"Content-Type": {"application/json"}}, body)
	if len(r.Params) == 0 || r.Layout != nil {
		t.Errorf("%d parameters, of a layout: %v", len(r.Params), r.Layout != nil)
	}
}
