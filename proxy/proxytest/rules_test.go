package proxytest_test

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/proxy/proxytest"
)

// A rule is of the test that has added it, and goes with it.
func TestRulesOfATest(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(proxytest.Variable, "record")
	t.Setenv(deck.CIVariable, "")
	options := []proxytest.Option{proxytest.Dir(dir), proxytest.Upstream(deck.Builtin)}
	shared := proxytest.Replay(t, "tape", options...)
	try(t, func(t testing.TB) {
		d := proxytest.Replay(t, "tape", options...)
		remove := d.Rule("{name: gone, then: {drip: 1s}}")
		d.Rule("{name: stays, op: register.do, then: {drip: 1s}}")
		remove()
		remove()
		if all := shared.Rules(); len(all) != 1 || all[0].Name != "stays" || all[0].Does != "drip 1s" {
			t.Errorf("%d rules are in force", len(all))
		}
		try(t, func(t testing.TB) {
			proxytest.Replay(t, "tape", options...).Rule("{name: stays, then: {drip: 1s}}")
		}).failed(t.(*trial).TB.(*testing.T), `a rule "stays" is in force`)
	}).passed(t)
	if all := shared.Rules(); len(all) != 0 {
		t.Errorf("%d rules are left when the test is done", len(all))
	}
	remove := shared.Rule("{name: down, op: register.do, then: {answer: {status: 503, body: '{}'}}}")
	if register(t, shared, "A-1", "100") != "" {
		t.Error("the rule does nothing")
	}
	remove()
	if register(t, shared, "A-1", "100") == "" {
		t.Error("the rule is still in force")
	}
}

func TestAMistakeInARuleEndsTheTest(t *testing.T) {
	t.Setenv(proxytest.Variable, "record")
	t.Setenv(deck.CIVariable, "")
	try(t, func(t testing.TB) {
		d := proxytest.Replay(t, "tape", proxytest.Dir(t.(*trial).TB.TempDir()),
			proxytest.Upstream(deck.Builtin))
		d.Rule("name: a\nop: registre.do\nthen: {" + strings.Repeat(" ", 3) + "status: 500}")
		t.Errorf("the test goes on")
	}).failed(t, `paytape: rule:2:5: unknown operation "registre.do": did you mean "register.do"?`)
}
