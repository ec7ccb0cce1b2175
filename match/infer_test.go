package match_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// TestInferredIDs has an API that no profile knows make an id and take it back in one of the
// ways in which ids travel. Replay makes another, which must be fresh, come back in the same
// way and stand in the last answer; the recorded one is not served.
func TestInferredIDs(t *testing.T) {
	const (
		uuid   = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
		short  = "sess_8f3a99c01b"
		number = "9000000123"
		padded = "000034567890"
	)
	as := func(format string) func(string) string {
		return func(id string) string { return fmt.Sprintf(format, id) }
	}
	dashless := func(id string) string { return strings.ReplaceAll(id, "-", "") }
	dashed := func(id string) string {
		return id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:]
	}
	unpadded := func(id string) string { return strings.TrimLeft(id, "0") }
	packed := func(id string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(`{"thing":"` + id + `","v":1}`))
	}
	with := func(format string, render func(string) string) func(string) string {
		return func(id string) string { return fmt.Sprintf(format, render(id)) }
	}
	tests := []struct {
		name  string
		id    string
		made  func(string) string // the answer in which it is born
		used  func(string) string // the request that carries it
		shown func(string) string // the answer to that

	}{
		{"a path segment", short, as(`{"thing":"%s"}`), as("GET /api/things/%s"), as(`{"id":"%s"}`)},
		{"a query", short, as(`{"thing":"%s"}`), as("GET /api/get?thing=%s"), as(`{"id":"%s"}`)},
		{"a form", short, as(`{"thing":"%s"}`), as("POST /api/close thing=%s&why=x"), as("ok %s")},
		{"a JSON number", number, as(`{"thing":%s}`), as(`POST /api/close {"thing":%s}`), as(`{"id":%s}`)},
		{"a text with other words", short, as(`{"text":"Your order %s is ready."}`),
			as(`POST /api/close {"note":"about %s, please"}`), as(`{"text":"closed %s."}`)},
		{"an address", uuid, as(`{"next":"https://sandbox.example/go/%s/on?x=1"}`),
			as("GET /go/%s/on?x=1"), as(`{"id":"%s"}`)},
		{"a parameter of a redirect", uuid, as(`{"next":"https://sandbox.example/go?back=https%%3A%%2F%%2Fs%%3Fid%%3D%s%%26x"}`),
			as("GET /api/get?thing=%s"), as(`{"id":"%s"}`)},
		{"without dashes", uuid, as(`{"thing":"%s"}`), with("GET /api/get?thing=%s", dashless),
			with(`{"id":"%s"}`, dashless)},
		{"with dashes", "3f2504e04f8941d39a0c0305e82c3301", as(`{"thing":"%s"}`),
			with("GET /api/get?thing=%s", dashed), with(`{"id":"%s"}`, dashed)},
		{"in capitals", uuid, as(`{"thing":"%s"}`), with("GET /api/get?thing=%s", strings.ToUpper),
			with(`{"id":"%s"}`, strings.ToUpper)},
		{"in capitals without dashes", uuid, as(`{"thing":"%s"}`),
			with("GET /api/get?thing=%s", func(id string) string { return strings.ToUpper(dashless(id)) }),
			as(`{"id":"%s"}`)},
		{"in small letters", strings.ToUpper(uuid), as(`{"thing":"%s"}`),
			with("GET /api/get?thing=%s", strings.ToLower), as(`{"id":"%s"}`)},
		{"without padding", padded, as(`{"thing":"%s"}`), with("GET /api/get?thing=%s", unpadded),
			as(`{"id":"%s"}`)},
		{"with padding", "34567890123", as(`{"thing":%s}`), as("GET /api/get?thing=0%s"),
			as(`{"id":"0%s"}`)},
		{"percent-encoded", "a/8f3a99c01b+c=", as(`{"thing":"%s"}`), with("GET /api/get?thing=%s", url.QueryEscape),
			as(`{"id":"%s"}`)},
		{"percent-encoded in the path", "a:8f3a99c01b~c", as(`{"thing":"%s"}`),
			with("GET /api/things/%s", url.PathEscape), as(`{"id":"%s"}`)},
		{"JSON in a string", short, as(`{"data":"{\"thing\":\"%s\"}"}`),
			as(`POST /api/close {"data":"{\"thing\":\"%s\"}"}`), as(`{"data":"{\"id\":\"%s\"}"}`)},
		{"JSON in a form", short, as(`{"thing":"%s"}`), as(`POST /api/close data={"thing":"%s"}`),
			as(`{"id":"%s"}`)},
		{"packed JSON", uuid, as(`{"thing":"%s"}`), with(`POST /api/close {"data":"%s"}`, packed),
			with(`{"data":"%s"}`, packed)},
		{"without its prefix", short, as(`{"id":"%s"}`), as("POST /api/close thing=%s"),
			with(`{"go":"https://pay.example/go/%s?x"}`, func(id string) string { return id[len("sess_"):] })},
		{"behind a prefix", uuid, as(`{"thing":"pay_%s"}`), as("GET /api/things/%s"), as(`{"id":"%s"}`)},
		{"letters, by their name", "tr_QkEhNaBaXy", as(`{"id":"%s"}`), as("GET /api/things/%s"), as(`{"paymentId":"%s"}`)},
		{"letters, in a parameter named after a thing", "tr_QkEhNaBaXy", as(`{"id":"%s"}`), as("POST /api/close thing=%s"), as(`{"thing":"%s"}`)},
		{"letters, in an address before them", "tr_QkEhNaBaXy", as(`{"go":"https://pay.example/things/%s?x","id":"%[1]s"}`), as("GET /api/things/%s"), as(`{"go":"https://pay.example/things/%s"}`)},
		{"letters, without their prefix", "tr_QkEhNaBaXy", as(`{"id":"%s"}`), as("GET /api/things/%s"),
			with(`{"go":"https://pay.example/go?id=%s#x"}`, func(id string) string { return id[len("tr_"):] })},
		{"a round number, by its name", "2330227000", as(`{"thing_id":%s}`), as(`POST /api/close {"thingId":%s}`), as(`{"id":%s}`)},
		{"few digits, by their name", "48213", as(`{"id":%s}`), as("POST /api/things/%s/close"), as(`{"id":%s,"sum":48213}`)},
		{"a page", uuid, as(`<html><form action="/api/close"><input name="thing" value="%s"></form></html>`),
			as("POST /api/close thing=%s"), as("<p>%s closed</p>")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const opens = `POST /api/things {"kind":"x"}`
			xs := tape(opens+" => "+tt.made(tt.id), tt.used(tt.id)+" => "+tt.shown(tt.id))
			foreign(xs)
			s := replay(t, xs)
			seen := map[string]bool{tt.id: true}
			for range 3 {
				live := between(t, s.hit(opens), tt.made("\x00"))
				if seen[live] || len(live) != len(tt.id) {
					t.Fatalf("%q is not a fresh id like %q", live, tt.id)
				}
				seen[live] = true
				if got, want := s.hit(tt.used(live)), tt.shown(live); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			}
			s.miss(tt.used(tt.id))
		})
	}
}

