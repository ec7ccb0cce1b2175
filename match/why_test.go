package match_test

import (
	"fmt"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
)

// explained checks what holds of the explanation of every answer and of every miss, and returns it.
// Most tests of this package serve through it.
func explained(t testing.TB, a *match.Answer, miss *match.Miss) *match.Explanation {
	t.Helper()
	e, faults := explain(a, miss)
	for _, f := range faults {
		t.Error(f)
	}
	return e
}

// explain explains an answer or a miss, and says what is wrong with the explanation.
func explain(a *match.Answer, miss *match.Miss) (e *match.Explanation, faults []string) {
	wrong := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	var trace *match.Trace
	if a != nil {
		trace = a.Trace
	} else {
		trace = miss.Trace
	}
	e = trace.Explain()
	var no []int
	for i, r := range e.Rungs {
		if r.Name == "" || r.Text.String() == "" {
			wrong("rung %d says nothing: %+v", i, r)
		}
		if len(no) > 0 && r.Verdict != match.NotTried {
			wrong("rung %s behind the first no: %s", r.Name, r.Verdict)
		}
		if r.Verdict == match.No {
			no = append(no, i)
		}
	}
	if text := e.Sentence.String(); !strings.HasSuffix(text, ".") {
		wrong("the sentence is %q", text)
	}
	if a != nil {
		checkHit(wrong, a, e, no)
	} else {
		checkMiss(wrong, miss, e, no)
	}
	return e, faults
}

// complaint says what is wrong.
type complaint func(format string, args ...any)

func checkHit(wrong complaint, a *match.Answer, e *match.Explanation, no []int) {
	if len(no) > 0 || e.Reason != "" {
		wrong("an answer was not tried to its end: rungs %v, reason %q", no, e.Reason)
	}
	if e.Mark != a.Mark {
		wrong("mark %q of an answer marked %q", e.Mark, a.Mark)
	}
	if e.Served == nil || e.Served.Cassette != a.Cassette || e.Served.Number != a.Number {
		wrong("served %+v of an answer from %s#%d", e.Served, a.Cassette, a.Number)
	}
	if len(e.Candidates) == 0 || !e.Candidates[0].Served || e.Candidates[0].Number != a.Number {
		wrong("the first candidate is not %s#%d", a.Cassette, a.Number)
	}
}

// failingRungs are the rungs at which a miss of a reason can end.
var failingRungs = map[match.Reason][]int{
	match.NoOperation: {0}, match.BadMethod: {0}, match.BadPath: {0},
	match.UnknownIDs: {1}, match.BadState: {1, 2, 4}, match.BadField: {3}, match.ByRule: {5},
}

func checkMiss(wrong complaint, miss *match.Miss, e *match.Explanation, no []int) {
	if len(no) != 1 {
		wrong("a miss (%s) has %d rungs that say no", miss.Reason, len(no))
	} else if !slices.Contains(failingRungs[miss.Reason], no[0]) {
		wrong("a miss of %s (%s) ended at %s", miss.Reason, miss.Sentence, e.Rungs[no[0]].Name)
	}
	if e.Reason != miss.Reason {
		wrong("reason %q of a miss of %q", e.Reason, miss.Reason)
	}
	if e.Served != nil || slices.ContainsFunc(e.Candidates, func(c match.Candidate) bool { return c.Served }) {
		wrong("a miss was served")
	}
	if len(e.Mends) == 0 {
		wrong("nothing mends a miss of %s", miss.Reason)
	}
}

