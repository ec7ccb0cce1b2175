package proxy_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
)

// BenchmarkRuled is a poll through the reverse door and replay, without sockets and where the
// answer need not be searched for: without an engine, with one that has no rules, and with a
// hundred rules of which none matches.
func BenchmarkRuled(b *testing.B) {
	set := builtin(b)
	answer := &match.Answer{Code: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: polled}
	replay := replayer(b, found{answer}, func(o *proxy.ReplayOptions) { o.Profiles = set })
	for _, bench := range []struct{ name, rule string }{
		{"no-engine", ""},
		{"no-rules", "-"},
		{"other-operation", "op: deposit.do"},
		{"where-text", "op: getOrderStatusExtended.do, where: {orderNumber: B-%d}"},
		{"where-number", "op: getOrderStatusExtended.do, where: {amount: '> 9999%d'}"},
		{"where-header", "op: getOrderStatusExtended.do, where: {'header:X-%d': present}"},
		{"other-operation-per-entity", "op: deposit.do, when: first 2"},
		{"where-text-per-entity", "op: getOrderStatusExtended.do, where: {orderNumber: B-%d}, when: first 2"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			var mode http.RoundTripper = replay
			if bench.rule != "" {
				engine := rules.New(rules.Options{Profiles: set, Seed: 1})
				if bench.rule != "-" {
					f, err := rules.Parse("run.yaml", []byte(hundredRules(bench.rule)), rules.Source{Profiles: set})
					if err == nil {
						err = engine.Set(rules.FromFile, f)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				var err error
				mode, err = proxy.NewRuled(proxy.RuledOptions{
					Mode: mode, Rules: engine, Profiles: set, Cleaner: newUncleaned(b),
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			door := proxy.NewDoor(mode, nil)
			const body = "userName=sandbox-api&password=x&orderId=0b5e2c11-9d0f-7a3e-8c21-5f0f6f6f0a01&" +
				"language=en&orderNumber=A-1&amount=12500"
			b.ReportAllocs()
			for b.Loop() {
				req := httptest.NewRequest("POST", pollPath, strings.NewReader(body))
				req.Header["Content-Type"] = []string{"application/x-www-form-urlencoded"}
				door.ServeHTTP(httptest.NewRecorder(), req)
			}
		})
	}
}

// hundredRules returns a file with a hundred rules of one text, in which %d is the number of each.
func hundredRules(rule string) string {
	var b strings.Builder
	b.WriteString("rules:\n")
	for i := range 100 {
		fmt.Fprintf(&b, "- {name: r%d, %s, then: {status: 500}}\n", i,
			strings.ReplaceAll(rule, "%d", fmt.Sprint(i)))
	}
	return b.String()
}
