package filter

import (
	"cmp"
	"slices"
	"strings"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// Key is a word of the language that stands before a ":".
type Key struct {
	Name string
	// Says tells what a value of the key is.
	Says string
	// Values are words that a value can be; nil where it is a text, a number or a time that nobody
	// knows before. Open says that a value can be something else as well.
	Values []Value
	Open   bool
	// Of appends what a row has under the key, as a person would type it. Nil: a row has nothing that
	// could be listed.
	Of func(values []string, r *view.Row) []string

	texts func(r *view.Row) []string // what a value is looked for in; nil: the key has its own test
	parse func(k *Key, value string) (test, error)
	need  need
}

// Value is a word that a value can be.
type Value struct {
	Name string
	Says string
	is   func(r *view.Row) bool
}

// Keys returns all keys, in the order in which a person is told of them.
func Keys() []Key { return slices.Clone(keys) }

// keyOf returns the key of a name in small letters; nil for none.
func keyOf(name string) *Key {
	if i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name }); i >= 0 {
		return &keys[i]
	}
	return nil
}

// keys is the table of the language.
var keys = []Key{
	{
		Name: "order", Says: "number or id of an order, or of what else a call is about",
		texts: func(r *view.Row) []string { return []string{r.Who.Label.String(), r.Who.ID.String()} },
		Of:    one(func(r *view.Row) string { return r.Who.Label.String() }),
		parse: parseText, need: need{read: true},
	},
	{
		Name: "card", Says: "digits of a card as its mask shows them: 1118, 4000*1118",
		texts: func(r *view.Row) []string { return []string{r.Who.Card.String()} },
		Of:    one(func(r *view.Row) string { return r.Who.Card.String() }),
		parse: parseCard, need: need{read: true},
	},
	{
		Name: "op", Says: "operation: refund, register.do",
		texts: func(r *view.Row) []string { return []string{r.Short, r.Operation, r.Target.String()} },
		Of:    one(func(r *view.Row) string { return cmp.Or(r.Short, r.Operation, r.Target.String()) }),
		parse: parseText, need: need{read: true},
	},
	{Name: "served", Says: "where the answer came from", Values: served(), parse: parseValue,
		Of: ofValues(served())},
	{
		Name: "outcome", Says: "words of what an answer came to: declined",
		texts: outcomeTexts, Of: one(func(r *view.Row) string { return r.Outcome.Words.String() }),
		parse: parseOutcome, need: need{read: true},
	},
	{
		Name: "status", Says: "status of the answer: 501, 4xx, >=500", parse: parseStatus,
		Of: one(func(r *view.Row) string { return positive(r.Code) }),
	},
	{
		Name: "amount", Says: "sum of money: 125.00, >100, EUR", parse: parseAmount,
		need: need{read: true},
		Of: one(func(r *view.Row) string {
			if r.Amount == nil {
				return ""
			}
			return r.Amount.Text.String()
		}),
	},
	{
		Name: "reason", Says: "why a request was missed, or failed: field",
		texts:  func(r *view.Row) []string { return []string{r.Reason, r.Problem} },
		Of:     one(func(r *view.Row) string { return cmp.Or(r.Reason, r.Problem) }),
		parse:  parseText,
		Values: named(match.Reasons()), Open: true,
	},
	{
		Name: "rule", Says: "name of a rule of the run that fired; * is any",
		texts: ruleNames, parse: parseText,
		Of: func(values []string, r *view.Row) []string { return append(values, ruleNames(r)...) },
	},
	{
		Name: "callback", Says: "what became of a callback, what it tells, or its number; * is any",
		texts: callbackTexts, parse: parseCallback, Values: named(proxy.Outcomes()), Open: true,
		Of: one(func(r *view.Row) string { return r.CallbackOutcome }),
	},
	{Name: "ms", Says: "how long it took, in milliseconds: >=50", parse: parseMilliseconds},
	{Name: "since", Says: "no longer ago than 30s, 5m, 2h; or not before 11:25", parse: parseSince,
		need: need{time: true}},
	{
		Name: "state", Says: "what was done before: \"register 12500\"",
		texts: func(r *view.Row) []string { return []string{r.State} },
		Of:    one(func(r *view.Row) string { return r.State }), parse: parseText,
	},
	{Name: "body", Says: "a piece of the request or of the answer", parse: parseBody,
		need: need{body: true}},
	{Name: "has", Says: "name of a field in the request or in the answer: bindingId",
		parse: parseHas, need: need{body: true}},
	{
		Name: "session", Says: "name of a session",
		texts: func(r *view.Row) []string { return []string{r.Session} },
		Of:    one(func(r *view.Row) string { return r.Session }), parse: parseText,
	},
	{
		Name: "profile", Says: "name of an API: gateway",
		texts: func(r *view.Row) []string { return []string{r.Profile} },
		Of:    one(func(r *view.Row) string { return r.Profile }), parse: parseText,
	},
	{Name: "id", Says: "number of a row: 52, >=50", parse: parseID},
}

// served are the values of the key of that name. "tape" and a mark can both hold of a row: an
// assumed answer is from tape.
func served() []Value {
	from := func(where string) func(r *view.Row) bool {
		return func(r *view.Row) bool { return r.Served == where }
	}
	marked := func(mark string) func(r *view.Row) bool {
		return func(r *view.Row) bool {
			word, _, _ := strings.Cut(r.Mark, "=")
			return word == mark
		}
	}
	return []Value{
		{"tape", "answered by a recording", from("tape")},
		{"miss", "nothing on tape agreed", func(r *view.Row) bool { return r.Sign == view.SignMiss }},
		{"assumed", "answered, but by likeness", marked("assumed")},
		{"rule", "made by a rule", from("rule")},
		{"composed", "a list put together", marked("composed")},
		{"ambiguous", "several recordings fitted", marked("ambiguous")},
		{"upstream", "answered by the sandbox", from("upstream")},
		{"deck", "an answer of paytape's own", from("deck")},
		{"nothing", "no answer was sent", from("nothing")},
	}
}

// named returns values that are words of another package.
func named[T ~string](words []T) []Value {
	var values []Value
	for _, w := range words {
		values = append(values, Value{Name: string(w)})
	}
	return values
}

// one makes of a function that returns a text, or none, what Key.Of is.
func one(of func(r *view.Row) string) func([]string, *view.Row) []string {
	return func(values []string, r *view.Row) []string {
		if text := of(r); text != "" {
			return append(values, text)
		}
		return values
	}
}

// ofValues returns the values that hold of a row.
func ofValues(all []Value) func([]string, *view.Row) []string {
	return func(values []string, r *view.Row) []string {
		for _, v := range all {
			if v.is(r) {
				values = append(values, v.Name)
			}
		}
		return values
	}
}
