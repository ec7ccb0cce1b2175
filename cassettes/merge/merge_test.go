package merge_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dnaeon/go-vcr/v2/cassette"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/merge"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
)

var epoch = time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)

// bench makes tapes as recorders do.
type bench struct {
	t   *testing.T
	set *profile.Set
}

func newBench(t *testing.T) *bench {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return &bench{t, set}
}

func (b *bench) redactor() *redact.Redactor { return redact.New(redact.Options{Profiles: b.set}) }

// said is an exchange that has an id, a moment in seconds and a password.
type said struct {
	id       string
	at       int
	password string
}

func (s said) exchange() *leaf.Exchange {
	form := url.Values{"userName": {"shop"}, "password": {s.password}, "orderNumber": {s.id}}
	at := time.Time{}
	if s.at > 0 {
		at = epoch.Add(time.Duration(s.at) * time.Second)
	}
	return &leaf.Exchange{
		Interaction: cassette.Interaction{
			Request: cassette.Request{
				Method: "POST", URL: "https://gw.example/payment/rest/register.do", Body: form.Encode(),
				Headers: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
			},
			Response: cassette.Response{Status: "200 OK", Code: 200, Body: `{"orderId":"` + s.id + `"}`},
		},
		Meta: leaf.Meta{At: at},
	}
}

// record records exchanges behind those of a tape. A recording knows nothing of what stood in the place
// of older surrogates: a password that is said again is another token.
func (b *bench) record(tape []redact.Clean, all ...said) []redact.Clean {
	b.t.Helper()
	r := b.redactor()
	r.Resume(slices.Values(tape))
	tape = slices.Clone(tape)
	n := 0
	for _, c := range tape {
		n = max(n, c.Exchange().Meta.Number)
	}
	for _, s := range all {
		x := s.exchange()
		n++
		x.Meta.Number = n
		tape = append(tape, r.Clean(x))
	}
	return tape
}

// edit changes the answer of an exchange as an editor does.
func (b *bench) edit(tape []redact.Clean, id, answer string) []redact.Clean {
	var all []*leaf.Exchange
	for _, c := range tape {
		x := *c.Exchange()
		if idOf(c) == id {
			x.Response.Body = answer
		}
		all = append(all, &x)
	}
	return b.redactor().RecleanAll(all)
}

func without(tape []redact.Clean, id string) []redact.Clean {
	return slices.DeleteFunc(slices.Clone(tape), func(c redact.Clean) bool { return idOf(c) == id })
}

func idOf(c redact.Clean) string { return c.Exchange().Form.Get("orderNumber") }

func tokenOf(c redact.Clean) string { return c.Exchange().Form.Get("password") }

// listed writes a tape as its ids and tokens: "1 A token-1".
func listed(pieces []cassettes.Piece) string {
	var lines []string
	line := func(c redact.Clean) string {
		return fmt.Sprintf("%d %s %s", c.Exchange().Meta.Number, idOf(c),
			strings.TrimPrefix(tokenOf(c), "REDACTED-"))
	}
	for _, p := range pieces {
		if !p.IsConflict() {
			lines = append(lines, line(p.Exchange))
			continue
		}
		both := "conflict"
		for _, c := range slices.Concat(p.Ours, p.Theirs) {
			both += " (" + line(c) + ")"
		}
		lines = append(lines, both)
	}
	return strings.Join(lines, "\n")
}

