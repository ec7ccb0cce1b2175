package rules_test

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/match/rules"
)

const poll = "userName=sandbox-api&password=x&orderId=0b5e2c11-9d0f-7a3e-8c21-5f0f6f6f0a01&language=en&orderNumber=A-1"

// hundred returns a file with a hundred rules of one text, in which %d is the number of each.
func hundred(rule string) string {
	var b strings.Builder
	b.WriteString("rules:\n")
	for i := range 100 {
		b.WriteString("- {name: r" + itoa(i) + ", " + strings.ReplaceAll(rule, "%d", itoa(i)) + "}\n")
	}
	return b.String()
}

var nobody = []struct{ name, file string }{
	{"no-rules", "rules: []"},
	{"other-operation", hundred("op: deposit.do, then: {status: 500}")},
	{"where-text", hundred("op: getOrderStatusExtended.do, where: {orderNumber: B-%d}, then: {status: 500}")},
	{"where-star", hundred("op: getOrderStatusExtended.do, where: {orderNumber: 'B-%d*'}, then: {status: 500}")},
	{"where-number", hundred("op: getOrderStatusExtended.do, where: {language: '>= %d'}, then: {status: 500}")},
	{"where-absent-field", hundred("op: getOrderStatusExtended.do, where: {field%d: present}, then: {status: 500}")},
	{"where-header", hundred("op: getOrderStatusExtended.do, where: {'header:X-%d': present}, then: {status: 500}")},
	{"where-path", hundred("op: {method: POST, path: '/shop/{id}/%d'}, then: {status: 500}")},
	{"session", hundred("op: getOrderStatusExtended.do, session: ci-%d, then: {status: 500}")},
	{"other-operation-per-entity", hundred("op: deposit.do, when: first 2, then: {status: 500}")},
	{"where-text-per-entity", hundred("op: getOrderStatusExtended.do, where: {orderNumber: B-%d}, when: first 2, then: {status: 500}")},
	{"used-up-per-entity", hundred("op: getOrderStatusExtended.do, when: unseen getOrderStatusExtended.do, then: {status: 500}")},
}

func BenchmarkNothingMatches(b *testing.B) {
	for _, test := range nobody {
		b.Run(test.name, func(b *testing.B) {
			e, set := newEngine(b, test.file)
			a := form(set, status, poll)
			e.Begin(a) // the first attempt
			b.ReportAllocs()
			for b.Loop() {
				if !e.Idle() && e.Concerns(a.Call) {
					e.Begin(a)
				}
			}
		})
	}
}

func BenchmarkOneFires(b *testing.B) {
	for _, per := range []string{"entity", "session"} {
		b.Run(per, func(b *testing.B) {
			e, set := newEngine(b, "rules: [{name: x, op: "+status+", when: first 1000000000, per: "+per+", then: {status: 500}}]")
			a := form(set, status, poll)
			answer := rules.Answer{Code: 200, Body: `{"orderStatus":2}`}
			b.ReportAllocs()
			for b.Loop() {
				r := e.Begin(a)
				r.Answered(answer)
				r.Change(answer)
			}
		})
	}
}

// A rule that does not match costs no memory: a hundred rules would show. The race detector makes
// pools forget, so a few allocations may be of the request. The last of the files has rules whose
// tests all hold, and conditions that do not: there is a ruling.
func TestRulesThatDoNotMatchAllocateNothing(t *testing.T) {
	for _, test := range nobody[:len(nobody)-1] {
		e, set := newEngine(t, test.file)
		a := form(set, status, poll)
		e.Begin(a)
		if n := testing.AllocsPerRun(100, func() { e.Begin(a) }); n > 5 {
			t.Errorf("%s: %v allocations", test.name, n)
		}
	}
}
