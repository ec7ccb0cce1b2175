package proxytest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/proxy/proxytest"
)

// trial is a test within a test: what is said to it is kept, and it may fail.
type trial struct {
	testing.TB
	name string

	mu       sync.Mutex // guards the rest
	errors   []string   // of Errorf and Fatalf
	logs     []string
	cleanups []func()
}

func (r *trial) Helper()      {}
func (r *trial) Name() string { return r.name }

func (r *trial) Logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logs = append(r.logs, fmt.Sprintf(format, args...))
}

func (r *trial) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *trial) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *trial) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.errors) > 0
}

func (r *trial) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

// try runs a test to its end, functions of Cleanup included.
func try(t testing.TB, test func(t testing.TB)) *trial {
	r := &trial{TB: t, name: "TestTrial/sub test"}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			for _, f := range slices.Backward(r.cleanups) {
				f()
			}
		}()
		test(r)
	}()
	<-done
	return r
}

// passed wants a test that nothing was wrong with.
func (r *trial) passed(t *testing.T) {
	t.Helper()
	if r.Failed() {
		t.Fatalf("it failed:\n%s", strings.Join(r.errors, "\n"))
	}
}

// failed wants one error that says certain things.
func (r *trial) failed(t *testing.T, wants ...string) {
	t.Helper()
	if len(r.errors) != 1 {
		t.Fatalf("%d errors:\n%s", len(r.errors), strings.Join(r.errors, "\n"))
	}
	for _, want := range wants {
		if !strings.Contains(r.errors[0], want) {
			t.Errorf("the error does not say %s:\n%s", want, r.errors[0])
		}
	}
}

const password = "sandbox-" + "password"

// call calls an operation of the gateway, and returns the status and the fields of the answer.
func call(t testing.TB, d *proxytest.Deck, operation string, pairs ...string) (int, map[string]any) {
	t.Helper()
	form := url.Values{"userName": {"sandbox-api"}, "password": {password}}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	res, err := d.Client().PostForm(d.URL+"/payment/rest/"+operation, form)
	if err != nil {
		t.Fatalf("%s: no answer", operation)
	}
	defer res.Body.Close()
	var answer map[string]any
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		t.Fatalf("%s: the answer is no JSON", operation)
	}
	return res.StatusCode, answer
}

// register registers an order and returns its id.
func register(t testing.TB, d *proxytest.Deck, number, amount string) string {
	t.Helper()
	code, answer := call(t, d, "register.do", "orderNumber", number, "amount", amount,
		"returnUrl", "https://shop.example/")
	id, _ := answer["orderId"].(string)
	if code != http.StatusOK || id == "" {
		t.Logf("register.do: status %d", code)
	}
	return id
}

// checkout registers an order, pays it and asks for its status.
func checkout(t testing.TB, d *proxytest.Deck, number string) {
	t.Helper()
	id := register(t, d, number, "12500")
	call(t, d, "paymentorder.do", "MDORDER", id, "$PAN", "411111"+"1111111111", "$CVC", "123",
		"$EXPIRY", "203112", "TEXT", "CARD HOLDER", "language", "en")
	_, answer := call(t, d, "getOrderStatusExtended.do", "orderId", id)
	if status, _ := answer["orderStatus"].(float64); status != 2 { // paid: document 3, status
		t.Errorf("order %s is in state %v", number, answer["orderStatus"])
	}
}
