package rules

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// randomTests returns the text of random tests on a few places with a few values, so that many hold.
func randomTests(random *rand.Rand) string {
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	places := []string{
		"orderNumber", "language", "amount", "$PAN", "params.email", "header:X-Shop", "header:X-None",
		"body:a.b", "query:language", "items[0].name",
	}
	random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	var tests []string
	for _, place := range places[:random.IntN(4)] {
		var any []string
		for range 1 + random.IntN(3) {
			value := one("A-1", "A-2", "10", "10.0", "-3", "", "x")
			if place == "$PAN" {
				value = "400000"
			}
			any = append(any, fmt.Sprintf("%q", one(
				value, "= "+value, "!= "+value, value+"*", "*"+value, "A*1", "= A*1", "~ ^A", "~ 0", "present", "absent",
				"> 10", ">= 10", ">= -3", "< 10", "<= 10", "<= 9.99", "> 999",
			)))
		}
		tests = append(tests, fmt.Sprintf("%q: [%s]", place, strings.Join(any, ", ")))
	}
	return strings.Join(tests, ", ")
}

// randomAsked returns a random request about the values of randomTests.
func randomAsked(random *rand.Rand, profiles *profile.Set) *Asked {
	one := func(of ...string) string { return of[random.IntN(len(of))] }
	paths := []string{"/payment/rest/getOrderStatusExtended.do", "/payment/rest/register.do", "/payment/rest/paymentorder.do", "/shop/7/pay", "/shop/x"}
	in := request.Incoming{Method: "POST", Target: one(paths...), Header: http.Header{}}
	if random.IntN(2) == 0 {
		in.Target += "?language=" + one("A-1", "10", "x")
	}
	if random.IntN(2) == 0 {
		in.Header["X-Shop"] = []string{one("A-1", "10", ""), one("A-1", "x")}[:1+random.IntN(2)]
	}
	for i := range random.IntN(4) {
		in.Header[fmt.Sprintf("X-Other-%d", i)] = []string{"A-1"}
	}
	pan := "4000+00" + strings.Repeat("0", 8) + "99"
	var pairs []string
	for _, name := range []string{"orderNumber", "language", "amount", "$PAN", "email", "orderNumber"} {
		if random.IntN(2) == 0 {
			pairs = append(pairs, name+"="+one("A-1", "A-12", "10", "10.00", "11", "-3.5", "", pan, pan))
		}
	}
	in.Body = strings.Join(pairs, "&")
	in.Header["Content-Type"] = []string{"application/x-www-form-urlencoded"}
	if random.IntN(3) == 0 {
		in.Body = fmt.Sprintf(`{"a":{"b":%q},"amount":%s,"items":[{"name":%q}]}`, one("A-1", "10"), one("10", "11"), one("A-1", "x"))
		in.Header["Content-Type"] = []string{"application/json"}
	}
	in.Call = profiles.Find(in.Method, request.PathOf(in.Target))
	r, _ := request.NewLive(profiles, in)
	r.Session = one("", "ci-1", "ci-2", "dev")
	return &Asked{Request: r, Body: in.Body}
}

// A plan finds the rules of which all tests hold, in their order, and reports count what failed
// first, as if every rule had looked at every request.
func TestIndexedRulesAreFoundAsOneByOne(t *testing.T) {
	t.Parallel()
	profiles, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	found, ruled := 0, 0
	for n := range uint64(50) {
		random := rand.New(rand.NewPCG(n, 31))
		one := func(of ...string) string { return of[random.IntN(len(of))] }
		var file strings.Builder
		file.WriteString("rules:\n")
		for i := range 40 {
			fmt.Fprintf(&file, "- {name: r%d, where: {%s}, %s %s then: {status: 500}}\n", i, randomTests(random),
				one("", "", `op: "*",`, "op: register.do,", `op: "*.do",`, `op: {path: "/shop/{id}/pay"},`,
					`op: [register.do, {path: "/shop/*"}, {path: "*Extended.do"}],`),
				one("", "", "session: ci-1,", `session: ["ci-*", "de*"],`, `session: "*",`))
		}
		f, err := Parse("random.yaml", []byte(strings.ReplaceAll(file.String(), "where: {}, ", "")), Source{Profiles: profiles})
		if err != nil {
			t.Fatal(err)
		}
		e := New(Options{Profiles: profiles})
		if err := e.Set(FromFile, f); err != nil {
			t.Fatal(err)
		}
		set := e.current.Load()
		failed := map[string][]int64{}
		for _, r := range set.rules {
			failed[r.Name] = make([]int64, len(r.failed))
		}
		for range 80 {
			a := randomAsked(random, profiles)
			var want []string
			for _, r := range set.rules {
				switch {
				case r.sessions != nil && !globs(r.sessions, a.Session), !meansAny(r.ops, a.Call.Operation, a.Method, pathOf(a.Request)):
					continue
				}
				at := slices.IndexFunc(r.where, func(f fieldTest) bool { return !f.test.holds(f.at.inRequest(a)) })
				if at >= 0 {
					failed[r.Name][at]++
					continue
				}
				want = append(want, r.Name)
			}
			l := &lookup{plan: set.plan(a.Call), asked: a}
			l.find()
			var got []string
			for _, c := range l.candidates {
				got = append(got, c.Name)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s %s in %q: the plan finds %v, one by one %v\n%s", n, a.Target, a.Body, a.Session, got, want, file.String())
			}
			found, ruled = found+len(got), ruled+len(set.rules)
		}
		first := set.failedFirst()
		for _, r := range set.rules {
			for i := range r.failed {
				got := r.failed[i].Load()
				if i == 0 {
					got += first[r.progress]
				}
				if got != failed[r.Name][i] {
					t.Fatalf("seed %d: test %d of %s has failed first %d times, is counted %d times\n%s", n, i, r.Name, failed[r.Name][i], got, file.String())
				}
			}
		}
	}
	if found*50 < ruled || found*2 > ruled {
		t.Errorf("%d of %d rules hold: the test tells little", found, ruled)
	}
}
