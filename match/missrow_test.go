package match_test

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
)

// inForce returns the built-in profiles with what a miss prints on top of them.
func inForce(t *testing.T, kind match.MendKind, text string) *profile.Set {
	t.Helper()
	set := ownProfiles(t)
	if kind == match.MendProfile {
		p, err := profile.Parse("mend.yaml", []byte(text))
		if err == nil {
			err = set.Add(p)
		}
		if err != nil {
			t.Fatalf("it is no profile: %v\n%s", err, text)
		}
		return set
	}
	f, err := rules.Parse("mend.yaml", []byte(text), rules.Source{Profiles: set})
	if err != nil {
		t.Fatalf("it is no rules file: %v\n%s", err, text)
	}
	set.Override(f.Rewrite)
	return set
}

// TestTheRowOfAMissMendsIt puts what a miss prints in force, and asks again.
func TestTheRowOfAMissMendsIt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		tape []*leaf.Exchange
		asks []string // the last is a miss; an answer may bring what stands for $id$ behind its key
		key  string
		kind match.MendKind
		line string
		then string // what the answer to the last has then
	}{
		{"a profile knows the call", refunded(), []string{registers("B-1"), pay + "$id$",
			"POST /payment/rest/refund.do userName=u&password=x&orderId=$id$&amount=5000"}, `"orderId":"`,
			match.MendRules, "rewrite: {refund.do: {request: {amount: client shared}}, getOrderStatusExtended.do: " +
				"{response: {refundedAmount: client shared}}}", `"errorCode":"0"`},
		{"nobody knows the API", tape(
			`POST /v1/charges {"amount":100,"note":"for Jane"} => {"id":"ch_8f3k20dj4k","note":"for Jane"}`,
			`GET /v1/charges/ch_8f3k20dj4k => {"id":"ch_8f3k20dj4k","state":"new"}`,
			`POST /v1/charges/ch_8f3k20dj4k/capture {"reason":"sent"} => {"state":"captured"}`),
			[]string{`POST /v1/charges {"amount":100,"note":"for Jane"}`,
				`POST /v1/charges/$id$/capture {"reason":"another"}`}, `"id":"`, match.MendProfile,
			`{profile: mine, paths: [/v1/], operations: {"POST /v1/charges/{id}/capture": {methods: [POST], ` +
				`path: "/v1/charges/{id}/capture", carrier: json, request: {reason: ignored}}}}`, "captured"},
		{"and answers repeat the value", tape(
			`POST /pay {"amount":100,"note":"for Jane Doe"} => {"id":"ch_8f3k20dj4k","note":"for Jane Doe"}`),
			[]string{`POST /pay {"amount":100,"note":"for John Doe"}`}, "", match.MendProfile,
			`{profile: mine, paths: [/], operations: {"POST /pay": {methods: [POST], path: /pay, carrier: json, ` +
				`request: {note: client shared}}}}`, "for John Doe"},
		{"a path of ours that we do not know", tape(
			`POST /payment/rest/newer.do a=1 => {"ok":true}`), []string{`POST /payment/rest/newer.do a=2`}, "",
			match.MendProfile, `{extends: gateway, operations: {"POST /payment/rest/newer.do": {methods: [POST], ` +
				`path: /payment/rest/newer.do, carrier: form, request: {a: ignored}}}}`, "true"},
	} {
		play := func(s *session) (*match.Answer, *match.Miss) {
			for i, ask := range tt.asks[:len(tt.asks)-1] {
				answer := s.hit(ask)
				if i == 0 && tt.key != "" {
					s.keep("id", answer, tt.key)
				}
			}
			return s.serve(tt.asks[len(tt.asks)-1])
		}
		s := replay(t, tt.tape)
		_, miss := play(s)
		if miss == nil {
			t.Errorf("%s: it is no miss", tt.name)
			continue
		}
		row, found := miss.Row()
		if !found || row.Kind != tt.kind || row.Line != tt.line {
			t.Errorf("%s: %s row %q", tt.name, row.Kind, row.Line)
			continue
		}
		for _, text := range []string{row.Line, row.File} {
			s.opts.Profiles = inForce(t, row.Kind, text)
			s.player = match.NewPlayer(match.Compile(s.opts, match.Cassette{Name: "t", Exchanges: tt.tape}))
			answer, miss := play(s)
			if miss != nil {
				t.Errorf("%s: it is a miss still: %s\n%s", tt.name, miss.Sentence, text)
				continue
			}
			if got := string(answer.Body); !strings.Contains(got, tt.then) {
				t.Errorf("%s: the answer is %s\n%s", tt.name, got, text)
			}
		}
	}
}

// TestMissesWithoutARow are those that no row mends.
func TestMissesWithoutARow(t *testing.T) {
	t.Parallel()
	for name, asks := range map[string][]string{
		"another state":    {registers("B-1"), "POST /payment/rest/refund.do userName=u&password=x&orderId=$id$&amount=2500"},
		"nobody's id":      {registers("B-1"), status + "0193a1b2-0000-7000-8000-0000c0ffee11"},
		"nobody's path":    {registers("B-1"), "POST /nowhere a=1"},
		"a field too many": {registers("B-1"), status + "$id$&more=1"},
	} {
		s := replay(t, refunded())
		s.keep("id", s.hit(asks[0]), `"orderId":"`)
		_, miss := s.serve(asks[1])
		if miss == nil {
			t.Errorf("%s is no miss", name)
			continue
		}
		if row, found := miss.Row(); found || row.Line != "" {
			t.Errorf("%s: the row %q", name, row.Line)
		}
	}
}
