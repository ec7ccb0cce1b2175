package match_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

func compiled(t *testing.T, cs ...match.Cassette) *match.Tape {
	t.Helper()
	return match.Compile(match.Options{Profiles: profiles(t)}, cs...)
}

// The checkout with polls as both languages draw it: a birth, a payment, and two silent edges.
func TestGraphOfACheckout(t *testing.T) {
	tp := compiled(t, match.Cassette{Name: "t", Exchanges: checkout()})
	const mermaid = `flowchart TD
  subgraph k1["gateway order"]
    k1s1["1: register.do"]
    k1s2["2: register.do, (a change by itself)"]
    k1s3["3: register.do, (a change by itself), paymentorder.do"]
    k1s4["4: 1 before, (a change by itself), paymentorder.do, (a change by itself)"]
  end
  b1(( )) -->|"register.do<br/>#35;1"| k1s1
  k1s1 -.->|"after 1 read of getOrderStatusExtended.do, or after 2m0s<br/>#35;3"| k1s2
  k1s2 -->|"paymentorder.do, card 400000******0002<br/>#35;4"| k1s3
  k1s3 -.->|"after 1 read of getOrderStatusExtended.do, or after 2m0s<br/>#35;6"| k1s4
`
	if diff := cmp.Diff(mermaid, tp.Mermaid()); diff != "" {
		t.Errorf("Mermaid (-want +got):\n%s", diff)
	}
	const dot = `digraph tape {
  node [shape=box];
  subgraph cluster_1 {
    label="gateway order";
    k1s1 [label="1: register.do"];
    k1s2 [label="2: register.do, (a change by itself)"];
    k1s3 [label="3: register.do, (a change by itself), paymentorder.do"];
    k1s4 [label="4: 1 before, (a change by itself), paymentorder.do, (a change by itself)"];
  }
  b1 [shape=point];
  b1 -> k1s1 [label="register.do\n#1"];
  k1s1 -> k1s2 [label="after 1 read of getOrderStatusExtended.do, or after 2m0s\n#3", style=dashed];
  k1s2 -> k1s3 [label="paymentorder.do, card 400000******0002\n#4"];
  k1s3 -> k1s4 [label="after 1 read of getOrderStatusExtended.do, or after 2m0s\n#6", style=dashed];
}
`
	if diff := cmp.Diff(dot, tp.DOT()); diff != "" {
		t.Errorf("DOT (-want +got):\n%s", diff)
	}
}

// Alike orders of two cassettes are one machine, whose edges name the recordings of both.
func TestGraphMergesWhatIsAlike(t *testing.T) {
	xs := func() []*leaf.Exchange {
		return tape(registers("A-1")+registered(oldID), pay+oldID+` => {"errorCode":0}`)
	}
	tp := compiled(t, match.Cassette{Name: "a", Exchanges: xs()},
		match.Cassette{Name: "b", Exchanges: xs()})
	for _, want := range []string{
		"\"register.do<br/>a#35;1, b#35;1\"", "400000******0002<br/>a#35;2, b#35;2\"",
	} {
		if got := tp.Mermaid(); strings.Count(got, want) != 1 {
			t.Errorf("%s is not there once:\n%s", want, got)
		}
	}
}

// The texts of a tape cannot end a label, whatever a sandbox calls its operations.
func TestGraphQuotes(t *testing.T) {
	xs := tape(
		`POST /api/a"b|c]`+"`"+`\d<e>#f;%22g {"kind":"x"} => {"session":"sess_8f3a99c01b"}`,
		`POST /api/sess_8f3a99c01b/x"-->y {"kind":"x"} => {"session":"sess_8f3a99c01b"}`,
	)
	tp := compiled(t, match.Cassette{Name: "t", Exchanges: xs})
	mermaid := regexp.MustCompile(`^(flowchart TD|  end|  subgraph k\d+\["[^"]*"\]|    k\d+s\d+\["[^"]*"\]|` +
		`  (b\d+\(\( \)\)|k\d+s\d+) -\.?->\|"[^"|]*"\| k\d+s\d+)$`)
	for line := range strings.Lines(tp.Mermaid()) {
		if !mermaid.MatchString(strings.TrimSuffix(line, "\n")) {
			t.Errorf("not to be read as one line of Mermaid: %s", line)
		}
	}
	dot := regexp.MustCompile(`label="(?:[^"\\]|\\["\\n])*"`)
	for line := range strings.Lines(tp.DOT()) {
		if strings.Contains(line, `"`) && strings.Contains(dot.ReplaceAllString(line, ""), `"`) {
			t.Errorf("not to be read as one line of DOT: %s", line)
		}
	}
}