// TestInferredInARedirect has an id born in the address that a browser is sent to.
func TestInferredInARedirect(t *testing.T) {
	const id = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"
	xs := tape(`POST /shop/buy {"kind":"x"} => `, `GET /shop/pay?session=`+id+`&step=1 => <p>`+id+`</p>`)
	xs[0].Code = 302
	xs[0].Response.Headers.Set("Location", "https://sandbox.example/shop/pay?session="+id+"&step=1")
	foreign(xs)
	s := replay(t, xs)
	a, miss := s.serve(`POST /shop/buy {"kind":"x"}`)
	if miss != nil {
		t.Fatal(miss.Sentence)
	}
	a.Delivered(true)
	live := between(t, a.Header.Get("Location"), "https://sandbox.example/shop/pay?session=\x00&step=1")
	if got := s.hit("GET /shop/pay?session=" + live + "&step=1"); got != "<p>"+live+"</p>" || live == id {
		t.Errorf("got %s", got)
	}
}

// foreign leaves of exchanges what another program would have written.
func foreign(xs []*leaf.Exchange) {
	for _, x := range xs {
		x.Meta = leaf.Meta{}
	}
}

// between returns what stands in got in the place of the zero byte in like.
func between(t *testing.T, got, like string) string {
	t.Helper()
	places := strings.Count(like, "\x00")
	at, length := strings.IndexByte(like, 0), (len(got)-len(like))/places+1
	inner := got[min(at, len(got)):min(at+max(length, 0), len(got))]
	if got != strings.ReplaceAll(like, "\x00", inner) {
		t.Fatalf("got %s, which is not like %s", got, like)
	}
	return inner
}

