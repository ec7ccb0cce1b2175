package match_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// acsHost is a host beside the APIs that answers paths of theirs.
const acsHost = "https://acs.example"

// at moves an exchange to another host.
func at(x *leaf.Exchange, name, address string) *leaf.Exchange {
	x.URL = address + x.Target()
	x.Meta.Host = name
	return x
}

// twoHosts is a tape on which two hosts answer the same paths. Of an earlier version it has no
// names.
func twoHosts(name string) []*leaf.Exchange {
	xs := tape("GET /api/status => 1", "GET /api/status => 2", "GET /api/ask?a=b => 3",
		"GET /api/ask?a=b => 4")
	at(xs[1], name, acsHost)
	at(xs[3], name, acsHost)
	return xs
}

func TestAHostIsPartOfWhatIsAsked(t *testing.T) {
	tests := []struct {
		name          string
		tape          string // the name on tape
		host, address string // of the request
		want          []string
	}{
		{"by path", "acs", "", "", []string{"1", "1", "3", "3", "miss"}},
		{"by name", "acs", "acs", "", []string{"2", "2", "4", "4", "miss"}},
		{"by name, at another address than then", "acs", "acs", "http://127.0.0.1:1",
			[]string{"2", "2", "4", "4", "miss"}},
		{"by address", "acs", "", acsHost, []string{"2", "2", "4", "4", "miss"}},
		{"by the address of the API", "acs", "", "https://sandbox.example",
			[]string{"1", "1", "3", "3", "miss"}},
		{"by another name of the API", "acs", "pay.example", "http://sandbox.invalid",
			[]string{"1", "1", "3", "3", "miss"}},
		{"of a tape without names, by path", "", "", "", []string{"1", "2", "3", "4", "miss"}},
		{"of a tape without names, by address", "", "acs", acsHost, []string{"2", "2", "4", "4", "miss"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := replay(t, twoHosts(tt.tape))
			var got []string
			for _, target := range []string{
				"/api/status", "/api/status", "/api/ask?a=b", "/api/ask?a=b", "/api/ask?a=c",
			} {
				r := match.NewRequest(s.opts.Profiles, "GET", target, http.Header{}, "")
				r.Host, r.Address = tt.host, tt.address
				a, miss := s.player.Serve(r)
				if miss != nil {
					got = append(got, "miss")
					continue
				}
				a.Delivered(true)
				got = append(got, a.Body)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// What only another host has is a miss that says which.
func TestAMissNamesTheHost(t *testing.T) {
	xs := tape("GET /api/status => 1", "GET /page/x => 2")
	at(xs[1], "acs", acsHost)
	m := replay(t, xs).miss("GET /page/x")
	if m.Reason != match.BadField || len(m.Near) == 0 || len(m.Near[0].Diffs) != 1 ||
		m.Near[0].Diffs[0].Path != "host" || m.Near[0].Diffs[0].Want != "acs" {
		t.Errorf("the miss says %s: %s (%s)", m.Reason, m.Sentence, m.Hint)
	}
}

// Threads that go on alike are told apart by their host, if that is what a client asks for.
func TestOpenersOfAnAddress(t *testing.T) {
	xs := tape(registers("A-1")+registered(oldID), registers("A-2")+registered(oldID2))
	at(xs[1], "", "https://other.example")
	s := replay(t, xs)
	for range 3 {
		r := match.NewRequest(s.opts.Profiles, "POST", "/payment/rest/register.do", http.Header{},
			"userName=u&password=p&orderNumber=B&amount=100&returnUrl=https://shop.example/r")
		r.Address = "https://other.example"
		if a, miss := s.player.Serve(r); miss != nil || a.Number != 2 {
			t.Errorf("answered %+v", miss)
		}
	}
}

func TestHosts(t *testing.T) {
	xs := twoHosts("acs")
	at(xs[3], "acs", "http://127.0.0.1:2")
	got := match.Compile(match.Options{Profiles: profiles(t)}, match.Cassette{Exchanges: xs},
		match.Cassette{}).Hosts()
	want := []match.Host{{Name: "acs", Address: "http://127.0.0.1:2"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// pageTape has one page of an ACS with a base path.
func pageTape(header http.Header, body string) []*leaf.Exchange {
	xs := tape("GET /x => "+body, "GET /y => -")
	at(xs[0], "acs", acsHost)
	xs[0].URL, xs[0].Meta.Base = acsHost+"/base/x", "/base"
	xs[0].Response.Headers = header
	return xs
}

func TestPagesLeadToTheDeck(t *testing.T) {
	html := http.Header{"Content-Type": {"text/html"}}
	tests := []struct{ name, body, want string }{
		{"a form of another host", `<form action="https://sandbox.example/p?a=1&amp;b">`,
			`<form action="http://deck.test/~one/p?a=1&amp;b">`},
		{"its own address", `<a href="HTTPS://acs.example/base/q">x</a>`,
			`<a href="http://deck.test/~one/_host/acs/q">x</a>`},
		{"without a scheme", `<a href=//acs.example/base/q>x</a>`,
			`<a href=http://deck.test/~one/_host/acs/q>x</a>`},
		{"a path", `<base href="/base/q"><p title="/base/q">/base/q`,
			`<base href="/~one/_host/acs/q"><p title="/base/q">/base/q`},
		{"the base path", `<a href="/base?x">x</a>`, `<a href="/~one/_host/acs/?x">x</a>`},
		{"beside its base path", `<a href="/based">x</a>`, `<a href="/based">x</a>`},
		{"elsewhere", `<a href="https://shop.example/b">x</a>`, `<a href="https://shop.example/b">x</a>`},
		{"a refresh", `<meta http-equiv=refresh content="0;url=/base/q">`,
			`<meta http-equiv=refresh content="0;url=/~one/_host/acs/q">`},
		{"a script", `<script>location="https:\/\/sandbox.example\/p"</script>`,
			`<script>location="http://deck.test/~one\/p"</script>`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := replay(t, pageTape(html, tt.body))
			r := match.NewRequest(s.opts.Profiles, "GET", "/x", http.Header{}, "")
			r.Host, r.Deck, r.Prefix = "acs", "http://deck.test/~one", "/_host/acs"
			r.Home = func(h match.Host) string {
				if h.Name == "" {
					return "http://deck.test/~one"
				}
				return "http://deck.test/~one/_host/" + h.Name
			}
			a, miss := s.player.Serve(r)
			if miss != nil {
				t.Fatal(miss.Sentence)
			}
			if a.Body != tt.want {
				t.Errorf("got  %s\nwant %s", a.Body, tt.want)
			}
		})
	}
}

// A client at the host's own address gets the bytes of the tape.
func TestPagesAtTheirOwnAddress(t *testing.T) {
	const body = `<form action="https://acs.example/base/q"><a href="/base/q">x</a>`
	header := http.Header{
		"Content-Type": {"text/html"}, "Refresh": {"0; url=/base/r"}, "Location": {"/base/l"},
	}
	s := replay(t, pageTape(header, body))
	for _, deck := range []string{"", "http://deck.test"} {
		r := match.NewRequest(s.opts.Profiles, "GET", "/x", http.Header{}, "")
		r.Host, r.Deck = "acs", deck
		a, miss := s.player.Serve(r)
		if miss != nil {
			t.Fatal(miss.Sentence)
		}
		own := deck == ""
		if (a.Body == body) != own || (a.Header.Get("Refresh") == "0; url=/base/r") != own ||
			(a.Header.Get("Location") == "/base/l") != own {
			t.Errorf("at %q: %s %v", deck, a.Body, a.Header)
		}
	}
}

// An address that no profile knows is compared by where it leads.
func TestUnknownAddressesOfTheDeckMatch(t *testing.T) {
	xs := tape("POST /any/thing to=https://acs.example/back&n=1 => ok")
	xs = append(xs, at(tape("GET /x => -")[0], "acs", acsHost))
	xs[1].Meta.Number, xs[1].Meta.At = 2, recorded.Add(time.Hour)
	s := replay(t, xs)
	r := match.NewRequest(s.opts.Profiles, "POST", "/any/thing", http.Header{},
		"to=http://deck.test/_host/acs/back&n=1")
	r.Deck, r.Bases = "http://deck.test", []string{"http://deck.test/_host/acs"}
	if _, miss := s.player.Serve(r); miss != nil {
		t.Error(miss.Sentence)
	}
}
