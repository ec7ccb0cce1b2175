package match_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// customersOf is a tape of an API that no profile knows: n customers and their charges.
func customersOf(n int) []*leaf.Exchange {
	var lines []string
	for i := range n {
		id := fmt.Sprintf("cus_%06dx9f3a7c51b2", i)
		lines = append(lines,
			fmt.Sprintf(`POST /api/v3/customers {"plan":"p%d","lang":"en"} => {"id":"%s"}`, i, id),
			"GET /api/v3/customers/"+id+`/charges => {"charges":[]}`)
	}
	xs := tape(lines...)
	foreign(xs)
	return xs
}

// What a miss costs must not grow with the tape: a copy, a list or a comparison for each recording of
// the operation would show in the memory that the miss takes.
func TestAMissCostsTheSameBesideManyOthers(t *testing.T) {
	const few, many, asked = 500, 2_000, 100
	withoutRaces(t)
	xs := map[string]func(n int) []*leaf.Exchange{
		"payments":  func(n int) []*leaf.Exchange { xs, _ := payments(3*n, false); return xs },
		"cards":     distinctCards,
		"customers": customersOf,
	}
	for _, test := range []struct{ name, tape, line string }{
		{"a field", "payments", amount(registers("B"), 1_000_000)},
		{"an id", "payments", status + "01234567-89ab-7def-8123-456789abcdef"},
		{"a field beside a card", "cards", strings.Replace(asksAbout(7), "MOBILE", "BRANCH", 1)},
		{"a field of an unknown API", "customers", `POST /api/v3/customers {"plan":"other","lang":"en"}`},
		{"a path", "payments", "PUT /somewhere/else {}"},
		{"a path of an unknown API", "customers", "PUT /api/v3/customer/cus_1/charges {}"},
		{"a method of an unknown API", "customers", "PUT /api/v3/customers {}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			of := func(n int) (pieces, size float64) {
				d := newDeck(t, xs[test.tape](n))
				d.miss(test.line) // which makes what finds the recordings for all misses behind
				return cost(asked, func(int) { d.miss(test.line) })
			}
			pieces, size := of(few)
			morePieces, moreSize := of(many)
			if morePieces > 1.1*pieces+1 || moreSize > 1.1*size+100 {
				t.Errorf("a miss takes %.1f pieces, %.0f bytes beside %d, and %.1f pieces, %.0f bytes beside %d",
					pieces, size, few, morePieces, moreSize, many)
			}
		})
	}
}

// A request is compared with as few recordings of an operation of 4,000 as of one of 1,000.
func TestAMissLooksAtFewRecordings(t *testing.T) {
	const most = 200
	for _, n := range []int{1_000, 4_000} {
		xs, _ := payments(3*n, false)
		d := newDeck(t, xs)
		for _, line := range []string{amount(registers("B"), 1_000_000), registers("B") + "&language=xx"} {
			method, target, body := requestLine(line)
			r := match.NewRequest(d.opts.Profiles, method, target, nil, body)
			if looked := match.Looked(d.player, r); looked == 0 || looked > most {
				t.Errorf("%d of %d recordings were looked at, and not up to %d", looked, n, most)
			}
		}
	}
}

// The nearest recording is found wherever it stands among many: by what it has in common with the
// request, and a request of another kind by its key.
func TestTheNearestOfMany(t *testing.T) {
	const n = 6_000
	var lines []string
	for i := range n {
		plan, lang := "basic", "en"
		if i == n-10 {
			lang = "de"
		}
		line := fmt.Sprintf(`POST /api/v3/plans {"plan":"%s","lang":"%s","price":%d}`, plan, lang, i)
		if i == n-5 {
			line = `POST /api/v3/plans {"renew":true}`
		}
		lines = append(lines, line+` => {"ok":true}`)
	}
	xs := tape(lines...)
	foreign(xs)
	s := replay(t, xs)
	for _, test := range []struct {
		name, line string
		number     int
		path       string // that differs
	}{
		{"a rare value", `POST /api/v3/plans {"plan":"basic","lang":"de","price":77777}`, n - 9, "price"},
		{"two values", `POST /api/v3/plans {"plan":"basic","lang":"fr","price":5500}`, 5501, "lang"},
		{"the same parameters", `POST /api/v3/plans {"renew":false}`, n - 4, "renew"},
		{"values of all", `POST /api/v3/plans {"plan":"basic","lang":"en","price":77777}`, 1, "price"},
	} {
		m := s.miss(test.line)
		if len(m.Near) == 0 || m.Near[0].Number != test.number || len(m.Near[0].Diffs) != 1 ||
			m.Near[0].Diffs[0].Path != test.path {
			t.Errorf("%s: the nearest is %+v", test.name, m.Near)
		}
	}
}

// Of an API that no profile knows the path is told with the ids that a tape of many has open.
func TestAPathOfAnUnknownAPI(t *testing.T) {
	s := replay(t, customersOf(100))
	for line, want := range map[string]string{
		"GET /api/v3/customer/cus_1/charges": "did you mean /api/v3/customers/{}/charges?",
		"GET /v3/customers":                  "did you mean /api/v3/customers?",
		"DELETE /api/v3/customers":           "send it with the recorded method",
	} {
		if m := s.miss(line); !strings.Contains(m.Hint, want) {
			t.Errorf("%s: the hint is %q, want %q", line, m.Hint, want)
		}
	}
}

func BenchmarkMissOfMany(b *testing.B) {
	for name, line := range map[string]string{
		"field": amount(registers("B"), 10_000_000), "id": status + "01234567-89ab-7def-8123-456789abcdef",
	} {
		bySize(b, name, "exchanges", sizes, func(b *testing.B, n int) {
			xs, _ := payments(n, false)
			d := newDeck(b, xs)
			d.miss(line)
			b.ReportAllocs()
			for b.Loop() {
				d.miss(line)
			}
		})
	}
}
