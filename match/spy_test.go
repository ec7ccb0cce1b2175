package match_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// spying is a replay that can ask a sandbox.
type spying struct{ *session }

// ask sends a request line and tells where it is answered: "tape", "upstream", or the reason
// of a miss. Upstream answers with answer.
func (s spying) ask(line, answer string) (where, body string) {
	s.t.Helper()
	for name, v := range s.ids {
		line = strings.ReplaceAll(line, "$"+name+"$", v)
	}
	method, target, sent := requestLine(line)
	request := func() *match.Request {
		return match.NewRequest(s.opts.Profiles, method, target, http.Header{}, sent)
	}
	a, miss := s.player.Spy(request())
	if a != nil || miss != nil {
		explained(s.t, a, miss)
	}
	switch {
	case miss != nil:
		return string(miss.Reason), miss.Sentence
	case a != nil:
		a.Delivered(true)
		return "tape", a.Body
	}
	s.player.Adopt(request(), http.StatusOK, leaf.Message{
		Header: http.Header{"Content-Type": {"application/json"}}, Body: answer,
	})
	return "upstream", answer
}

func (s spying) want(where, line, answer string) string {
	s.t.Helper()
	got, body := s.ask(line, answer)
	if got != where {
		s.t.Fatalf("%s\nwas answered by %s: %s; want %s", line, got, body, where)
	}
	return body
}

const (
	upstreamID = "0193ffff-2222-7222-8222-2222c0ffee00"
	refunds    = `POST /payment/rest/refund.do userName=u&password=p&amount=1&orderId=`
	issued     = `{"orderId":"` + upstreamID + `","formUrl":"https://sandbox.example/p.html?mdOrder=` +
		upstreamID + `"}`
	paid = `{"errorCode":0}`
)

func spy(t *testing.T) spying { return spying{replay(t, checkout())} }

// TestWhyASpyAsksNobody explains a call about a thing that is replayed, which the tape has no answer to:
// it ended where it turned out that the thing is not the sandbox's.
func TestWhyASpyAsksNobody(t *testing.T) {
	s := spy(t)
	s.keep("taped", s.want("tape", registers("B-1"), ""), `"orderId":"`)
	method, target, body := requestLine(strings.ReplaceAll(refunds+"$taped$", "$taped$", s.ids["taped"]))
	_, miss := s.player.Spy(match.NewRequest(s.opts.Profiles, method, target, http.Header{}, body))
	if miss == nil {
		t.Fatal("the call was answered")
	}
	e := explained(t, nil, miss)
	if r := e.Rungs[1]; r.Verdict != match.No || !strings.Contains(r.Text.String(), "that is replayed") {
		t.Errorf("it ended at %+v", e.Rungs)
	}
	if e.Before != "register.do" || e.After != e.Before {
		t.Errorf("from %q to %q", e.Before, e.After)
	}
}

func TestASpyDecidesForEachEntity(t *testing.T) {
	s := spy(t)
	s.keep("taped", s.want("tape", registers("B-1"), ""), `"orderId":"`)
	s.want("upstream", registers("B-2")+"&language=en", issued)
	s.want("tape", status+"$taped$", "")
	s.want("upstream", status+upstreamID, `{"orderStatus":0}`) // the tape has its like
	s.want("upstream", pay+upstreamID, paid)
	s.want("tape", pay+"$taped$", "")
	s.want("upstream", refunds+upstreamID, paid)
	got := s.want("state", refunds+"$taped$", "")
	if !strings.Contains(got, "something that is replayed, and the sandbox does not know its ids") ||
		!strings.Contains(got, "no call of refund.do") {
		t.Errorf("the miss says %q", got)
	}
	s.want("upstream", refunds+oldID2, paid) // an id of nobody's
	// By the order number: the client's own name of an order.
	byNumber := strings.TrimSuffix(status, "orderId=") + "orderNumber="
	s.want("tape", byNumber+"B-1", "") // an order goes by any of its names
	s.want("state", registers("B-1"), "")
	s.want("upstream", byNumber+"B-2", `{"orderStatus":2}`)
}