// TestWhy follows one client through hits and misses, and reads the words.
func TestWhy(t *testing.T) {
	s := replay(t, refunded())
	a, _ := s.serve(registers("B-1"))
	s.keep("id", a.Body, `"orderId":"`)
	a.Delivered(true)
	e := explained(t, a, nil)
	if got := e.Rungs[1]; got.Name != "order" || !strings.Contains(got.Text.String(), "bears an order") {
		t.Errorf("a birth: %s: %s", got.Name, got.Text)
	}
	if e.After != "register.do" || len(e.Mends) != 0 {
		t.Errorf("after %q, mends %v", e.After, e.Mends)
	}

	a, _ = s.serve(pay + "$id$")
	e = explained(t, a, nil)
	if e.Before != "register.do" || !strings.HasSuffix(e.After, "paymentorder.do") {
		t.Errorf("from %q to %q", e.Before, e.After)
	}
	role := func(path string) string {
		for _, c := range e.Compared {
			if c.Path == path {
				return c.Role
			}
		}
		return ""
	}
	for path, want := range map[string]string{
		"MDORDER": "names the order", "$PAN": "decides which recording answers",
		"password": "not compared: secrets are not on tape", "TEXT": "follows the client",
	} {
		if got := role(path); got != want {
			t.Errorf("%s %s, want %s", path, got, want)
		}
	}

	refund := "POST /payment/rest/refund.do userName=u&password=REDACTED-token-1&orderId=$id$&amount="
	_, miss := s.serve(refund + "5000")
	e = explained(t, nil, miss)
	wants := []string{
		"yes operation refund.do is known (gateway.yaml:", "yes order orderId [live value] was issued",
		"yes state", "no fields amount differs: sent [live value], on tape 2500; exact (gateway.yaml:",
		"- likeness not tried", "- rules not tried",
	}
	for i, want := range wants {
		r := e.Rungs[i]
		if got := fmt.Sprintf("%s %s %s", r.Verdict, r.Name, r.Text); !strings.HasPrefix(got, want) {
			t.Errorf("rung %d: %q, want %q...", i, got, want)
		}
	}
	c := e.Candidates[0]
	if c.Number != 1 && (!c.Equal || len(c.Diffs) != 1 || c.Diffs[0].Got.Reveal() != "5000") {
		t.Errorf("the nearest candidate is %+v", c)
	}
	mends := map[match.MendKind]match.Mend{}
	for _, m := range e.Mends {
		mends[m.Kind] = m
	}
	if got := mends[match.MendClient].Text; got != "send amount=2500" {
		t.Errorf("the client is told to %q", got)
	}
	if got := mends[match.MendCommand].Code; got != "paytape record --upstream https://sandbox.example t" {
		t.Errorf("the command is %q", got)
	}
	if got := mends[match.MendRules].Code; !strings.Contains(got, "amount: client shared # was: exact (gateway.yaml:") ||
		!strings.Contains(got, "refundedAmount: client shared") {
		t.Errorf("the rows are\n%s", got)
	}
}

// refunded is a payment that is refunded in part.
func refunded() []*leaf.Exchange {
	return tape(
		registers("A-1")+registered(oldID),
		pay+oldID+` => {"errorCode":0}`,
		"POST /payment/rest/refund.do userName=u&password=REDACTED-token-1&orderId="+oldID+
			`&amount=2500 => {"errorCode":"0"}`,
		status+oldID+` => {"errorCode":"0","orderStatus":4,"refundedAmount":2500}`,
	)
}

// TestTheRowsMendTheMiss puts the rows that an explanation offers on top of the profiles: the same
// request is answered, and later answers follow it.
func TestTheRowsMendTheMiss(t *testing.T) {
	xs := refunded()
	refund := "POST /payment/rest/refund.do userName=u&password=x&orderId=$id$&amount=5000"
	play := func(s *session) (*match.Answer, *match.Miss) {
		s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
		s.hit(pay + "$id$")
		return s.serve(refund)
	}
	s := replay(t, xs)
	_, miss := play(s)
	if miss == nil {
		t.Fatal("another amount was answered")
	}
	e := explained(t, nil, miss)
	code := ""
	for _, m := range e.Mends {
		if m.Kind == match.MendRules {
			code = m.Code
		}
	}
	set := ownProfiles(t)
	f, err := rules.Parse("mend.yaml", []byte(code), rules.Source{Profiles: set})
	if err != nil {
		t.Fatalf("the rows are no rules file: %v\n%s", err, code)
	}
	set.Override(f.Rewrite)
	s.opts.Profiles = set
	s.player = match.NewPlayer(match.Compile(s.opts, match.Cassette{Name: "t", Exchanges: xs}))
	if _, miss := play(s); miss != nil {
		t.Fatalf("with the rows it is a miss still: %s\n%s", miss.Sentence, code)
	}
	if got := s.hit(status + "$id$"); !strings.Contains(got, `"refundedAmount":5000`) {
		t.Errorf("later answers do not follow: %s", got)
	}
}

