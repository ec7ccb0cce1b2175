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
		`query my_mutation { a }`:                                            true,
		`query q1mutation($a: Int) { a }`:                                    true,
		`query mutation { a }`:                                               true,
		"mutation#c\n{ void { status } }":                                    false,
		"#a\n#b\n mutation { void { status } }":                              false,
		`query MutationsOf { mutation }`:                                     true,
		`subscription { payment { status } }`:                                true,
		`{`:                                                                  true,
		`"`:                                                                  true,
		`#`:                                                                  true,
		`mutation`:                                                           false,
		`query A { a(first: {x: 1}) { b } } mutation { c }`:                  false,
	} {
		if got := asksGraph(document); got != want {
			t.Errorf("%s asks: %v", document, got)
		}
	}
}

// TestDefinesGraph tells documents of GraphQL from other texts with brackets.
func TestDefinesGraph(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{ a }`: true, `query A { a }`: true, "# c\nmutation { a }": true, `fragment F on A { a } { b }`: true,
		`CREATE (n:Payment {id: 1})`: false, `INSERT {a} INTO b`: false, `pay {now}`: false, `query`: false, `#`: false, ``: false,
	} {
		if got := definesGraph(text); got != want {
			t.Errorf("%q is a document: %v", text, got)
		}
	}
}
