package deck_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/proxy/cluster"
	"github.com/paytape/paytape/proxy/deck"
)

// sharers starts decks in this process that share sessions. It returns the folder of their tape too.
func sharers(t *testing.T, n int, change func(*deck.Options)) (*natsServer, string, []*deck.Deck) {
	t.Helper()
	server, dir := newNATS(t), t.TempDir()
	recordedOrders(t, dir)
	var decks []*deck.Deck
	for range n {
		o := sharing(dir, server.address())
		if change != nil {
			change(&o)
		}
		decks = append(decks, start(t, o))
	}
	return server, dir, decks
}

// answerOf sends a request to a deck, and returns all bytes of the answer but its date.
func answerOf(t *testing.T, base, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(conn, strings.ReplaceAll(request, "\n", "\r\n")); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(conn)
	text := volatile.ReplaceAllString(string(all), "*")
	var lines []string
	for line := range strings.SplitSeq(text, "\r\n") {
		if !strings.HasPrefix(line, "Date: ") {
			lines = append(lines, line)
		}
	}
	if err != nil {
		lines = append(lines, "then: "+errorWords(err))
	}
	return strings.Join(lines, "\n")
}

// errorWords returns the part of an error of net that names no port.
func errorWords(err error) string {
	text := err.Error()
	return text[strings.LastIndex(text, ": ")+2:]
}

// faultRules break answers in every way.
const faultRules = `# paytape rules 1
rules:
  - {name: r1, op: register.do, where: {orderNumber: R-1}, then: {fail: reset}}
  - {name: r2, op: register.do, where: {orderNumber: R-2}, then: {fail: garbage}}
  - {name: r3, op: register.do, where: {orderNumber: R-3}, then: {fail: empty}}
  - {name: r4, op: register.do, where: {orderNumber: R-4}, then: {fail: cut}}
  - {name: r5, op: register.do, where: {orderNumber: R-5}, then: {lose: answer}}
  - {name: r6, op: register.do, where: {orderNumber: R-6}, then: {status: 503}}
  - {name: r7, op: register.do, where: {orderNumber: R-7}, then: {delay: 20ms}}
  - {name: r8, op: register.do, where: {orderNumber: R-8}, then: {drip: 50ms}}
  - {name: r9, op: register.do, where: {orderNumber: R-9}, when: first 1, then: {answer: {status: 418, headers: {X-Tea: pot}, body: short and stout}}}
`

// TestForwardedIsServed compares all bytes of answers, directly from a deck alone, from the owner of a
// session, and through another deck: answers from tape, misses, what rules make of them, and what no
// session answers.
func TestForwardedIsServed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "faults.yaml")
	if err := os.WriteFile(file, []byte(faultRules), 0o600); err != nil {
		t.Fatal(err)
	}
	with := func(o *deck.Options) { o.RuleFiles = []string{file} }
	_, dir, decks := sharers(t, 2, with)
	o := alone(dir)
	with(&o)
	single := start(t, o)
	post := func(session, operation, form string) string {
		form = "userName=sandbox-api&password=sandbox-" + "password&" + form
		return fmt.Sprintf("POST /~%s/payment/rest/%s HTTP/1.1\nHost: decks.example\nConnection: close\n"+
			"Content-Type: application/x-www-form-urlencoded\nContent-Length: %d\n\n%s", session, operation,
			len(form), form)
	}
	register := func(session, number string) string {
		return post(session, "register.do", "orderNumber="+number+
			"&amount=12500&returnUrl=https%3A%2F%2Fshop.example%2F&dynamicCallbackUrl=http%3A%2F%2F127.0.0.1%3A9%2F")
	}
	tests := map[string]func(session string) string{
		"an answer": func(s string) string { return register(s, "A-7") },
		"a miss":    func(s string) string { return post(s, "register.do", "orderNumber=A-8&amount=1") },
		"no operation": func(s string) string {
			return "GET /~" + s + "/nothing HTTP/1.1\nHost: decks.example\nConnection: close\n\n"
		},
		"a session that is none": func(string) string {
			return "GET /~/nothing HTTP/1.1\nHost: decks.example\nConnection: close\n\n"
		},
		"a tunnel": func(string) string { return "CONNECT a:1 HTTP/1.1\nHost: a:1\n\n" },
		"HTTP/1.0": func(s string) string {
			return strings.Replace(register(s, "A-9"), "HTTP/1.1", "HTTP/1.0", 1)
		},
	}
	for i := 1; i <= 9; i++ {
		tests[fmt.Sprintf("rule %d", i)] = func(s string) string { return register(s, fmt.Sprintf("R-%d", i)) }
	}
	n := 0
	for name, request := range tests {
		n++
		session := fmt.Sprintf("s%d", n)
		t.Run(name, func(t *testing.T) {
			// The session is claimed by the first deck.
			claim := "GET /~" + session + "/ HTTP/1.1\nHost: decks.example\nConnection: close\n\n"
			answerOf(t, single.URL, claim)
			answerOf(t, decks[0].URL, claim)
			want := answerOf(t, single.URL, request(session))
			if got := answerOf(t, decks[1].URL, request(session)); got != want {
				t.Errorf("through another deck:\n%s\nof a deck alone:\n%s", got, want)
			}
			session += "b"
			want = answerOf(t, single.URL, request(session))
			if got := answerOf(t, decks[0].URL, request(session)); got != want {
				t.Errorf("of the owner:\n%s\nof a deck alone:\n%s", got, want)
			}
		})
	}
}