func TestMerge(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	base := b.record(nil, said{"A", 1, "first-Secret"}, said{"B", 2, "first-Secret"},
		said{"C", 3, "second-Secret"})
	session := b.record(nil, said{"A", 1, "first-Secret"}, said{"B", 2, "first-Secret"})
	for _, tt := range []struct {
		why          string
		base         []redact.Clean
		ours, theirs []redact.Clean
		want         string
		conflicts    int
	}{
		{"both append, and each has a secret that the other has not", base,
			b.record(base, said{"D", 5, "third-Secret"}, said{"E", 7, "first-Secret"}),
			b.record(base, said{"F", 6, "fourth-Secret"}, said{"G", 8, "second-Secret"}),
			"1 A token-1\n2 B token-1\n3 C token-2\n4 D token-3\n5 F token-5\n6 E token-4\n7 G token-6", 0},
		{"theirs is older than what both come from: it stands behind the same exchange", base,
			base, b.record(base, said{"F", 1, "fourth-Secret"}),
			"1 A token-1\n2 B token-1\n3 C token-2\n4 F token-3", 0},
		{"what ours has removed stays removed", base, without(base, "B"),
			b.record(base, said{"D", 9, "first-Secret"}), "1 A token-1\n3 C token-2\n4 D token-3", 0},
		{"what theirs has removed stays removed", base, b.record(base, said{"D", 9, "first-Secret"}),
			without(base, "B"), "1 A token-1\n3 C token-2\n4 D token-3", 0},
		{"a number whose value was removed may be given out again", base,
			b.record(without(base, "C"), said{"D", 9, "third-Secret"}),
			b.record(base, said{"E", 10, "second-Secret"}),
			"1 A token-1\n2 B token-1\n4 D token-2\n5 E token-3", 0},
		{"one side changes", base, base, b.edit(base, "B", `{"errorCode":5}`),
			"1 A token-1\n2 B token-1\n3 C token-2", 0},
		{"one side changes what tells the other side's secret: it is known by what both come from",
			session[:1], b.edit(session[:1], "A", `{"errorCode":5}`), session, "1 A token-1\n2 B token-1", 0},
		{"both change alike", base, b.edit(base, "B", `{"errorCode":5}`),
			b.edit(base, "B", `{"errorCode":5}`), "1 A token-1\n2 B token-1\n3 C token-2", 0},
		{"both change in two ways", base, b.edit(base, "B", `{"errorCode":5}`),
			b.edit(base, "B", `{"errorCode":6}`),
			"1 A token-1\nconflict (2 B token-1) (2 B token-1)\n3 C token-2", 1},
		{"one changes what the other removes", base, without(base, "B"),
			b.edit(base, "B", `{"errorCode":6}`),
			"1 A token-1\nconflict (2 B token-1)\n3 C token-2", 1},
		{"both have picked one exchange", base, b.record(base, said{"D", 9, "third-Secret"}),
			b.record(base, said{"E", 8, "fourth-Secret"}, said{"D", 9, "third-Secret"}),
			"1 A token-1\n2 B token-1\n3 C token-2\n4 E token-5\n5 D token-3", 0},
		{"two tapes of which nobody knows that they have something in common", nil,
			b.record(base, said{"D", 9, "third-Secret"}), b.record(base, said{"E", 8, "fourth-Secret"}),
			"1 A token-1\n2 B token-1\n3 C token-2\n4 E token-4\n5 D token-3", 0},
		{"two tapes that have nothing in common are ordered by time", nil,
			b.record(nil, said{"D", 1, "first-Secret"}, said{"E", 5, "first-Secret"}),
			b.record(nil, said{"F", 2, "first-Secret"}, said{"G", 6, "first-Secret"}),
			"1 D token-1\n2 F token-2\n3 E token-1\n4 G token-2", 0},
		{"where times go back, ours comes first", b.record(nil, said{"A", 1, "first-Secret"}),
			b.record(nil, said{"A", 1, "first-Secret"}, said{"D", 1, "third-Secret"}, said{"E", 3, "third-Secret"}),
			b.record(nil, said{"A", 1, "first-Secret"}, said{"F", 1, "fourth-Secret"}, said{"G", 3, "fourth-Secret"}),
			"1 A token-1\n2 D token-2\n3 E token-2\n4 F token-3\n5 G token-3", 0},
		{"and so it does where both begin at one time", nil,
			b.record(nil, said{"D", 1, "third-Secret"}, said{"E", 3, "third-Secret"}),
			b.record(nil, said{"F", 1, "fourth-Secret"}, said{"G", 3, "fourth-Secret"}),
			"1 D token-1\n2 E token-1\n3 F token-2\n4 G token-2", 0},
		{"where times go back, one flow goes and another comes", b.record(nil, said{"A", 1, "first-Secret"},
			said{"B", 1, "second-Secret"}),
			b.record(nil, said{"A", 1, "first-Secret"}, said{"D", 1, "third-Secret"}),
			b.record(nil, said{"A", 1, "first-Secret"}, said{"B", 1, "second-Secret"}, said{"F", 1, "fourth-Secret"}),
			"1 A token-1\n2 D token-2\n3 F token-3", 0},
		{"without times ours comes first", nil,
			b.record(nil, said{"D", 0, "first-Secret"}, said{"E", 0, "first-Secret"}),
			b.record(nil, said{"F", 0, "other-Secret"}),
			"1 D token-1\n2 E token-1\n3 F token-2", 0},
	} {
		got := merge.Merge(merge.Tapes{Base: tt.base, Ours: tt.ours, Theirs: tt.theirs}, b.redactor)
		if list := listed(got.Pieces); list != tt.want || len(got.Conflicts) != tt.conflicts {
			t.Errorf("%s: %d conflicts\n%s\nwant\n%s", tt.why, len(got.Conflicts), list, tt.want)
		}
	}
}

