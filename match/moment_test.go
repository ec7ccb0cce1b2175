package match_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// clocked is a replay whose clock a test moves.
type clocked struct {
	*session
	now time.Time
}

func replayFrom(t *testing.T, now time.Time, xs []*leaf.Exchange) *clocked {
	t.Helper()
	c := &clocked{now: now}
	o := match.Options{Profiles: profiles(t), Seed: 3, Now: func() time.Time { return c.now }}
	tape := match.Compile(o, match.Cassette{Name: "t", Exchanges: xs})
	c.session = &session{t: t, player: match.NewPlayer(tape), opts: o, ids: map[string]string{}}
	return c
}

// within sets the times of exchanges to one second, as a script records them.
func within(second time.Time, xs []*leaf.Exchange) []*leaf.Exchange {
	for i, x := range xs {
		x.Meta.At = second.Add(time.Duration(i) * 10 * time.Millisecond)
	}
	return xs
}

const cards = "/v2/cards"

// TestTwoEventsOfOneSecond records a card that is made and blocked in one second, and replays
// it with two days between. Each event has its own time, and keeps it.
func TestTwoEventsOfOneSecond(t *testing.T) {
	card := func(id, made, blocked string) string {
		return `{"id":"` + id + `","creationDate":"` + made + `","blockingDate":"` + blocked + `"}`
	}
	const id, second = "card-0000000001", "2026-03-31T10:30:00"
	xs := within(recorded, tape(
		`POST `+cards+` {"cardholder":"x"} => `+card(id, second, ""),
		`GET `+cards+`/`+id+` => `+card(id, second, ""),
		`PATCH `+cards+`/`+id+` {"status":"blocked"} => `+card(id, second, second),
		`GET `+cards+`/`+id+` => `+card(id, second, second),
	))
	for i, x := range xs {
		x.Response.Headers.Set("Request-id", fmt.Sprintf("f47ac10b-58cc-4372-a567-0e02b2c3d47%d", i))
	}
	c := replayFrom(t, played, xs)
	const first, later = "2027-03-01T15:45:00", "2027-03-03T15:45:00"
	body := c.hit(`POST ` + cards + ` {"cardholder":"x"}`)
	c.keep("id", body, `"id":"`)
	for _, want := range []string{body, c.hit(`GET ` + cards + `/$id$`)} {
		if want != card(c.ids["id"], first, "") {
			t.Errorf("got %s", want)
		}
	}
	c.now = c.now.AddDate(0, 0, 2)
	for _, line := range []string{`PATCH ` + cards + `/$id$ {"status":"blocked"}`, `GET ` + cards + `/$id$`} {
		c.now = c.now.Add(400 * time.Millisecond)
		if got := c.hit(line); got != card(c.ids["id"], first, later) {
			t.Errorf("%s: got %s", line, got)
		}
	}
}

