package stable_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dnaeon/go-vcr/v2/cassette"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/stable"
)

// began is when the recordings of this file began.
var began = time.Date(2026, 11, 23, 14, 53, 28, 102e6, time.UTC)

// form is a call of the gateway by a form, with its answer.
func form(number int, at time.Duration, operation, body, answer string) *leaf.Exchange {
	return &leaf.Exchange{
		Interaction: cassette.Interaction{
			Request: cassette.Request{
				Method: http.MethodPost, URL: "http://127.0.0.1:42137/payment/rest/" + operation, Body: body,
				Headers: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
			},
			Response: cassette.Response{
				Code: http.StatusOK, Body: answer, Duration: 3 * time.Millisecond,
				Headers: http.Header{"Content-Type": {"application/json"}},
			},
		},
		Meta: leaf.Meta{Number: number, At: began.Add(at)},
	}
}

func builtin(t testing.TB) *profile.Set {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const first, second = "0190aa00-1111-7222-8333-444400c4a1e5", "0190bb00-1111-7222-8333-444400c4a1e5"

// makeStable makes a stable tape.
func makeStable(tb testing.TB, set *profile.Set, recorded []*leaf.Exchange) stable.Result {
	tb.Helper()
	made, err := stable.Of(tb.Context(), set, recorded)
	if err != nil {
		tb.Fatal(err)
	}
	return made
}

// endsAfter is a context that ends when it was asked some times.
type endsAfter struct {
	context.Context
	left atomic.Int64
}

func (c *endsAfter) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestEndedAtAnyTime ends the work after each of its steps: what comes back is the error, or the whole tape.
func TestEndedAtAnyTime(t *testing.T) {
	recorded := checkout("A-1", `{"errorCode":"0","orderNumber":"A-1","orderStatus":0,"amount":100}`)
	want := makeStable(t, builtin(t), recorded)
	for steps := int64(0); ; steps++ {
		ctx := &endsAfter{Context: t.Context()}
		ctx.left.Store(steps)
		made, err := stable.Of(ctx, builtin(t), recorded)
		if err == nil {
			if steps < int64(3*len(recorded)) {
				t.Errorf("was asked %d times for %d exchanges", steps, len(recorded))
			}
			if !reflect.DeepEqual(made, want) {
				t.Error("the tape is another")
			}
			return
		}
		if !errors.Is(err, context.Canceled) || len(made.Exchanges) > 0 {
			t.Fatalf("after %d steps: %d exchanges, %v", steps, len(made.Exchanges), err)
		}
	}
}

// TestFlowsOfParallelClients takes two checkouts apart that were recorded one inside the other.
func TestFlowsOfParallelClients(t *testing.T) {
	order := func(id string) string { return `{"orderId":"` + id + `"}` }
	status := func(ms string) string {
		return `{"errorCode":"0","orderStatus":0,"amount":100,"date":` + ms + `}`
	}
	recorded := []*leaf.Exchange{
		form(1, 0, "register.do", "orderNumber=A-1&amount=100", order(first)),
		form(2, 40e6, "register.do", "orderNumber=B-1&amount=100", order(second)),
		form(3, 80e6, "getOrderStatusExtended.do", "orderId="+second, status("1795445608142")),
		form(4, 90e6, "getOrderStatusExtended.do", "orderId="+first, status("1795445608102")),
	}
	made := makeStable(t, builtin(t), recorded)
	if made.Kept != "" {
		t.Fatal(made.Kept)
	}
	var times []string
	for i, x := range made.Exchanges {
		if x.Meta.Number != i+1 || x.Duration != 0 {
			t.Errorf("exchange %d has number %d and took %v", i+1, x.Meta.Number, x.Duration)
		}
		times = append(times, x.Meta.At.Format(time.TimeOnly))
	}
	if want := []string{"12:00:00", "12:00:02", "12:00:00", "12:00:02"}; !reflect.DeepEqual(times, want) {
		t.Errorf("the clocks show %v, want %v", times, want)
	}
	if got := made.Exchanges[1].Response.Body; got != status("1579089600250") {
		t.Errorf("the second call of the first flow says %s", got)
	}
	if got := made.Exchanges[2].Request.Body; got != recorded[1].Request.Body {
		t.Errorf("the second flow begins with %s", got)
	}
	if recorded[3].Request.Body != "orderId="+first {
		t.Error("the recording was changed")
	}
	again := makeStable(t, builtin(t), made.Exchanges)
	if !reflect.DeepEqual(again.Exchanges, made.Exchanges) {
		t.Error("a stable tape was made another")
	}
}

// TestQuestionBeforeAChange asks an API that no profile knows for a job that nobody has started, while another
// job runs. The answer may depend on all that is there, so it comes before the change that a later poll shows.
func TestQuestionBeforeAChange(t *testing.T) {
	const base, job = "http://127.0.0.1:42137/v3/exports", "job_xULpteVnCwWSzN"
	call := func(number int, method, path, body, answer string) *leaf.Exchange {
		x := form(number, time.Duration(number)*40e6, "", body, answer)
		x.Method, x.URL = method, base+path
		x.Request.Headers.Set("Content-Type", "application/json")
		return x
	}
	says := func(status string) string { return `{"id":"` + job + `","status":"` + status + `"}` }
	made := makeStable(t, builtin(t), []*leaf.Exchange{
		call(1, http.MethodPost, "", `{"speed":"fast"}`, says("queued")),
		call(2, http.MethodGet, "/"+job, "", says("running")),
		call(3, http.MethodGet, "/job_00000000000000", "", `{"error":{"code":"no_such_job"}}`),
		call(4, http.MethodGet, "/"+job, "", says("done")),
	})
	if made.Kept != "" {
		t.Fatal(made.Kept)
	}
	for i, want := range []string{"queued", "running", "no_such_job", "done"} {
		if got := made.Exchanges[i].Response.Body; !strings.Contains(got, want) {
			t.Errorf("exchange %d says %s, want %s", i+1, got, want)
		}
	}
}

// FuzzOf makes any exchanges stable: as many come back, with the same numbers, and to do so again changes
// nothing.
func FuzzOf(f *testing.F) {
	f.Add("register.do", "orderNumber=A-1", `{"orderId":"`+first+`"}`, "orderId="+first)
	f.Add("x", "{\"id\":12345}", `{"id":"a1b2c3d4e5f6a7b8","at":"2026-11-23T14:53:28Z"}`, "<a>1</a>")
	f.Add("%zz", "a=%", "[[[", "\x00")
	set := builtin(f)
	f.Fuzz(func(t *testing.T, operation, body, answer, next string) {
		recorded := []*leaf.Exchange{
			form(1, 0, operation, body, answer), form(2, 50e6, "getOrderStatus.do", next, answer),
			form(3, 90e6, operation, next, body),
		}
		made := makeStable(t, set, recorded)
		if len(made.Exchanges) != len(recorded) {
			t.Fatalf("%d exchanges of %d", len(made.Exchanges), len(recorded))
		}
		for i, x := range made.Exchanges {
			if x.Meta.Number != i+1 {
				t.Fatalf("exchange %d has number %d", i+1, x.Meta.Number)
			}
		}
		if again := makeStable(t, set, made.Exchanges); !reflect.DeepEqual(again.Exchanges, made.Exchanges) {
			t.Error("a stable tape was made another")
		}
	})
}