// TestNothingElseIsInferred has values come back that are no ids. A client that has them in
// its code, and never reads an answer, must find them as they are on tape.
func TestNothingElseIsInferred(t *testing.T) {
	const opens = `POST /api/things {"kind":"x"}`
	tests := []struct{ name, value string }{
		{"an amount", `10000000.50`}, {"a round amount", `1000000000`},
		{"an amount in a string", `"10000000.50"`}, {"a negative amount", `-1000000000`},
		{"a short id", `"a1b2c3d"`}, {"a product", `"CRCU1001"`},
		{"a product with its year", `"PRODUCT-GOLD-2024-EUR"`}, {"a word", `"APPROVED_BY_ISSUER"`},
		{"a numbered word", `"visa-classic-01"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			xs := tape(opens+` => {"v":`+tt.value+`}`, `POST /api/close {"v":`+tt.value+`} => {"w":`+tt.value+`}`)
			for _, own := range []bool{true, false} {
				if !own {
					foreign(xs)
				}
				s := replay(t, xs)
				if got := s.hit(opens); got != `{"v":`+tt.value+`}` {
					t.Errorf("got %s", got)
				}
				if got := s.hit(`POST /api/close {"v":` + tt.value + `}`); got != `{"w":`+tt.value+`}` {
					t.Errorf("got %s", got)
				}
			}
		})
	}
}

// TestDatesOfUnknownAPIs has a thing tell when it was made, and a client send that back. The date
// moves with the exchange, wherever it is shown, unless dates are to be kept.
func TestDatesOfUnknownAPIs(t *testing.T) {
	const opens = `POST /api/things {"kind":"x"}`
	tests := []struct{ name, recorded, live string }{
		{"a day", `"2026-03-31"`, `"2027-03-01"`}, {"a compact day", `20260331`, `20270301`},
		{"a time", `"2026-03-31T10:30:00Z"`, `"2027-03-01T15:45:00Z"`},
		{"a compact time", `"20260331103000"`, `"20270301154500"`},
		{"milliseconds since 1970", `1774953000123`, `1803915900123`},
		{"seconds since 1970", `1774953001`, `1803915901`},
		{"a time as HTTP writes it", `"Tue, 31 Mar 2026 10:30:00 GMT"`,
			`"Mon, 01 Mar 2027 15:45:00 GMT"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			closes := func(v string) string { return `POST /api/close {"v":` + v + `}` }
			xs := tape(opens+` => {"v":`+tt.recorded+`}`, closes(tt.recorded)+` => {"w":`+tt.recorded+`}`)
			for _, keeps := range []bool{false, true} {
				o := match.Options{
					Profiles: profiles(t), Seed: 3, KeepDates: keeps,
					Now: func() time.Time { return played },
				}
				c := match.Compile(o, match.Cassette{Name: "t", Exchanges: xs})
				s := &session{t: t, player: match.NewPlayer(c), opts: o, ids: map[string]string{}}
				want := tt.live
				if keeps {
					want = tt.recorded
				}
				if got := s.hit(opens); got != `{"v":`+want+`}` {
					t.Errorf("got %s, want %s", got, want)
				}
				if got := s.hit(closes(want)); got != `{"w":`+want+`}` {
					t.Errorf("got %s, want %s", got, want)
				}
				if got := s.hit(closes(tt.recorded)); got != `{"w":`+tt.recorded+`}` {
					t.Errorf("a client with its own date: got %s", got)
				}
			}
		})
	}
}

// TestWhatAShopOffers lists products, and orders one: their ids are the shop's, though they are
// called ids. A client has them in its code.
func TestWhatAShopOffers(t *testing.T) {
	const order = `POST /api/orders/CRCU1001 {"productId":"visa-classic-01","id":48213}`
	xs := tape(
		`GET /api/products => [{"id":"CRCU1001"},{"id":"visa-classic-01"},{"id":"48213"}]`,
		order+` => {}`,
	)
	replay(t, xs).hit(order)
	s := replay(t, xs)
	if got := s.hit("GET /api/products"); got != xs[0].Response.Body {
		t.Errorf("got %s", got)
	}
	s.hit(order)
}