// TestMergeWithoutTimes wants an exchange of a tape without times to be known by what comes before.
func TestMergeWithoutTimes(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	base := b.record(nil, said{"A", 0, "first-Secret"}, said{"B", 0, "first-Secret"})
	got := merge.Merge(merge.Tapes{
		Base: base, Ours: b.edit(base, "B", "{}"), Theirs: b.edit(base, "B", `{"errorCode":6}`),
	}, b.redactor)
	want := []string{"exchange 2 (register.do) was changed on both sides, in two ways"}
	if !slices.Equal(got.Conflicts, want) {
		t.Errorf("got %q, want %q", got.Conflicts, want)
	}
}

// TestMergeKeepsGaps wants a number to stay free where a tape lacks calls, unless the other tape has them.
func TestMergeKeepsGaps(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	all := b.record(nil, said{"A", 0, "first-Secret"}, said{"B", 1, "first-Secret"}, said{"C", 2, "first-Secret"})
	for _, test := range []struct {
		name         string
		ours, theirs []redact.Clean
		want         []int
	}{
		{"ours", without(all, "B"), b.record(nil, said{"D", 9, "first-Secret"}), []int{1, 3, 4}},
		{"theirs", b.record(nil, said{"D", 0, "first-Secret"}), without(all, "A"), []int{1, 3, 4}},
		{"both", without(all, "B"), without(all, "B"), []int{1, 3}},
		{"what the other has", without(all, "B"), all, []int{1, 2, 3}},
	} {
		var got []int
		for _, c := range merge.Merge(merge.Tapes{Ours: test.ours, Theirs: test.theirs}, b.redactor).Exchanges() {
			got = append(got, c.Exchange().Meta.Number)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: numbers %v, want %v", test.name, got, test.want)
		}
	}
}

// TestMergeOfCallbacks wants callbacks to name their cause by its new number, and none that is gone.
func TestMergeOfCallbacks(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	told := func(of int) redact.Clean {
		x := said{fmt.Sprintf("told-%d", of), 20 + of, "first-Secret"}.exchange()
		x.Meta.Number = 3
		x.Meta.Callback = &leaf.Callback{Of: of, Gap: time.Second, Attempt: 1, Via: leaf.ViaRelay}
		return b.redactor().Clean(x)
	}
	base := b.record(nil, said{"A", 1, "first-Secret"}, said{"B", 2, "first-Secret"})
	got := merge.Merge(merge.Tapes{
		Base: base, Ours: append(without(base, "A"), told(2)), Theirs: append(slices.Clone(base), told(1)),
	}, b.redactor)
	var of []int
	for _, c := range got.Exchanges() {
		if told := c.Exchange().Meta.Callback; told != nil {
			of = append(of, told.Of)
		}
	}
	if want := []int{0, 2}; !slices.Equal(of, want) {
		t.Errorf("callbacks of %v, want of %v", of, want)
	}
}