// TestTheRuleMendsTheMark takes the rule that an explanation of a marked answer offers: the same request
// is answered without a mark.
func TestTheRuleMendsTheMark(t *testing.T) {
	s := replay(t, checkout())
	s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
	s.hit(status + "$id$")
	other := strings.Replace(pay, "4000000000050002", "5555550000050002", 1)
	a, _ := s.serve(other + "$id$")
	e := explained(t, a, nil)
	if a.Mark != "assumed=card" || e.Mark != a.Mark {
		t.Fatalf("marked %q, explained as %q", a.Mark, e.Mark)
	}
	code, texts := "", []string{}
	for _, m := range e.Mends {
		texts = append(texts, string(m.Kind)+" "+m.Text)
		if m.Kind == match.MendRules {
			code = m.Code
		}
	}
	if len(texts) != 3 || !strings.Contains(texts[0], "use a card of the tape") {
		t.Errorf("mends are %q", texts)
	}
	f, err := rules.Parse("mend.yaml", []byte(code), rules.Source{Profiles: profiles(t)})
	if err != nil || len(f.Rules) != 1 {
		t.Fatalf("the rule is no rules file: %v\n%s", err, code)
	}
	a.Delivered(true)
	number := a.Number
	a, _ = s.serve(status + "$id$")
	e = explained(t, a, nil)
	if len(e.Mends) == 0 || !strings.Contains(e.Mends[0].Text, "mend the first answer") {
		t.Errorf("what follows from a mark is mended by %v", e.Mends)
	}
	s.keep("next", s.hit(registers("B-2")), `"orderId":"`)
	s.hit(status + "$next$")
	if a, miss := s.choosing(other+"$next$", numbered("t", number)); miss != nil || a.Mark != "" {
		t.Errorf("with the rule: %v, %v", a, miss)
	}
}

// TestTraceHidesTheClient prints a trace and its explanation: no value of the client is in it.
func TestTraceHidesTheClient(t *testing.T) {
	s := replay(t, checkout())
	const secret = "very-secret-password"
	_, miss := s.serve(strings.Replace(registers("B-1"), "REDACTED-token-1", secret, 1) + "&amount=" + secret)
	e := explained(t, nil, miss)
	for _, v := range []any{miss.Trace, e, e.Sentence, e.Rungs, e.Compared} {
		if text := fmt.Sprintf("%v %+v %#v", v, v, v); strings.Contains(text, secret) {
			t.Errorf("%T prints a value of the client", v)
		}
	}
}

// TestTracesOfAnswersGivenAgain asks twice with one idempotency key: each answer has a trace of its own,
// and what is kept for the next has none.
func TestTracesOfAnswersGivenAgain(t *testing.T) {
	s := replay(t, checkout())
	ask := func() *match.Answer {
		method, target, body := requestLine(registers("B-1"))
		h := http.Header{"Idempotency-Key": {"k-1"}}
		a, miss := s.player.Serve(match.NewRequest(s.opts.Profiles, method, target, h, body))
		if miss != nil {
			t.Fatal(miss.Sentence)
		}
		return a
	}
	first, second, third := ask(), ask(), ask()
	if first.Body != second.Body || first.Trace == second.Trace || second.Trace == third.Trace {
		t.Error("answers that are given again share a trace")
	}
	for _, a := range []*match.Answer{second, third} {
		if e := explained(t, a, nil); !strings.Contains(e.Sentence.String(), "the same request got before") {
			t.Errorf("it says %q", e.Sentence)
		}
	}
}

// TestTracesKeepNoSession drops a player whose traces are kept: its entities go.
func TestTracesKeepNoSession(t *testing.T) {
	s := replay(t, checkout())
	compiled := match.Compile(s.opts, match.Cassette{Name: "t", Exchanges: checkout()})
	player, traces := match.NewPlayer(compiled), []*match.Trace{}
	id := ""
	for _, line := range []string{"GET /nowhere", registers("B-1"), status} {
		if line == status {
			line += id
		}
		method, target, body := requestLine(line)
		a, miss := player.Serve(match.NewRequest(s.opts.Profiles, method, target, http.Header{}, body))
		if miss != nil {
			traces = append(traces, miss.Trace)
			continue
		}
		traces = append(traces, a.Trace)
		id = strings.Trim(id+regexp.MustCompile(`"orderId":"([^"]+)"`).FindString(a.Body), `"`)
		id = id[strings.LastIndexByte(id, '"')+1:]
	}
	kept := player.Newest()
	player = nil
	runtime.GC()
	if kept() {
		t.Error("traces keep an entity alive")
	}
	for _, trace := range traces {
		if trace.Explain().Sentence.String() == "" {
			t.Error("a trace says nothing when its player has gone")
		}
	}
}

// TestSizeOfATrace sends a large value: its trace counts for what it holds.
func TestSizeOfATrace(t *testing.T) {
	s := replay(t, checkout())
	a, _ := s.serve(registers("B-1"))
	small := a.Trace.Size()
	_, miss := s.serve(registers("B-2") + "&more=" + strings.Repeat("r", 1<<20))
	if large := miss.Trace.Size(); large < 1<<20 || small > 8<<10 || small < 256 {
		t.Errorf("a trace has %d bytes, and one with a text of 1 MiB %d", small, large)
	}
	if (*match.Trace)(nil).Size() != 0 {
		t.Error("no trace has a size")
	}
}