func TestASpyAsksForWhatNamesNothing(t *testing.T) {
	s := spy(t)
	const last = `POST /payment/rest/getLastOrdersForMerchants.do userName=u&password=p&page=0`
	s.want("upstream", last, `{"orderStatuses":[]}`)
	s.keep("taped", s.want("tape", registers("B-1"), ""), `"orderId":"`)
	s.want("state", last, "") // the sandbox does not know an order that is replayed
	s.want("upstream", `POST /elsewhere a=1`, `{}`)
	s.want("tape", status+"$taped$", "") // asking for something else changes nothing
}

func TestASpyKeepsUnknownAPIsApart(t *testing.T) {
	const opens = `POST /api/jobs {"kind":"a","shop":"shop-00000001"}`
	s := spying{replay(t, tape(opens+` => {"job":"job-11112222"}`,
		`GET /api/jobs/job-11112222 => {"job":"job-11112222","state":"done"}`))}
	s.keep("taped", s.want("tape", opens, ""), `"job":"`)
	s.want("upstream", `POST /api/jobs {"kind":"b","shop":"shop-00000001"}`,
		`{"job":"job-99998888","shop":"shop-00000001","on":"2026-01-01T00:00:00"}`)
	s.want("upstream", `GET /api/jobs/job-99998888`, `{"state":"new"}`)
	s.want("tape", `GET /api/jobs/$taped$`, "")
	s.want("state", `DELETE /api/jobs/$taped$`, "")
	s.want("upstream", `DELETE /api/jobs/job-99998888`, `{}`)
	// A constant of the tape tells nobody apart, though upstream repeats it.
	s.want("tape", opens, "")
}

func TestASpyDoesNotMixEntities(t *testing.T) {
	pair := func(a, b string) string { return `POST /api/pairs {"a":"` + a + `","b":"` + b + `"}` }
	s := spying{replay(t, tape(`POST /api/jobs {"kind":"a"} => {"job":"job-11112222"}`,
		`GET /api/jobs/job-11112222 => {}`))}
	s.keep("taped", s.want("tape", `POST /api/jobs {"kind":"a"}`, ""), `"job":"`)
	s.want("upstream", `POST /api/jobs {"kind":"b"}`, `{"job":"job-99998888"}`)
	s.want("upstream", `POST /api/jobs {"kind":"c"}`, `{"job":"job-77776666"}`)
	got := s.want("state", pair("$taped$", "job-99998888"), "")
	if !strings.Contains(got, "some are replayed and some live upstream") {
		t.Errorf("the miss says %q", got)
	}
	s.want("upstream", pair("job-77776666", "job-99998888"), `{}`)
}

// Who shares a clientId with a replayed payment asks for its bindings: the sandbox, which has
// not seen the payment, would say that there are none.
func TestASpyRefusesWhatTheSandboxCannotKnow(t *testing.T) {
	s := spying{replay(t, tape(registers("A-1")+"&clientId=c-1"+registered(oldID),
		pay+oldID+" => {}"))}
	s.keep("taped", s.want("tape", registers("B-1")+"&clientId=c-7", ""), `"orderId":"`)
	s.want("tape", pay+"$taped$", "")
	asks := strings.Replace(bindings, "c-1", "c-7", 1)
	s.want("state", asks, "")
	s.want("upstream", bindings, `{"errorCode":"2"}`)
	s.want("upstream", registers("B-2")+"&clientId=c-7&language=en", issued)
	s.want("state", asks, "") // neither knows the order of the other
}

// What belongs to a client that the sandbox alone has seen is the sandbox's, as on tape as it may
// be.
func TestASpyAsksAboutAClientOfTheSandbox(t *testing.T) {
	s := spying{replay(t, paidWithBinding())}
	s.want("upstream", registers("B-1")+"&clientId=c-1&language=en", issued)
	s.want("upstream", bindings, `{"errorCode":"2"}`)
	s.keep("taped", s.want("tape", registers("B-2")+"&clientId=c-2", ""), `"orderId":"`)
	s.want("tape", strings.Replace(bindings, "c-1", "c-2", 1), "")
}