// TestConstantsOfTheSandbox has each of two sessions show the same merchant beside an id of
// its own: the merchant is no id, and does not connect the sessions.
func TestConstantsOfTheSandbox(t *testing.T) {
	const merchant = "merchant-0001234567"
	opens := func(kind string) string { return `POST /api/sessions {"kind":"` + kind + `"}` }
	made := func(id string) string { return ` => {"session":"` + id + `","merchant":"` + merchant + `"}` }
	pays := func(id string) string { return `POST /api/pay {"session":"` + id + `","merchant":"` + merchant + `"}` }
	s := replay(t, tape(
		opens("x")+made("sess_8f3a99c01b"), pays("sess_8f3a99c01b")+` => {"paid":1}`,
		opens("y")+made("sess_77d2e0a4f6"), pays("sess_77d2e0a4f6")+` => {"paid":2}`,
	))
	for kind, want := range map[string]string{"x": `{"paid":1}`, "y": `{"paid":2}`} {
		body := s.hit(opens(kind))
		s.keep("id", body, `"session":"`)
		if !strings.Contains(body, merchant) || strings.Contains(body, "8f3a") || strings.Contains(body, "77d2") {
			t.Errorf("got %s", body)
		}
		if got := s.hit(pays("$id$")); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestReferencesOfTheClient has an unknown API echo a reference that the client made up, at
// once and later. Another client's own must bind and come back; what is configuration must not.
func TestReferencesOfTheClient(t *testing.T) {
	creates := func(ref, shop, amount string) string {
		return `POST /api/orders {"amount":` + amount + `,"note":"for ` + ref + `","ref":"` + ref + `","shop":"` + shop + `"}`
	}
	made := func(ref, id string) string { return `{"ref":"` + ref + `","order":"` + id + `"}` }
	const shop, r1, r2 = "shop-100200300", "ref-77001122", "f47ac10b-58cc-4372-a567-0e02b2c3d479"
	xs := tape(
		creates(r1, shop, "5")+" => "+made(r1, "ord_8f3a99c01b"),
		"GET /api/refs/"+r1+` => {"state":"new","text":"order `+r1+`"}`,
		"POST /api/orders/ord_8f3a99c01b/pay => {}",
		"GET /api/refs/"+r1+` => {"state":"paid","text":"order `+r1+`"}`,
		creates(r2, shop, "7")+" => "+made(r2, "ord_77d2e0a4f6"),
		"GET /api/refs/"+r2+` => {"state":"new","text":"order `+r2+`"}`,
	)
	foreign(xs)
	s := replay(t, xs)
	clients := []string{"5fd7c2a0-0b4e-4c1e-8a53-1d2f3a4b5c6d", "my-own-42-reference"}
	for _, ref := range clients {
		body := s.hit(creates(ref, shop, "5"))
		s.keep(ref, body, `"order":"`)
		if want := made(ref, s.ids[ref]); body != want || s.ids[ref] == "ord_8f3a99c01b" {
			t.Errorf("got %s, want %s", body, want)
		}
	}
	s.hit("POST /api/orders/$" + clients[1] + "$/pay")
	for i, ref := range clients {
		state := []string{"new", "paid"}[i]
		if got, want := s.hit("GET /api/refs/"+ref), `{"state":"`+state+`","text":"order `+ref+`"}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	s.hit(creates("ref-99887766", shop, "7"))
	if m := s.miss(creates("ref-1", "shop-999999999", "7")); !strings.Contains(m.Sentence, "shop differs") {
		t.Errorf("another shop: %s: %s", m.Reason, m.Sentence)
	}
	if m := s.miss("GET /api/refs/" + r1); m.Reason == "" {
		t.Error("a reference of the recording is served")
	}
}

// TestAskedByItsOwnName looks at things that are there before the tape begins: their names are
// configuration, though an answer echoes them.
func TestAskedByItsOwnName(t *testing.T) {
	s := replay(t, tape(
		`GET /api/customers/cust-0001234567 => {"id":"cust-0001234567","name":"A"}`,
		`POST /api/customers/cust-0001234567 {"note":"x"} => {"id":"cust-0001234567"}`,
	))
	s.miss("GET /api/customers/cust-0009999999")
	s.hit("GET /api/customers/cust-0001234567")
	s.hit(`POST /api/customers/cust-0001234567 {"note":"x"}`)
}
