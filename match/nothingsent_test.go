package match_test

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// TestNoValueIsAnotherKindOfValue sends nothing where any value will do. An API that wants a value
// refuses that, so it is a miss unless the tape shows what becomes of it.
func TestNoValueIsAnotherKindOfValue(t *testing.T) {
	t.Parallel()
	const good = `POST /register code=TX-77120-3391&cv=000&amount=100 => {"id":"ord_5f3a99c01b","code":"TX-77120-3391"}`
	const asked = `GET /orders/ord_5f3a99c01b => {"code":"TX-77120-3391"}`
	const refused = `POST /register code=&cv=000&amount=100 => {"status":"INVALID"}`
	withCV := func(xs []*leaf.Exchange) []*leaf.Exchange {
		for _, x := range xs {
			if strings.Contains(x.Request.Body, "cv=000") {
				x.Meta.Redactions = []string{"request form cv: cvc"}
			}
		}
		return xs
	}
	for _, tt := range []struct {
		name, why string
		tape      []string
		send      string
		want      string // in the answer, or in the sentence of the miss
		missed    match.Reason
	}{
		{"another name", "the client makes it up", []string{good, asked},
			"code=TX-88000-1203&cv=123&amount=100", `"code":"TX-88000-1203"`, ""},
		{"no name", "every recorded call has one", []string{good, asked},
			"code=&cv=123&amount=100", "code is empty on one side only", match.BadField},
		{"a blank name", "an API may take it for empty", []string{good, asked},
			"code=++&cv=123&amount=100", "code is blank on one side only", match.BadField},
		{"no secret", "cleaning left nothing to compare, but there was something", []string{good, asked},
			"code=TX-88000-1203&cv=&amount=100", "cv is empty on one side only", match.BadField},
		{"no name, as recorded", "the tape has the refusal", []string{good, asked, refused},
			"code=&cv=123&amount=100", "INVALID", ""},
		{"a name beside a refusal on tape", "the refusal is of the call without a name",
			[]string{refused, good, asked},
			"code=TX-88000-1203&cv=123&amount=100", `"code":"TX-88000-1203"`, ""},
		{"a blank name beside a refusal of none", "not every API takes both for one",
			[]string{good, asked, refused},
			"code=+&cv=123&amount=100", "code is blank on one side only", match.BadField},
		{"no secret where it is optional", "the tape has a call without, answered alike",
			[]string{
				`POST /pings cv=000&n=1 => {"pong":1}`, `POST /pings cv=&n=1 => {"pong":1}`,
				`POST /pings cv=000&n=2 => {"pong":2}`,
			},
			"cv=&n=2", `{"pong":2}`, ""},
		{"no secret where that is refused", "the tape has a call without, answered otherwise",
			[]string{
				`POST /pings cv=000&n=1 => {"pong":1}`, `POST /pings cv=&n=1 => {"none":true}`,
				`POST /pings cv=000&n=2 => {"pong":2}`,
			},
			"cv=&n=2", "no recording agrees", match.BadField},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			xs := withCV(tape(tt.tape...))
			target, _, _ := strings.Cut(tt.tape[0], " => ")
			target = target[:strings.LastIndexByte(target, ' ')+1]
			s := replay(t, xs)
			a, miss := s.serve(target + tt.send)
			switch {
			case tt.missed == "" && (miss != nil || !strings.Contains(a.Body, tt.want)):
				t.Errorf("not the recorded answer, although %s", tt.why)
			case tt.missed != "" && miss == nil:
				t.Errorf("answered from #%d, although %s", a.Number, tt.why)
			case tt.missed != "" && (miss.Reason != tt.missed || !strings.Contains(miss.Sentence, tt.want)):
				t.Errorf("got %s: %s\nwant %s: ...%s", miss.Reason, miss.Sentence, tt.missed, tt.want)
			}
		})
	}
}

// TestABlankOrderNumberIsNone has a profile say that the client makes up the name.
func TestABlankOrderNumberIsNone(t *testing.T) {
	t.Parallel()
	m := replay(t, checkout()).miss(registers("+"))
	if want := "orderNumber is blank on one side only"; !strings.Contains(m.Sentence, want) {
		t.Errorf("got %q, want ...%s", m.Sentence, want)
	}
}