// TestEventsAreToldApartByTheirIDs records two transfers in one second, and a list of both: in
// replay each has its own time, and the list has the same.
func TestEventsAreToldApartByTheirIDs(t *testing.T) {
	const number, second = "4276000000010005", "2026-03-31T10:30:00"
	transfer := func(id, rrn, at string) string {
		return `{"id":"` + id + `","rrn":"` + rrn + `","creationDate":"` + at + `"}`
	}
	const pays = `POST /v2/transfers {"amount":1,"cardNumber":"` + number + `"}`
	const list = `GET /v2/transfers?cardNumberFltr=` + number
	c := replayFrom(t, played, within(recorded, tape(
		pays+" => "+transfer("transfer-000001", "000003456789", second),
		pays+" => "+transfer("transfer-000002", "000003456790", second),
		list+" => ["+transfer("transfer-000002", "000003456790", second)+","+
			transfer("transfer-000001", "000003456789", second)+"]",
	)))
	one := c.hit(pays)
	c.now = c.now.Add(time.Hour)
	two := c.hit(pays)
	c.now = c.now.Add(time.Hour)
	if !strings.Contains(one, "2027-03-01T15:45:00") || !strings.Contains(two, "2027-03-01T16:45:00") {
		t.Errorf("got %s and %s", one, two)
	}
	if got, want := c.hit(list), "["+two+","+one+"]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestOneInstantInManyForms shows the time of a registration in milliseconds, and later inside
// texts in other forms. All tell the same time in replay, and what is another time stays.
func TestOneInstantInManyForms(t *testing.T) {
	ms := func(s string) string { return `{"errorCode":"0","date":` + s + `}` }
	texts := func(iso, zoned, http, java, stamp, seconds string) string {
		return `{"errorCode":"0","actionCodeDescription":"at ` + iso + `, here ` + zoned + `, ` +
			http + `, ` +
			java + `; ` + stamp + `/` + seconds + `. Terms of 2019-05-05T00:00:00Z"}`
	}
	c := replayFrom(t, time.Date(2028, 2, 29, 23, 58, 59, 0, time.UTC), tape(
		registers("A-1")+registered(oldID),
		status+oldID+" => "+ms("1774953000500"),
		status+oldID+" => "+texts("2026-03-31T10:30:00.500Z", "2026-03-31T13:30:00+03:00",
			"Tue, 31 Mar 2026 10:30:00 GMT",
			"Tue Mar 31 10:30:00 UTC 2026", "20260331103000", "1774953000"),
	))
	c.keep("id", c.hit(registers("B-1")), `"orderId":"`)
	c.now = c.now.Add(time.Second)
	if got, want := c.hit(status+"$id$"), ms("1835481539500"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	c.now = c.now.AddDate(0, 0, 1)
	want := texts("2028-02-29T23:58:59.500Z", "2028-03-01T02:58:59+03:00",
		"Tue, 29 Feb 2028 23:58:59 GMT",
		"Tue Feb 29 23:58:59 UTC 2028", "20280229235859", "1835481539")
	if got := c.hit(status + "$id$"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestADateOfTheCustomerIsKept polls an order that a customer has paid at a time which only the
// answers tell: in replay both polls tell one time.
func TestADateOfTheCustomerIsKept(t *testing.T) {
	const date = `{"errorCode":"0","authDateTime":1774953060000}`
	c := replayFrom(t, played, tape(
		registers("A-1")+registered(oldID), status+oldID+" => "+date, status+oldID+" => "+date,
	))
	c.keep("id", c.hit(registers("B-1")), `"orderId":"`)
	c.now = c.now.Add(90 * time.Second)
	first := c.hit(status + "$id$")
	if want := fmt.Sprintf(`{"errorCode":"0","authDateTime":%d}`, c.now.UnixMilli()); first != want {
		t.Errorf("got %s, want %s", first, want)
	}
	c.now = c.now.Add(70 * time.Second)
	if again := c.hit(status + "$id$"); again != first {
		t.Errorf("got %s and %s", first, again)
	}
}

// TestPeriodFilters asks for the transfers of two periods, in the other order and on another day: a
// period has what was made in it, whether a client counts days from today or has those of the tape.
func TestPeriodFilters(t *testing.T) {
	const card = "cardNumber\":\"4276000000010005"
	pays := "POST /v2/transfers {\"amount\":1,\"" + card + "\"}"
	list := func(from, to string) string {
		return "GET /v2/transfers?cardNumberFltr=4276000000010005&periodStartFltr=" + from +
			"&periodEndFltr=" + to
	}
	xs := tape(
		pays+` => {"id":"transfer-000001","rrn":"000003456789"}`,
		list("2026-03-31", "2026-03-31")+` => [{"id":"transfer-000001"}]`,
		list("2026-03-01", "2026-03-30")+` => []`,
	)
	tests := []struct {
		name, before, today string
	}{
		{"days from today", list("2027-01-30", "2027-02-28"), list("2027-03-01", "2027-03-01")},
		{"as recorded", list("2026-03-01", "2026-03-30"), list("2026-03-31", "2026-03-31")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := replay(t, xs)
			s.keep("id", s.hit(pays), `"id":"`)
			for range 2 {
				if got := s.hit(tt.before); got != "[]" {
					t.Errorf("before: got %s", got)
				}
				if got, want := s.hit(tt.today), `[{"id":"`+s.ids["id"]+`"}]`; got != want {
					t.Errorf("today: got %s, want %s", got, want)
				}
			}
		})
	}
}

// TestExpiryOfTheClient pays years after the recording, in which a valid card was accepted
// and an expired one was not.
func TestExpiryOfTheClient(t *testing.T) {
	pays := func(expiry, id string) string {
		return strings.Replace(pay, "203012", expiry, 1) + id
	}
	xs := tape(
		registers("A-1")+registered(oldID), pays("202001", oldID)+` => {"info":"expired"}`,
		registers("A-2")+registered(oldID2), pays("202812", oldID2)+` => {"info":"paid"}`,
	)
	for year, expiries := range map[int]map[string]string{
		2026: {"202001": "expired", "202603": "expired", "202604": "paid", "202812": "paid",
			"203505": "paid"},
		2031: {"202001": "expired", "202812": "paid", "203505": "paid", "203003": "expired"},
	} {
		for expiry, want := range expiries {
			c := replayFrom(t, time.Date(year, 4, 2, 12, 0, 0, 0, time.UTC), xs)
			c.keep("id", c.hit(registers("B-1")), `"orderId":"`)
			if got := c.hit(pays(expiry, "$id$")); got != `{"info":"`+want+`"}` {
				t.Errorf("in %d a card until %s is %s, want %s", year, expiry, got, want)
			}
		}
	}
}

// TestZonesAndCalendars replays one recording at times and in zones in which calendars are
// odd: the times of a registration and of a poll are those of the live ones, whatever the zone
// says.
func TestZonesAndCalendars(t *testing.T) {
	tokyo, newYork := time.FixedZone("", 9*3600), time.FixedZone("", -5*3600)
	xs := tape(
		registers("A-1")+registered(oldID),
		status+oldID+` => {"errorCode":"0","date":1774953000000,"authDateTime":1774953060000}`,
	)
	for _, now := range []time.Time{
		time.Date(2028, 2, 29, 23, 59, 59, 0, time.UTC), time.Date(2031, 12, 31, 23, 30, 0, 0, newYork),
		time.Date(2026, 3, 31, 0, 0, 0, 0, tokyo), time.Date(2024, 1, 1, 0, 0, 0, 0, tokyo),
	} {
		c := replayFrom(t, now, xs)
		c.keep("id", c.hit(registers("B-1")), `"orderId":"`)
		c.now = now.Add(90 * time.Second)
		want := `{"errorCode":"0","date":` + fmt.Sprint(now.UnixMilli()) + `,"authDateTime":` +
			fmt.Sprint(now.UnixMilli()+90_000) + `}`
		if got := c.hit(status + "$id$"); got != want {
			t.Errorf("at %v: got %s, want %s", now, got, want)
		}
	}
}

// TestAListTellsWhenEachHappened records two debits and their list in one second. The list has
// another name for the time, and the number of each without its padding.
func TestAListTellsWhenEachHappened(t *testing.T) {
	const second, card = "2026-03-31T10:30:00+00:00",
		`{"cardIdentification":{"cardNumber":"4276000000010005"}`
	debits := func(amount int) string {
		return fmt.Sprintf(`POST /v1/apigate/ws/rest/debitCard %s,"amount":%d}`, card, amount)
	}
	done := func(at, rrn string) string { return `{"localTransactionDate":"` + at + `","rrn":"` + rrn + `"}` }
	const lists = `POST /v1/apigate/ws/rest/getTransactions ` + card + `}`
	item := func(at, utrnno string) string { return `{"authorizationDate":"` + at + `","utrnno":` + utrnno + `}` }
	c := replayFrom(t, played, within(recorded, tape(
		debits(1)+" => "+done(second, "000003456789"), debits(2)+" => "+done(second, "000003456790"),
		lists+` => {"transactions":[`+item(second, "3456790")+","+item(second, "3456789")+`]}`,
	)))
	one := c.hit(debits(1))
	c.now = c.now.Add(time.Hour)
	two := c.hit(debits(2))
	c.now = c.now.Add(time.Hour)
	c.keep("one", one, `"rrn":"00000`)
	c.keep("two", two, `"rrn":"00000`)
	want := `{"transactions":[` + item("2027-03-01T16:45:00+00:00", c.ids["two"]) + "," +
		item("2027-03-01T15:45:00+00:00", c.ids["one"]) + `]}`
	if got := c.hit(lists); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestADateOfWhatIsListedStays lists the one contact that was made, at leisure: it was added when it was made, whatever
// the list is written in.
func TestADateOfWhatIsListedStays(t *testing.T) {
	t.Parallel()
	at, id := recorded.UTC().Format(time.RFC3339), orderID(1)
	for _, test := range []struct{ name, contact, list string }{
		{"application/json", `{"id":"` + id + `","added":"` + at + `"}`, `{"contacts":[%s]}`},
		{"application/xml", `<contact id="` + id + `"><added>` + at + `</added></contact>`, `<contacts total="1">%s</contacts>`},
	} {
		lines := []string{`POST /contacts {"name":"n"}`, "GET /contacts", "GET /contacts", "GET /contacts/" + id}
		list := fmt.Sprintf(test.list, test.contact)
		xs := tape(lines[0]+" => "+test.contact, lines[1]+" => "+list, lines[2]+" => "+list, lines[3]+" => "+test.contact)
		foreign(xs)
		for i, x := range xs {
			x.Response.Headers = http.Header{"Content-Type": {test.name}}
			x.Meta.At = recorded.Add(time.Duration(i) * 40 * time.Millisecond)
		}
		now := recorded.Add(1000 * time.Hour)
		o := match.Options{Profiles: profiles(t), RecordedIDs: true, Now: func() time.Time { return now }}
		d := &deck{t, o, match.NewPlayer(match.Compile(o, match.Cassette{Name: "t", Exchanges: xs}))}
		made := now.UTC().Format(time.RFC3339)
		for _, line := range lines {
			if got := d.hit(line); !strings.Contains(got, made) {
				t.Errorf("%s: %s: %s, want it made at %s", test.name, line, got, made)
			}
			now = now.Add(10 * time.Second)
		}
	}
}