// A card from before the tape lives in both places, until something is done to it in one.
func TestASpyFollowsWhatWasThereBefore(t *testing.T) {
	const at = `POST /v1/apigate/ws/rest/`
	call := func(operation, number, more string) string {
		return at + operation + ` {"cardIdentification":{"cardNumber":"` + number + `"}` + more + `}`
	}
	one, two := "4000000000050002", "4000000000051117"
	s := spying{replay(t, tape(
		call("getCardData", one, "")+` => {"cardStatus":"0"}`,
		call("getCardData", two, "")+` => {"cardStatus":"0"}`,
		call("blockCard", one, "")+` => {"errorCode":"0"}`,
		call("getCardData", one, "")+` => {"cardStatus":"1"}`,
	))}
	s.want("tape", call("getCardData", one, ""), "")
	s.want("upstream", call("getCardLimits", one, ""), `{}`)
	s.want("tape", call("blockCard", one, ""), "")
	s.want("tape", call("getCardData", one, ""), "")
	s.want("state", call("getCardLimits", one, ""), "")
	s.want("tape", call("getCardData", two, ""), "")
	s.want("upstream", call("blockCard", two, `,"reason":"9"`), `{"responseCode":"12"}`)
	s.want("tape", call("getCardData", two, ""), "") // what failed has changed nothing
	s.want("upstream", call("blockCard", two, `,"reason":"7"`), `{"errorCode":"0"}`)
	s.want("upstream", call("getCardData", two, ""), `{"cardStatus":"1"}`)
}

// An id that replay has made is unknown to the sandbox, though what it was of is no longer kept.
func TestASpyKnowsEveryIDThatReplayMade(t *testing.T) {
	m := sessions(t, checkout())
	m.keep("taped", m.must("", registers("B-1")), `"orderId":"`)
	m.sessions.Reset()
	for _, tt := range []struct {
		id   string
		here bool
	}{{m.ids["taped"], true}, {upstreamID, false}} {
		method, target, body := requestLine(refunds + tt.id)
		r := match.NewRequest(m.opts.Profiles, method, target, http.Header{}, body)
		if _, miss := m.sessions.Spy(r); (miss != nil) != tt.here {
			t.Errorf("%s: got %v", tt.id, miss)
		}
	}
}

// A write that the sandbox was asked for has changed nothing on tape.
func TestAWriteUpstreamMarksNothing(t *testing.T) {
	const last = `POST /payment/rest/getLastOrdersForMerchants.do userName=u&password=p&page=0`
	s := spying{replay(t, tape(last+` => {"orderStatuses":[]}`))}
	s.want("upstream", registers("B-1"), `{"errorCode":"5"}`)
	a, miss := s.serve(last)
	if miss != nil || a.Mark != "" {
		t.Errorf("got %v, miss %v", a, miss)
	}
}

func TestAnOpeningThatFailedUpstreamOpensNothing(t *testing.T) {
	s := spy(t)
	wrong := strings.Replace(registers("B-1"), "amount=100", "amount=-1", 1)
	s.want("upstream", wrong, `{"errorCode":"5"}`)
	s.want("tape", registers("B-1"), "")
}

func TestASpyOfAnEmptyTapeAsksForAll(t *testing.T) {
	s := spying{replay(t, nil)}
	s.want("upstream", registers("B-1"), issued)
	s.want("upstream", status+upstreamID, `{}`)
}

// Of a card that the sandbox issued it alone knows, and no call moves between the two.
func TestASpyKnowsCardsThatTheSandboxIssued(t *testing.T) {
	const at = `POST /v1/apigate/ws/rest/`
	data := func(number string) string {
		return at + `getCardData {"cardIdentification":{"cardNumber":"` + number + `"}}`
	}
	const before = "4000000000050002"
	s := spying{replay(t, tape(data(before)+` => {"cardStatus":"0"}`,
		registers("A-1")+registered(oldID), pay+oldID+` => {}`))}
	number := "427600" + "0000010018"
	s.want("tape", data(before), "")
	s.want("upstream", at+`createVirtualCard {"cardIdentification":{"cardNumber":"4276000000000000"}}`,
		`{"cardNumber":"`+number+`","cardNumberMask":"427600******0018"}`)
	s.want("upstream", data(number), `{}`)
	s.want("tape", data(before), "")
	s.keep("taped", s.want("tape", registers("B-1"), ""), `"orderId":"`)
	s.want("state", strings.Replace(pay, before, number, 1)+"$taped$", "")
	s.want("tape", pay+"$taped$", "")
}
