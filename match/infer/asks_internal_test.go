package infer

import "testing"

// TestAsksGraph has documents of GraphQL. What a mutation asks of its answer makes it no question.
func TestAsksGraph(t *testing.T) {
	t.Parallel()
	for document, want := range map[string]bool{
		`{ payment(id: 1) { id status } }`:                                   true,
		`query P($id: ID!) { payment(id: $id) { status } }`:                  true,
		`mutation Void($id: ID!) { voidPayment(id: $id) { id status } }`:     false,
		`mutation{void(id:"1"){status}}`:                                     false,
		`mutation @audit { void { status } }`:                                false,
		"# a mutation, no\nquery { mutation(id: 1) { status } }":             true,
		"fragment F on Payment { id }\nquery { payment(id: 1) { ...F } }":    true,
		"fragment F on Payment { id }\nmutation { void(id: 1) { ...F } }":    false,
		`query A { a(text: "} mutation { \" mutation {") } mutation B { b }`: false,
		`query A { a(text: "} mutation { \" mutation {") { mutation } }`:     true,
		`query MutationsOf { mutation }`:                                     true,
		`subscription { payment { status } }`:                                true,
		`{`:                                                                  true,
		`"`:                                                                  true,
		`#`:                                                                  true,
		`mutation`:                                                           true, // there is nothing to do
		`query A { a(first: {x: 1}) { b } } mutation { c }`:                  false,
	} {
		if got := asksGraph(document); got != want {
			t.Errorf("%s asks: %v", document, got)
		}
	}
}
