package cluster

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/paytape/paytape/proxy/internal/http1"
)

// TestADefectEndsOneRequest has serving panic: the session goes on, here and where the log is served
// again.
func TestADefectEndsOneRequest(t *testing.T) {
	t.Parallel()
	servers := newTestNATS(t)
	first, d := newTestNode(t, servers)
	second, other := newTestNode(t, servers)
	panics := func(r *Request) {
		if r.ID == "bad" {
			panic("a card number")
		}
	}
	d.serve, other.serve = panics, panics
	bad := &Request{requestFields: requestFields{ID: "bad", Method: "POST", Target: "/"}}
	a, _, err := first.ask(t.Context(), bad)
	if err != nil || a.End != EndCut || a.Code != 0 {
		t.Fatal(a, err)
	}
	if got := asked(t, first, "b"); got != "2 []" {
		t.Error(got)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if a, _, err := second.ask(t.Context(), bad); err != nil || a.End != EndCut {
		t.Error(a, err)
	}
	if got := asked(t, second, "c"); got != "3 []" {
		t.Errorf("taken over: %s", got)
	}
}

// TestAnswersAreDroppedByAge keeps more answers than there is room for. A request whose answer was
// dropped is not served again, here and where the log is served again.
func TestAnswersAreDroppedByAge(t *testing.T) {
	t.Parallel()
	servers := newTestNATS(t)
	first, _ := newTestNode(t, servers)
	second, _ := newTestNode(t, servers)
	for i := range maxAnswers + 2 {
		asked(t, first, fmt.Sprint("r", i))
	}
	look := func(n *Node) {
		t.Helper()
		c := n.claimOf("")
		if c == nil {
			t.Fatal("the session is not here")
		}
		request := func(id string) *Request {
			return &Request{requestFields: requestFields{ID: id, Method: "POST", Target: "/"}}
		}
		for _, id := range []string{"r0", "r1"} {
			if c.take(request(id)) != nil {
				t.Errorf("%s is served again", id)
			}
		}
		for i := 2; i < maxAnswers+2; i++ {
			s := c.take(request(fmt.Sprint("r", i)))
			if want := fmt.Sprint(i+1, " []"); s == nil || string(s.Answer.Pieces[0].Data) != want {
				t.Fatalf("r%d has another answer than before", i)
			}
		}
	}
	look(first)
	first.claimOf("").received("r5", false)
	first.claimOf("").received("r5", true) // comes late
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	asked(t, second, fmt.Sprint("r", maxAnswers+1)) // takes over
	c := second.claimOf("")
	if c.answers.of("r5") != nil || !c.finished.has("r5") || len(c.answers.kept) != maxAnswers-1 {
		t.Errorf("an answer that broke off is kept: %d are", len(c.answers.kept))
	}
	if !c.finished.has("r0") || !c.finished.has("r1") {
		t.Error("what was dropped is served again by the next owner")
	}
}

// TestAnswersAreBoundByBytes keeps large answers.
func TestAnswersAreBoundByBytes(t *testing.T) {
	t.Parallel()
	var a answers
	large := func() *served {
		return &served{Served: &Served{Answer: &Answer{answerFields: answerFields{Raw: make([]byte, maxAnswerBytes/2)}}}}
	}
	a.add("one", large())
	if dropped := a.add("two", large()); len(dropped) != 1 || dropped[0] != "one" {
		t.Errorf("dropped %q", dropped)
	}
	if a.take("two"); a.bytes != 0 {
		t.Errorf("%d bytes of nothing", a.bytes)
	}
	for i := range 3 * maxAnswers {
		id := fmt.Sprint(i)
		a.add(id, &served{Served: &Served{Answer: &Answer{}}})
		if i > 0 {
			a.take(id)
		}
	}
	if len(a.order) > 2*maxAnswers+1 || len(a.kept) != 1 {
		t.Errorf("%d numbers for %d answers", len(a.order), len(a.kept))
	}
}

// TestALogThatExpiresIsNotServed takes a session over whose log has lost its beginning: it begins anew,
// in another generation, and goes on as any other.
func TestALogThatExpiresIsNotServed(t *testing.T) {
	t.Parallel()
	servers := newTestNATS(t)
	first, _ := newTestNode(t, servers)
	second, d := newTestNode(t, servers)
	third, _ := newTestNode(t, servers)
	for _, id := range []string{"a", "b", "c"} {
		asked(t, first, id)
	}
	subject := first.claimOf("").subject
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	at, err := second.bus.log.GetLastMsgForSubject(t.Context(), subject)
	if err != nil {
		t.Fatal(err)
	}
	err = second.bus.log.Purge(t.Context(), jetstream.WithPurgeSubject(subject),
		jetstream.WithPurgeSequence(at.Sequence-1))
	if err != nil {
		t.Fatal(err)
	}
	second.origin.Began = second.origin.Began.Add(-logAge) // the time that this takes
	if got := asked(t, second, "d"); got != "101 []" {
		t.Errorf("of the old log something is served: %s", got)
	}
	if d.mu.Lock(); len(d.warned) != 1 || !strings.Contains(d.warned[0], "begins anew") {
		t.Errorf("warned of %q", d.warned)
	}
	d.mu.Unlock()
	if err := second.Close(); err != nil {
		t.Fatal(err)
	}
	if got := asked(t, third, "e"); got != "102 []" {
		t.Errorf("taken over: %s", got)
	}
}

// TestABrokenLogIsToldAtOnce asks for a session whose log cannot be opened.
func TestABrokenLogIsToldAtOnce(t *testing.T) {
	t.Parallel()
	n, d := newTestNode(t, newTestNATS(t))
	if _, err := n.bus.js.Publish(t.Context(), n.newClaim("").subject, []byte("nobody has sealed this")); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w := httptest.NewRecorder()
		n.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "cannot be served again") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.warned) != 1 || !strings.Contains(d.warned[0], "sealed with the key") {
		t.Errorf("warned of %q", d.warned)
	}
}

// TestTheNextRequestIsAReceipt sends requests at once behind each other on one connection, to the owner
// and through another deck: each finds the answer before delivered, as at a deck alone.
func TestTheNextRequestIsAReceipt(t *testing.T) {
	t.Parallel()
	servers := newTestNATS(t)
	first, _ := newTestNode(t, servers)
	second, _ := newTestNode(t, servers)
	asked(t, first, "a")
	for i, n := range []*Node{first, second} {
		conn := http1.WithConn(t.Context(), &http1.Conn{})
		session := ""
		if i == 0 {
			session = "/~own"
		}
		for delivered := range 20 {
			w := httptest.NewRecorder()
			n.ServeHTTP(w, httptest.NewRequest("POST", session+"/got", nil).WithContext(conn))
			if got := w.Body.String(); got != fmt.Sprint(delivered) {
				t.Fatalf("deck %d: of %d answers %s are delivered", i, delivered, got)
			}
		}
	}
}