// TestWithoutNATS stops NATS: an owner answers questions until its lease is over, and what needs
// another deck is refused with a reason.
func TestWithoutNATS(t *testing.T) {
	t.Parallel()
	server, _, decks := sharers(t, 2, func(o *deck.Options) { o.Cluster.Lease = 3 * time.Second })
	id := pays(t, decks[0].URL+"/~mine", "A-1", "http://127.0.0.1:9/paid")
	pays(t, decks[1].URL+"/~theirs", "A-1", "http://127.0.0.1:9/paid")
	server.stop()
	poll := func(session string) (int, string) {
		res, err := http.Post(decks[0].URL+"/~"+session+"/payment/rest/getOrderStatusExtended.do",
			"application/x-www-form-urlencoded", strings.NewReader("userName=sandbox-api&password=sandbox-"+
				"password&orderId="+id))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(body)
	}
	if code, body := poll("mine"); code != http.StatusOK {
		t.Errorf("its own session: %d %s", code, body)
	}
	for _, session := range []string{"theirs", "new"} {
		if code, body := poll(session); code != http.StatusServiceUnavailable ||
			!strings.Contains(body, `"error":"cluster"`) || !strings.Contains(body, "nats-server") {
			t.Errorf("session %s: %d %s", session, code, body)
		}
	}
	for until := time.Now().Add(10 * time.Second); ; {
		code, body := poll("mine")
		if code == http.StatusServiceUnavailable && strings.Contains(body, `"error":"cluster"`) {
			break // the lease is over
		}
		if time.Now().After(until) {
			t.Fatalf("the lease has no end: %d %s", code, body)
		}
		time.Sleep(50 * time.Millisecond) // for a lease of real time: NATS is another process
	}
	server.start(t)
	for until := time.Now().Add(10 * time.Second); ; {
		code, body := poll("mine")
		if code == http.StatusOK {
			break // the order is still there
		}
		if time.Now().After(until) {
			t.Fatalf("the session does not come back: %d %s", code, body)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// TestLargeBodiesAreForwarded sends a body that no message of NATS takes, through another deck, and has
// a third take the session over.
func TestLargeBodiesAreForwarded(t *testing.T) {
	t.Parallel()
	// A deck waits some leases for an answer, and a slow machine takes seconds for such a body.
	_, dir, decks := sharers(t, 3, func(o *deck.Options) { o.Cluster.Lease = cluster.DefaultLease })
	single := start(t, alone(dir))
	form := "orderNumber=A-1&amount=12500&description=" + strings.Repeat("x", 3<<20)
	large := fmt.Sprintf("POST /~large/payment/rest/register.do HTTP/1.1\nHost: d\nConnection: close\n"+
		"Content-Type: application/x-www-form-urlencoded\nContent-Length: %d\n\n%s", len(form), form)
	answerOf(t, decks[0].URL, "GET /~large/ HTTP/1.1\nHost: d\nConnection: close\n\n")
	want := answerOf(t, single.URL, large)
	if got := answerOf(t, decks[1].URL, large); got != want || !strings.Contains(got, "Paytape-Miss") {
		t.Errorf("got %.300s, want %.300s", got, want)
	}
	id := pays(t, decks[1].URL+"/~large", "A-1", "http://127.0.0.1:9/paid")
	if err := decks[0].Close(); err != nil {
		t.Fatal(err)
	}
	got := post(t, decks[2].URL+"/~large", "getOrderStatusExtended.do", "orderId", id)
	if got["orderNumber"] != "A-1" {
		t.Errorf("after the owner has gone: %v", got)
	}
}

// TestDecksMustBeAlike starts decks with one key that would answer otherwise.
func TestDecksMustBeAlike(t *testing.T) {
	t.Parallel()
	server, _, _ := sharers(t, 1, nil)
	dir := t.TempDir()
	recordedOrders(t, dir) // recorded again, and so with other ids
	for want, change := range map[string]func(*deck.Options){
		"the tapes":         func(*deck.Options) {},
		"--quiet-headers":   func(o *deck.Options) { o.Play.Quiet = true },
		"--seed":            func(o *deck.Options) { o.Play.Seed++ },
		"have leases of 1s": func(o *deck.Options) { o.Cluster.Lease = 2 * time.Second },
	} {
		o := sharing(dir, server.address())
		change(&o)
		d, err := deck.Start(t.Context(), o)
		if err == nil {
			_ = d.Close()
			t.Errorf("%s: it started", want)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestNATSSeesNothing looks for what clients have said on the disk of NATS.
func TestNATSSeesNothing(t *testing.T) {
	t.Parallel()
	server, _, decks := sharers(t, 2, nil)
	id := pays(t, decks[0].URL+"/~kept-apart", "A-9876", "http://127.0.0.1:9/paid")
	post(t, decks[1].URL+"/~kept-apart", "getOrderStatusExtended.do", "orderId", id)
	server.stop() // everything is on disk then
	files := 0
	err := filepath.WalkDir(server.dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(file)
		files++
		for _, secret := range []string{"411111" + "1111111111", "sandbox-" + "password", "A-9876", id,
			"kept-apart", "paymentorder", "CARD HOLDER"} {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s holds %s", filepath.Base(file), secret)
			}
		}
		return err
	})
	if err != nil || files < 3 {
		t.Errorf("looked at %d files: %v", files, err)
	}
}

// TestResetOfAll resets a deck that shares sessions: all of them begin anew, wherever they are.
func TestResetOfAll(t *testing.T) {
	t.Parallel()
	_, _, decks := sharers(t, 2, nil)
	before := pays(t, decks[0].URL+"/~one", "A-1", "http://127.0.0.1:9/paid")
	decks[1].Reset()
	deadline, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for deadline.Err() == nil {
		res, err := http.Get(decks[0].URL + "/~one/payment/rest/getOrderStatusExtended.do?orderId=" + before)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode == http.StatusNotImplemented {
			break
		}
	}
	after := pays(t, decks[1].URL+"/~one", "A-1", "http://127.0.0.1:9/paid")
	if after == before {
		t.Error("an order has the id of one from before the reset")
	}
	if err := decks[0].Close(); err != nil { // the session is served again from its log, with the reset
		t.Fatal(err)
	}
	got := post(t, decks[1].URL+"/~one", "getOrderStatusExtended.do", "orderId", after)
	if got["orderNumber"] != "A-1" {
		t.Errorf("after the owner has gone: %v", got)
	}
}

// TestResetAsOfOne compares decks that were reset with a deck alone, before and after the session is
// taken over: ids are the same, and none comes twice.
func TestResetAsOfOne(t *testing.T) {
	t.Parallel()
	_, dir, decks := sharers(t, 3, nil)
	single := start(t, alone(dir))
	seen := map[string]bool{}
	same := func(d *deck.Deck, session string) {
		t.Helper()
		for i := range 30 {
			number := fmt.Sprintf("A-%d", i)
			got := pays(t, d.URL+session, number, "http://127.0.0.1:9/paid")
			if want := pays(t, single.URL+session, number, "http://127.0.0.1:9/paid"); got != want || seen[got] {
				t.Fatalf("order %d of session %q is %s, of a deck alone %s, there before: %v", i, session, got,
					want, seen[got])
			}
			seen[got] = true
		}
	}
	for round := range 3 {
		same(decks[0], "")
		same(decks[round], "/~one")
		decks[2].Reset()
		single.Reset()
		if round < 2 {
			if err := decks[round].Close(); err != nil {
				t.Fatal(err)
			}
			decks[0] = decks[round+1]
		}
	}
	same(decks[2], "")
	same(decks[2], "/~two")
}
