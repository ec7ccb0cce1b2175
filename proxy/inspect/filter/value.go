package filter

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/paytape/paytape/proxy/inspect/view"
)

// simple returns a test that needs no body.
func simple(says string, match func(r *view.Row) bool) test {
	return test{func(r *view.Row, _ func() string) bool { return match(r) }, says}
}

// bare returns the test of words without a key: they stand anywhere in what a list shows of a row.
func bare(value string) test {
	p := newPiece(value)
	return simple(strconv.Quote(value), func(r *view.Row) bool {
		return p.inAny(r.Who.Label.String(), r.Who.ID.String(), r.Who.Card.String(), r.Operation,
			r.Short, r.Target.String(), r.Outcome.Words.String(), r.CallbackOutcome, r.Reason)
	})
}

// parseText looks for a value in the texts of its key.
func parseText(k *Key, value string) (test, error) {
	p := newWords(value)
	return simple(k.Name+" "+value, func(r *view.Row) bool { return p.inAny(k.texts(r)...) }), nil
}

// parseCard takes the two dots of a short mask, "..1118", for what they stand for.
func parseCard(k *Key, value string) (test, error) {
	return parseText(k, strings.ReplaceAll(value, "..", "*"))
}

// parseOutcome knows the tones of outcomes beside their words.
func parseOutcome(k *Key, value string) (test, error) {
	t, _ := parseText(k, value)
	tone := view.Tone(lower(value))
	if tone != view.Good && tone != view.Bad && tone != view.Waits {
		return t, nil
	}
	in := t.match
	t.match = func(r *view.Row, body func() string) bool { return r.Outcome.Tone == tone || in(r, body) }
	return t, nil
}

func outcomeTexts(r *view.Row) []string {
	return []string{r.Outcome.Words.String(), r.Outcome.Codes.String(), r.Outcome.Fields.String(),
		r.CallbackOutcome}
}

// parseValue takes one of the words that a key knows, and no other.
func parseValue(k *Key, value string) (test, error) {
	for _, v := range k.Values {
		if v.Name == lower(value) {
			return simple(k.Name+" "+v.Name, v.is), nil
		}
	}
	return test{}, fmt.Errorf("%s is never %q%s", k.Name, value,
		meant(value, names(k.Values, func(v Value) string { return v.Name })))
}

// ruleNames returns the names of the rules that fired for a row.
func ruleNames(r *view.Row) []string {
	if len(r.Rules) == 0 {
		return nil
	}
	return names(r.Rules, func(f view.Fired) string { return f.Name })
}

// parseCallback takes the number of a callback, as lists write it too: "c3".
func parseCallback(k *Key, value string) (test, error) {
	if n, err := strconv.Atoi(strings.TrimPrefix(lower(value), "c")); err == nil {
		return simple("callback "+strconv.Itoa(n), func(r *view.Row) bool {
			return isCallback(r) && r.Callback == n
		}), nil
	}
	return parseText(k, value)
}

func callbackTexts(r *view.Row) []string {
	if !isCallback(r) {
		return nil
	}
	return []string{r.CallbackOutcome, r.Operation, "callback"}
}

func isCallback(r *view.Row) bool { return r.CallbackOutcome != "" }

// parseBody looks for a piece of the request or of the answer.
func parseBody(_ *Key, value string) (test, error) {
	p := newPiece(value)
	return test{func(_ *view.Row, body func() string) bool {
		return body != nil && p.in(body())
	}, "request or answer says " + strconv.Quote(value)}, nil
}

// parseHas looks for the name of a field, which "=", ":" or ">" follow.
func parseHas(_ *Key, value string) (test, error) {
	name := lower(value)
	return test{func(_ *view.Row, body func() string) bool {
		return body != nil && hasField(body(), name)
	}, "has a field " + value}, nil
}

// hasField reports whether a name in small letters is that of a field in a form, in JSON, in a header
// or in XML: name=, "name":, Name:, <name>.
func hasField(text, name string) bool {
	for from := 0; ; {
		at := indexFold(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		rest := strings.TrimPrefix(text[at+len(name):], `"`)
		rest = strings.TrimLeft(rest, " ")
		if boundary(text, at) && rest != "" && strings.IndexByte("=:>", rest[0]) >= 0 {
			return true
		}
		from = at + 1
	}
}

// positive writes a number; empty for 0.
func positive(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
