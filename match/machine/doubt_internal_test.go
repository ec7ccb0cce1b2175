package machine

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/tape"
)

// TestOverlaps draws calls about two orders that are under way at the same time, of one family or of two. A
// read is doubtful if, and only if, a write to its family that has changed something was under way with it.
func TestOverlaps(t *testing.T) {
	t.Parallel()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	doubtful, sure := 0, 0
	for seed := range uint64(60) {
		all := tape.Compile(tape.Options{Profiles: set}, tape.Cassette{Name: "t", Exchanges: someAtOnce(seed)})
		root := families(all)
		if seed%2 == 0 {
			root = slices.Repeat(roots{all.Entities[0]}, len(all.Entities)) // one family
		}
		got := overlaps(all, root)
		for _, r := range all.Recordings {
			want := r.Reads && slices.ContainsFunc(all.Recordings, func(w *tape.Recording) bool {
				return w.Writes() && near(root, w, r) &&
					w.Answered().After(r.Began()) && r.Answered().After(w.Began())
			})
			if got[r.Place] != want {
				t.Fatalf("seed %d: recording %d is overlapped: %v, want %v", seed, r.Number, got[r.Place], want)
			}
			if want {
				doubtful++
			} else if r.Reads {
				sure++
			}
		}
	}
	if doubtful == 0 || sure == 0 {
		t.Errorf("%d reads were overlapped and %d were not: the test shows nothing", doubtful, sure)
	}
}

// near reports whether two calls name entities of one family.
func near(root roots, a, b *tape.Recording) bool {
	return slices.ContainsFunc(a.Roles, func(e *tape.Entity) bool {
		return !e.Scope && slices.ContainsFunc(b.Roles, func(o *tape.Entity) bool {
			return !o.Scope && root[o.ID] == root[e.ID]
		})
	})
}

// someAtOnce draws exchanges about two orders. Each begins a second behind the one before and takes some
// seconds; of some nobody knows when.
func someAtOnce(seed uint64) []*leaf.Exchange {
	dice := rand.New(rand.NewPCG(seed, 1))
	orders := [2]string{"6e95a98c-fc03-73d2-b7c6-3e8000c4a1e5", "0f2a1c77-1b4e-7c0d-8a55-9d2200e7b310"}
	var xs []*leaf.Exchange
	add := func(operation, asks, answer string) {
		x := &leaf.Exchange{}
		x.Method, x.URL = http.MethodPost, "https://sandbox.example/payment/rest/"+operation
		x.Request.Headers = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
		x.Request.Body, x.Code, x.Response.Body = "userName=u&password=p&"+asks, http.StatusOK, answer
		x.Response.Headers = http.Header{"Content-Type": {"application/json"}}
		x.Response.Duration = time.Duration(dice.IntN(4000)) * time.Millisecond
		x.Meta.Number = len(xs) + 1
		if dice.IntN(10) > 0 {
			x.Meta.At = time.Date(2026, 5, 1, 12, 0, len(xs), 0, time.UTC)
		}
		xs = append(xs, x)
	}
	for i, id := range orders {
		add("register.do", fmt.Sprintf("orderNumber=N-%d&amount=100&returnUrl=https://shop.example/", i),
			fmt.Sprintf(`{"orderId":%q,"formUrl":"https://sandbox.example/pay?mdOrder=%s"}`, id, id))
	}
	for range 30 {
		id := "orderId=" + orders[dice.IntN(len(orders))]
		switch dice.IntN(4) {
		case 0:
			add("deposit.do", id+"&amount=100", fmt.Sprintf(`{"errorCode":"%d"}`, 5*dice.IntN(2)))
		default:
			add("getOrderStatusExtended.do", id, `{"errorCode":"0","orderStatus":2}`)
		}
	}
	return xs
}
