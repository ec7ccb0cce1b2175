package match_test

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/match"
)

// TestACallThatTheTapeHasNot asks for another call on a path that the tape has. The path is known, so the
// miss tells what is wrong with the request.
func TestACallThatTheTapeHasNot(t *testing.T) {
	t.Parallel()
	soap := []string{
		`POST /soap <Envelope><Body><Register><a>1</a></Register></Body></Envelope> => {}`,
		`POST /soap <Envelope><Body><GetStatus><a>1</a></GetStatus></Body></Envelope> => {}`,
		`POST /soap <Envelope><Body><Register><a>2</a></Register></Body></Envelope> => {}`,
	}
	rpc := []string{`POST /rpc {"method":"pay","params":[1]} => {}`}
	form := []string{`POST /nvp METHOD=DoPay&a=1 => {}`}
	for _, tt := range []struct {
		name, send string
		tape       []string
		says       string
		reason     match.Reason
	}{
		{"an empty body for XML", "POST /soap", soap,
			"the body is empty; on tape this path has XML that names the call: Register, GetStatus",
			match.NoOperation},
		{"an empty body for JSON", "POST /rpc", rpc,
			"the body is empty; on tape this path has JSON that names the call: pay", match.NoOperation},
		{"an empty body for a form", "POST /nvp", form,
			"the body is empty; on tape this path has a parameter that names the call: DoPay",
			match.NoOperation},
		{"a body that is no XML", "POST /soap hello", soap,
			"the request names no call; on tape this path has XML that names it: Register, GetStatus",
			match.NoOperation},
		{"JSON that is cut", `POST /rpc {"method":"pay","par`, rpc,
			"the request names no call; on tape this path has JSON that names it: pay", match.NoOperation},
		{"another call", `POST /soap <Envelope><Body><Refund><a>1</a></Refund></Body></Envelope>`, soap,
			"the tape has this path, but no call of that name: it has Register, GetStatus",
			match.NoOperation},
		{"a call where none is named", `POST /orders {"method":"pay"}`, []string{`POST /orders {"a":1} => {}`},
			"the request names a call; on tape no request for this path does", match.NoOperation},
		{"another method", "GET /soap", soap, "the tape has this path as POST", match.BadMethod},
		{"another path", "POST /so", soap, "no profile knows this path", match.BadPath},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := replay(t, tape(tt.tape...)).miss(tt.send)
			if m.Reason != tt.reason || !strings.Contains(m.Sentence, tt.says) {
				t.Errorf("got %s: %s\nwant %s: %s", m.Reason, m.Sentence, tt.reason, tt.says)
			}
		})
	}
}
