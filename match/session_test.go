package match_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/match"
)

// many is a replay with sessions.
type many struct {
	*session
	sessions *match.Sessions
	now      time.Time
}

func sessions(t *testing.T, xs []*leaf.Exchange, change ...func(*match.Options)) *many {
	t.Helper()
	m := &many{now: played}
	o := match.Options{Profiles: profiles(t), Seed: 3, Now: func() time.Time { return m.now }}
	for _, c := range change {
		c(&o)
	}
	m.sessions = match.NewSessions(match.Compile(o, match.Cassette{Name: "t", Exchanges: xs}))
	m.session = &session{t: t, opts: o, ids: map[string]string{}}
	return m
}

// in sends a request line in a session; the miss is nil if it was answered.
func (m *many) in(name, line string) (string, *match.Miss) {
	m.t.Helper()
	for id, v := range m.ids {
		line = strings.ReplaceAll(line, "$"+id+"$", v)
	}
	method, target, body := requestLine(line)
	r := match.NewRequest(m.opts.Profiles, method, target, http.Header{}, body)
	r.Session, r.Deck = name, "http://deck.example:1"
	if name != "" {
		r.Deck += "/~" + name
	}
	a, miss := m.sessions.Serve(r)
	if miss != nil {
		return "", miss
	}
	a.Delivered(true)
	return a.Body, nil
}

// must sends a request that must be answered.
func (m *many) must(name, line string) string {
	m.t.Helper()
	body, miss := m.in(name, line)
	if miss != nil {
		m.t.Fatalf("%s\nmissed: %s: %s", line, miss.Reason, miss.Sentence)
	}
	return body
}

// bindings is a question that carries nothing but what many clients share.
const bindings = `POST /payment/rest/getBindings.do userName=u&password=REDACTED-token-1&clientId=c-1`

func paidWithBinding() []*leaf.Exchange {
	return tape(
		registers("A-1")+"&clientId=c-1"+registered(oldID),
		bindings+` => {"errorCode":"2"}`,
		pay+oldID+` => {"errorCode":0,"redirect":"https://shop.example/r?orderId=`+oldID+`"}`,
		bindings+` => {"errorCode":"0","bindings":[{"bindingId":"`+oldID2+`"}]}`,
	)
}

// Two clients with one clientId share state, as they would at the sandbox; sessions do not.
func TestSessionsShareNothing(t *testing.T) {
	m := sessions(t, paidWithBinding())
	m.keep("one", m.must("one", registers("B-1")+"&clientId=c-1"), `"orderId":"`)
	m.must("one", pay+"$one$")
	m.keep("two", m.must("two", registers("B-2")+"&clientId=c-1"), `"orderId":"`)
	if got := m.must("two", bindings); !strings.Contains(got, `"errorCode":"2"`) {
		t.Errorf("a session sees the payment of another: %s", got)
	}
	if got := m.must("one", bindings); !strings.Contains(got, "bindingId") {
		t.Errorf("a session does not see its own payment: %s", got)
	}
	_, miss := m.in("two", pay+"$one$")
	if miss == nil || miss.Reason != match.UnknownIDs {
		t.Errorf("an id of another session: %+v", miss)
	}
	if got := m.sessions.Names(); !slices.Equal(got, []string{"two", "one"}) {
		t.Errorf("the sessions are %v", got)
	}
}

func TestAddressesLeadBackIntoTheSession(t *testing.T) {
	xs := paidWithBinding()
	xs[0].Response.Headers.Set("Location", "/payment/next")
	m := sessions(t, xs)
	for i, tt := range []struct{ deck, form, location string }{
		{"http://deck.example:1/~one", "http://deck.example:1/~one/payment/p.html",
			"/~one/payment/next"},
		{"http://deck.example:1", "http://deck.example:1/payment/p.html", "/payment/next"},
		{"", "https://sandbox.example/payment/p.html", "/payment/next"},
	} {
		method, target, body := requestLine(registers(fmt.Sprintf("B-%d", i)) + "&clientId=c")
		r := match.NewRequest(m.opts.Profiles, method, target, http.Header{}, body)
		r.Deck = tt.deck
		a, miss := m.sessions.Serve(r)
		if miss != nil {
			t.Fatal(miss.Sentence)
		}
		a.Delivered(true)
		if got := a.Header.Get("Location"); got != tt.location {
			t.Errorf("at %q: redirected to %q, want %q", tt.deck, got, tt.location)
		}
		if !strings.Contains(a.Body, `"`+tt.form+"?") {
			t.Errorf("at %q: got %s, want %s", tt.deck, a.Body, tt.form)
		}
	}
}

