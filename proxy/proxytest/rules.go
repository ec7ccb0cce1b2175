package proxytest

import (
	"sync"

	"github.com/paytape/paytape/match/rules"
)

// Rule says what the deck does beside its mode from now on, until the test is done: text is one rule,
// a list of rules or a rules file, in YAML. "paytape help rules" has the grammar.
//
//	deck.Rule("{name: lost, op: deposit.do, when: first 1, then: {lose: answer}}")
//
// It returns what takes the rules out of force before that. A mistake ends the test, and tells line and
// column; so does the name of a rule that is in force. Tests that record on one cassette share a deck:
// a rule of one of them holds for the others too.
func (d *Deck) Rule(text string) (remove func()) {
	d.t.Helper()
	names, doubts, err := d.running.AddRules(text)
	if err != nil {
		d.t.Fatalf("paytape: %v", err)
	}
	for _, doubt := range doubts {
		d.t.Logf("paytape: warning: %s", doubt)
	}
	remove = sync.OnceFunc(func() { d.running.RemoveRules(names...) })
	d.t.Cleanup(remove)
	return remove
}

// Rules returns what the rules of the deck have done so far.
func (d *Deck) Rules() []rules.Status { return d.running.Rules() }
