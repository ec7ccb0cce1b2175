package match_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/match"
)

const deposits = `POST /payment/rest/deposit.do userName=u&password=p&amount=100&orderId=`

// An order that was paid and deposited; a second deposit may be refused behind that.
func deposited(again ...string) []string {
	lines := []string{
		registers("A-1") + registered(oldID), pay + oldID + ` => {"errorCode":0}`,
		deposits + oldID + ` => {"errorCode":"0"}`,
	}
	return append(append(lines, again...), status+oldID+` => {"errorCode":"0","orderStatus":2}`)
}

// A deposit whose answer was lost is sent again. What a sandbox then says is on tape, or the answer
// says that it is not.
func TestALostAnswerIsAskedForAgain(t *testing.T) {
	t.Parallel()
	refused := deposits + oldID + ` => {"errorCode":"7","errorMessage":"deposited already"}`
	for _, test := range []struct {
		name   string
		tape   []string
		want   string // the answers to the deposit sent three times
		status string // the mark of the status behind them
	}{
		{"the tape has no second deposit", deposited(),
			`{"errorCode":"0"}; {"errorCode":"0"} assumed=retry; {"errorCode":"0"} assumed=retry`, "assumed=retry"},
		{"the second deposit is refused on tape", deposited(refused),
			`{"errorCode":"0"}; {"errorCode":"7","errorMessage":"deposited already"}; {"errorCode":"7","errorMessage":"deposited already"}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := replay(t, tape(test.tape...))
			s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
			s.hit(pay + "$id$")
			var got []string
			for range 3 {
				a, miss := s.serve(deposits + "$id$")
				if miss != nil {
					t.Fatal(miss.Sentence)
				}
				got = append(got, strings.TrimSpace(a.Body+" "+a.Mark))
				a.Delivered(false)
			}
			if text := strings.Join(got, "; "); text != test.want {
				t.Errorf("got  %s\nwant %s", text, test.want)
			}
			if a, miss := s.serve(status + "$id$"); miss != nil || a.Mark != test.status {
				t.Errorf("the status behind that: %+v %v", a, miss)
			}
		})
	}
}

// Whoever refuses marked answers has a miss in place of the answer that a sandbox might not give.
func TestARefusedRetryIsAMiss(t *testing.T) {
	t.Parallel()
	s := replay(t, tape(deposited()...))
	s.opts.RefuseMarked = true
	s.player = match.NewPlayer(match.Compile(s.opts, match.Cassette{Name: "t", Exchanges: tape(deposited()...)}))
	s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
	s.hit(pay + "$id$")
	if _, miss := s.serve(deposits + "$id$"); miss != nil {
		t.Fatal(miss.Sentence)
	}
	if m := s.miss(deposits + "$id$"); m.Reason != match.BadState || !strings.Contains(m.Sentence, "assumed=retry") {
		t.Errorf("got %s: %s", m.Reason, m.Sentence)
	}
}

// A client that has its answer sends no retry: what the tape does not have is a miss.
func TestADeliveredAnswerIsNotGivenAgain(t *testing.T) {
	t.Parallel()
	s := replay(t, checkout())
	s.keep("id", s.hit(registers("B-1")), `"orderId":"`)
	cut, miss := s.serve(pay + "$id$")
	if miss != nil {
		t.Fatal(miss.Sentence)
	}
	again, miss := s.serve(pay + "$id$")
	if miss != nil || again.Body != cut.Body || again.Mark != "assumed=retry" {
		t.Fatalf("a client whose answer was cut did not get it again, marked: %+v %v", again, miss)
	}
	again.Delivered(true)
	if m := s.miss(pay + "$id$"); m.Reason != match.BadState {
		t.Errorf("after the answer was read: got %s, want %s", m.Reason, match.BadState)
	}
}

// An equal idempotency key is what tells a sandbox that a write is not new.
func TestAnIdempotencyKeyBringsTheSameAnswer(t *testing.T) {
	t.Parallel()
	s := replay(t, tape(
		`POST /v2/cardholders {"firstName":"A"} => {"id":"holder-00000001"}`,
		`PATCH /v2/cardholders/holder-00000001 {"firstName":"B"} => {"id":"holder-00000001","n":1}`,
		`PATCH /v2/cardholders/holder-00000001 {"firstName":"B"} => {"id":"holder-00000001","n":2}`,
	))
	s.keep("id", s.hit(`POST /v2/cardholders {"firstName":"A"}`), `"id":"`)
	send := func(key string, delivered bool) string {
		r := match.NewRequest(s.opts.Profiles, "PATCH", "/v2/cardholders/"+s.ids["id"],
			http.Header{"Idempotency-Key": {key}}, `{"firstName":"B"}`)
		a, miss := s.player.Serve(r)
		if miss != nil {
			t.Fatal(miss.Sentence)
		}
		a.Delivered(delivered)
		_, n, _ := strings.Cut(a.Body, `"n":`)
		return n + a.Mark
	}
	got := []string{send("k1", false), send("k1", true), send("k2", true), send("k1", true), send("k2", false)}
	if want := []string{"1}", "1}", "2}", "1}", "2}"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestIdempotencyKey(t *testing.T) {
	s := replay(t, tape(`POST /v2/cardholders {"firstName":"A"} => {"id":"holder-00000001"}`))
	send := func(key string) string {
		r := match.NewRequest(s.opts.Profiles, "POST", "/v2/cardholders",
			http.Header{"Idempotency-Key": {key}}, `{"firstName":"A"}`)
		a, miss := s.player.Serve(r)
		if miss != nil {
			t.Fatal(miss.Sentence)
		}
		a.Delivered(true)
		return a.Body
	}
	if first := send("k1"); send("k1") != first || send("k2") == first {
		t.Error("an equal key must get the same answer, another key another")
	}
}