// A seed makes a session repeatable, whatever other sessions do.
func TestSessionsAreRepeatable(t *testing.T) {
	first := sessions(t, checkout())
	want := first.must("one", registers("B-1"))
	second := sessions(t, checkout())
	if got := second.must("two", registers("B-1")); got == strings.Replace(want, "~one", "~two", 1) {
		t.Error("two sessions have the same ids")
	}
	second.must("", registers("B-1"))
	if got := second.must("one", registers("B-1")); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSessionsAreBounded(t *testing.T) {
	m := sessions(t, checkout())
	m.keep("id", m.must("first", registers("B-1")), `"orderId":"`)
	for n := range 255 {
		m.must(fmt.Sprintf("other-%d", n), registers("B-1"))
	}
	m.must("first", status+"$id$")
	m.must("one too many", registers("B-1"))
	if got := m.sessions.Names(); len(got) != 256 || slices.Contains(got, "other-0") {
		t.Errorf("%d sessions are left", len(got))
	}
	m.must("first", status+"$id$") // it was used later than the one that went
	m.now = m.now.Add(25 * time.Hour)
	if _, miss := m.in("first", status+"$id$"); miss != nil {
		t.Errorf("a session that is used must not expire before: %s", miss.Sentence)
	}
	if got := m.sessions.Names(); !slices.Equal(got, []string{"first"}) {
		t.Errorf("after a day there are %d sessions", len(got))
	}
}

func TestResetForgetsAll(t *testing.T) {
	m := sessions(t, checkout())
	for _, name := range []string{"", "one"} {
		m.keep("id"+name, m.must(name, registers("B-1")), `"orderId":"`)
		m.must(name, pay+"$id"+name+"$")
	}
	m.sessions.Reset()
	for _, name := range []string{"", "one"} {
		_, miss := m.in(name, status+"$id"+name+"$")
		if miss == nil || miss.Reason != match.UnknownIDs {
			t.Errorf("session %q: an id from before the reset: %+v", name, miss)
		}
		m.keep("again", m.must(name, registers("B-1")), `"orderId":"`)
		if m.ids["again"] == m.ids["id"+name] {
			t.Error("a fresh id is one from before the reset")
		}
		m.must(name, pay+"$again$")
	}
}

func TestRecordedIDs(t *testing.T) {
	m := sessions(t, checkout(), func(o *match.Options) { o.RecordedIDs = true })
	for round := range 2 { // the second takes the id from the first
		body := m.must("", registers(fmt.Sprintf("B-%d", round)))
		m.keep("id", body, `"orderId":"`)
		if m.ids["id"] != oldID {
			t.Errorf("the id is %s", m.ids["id"])
		}
		m.must("", status+oldID)
		m.must("", pay+oldID)
		want := fmt.Sprintf(`"orderNumber":"B-%d"`, round)
		if got := m.must("", status+oldID); !strings.Contains(got, want) {
			t.Errorf("round %d: got %s, want %s", round, got, want)
		}
	}
}

// On tape stands a surrogate, which no client takes for a card number.
func TestRecordedCardNumbersAreValid(t *testing.T) {
	xs, _ := record(t, stories["card life"])
	o := match.Options{
		Profiles: profiles(t), RecordedIDs: true, Now: func() time.Time { return played },
	}
	clean := cleaned(t, xs)
	client := &http.Client{Transport: player{
		Player: match.NewPlayer(match.Compile(o, match.Cassette{Name: "t", Exchanges: clean})),
		set:    o.Profiles,
	}}
	teller := second(1)
	teller.Base, teller.HTTP = "http://deck.example:1", client
	seen, err := stories["card life"](teller, t.Context())
	if err != nil {
		t.Fatal(err)
	}
	numbers := 0
	for _, v := range seen {
		if strings.HasPrefix(v.Text, "427600") {
			numbers++
			if pan.Residue(v.Text) != pan.Valid {
				t.Errorf("%s does not pass Luhn", v.Name)
			}
		}
	}
	if numbers == 0 {
		t.Error("the story saw no card number")
	}
}

func TestBegan(t *testing.T) {
	early, late := tape("GET /a => {}"), tape("GET /b => {}", "GET /c => {}")
	early[0].Meta.At = recorded.Add(-time.Hour)
	got := match.Began(match.Cassette{Exchanges: late}, match.Cassette{Exchanges: early})
	if !got.Equal(recorded.Add(-time.Hour)) {
		t.Errorf("began at %s", got)
	}
	early[0].Meta.At = time.Time{}
	if got := match.Began(match.Cassette{Exchanges: early}); !got.IsZero() {
		t.Errorf("a tape without times began at %s", got)
	}
}

func TestRecordedNamesTheExchanges(t *testing.T) {
	o := match.Options{Profiles: profiles(t)}
	compiled := match.Compile(o, match.Cassette{Name: "a", Exchanges: checkout()},
		match.Cassette{Name: "b", Exchanges: tape("GET /x => {}")})
	var got []match.Recorded
	for r := range compiled.Recorded() {
		got = append(got, r)
	}
	first := match.Recorded{Cassette: "a", Number: 1, Operation: "register.do"}
	if len(got) != 7 || got[0] != first ||
		got[6] != (match.Recorded{Cassette: "b", Number: 1, Operation: "GET /x"}) {
		t.Errorf("got %v", got)
	}
}

func TestLiveCountsWhatIsKept(t *testing.T) {
	m := sessions(t, paidWithBinding())
	want := func(when string, sessions, entities int) {
		t.Helper()
		if s, e := m.sessions.Live(); s != sessions || e != entities {
			t.Errorf("%s: %d sessions and %d entities, want %d and %d", when, s, e, sessions, entities)
		}
	}
	want("at the beginning", 0, 0)
	m.keep("one", m.must("one", registers("B-1")+"&clientId=c-1"), `"orderId":"`)
	m.must("", registers("B-2")+"&clientId=c-2")
	m.must("", registers("B-3")+"&clientId=c-3")
	want("after three orders of three clients", 1, 6)
	m.must("one", pay+"$one$")
	want("after a payment, which brings a binding", 1, 7)
	m.sessions.Reset()
	want("after a reset", 0, 0)
}

// A write of which nothing can come back bears nothing.
func TestWritesWithoutValuesBearNothing(t *testing.T) {
	m := sessions(t, tape(`POST /rates/today currency=978 => {"rate":1}`,
		`GET /rates/today => {"rate":1}`))
	for range 3 {
		m.must("", "POST /rates/today currency=978")
		m.must("", "GET /rates/today")
	}
	if _, entities := m.sessions.Live(); entities != 0 {
		t.Errorf("%d entities are kept", entities)
	}
}

// TestMissTellsWhoseAnIDIs tells an id of nobody from one of another session, and both from one
// of something that is gone. No text says more of the other session than that there is one.
func TestMissTellsWhoseAnIDIs(t *testing.T) {
	m := sessions(t, paidWithBinding())
	opened := func(session, number string) string {
		m.keep("id", m.must(session, registers(number)+"&clientId=c-1"), `"orderId":"`)
		return m.ids["id"]
	}
	one, common, two := opened("secret-team", "B-1"), opened("", "B-2"), opened("two", "B-3")
	tests := []struct{ name, session, id, sentence, hint string }{
		{"nobody's", "two", oldID2, "this MDORDER was not issued in this run",
			"call register.do (t#1) first"},
		{"another session's", "two", one, "this MDORDER was issued in another session",
			"/~NAME/ or none"},
		{"one without a session", "two", common, "issued in another session", "/~NAME/ or none"},
		{"a session's, asked without", "", two, "issued in another session", "/~NAME/ or none"},
	}
	check := func(session, id, sentence, hint string) {
		t.Helper()
		_, miss := m.in(session, pay+id)
		if miss == nil || miss.Reason != match.UnknownIDs {
			t.Fatalf("got %+v", miss)
		}
		if !strings.Contains(miss.Sentence, sentence) || !strings.Contains(miss.Hint, hint) {
			t.Errorf("got %s (%s)", miss.Sentence, miss.Hint)
		}
		text := miss.Sentence + miss.Hint + fmt.Sprint(miss.Near)
		for _, leak := range []string{one, common, two, "secret-team"} {
			if strings.Contains(text, leak) {
				t.Error("the text tells more of another session than that there is one")
			}
		}
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { check(tt.session, tt.id, tt.sentence, tt.hint) })
	}
	m.must("two", pay+two)
	m.sessions.Reset()
	check("", common, "issued in this run, to something that is no longer kept", "reset")
	check("two", two, "issued in this run, to something that is no longer kept", "reset")
}