// TestMergeThereAndBack merges a branch that has merged the other before, under other numbers.
func TestMergeThereAndBack(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	base := b.record(nil, said{"A", 1, "first-Secret"})
	main := b.record(base, said{"B", 2, "main-Secret"})
	branch := b.record(base, said{"C", 3, "branch-Secret"})
	branch = merge.Merge(merge.Tapes{Base: base, Ours: branch, Theirs: main}, b.redactor).Exchanges()
	later := b.record(main, said{"D", 4, "main-Secret"}, said{"E", 5, "late-Secret"})
	got := merge.Merge(merge.Tapes{Base: main, Ours: later, Theirs: branch}, b.redactor)
	want := "1 A token-1\n2 B token-2\n3 C token-5\n4 D token-3\n5 E token-4"
	if list := listed(got.Pieces); list != want || len(got.Conflicts) != 0 {
		t.Errorf("got %v\n%s\nwant\n%s", got.Conflicts, list, want)
	}
}

// TestMergeKeepsValuesApart merges many pairs of branches, which have appended, removed and merged
// before, and wants no surrogate to stand for two values, nothing doubled and nothing lost.
func TestMergeKeepsValuesApart(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	rng := rand.New(rand.NewPCG(6, 28))
	rounds := 150
	if testing.Short() {
		rounds = 30
	}
	for round := range rounds {
		m := model{bench: b, rng: rng, passwords: map[string]string{}}
		base := m.append(nil, 1+rng.IntN(4))
		for range 3 {
			ours, theirs := m.branch(base), m.branch(base)
			got := merge.Merge(merge.Tapes{Base: base, Ours: ours, Theirs: theirs}, b.redactor)
			if len(got.Conflicts) > 0 {
				t.Fatalf("round %d: %v", round, got.Conflicts)
			}
			all := got.Exchanges()
			m.check(all, ids(ours), ids(theirs), ids(base))
			if t.Failed() {
				t.Fatalf("round %d", round)
			}
			base = []([]redact.Clean){ours, theirs}[rng.IntN(2)] // and one of them goes on from the merge
			base = merge.Merge(merge.Tapes{Base: base, Ours: base, Theirs: all}, b.redactor).Exchanges()
		}
	}
}

// model knows what was said.
type model struct {
	*bench
	rng       *rand.Rand
	passwords map[string]string // by id
}

func (m *model) append(tape []redact.Clean, n int) []redact.Clean {
	for range n {
		at := len(m.passwords) + 1
		s := said{fmt.Sprintf("X%d", at), at, fmt.Sprintf("secret-Word%d", m.rng.IntN(6))}
		m.passwords[s.id] = s.password
		tape = m.record(tape, s)
	}
	return tape
}

func (m *model) branch(base []redact.Clean) []redact.Clean {
	tape := m.append(base, 1+m.rng.IntN(3))
	if m.rng.IntN(3) == 0 {
		tape = without(tape, idOf(tape[m.rng.IntN(len(tape))]))
	}
	return tape
}

func ids(tape []redact.Clean) map[string]bool {
	all := map[string]bool{}
	for _, c := range tape {
		all[idOf(c)] = true
	}
	return all
}

func (m *model) check(all []redact.Clean, ours, theirs, base map[string]bool) {
	m.t.Helper()
	meaning := map[string]string{}
	seen := map[string]bool{}
	last := 0
	for i, c := range all {
		id, token := idOf(c), tokenOf(c)
		if was := meaning[token]; was != "" && was != m.passwords[id] {
			m.t.Errorf("%s stands for %s and for %s", token, was, m.passwords[id])
		}
		meaning[token] = m.passwords[id]
		before := last
		if last = c.Exchange().Meta.Number; seen[id] || last <= before {
			m.t.Errorf("exchange %s stands at %d under number %d, behind %d", id, i+1, last, before)
		}
		seen[id] = true
	}
	for id := range m.passwords {
		want := ours[id] && theirs[id] || (ours[id] || theirs[id]) && !base[id]
		if seen[id] != want {
			m.t.Errorf("exchange %s is there: %v, want %v", id, seen[id], want)
		}
	}
}
