package match_test

import (
	"strings"
	"testing"
)

// TestUnusedIDs has answers show ids that no request carries. Each client gets its own, which is
// the same wherever it is shown again; what the tape does not prove to be an id stays as recorded.
func TestUnusedIDs(t *testing.T) {
	const (
		opens  = `POST /pay {"kind":"x"}`
		first  = opens + ` => {"pspReference":"882WSE5JZFECQAUS"}`
		second = opens + ` => {"pspReference":"KJMFYDRZK79ALZPQ"}`
	)
	tests := []struct {
		name  string
		lines []string
		shown string // the place of the id in the last answer that is asked for
		fresh bool
	}{
		{"one that two writes bring differently", []string{
			`POST /refunds {"of":"a"} => {"id":"re_8f3a99c01b","acct":"acct_1032D82eZv"}`,
			`POST /refunds {"of":"b"} => {"id":"re_77d2e0a4f6","acct":"acct_1032D82eZv"}`,
		}, `"id":"`, true},
		{"one with a digit", []string{
			`POST /things {"of":"a"} => {"thingId":"DU8QJRKXEZNQCARQ"}`,
			`POST /things {"of":"b"} => {"thingId":"QWERTZ7UIOPASDFG"}`,
		}, `"thingId":"`, true},
		{"names that people thought of", []string{
			`POST /things {"of":"a"} => {"planId":"standard-plan-2"}`,
			`POST /things {"of":"b"} => {"planId":"premium-plan-1"}`,
		}, `"planId":"`, false},
		{"one that says what it is", []string{
			`POST /pay {"of":"a"} => {"latest_charge":"ch_39fdhYvjvwKOhM2c"}`,
			`POST /pay {"of":"b"} => {"latest_charge":"ch_3tZ6RuRsCyOcUWan"}`,
		}, `"latest_charge":"`, true},
		{"one that two writes repeat", []string{
			`POST /refunds {"of":"a"} => {"accountId":"acct_1032D82eZv","n":1}`,
			`POST /refunds {"of":"b"} => {"accountId":"acct_1032D82eZv","n":2}`,
		}, `"accountId":"`, false},
		{"one that is called like a known id", []string{
			first, `POST /pay/882WSE5JZFECQAUS/captures {"v":1} => {"pspReference":"M8LWUS6YQLNMGLC3"}`,
		}, `"pspReference":"`, true},
		{"one that is called so below the top", []string{
			first, `POST /pay/882WSE5JZFECQAUS/captures {"v":1} => {"m":{"pspReference":"M8LWUS6YQLNMGLC3"}}`,
		}, `"pspReference":"`, false},
		{"letters alone", []string{
			`POST /things {"of":"a"} => {"id":"tr_QkEhNaBaXy"}`,
			`POST /things {"of":"b"} => {"id":"tr_WDqYKfabUn"}`,
		}, `"id":"`, true},
		{"one of a read", []string{
			`GET /things/1 => {"id":"re_8f3a99c01b"}`, `GET /things/2 => {"id":"re_77d2e0a4f6"}`,
		}, `"id":"`, false},
		{"what has no name for ids", []string{
			`POST /things {"of":"a"} => {"balance":"000000104512"}`,
			`POST /things {"of":"b"} => {"balance":"000000271112"}`,
		}, `"balance":"`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := replay(t, tape(tt.lines...))
			seen := map[string]bool{}
			for range 3 {
				var body string
				for _, line := range tt.lines {
					request, answer, _ := strings.Cut(line, " => ")
					if id, ok := s.ids["psp"]; ok {
						request = strings.ReplaceAll(request, "882WSE5JZFECQAUS", id)
					}
					body = s.hit(request)
					if answer == `{"pspReference":"882WSE5JZFECQAUS"}` {
						s.keep("psp", body, `"pspReference":"`)
					}
				}
				s.keep("id", body, tt.shown)
				id := s.ids["id"]
				if recorded := strings.Contains(tt.lines[len(tt.lines)-1], id); recorded == tt.fresh {
					t.Errorf("%q: as recorded: %t", id, recorded)
				}
				if tt.fresh && seen[id] {
					t.Errorf("%q comes twice", id)
				}
				seen[id] = true
				delete(s.ids, "psp")
			}
		})
	}
}

// TestAnUnusedIDRecurs has a capture bring an id that an address before it, a header, and a later
// list of events show again.
func TestAnUnusedIDRecurs(t *testing.T) {
	xs := tape(
		`POST /pay {"kind":"x"} => {"pspReference":"882WSE5JZFECQAUS"}`,
		`POST /pay/882WSE5JZFECQAUS/captures {"v":1} => {"a":"https://x.example/M8LWUS6YQLNMGLC3","pspReference":"M8LWUS6YQLNMGLC3"}`,
		`GET /events/882WSE5JZFECQAUS => ["{\"pspReference\":\"M8LWUS6YQLNMGLC3\"}"]`,
	)
	xs[1].Response.Headers.Set("Pspreference", "M8LWUS6YQLNMGLC3")
	s := replay(t, xs)
	s.keep("psp", s.hit(`POST /pay {"kind":"x"}`), `"pspReference":"`)
	a, _ := s.serve(`POST /pay/$psp$/captures {"v":1}`)
	s.keep("capture", a.Body, `"pspReference":"`)
	if got := a.Header.Get("Pspreference"); got != s.ids["capture"] {
		t.Errorf("the header has %s, the body %s", got, s.ids["capture"])
	}
	if !strings.Contains(a.Body, "x.example/"+s.ids["capture"]) {
		t.Errorf("the address does not show the id: %s", a.Body)
	}
	got := s.hit(`GET /events/$psp$`)
	if want := `["{\"pspReference\":\"` + s.ids["capture"] + `\"}"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestAHeaderShowsTheIDBehindIt has an id that is known by its name alone stand in a header too,
// whose name says nothing.
func TestAHeaderShowsTheIDBehindIt(t *testing.T) {
	xs := tape(
		`POST /pay {"kind":"x"} => {"pspReference":"NFXUXMDS8MYWUKPK"}`,
		`POST /pay/NFXUXMDS8MYWUKPK/captures {"v":1} => {"ok":true}`,
	)
	xs[0].Response.Headers.Set("Pspreference", "NFXUXMDS8MYWUKPK")
	s := replay(t, xs)
	a, _ := s.serve(`POST /pay {"kind":"x"}`)
	s.keep("psp", a.Body, `"pspReference":"`)
	if got := a.Header.Get("Pspreference"); got != s.ids["psp"] {
		t.Errorf("the header has %s, the body %s", got, s.ids["psp"])
	}
}
