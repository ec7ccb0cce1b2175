package match_test

import (
	"strings"
	"testing"
)

// TestBrokenXMLIsNoCall sends XML that is not well-formed, of which all parameters can be read. An API
// refuses it; only a recording of such a body answers it.
func TestBrokenXMLIsNoCall(t *testing.T) {
	t.Parallel()
	const (
		call   = `POST /soap <Envelope><Body><Register><ref>SHOP-900001-7</ref></Register></Body></Envelope>`
		broken = `POST /soap <Envelope><Body><Register><ref>SHOP-900001-7</ref></Register></Envelope>`
		made   = ` => {"ref":"SHOP-900001-7","id":"ord_5f3a99c01b"}`
		asked  = `GET /orders/ord_5f3a99c01b => {"ref":"SHOP-900001-7"}`
		fault  = ` => {"fault":"malformed"}`
	)
	for _, tt := range []struct {
		name, why  string
		tape       []string
		send, want string
	}{
		{"as on tape", "", []string{call + made, asked}, call, `"id"`},
		{"broken", "the sandbox took a well-formed one", []string{call + made, asked}, broken, ""},
		{"broken, as on tape", "the tape has the fault", []string{broken + fault, call + made, asked},
			broken, "malformed"},
		{"as on tape beside a broken one", "the fault is of the broken one",
			[]string{broken + fault, call + made, asked}, call, `"id"`},
		{"well-formed where the tape has a broken one", "the fault says nothing of it",
			[]string{broken + fault}, call, ""},
		{"another reference in a broken one, as on tape", "it broke in the same way",
			[]string{broken + made, asked}, strings.ReplaceAll(broken, "900001", "900044"),
			`"ref":"SHOP-900044-7"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := replay(t, tape(tt.tape...))
			if tt.want != "" {
				if got := s.hit(tt.send); !strings.Contains(got, tt.want) {
					t.Errorf("another answer, although %s", tt.why)
				}
				return
			}
			m := s.miss(tt.send)
			if want := "the body is well-formed XML on one side only"; !strings.Contains(m.Sentence, want) ||
				!strings.Contains(m.Hint, "the body in the form that was recorded") {
				t.Errorf("got %q (%s), want ...%s", m.Sentence, m.Hint, want)
			}
		})
	}
}

// TestABrokenCallIsNoRetry sends a call whose answer nobody has read once more, and broken.
func TestABrokenCallIsNoRetry(t *testing.T) {
	t.Parallel()
	const call = `POST /soap <Pay><ref>SHOP-900001-7</ref></Pay>`
	s := replay(t, tape(call+` => {"ref":"SHOP-900001-7","id":"ord_5f3a99c01b"}`))
	a, miss := s.serve(call)
	if miss != nil {
		t.Fatal(miss.Sentence)
	}
	a.Delivered(false)
	s.miss(strings.TrimSuffix(call, "</Pay>"))
}
