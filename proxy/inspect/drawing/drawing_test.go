package drawing_test

import (
	"encoding/xml"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy/inspect/drawing"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

func profiles(t testing.TB) *profile.Set {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const order = "11111111-2222-4333-8444-555555555555"

// call returns an exchange of the gateway.
func call(operation, form, answer string) *leaf.Exchange {
	x := &leaf.Exchange{}
	x.Method, x.URL = http.MethodPost, "https://sandbox.example/payment/rest/"+operation
	x.Request.Headers = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}
	x.Request.Body = form
	x.Code, x.Response.Headers = 200, http.Header{"Content-Type": {"application/json"}}
	x.Response.Body = answer
	return x
}

// checkout is an order that is registered, paid and refunded, with a look in between.
func checkout() []*leaf.Exchange {
	about := "orderId=" + order
	state := func(n int) string {
		return fmt.Sprintf(`{"errorCode":"0","orderNumber":"A-1","orderStatus":%d,"amount":4900,"currency":"978"}`, n)
	}
	return []*leaf.Exchange{
		call("register.do", "orderNumber=A-1&amount=4900&returnUrl=x", `{"orderId":"`+order+`","formUrl":"https://sandbox.example/p"}`),
		call("getOrderStatusExtended.do", about, state(0)),
		call("deposit.do", about+"&amount=0", `{"errorCode":"0"}`),
		call("getOrderStatusExtended.do", about, state(2)),
		call("refund.do", about+"&amount=4900", `{"errorCode":"0"}`),
		call("getOrderStatusExtended.do", about, state(4)),
	}
}

func compiled(t testing.TB) *match.Tape {
	t.Helper()
	return match.Compile(match.Options{Profiles: profiles(t)},
		match.Cassette{Name: "checkout", Exchanges: checkout()})
}

// TestWritesDoNotNameStates has a deposit that the gateway refuses before anybody asks: the state is
// called what the answer to the question says, and no refusal.
func TestWritesDoNotNameStates(t *testing.T) {
	t.Parallel()
	xs := checkout()
	refused := *xs[2]
	refused.Response.Body = `{"errorCode":"7","errorMessage":"no"}`
	xs = slices.Insert(xs, 1, &refused)
	set := profiles(t)
	tape := match.Compile(match.Options{Profiles: set}, match.Cassette{Name: "checkout", Exchanges: xs})
	m, _ := drawing.New(drawing.Options{
		Tape: tape, Profiles: set, Redactor: redact.New(redact.Options{Profiles: set}),
	}).Machine("checkout")
	if n := m.Nodes[0]; n.Name != "registered" || len(n.Recordings) != 2 {
		t.Errorf("state %q with %d recordings", n.Name, len(n.Recordings))
	}
}

func TestMachine(t *testing.T) {
	t.Parallel()
	tape, set := compiled(t), profiles(t)
	asked := func() iter.Seq2[match.Recorded, int64] {
		return func(yield func(match.Recorded, int64) bool) {
			n := int64(3)
			for r := range tape.Recorded() {
				if !yield(r, n) {
					return
				}
				n = max(0, n-1)
			}
		}
	}
	players := match.NewSessions(tape)
	r := match.NewRequest(set, "POST", "/payment/rest/register.do",
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
		"orderNumber=B-7&amount=4900&returnUrl=x")
	if _, miss := players.Serve(r); miss != nil {
		t.Fatal("the order cannot be registered")
	}
	ms := drawing.New(drawing.Options{
		Tape: tape, Profiles: set, Redactor: redact.New(redact.Options{Profiles: set}), Asked: asked,
		Live: players.LiveStates,
	})
	if diff := cmp.Diff([]string{"checkout"}, ms.Names()); diff != "" {
		t.Error(diff)
	}
	m, ok := ms.Machine("checkout")
	if !ok {
		t.Fatal("there is no such cassette")
	}
	var got strings.Builder
	for _, n := range m.Nodes {
		fmt.Fprintf(&got, "%s at %d,%d %q %s %q asked %d live %d", n.ID, n.Column, n.Row, n.Name, n.Code,
			n.Tone, n.Asked, n.LiveCount)
		for _, w := range n.Live {
			fmt.Fprintf(&got, " %s %s", w.Kind, w.Label)
		}
		for _, x := range n.Recordings {
			fmt.Fprintf(&got, "; #%d %s asked %d", x.Number, x.Operation, x.Asked)
		}
		got.WriteByte('\n')
	}
	for _, e := range m.Edges {
		fmt.Fprintf(&got, "%s -> %s %s %v asked %d\n", e.From, e.To, e.Label, e.Recordings, e.Asked)
	}
	const want = `k1s1 at 0,0 "registered" 0 "" asked 2 live 1 order B-7; #2 getOrderStatusExtended.do asked 2
k1s2 at 1,0 "paid" 2 "good" asked 0 live 0; #4 getOrderStatusExtended.do asked 0
k1s3 at 2,0 "refunded" 4 "" asked 0 live 0; #6 getOrderStatusExtended.do asked 0
 -> k1s1 register.do [1] asked 3
k1s1 -> k1s2 deposit.do [3] asked 1
k1s2 -> k1s3 refund.do [5] asked 0
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if m.Exchanges != 6 || m.Asked != 3 || len(m.Unused) != 3 || m.Unused[0].Number != 4 {
		t.Errorf("%d exchanges, %d asked for, unused %v", m.Exchanges, m.Asked, m.Unused)
	}
	if _, ok := ms.Machine("other"); ok {
		t.Error("there is a cassette that is not on the tape")
	}
	again, _ := ms.Machine("checkout")
	if diff := cmp.Diff(m, again, cmp.Comparer(func(a, b redact.Safe) bool { return a == b })); diff != "" {
		t.Errorf("a second look shows something else:\n%s", diff)
	}
}

// TestStatesNobodyAskedAbout have the name of what led to them.
func TestStatesNobodyAskedAbout(t *testing.T) {
	t.Parallel()
	set, all := profiles(t), checkout()
	ms := drawing.New(drawing.Options{
		Tape: match.Compile(match.Options{Profiles: set},
			match.Cassette{Name: "checkout", Exchanges: []*leaf.Exchange{all[0], all[2], all[4]}}),
		Profiles: set, Redactor: redact.New(redact.Options{Profiles: set}),
	})
	m, _ := ms.Machine("checkout")
	var names []string
	for _, n := range m.Nodes {
		names = append(names, n.Name)
	}
	if diff := cmp.Diff([]string{"registered", "deposited", "refunded"}, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// random returns a machine of random states and edges.
func random(r *rand.Rand) view.Machine {
	m := view.Machine{}
	for kind := range 1 + r.IntN(3) {
		for n := range r.IntN(12) {
			id := fmt.Sprintf("k%ds%d", kind, n)
			m.Nodes = append(m.Nodes, view.Node{ID: id, Kind: fmt.Sprint("kind ", kind), Number: n + 1})
			for range r.IntN(3) {
				e := view.Edge{To: id, Operation: "x"}
				if r.IntN(3) > 0 {
					e.From = fmt.Sprintf("k%ds%d", kind, r.IntN(n+1))
				}
				m.Edges = append(m.Edges, e)
			}
		}
	}
	return m
}

// No two states overlap, whatever the machine, states of one kind are below those of another, and the
// same machine is drawn the same.
func TestStatesDoNotOverlap(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		m := random(rand.New(rand.NewPCG(seed, 1)))
		drawing.Place(&m)
		at, most := map[[2]int]string{}, map[string]int{}
		last := ""
		for _, n := range m.Nodes {
			if other := at[[2]int{n.Column, n.Row}]; other != "" {
				t.Fatalf("seed %d: %s and %s overlap", seed, other, n.ID)
			}
			at[[2]int{n.Column, n.Row}] = n.ID
			if n.Kind != last && last != "" && n.Row <= most[last] {
				t.Fatalf("seed %d: %s stands beside another kind", seed, n.ID)
			}
			if most[n.Kind] = max(most[n.Kind], n.Row); n.Kind != last && last != "" {
				most[last] = max(most[last], 0)
			}
			last = n.Kind
		}
		again := random(rand.New(rand.NewPCG(seed, 1)))
		drawing.Place(&again)
		if diff := cmp.Diff(m.Nodes, again.Nodes); diff != "" {
			t.Fatalf("seed %d:\n%s", seed, diff)
		}
		wellFormed(t, drawing.SVG(m))
	}
}

// wellFormed fails unless a text is XML, and returns the names of its elements.
func wellFormed(t testing.TB, text string) map[string]bool {
	t.Helper()
	d, names := xml.NewDecoder(strings.NewReader(text)), map[string]bool{}
	for {
		token, err := d.Token()
		if err == io.EOF {
			return names
		}
		if err != nil {
			t.Fatalf("no XML: %v\n%s", err, text)
		}
		if e, is := token.(xml.StartElement); is {
			names[e.Name.Local] = true
			for _, a := range e.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
					t.Errorf("<%s %s=%q>", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
}

// Hostile texts are text, wherever they stand.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for _, evil := range []string{`</style><script>alert(1)</script>`, `"><image href="x" onerror="y"/>`,
		"]]>\x00\x1b[31m\u202e", strings.Repeat("&<", 5<<20)} {
		m := view.Machine{Cassette: evil, Kinds: []string{evil}, Nodes: []view.Node{
			{ID: "a", Kind: evil, Words: evil, Name: evil, Code: evil, Tone: view.Tone(evil)},
			{ID: evil, Kind: evil},
		}, Edges: []view.Edge{{To: "a", Operation: evil, Label: evil}, {From: "a", To: evil, Label: evil}}}
		drawing.Place(&m)
		text := drawing.SVG(m)
		for name := range wellFormed(t, text) {
			switch name {
			case "svg", "title", "desc", "style", "defs", "marker", "path", "text", "g", "rect":
			default:
				t.Errorf("there is a <%s>", name)
			}
		}
		if len(text) > 1<<17 {
			t.Errorf("the picture has %d bytes", len(text))
		}
	}
}
