package filter

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/similar"
)

// MaxText bounds a filter, in bytes. What a person types is far below.
const MaxText = 4096

// Parse reads a filter. Its error is an *Error. A text of spaces alone is the filter that wants all.
func Parse(text string) (*Filter, error) {
	if len(text) > MaxText {
		return nil, tooLong()
	}
	f, err := parse(Masked(text))
	if err != nil {
		return nil, err
	}
	// Without needless quotes a text may hold a card number that it had in two pieces.
	switch plain := f.String(); {
	case Masked(plain) != plain:
		return Parse(Masked(plain))
	case len(plain) > MaxText:
		return nil, tooLong()
	}
	return f, nil
}

func tooLong() error { return wrong(0, "the filter is longer than %d bytes", MaxText) }

// parse reads a text in which card numbers are masks.
func parse(text string) (*Filter, error) {
	p := parser{lexer: lexer{text: text}}
	p.next()
	root, err := p.either()
	if err != nil {
		return nil, err
	}
	if p.token.kind == closing {
		return nil, wrong(p.token.at, "a \")\" without a \"(\" before it")
	}
	return &Filter{root}, nil
}

// parser reads the grammar:
//
//	either = every { "or" every }
//	every  = { part }
//	part   = [ "-" ] ( "(" either ")" | term )
type parser struct {
	lexer
	token token
}

func (p *parser) next() { p.token = p.lexer.next() }

// either returns nil for nothing.
func (p *parser) either() (node, error) {
	first, err := p.every()
	if err != nil || p.token.kind != or {
		return first, err
	}
	var parts some
	parts = add(parts, first)
	for p.token.kind == or {
		at := p.token.at
		if len(parts) == 0 {
			return nil, wrong(at, "nothing stands before \"or\"; the word itself stands in quotes")
		}
		p.next()
		n, err := p.every()
		if err != nil {
			return nil, err
		}
		if n == nil {
			return nil, wrong(at, "nothing stands after \"or\"; the word itself stands in quotes")
		}
		parts = add(parts, n)
	}
	return parts, nil
}

// add adds a part to those of which one must hold. Parts of a part of the same kind are its own.
func add(parts some, n node) some {
	switch n := n.(type) {
	case nil:
		return parts
	case some:
		return append(parts, n...)
	}
	return append(parts, n)
}

func (p *parser) every() (node, error) {
	var parts all
	for {
		n, err := p.part()
		switch {
		case err != nil:
			return nil, err
		case n == nil && len(parts) == 0:
			return nil, nil
		case n == nil && len(parts) == 1:
			return parts[0], nil
		case n == nil:
			return parts, nil
		}
		if several, ok := n.(all); ok {
			parts = append(parts, several...)
		} else {
			parts = append(parts, n)
		}
	}
}

// part returns nil where no part begins.
func (p *parser) part() (node, error) {
	t := p.token
	switch t.kind {
	case minus:
		p.next()
		if p.token.kind != opening && p.token.kind != word {
			return nil, wrong(t.at, "\"-\" stands in front of what is not wanted")
		}
		n, err := p.part()
		if err != nil {
			return nil, err
		}
		if inner, twice := n.(not); twice {
			return inner.of, nil
		}
		return not{n}, nil
	case opening:
		return p.parentheses()
	case word:
		p.next()
		return t.term()
	}
	return nil, t.err
}

func (p *parser) parentheses() (node, error) {
	at := p.token.at
	p.next()
	n, err := p.either()
	switch {
	case err != nil:
		return nil, err
	case p.token.kind != closing:
		return nil, wrong(at, "the \")\" of this \"(\" is missing")
	case n == nil:
		return nil, wrong(at, "nothing stands between \"(\" and \")\"")
	}
	p.next()
	return n, nil
}

// term reads the term of a word.
func (t token) term() (node, error) {
	if t.key == "" {
		value := Masked(t.value)
		return &term{value: value, test: bare(value)}, nil
	}
	k := keyOf(t.key)
	if k == nil {
		known := names(keys, func(k Key) string { return k.Name })
		return nil, wrong(t.at, "there is no key %q%s", t.key+":", meant(t.key, known))
	}
	if t.value == "" {
		return nil, wrong(t.valueAt, "%s: needs a value: %s", k.Name, k.Says)
	}
	value := Masked(t.value)
	if k.Name == "card" {
		value = maskedCard(value)
	}
	test, err := k.parse(k, value)
	if err != nil {
		return nil, wrong(t.valueAt, "%s", err)
	}
	return &term{k, value, test}, nil
}

// names returns the names of some things.
func names[T any](things []T, name func(T) string) []string {
	all := make([]string, len(things))
	for i, thing := range things {
		all[i] = name(thing)
	}
	return all
}

// meant is the end of an error about a name that is not known.
func meant(name string, names []string) string {
	known := map[string]bool{}
	for _, n := range names {
		known[n] = true
	}
	if like := similar.Most(strings.ToLower(name), known); like != "" {
		return "; did you mean " + like + "?"
	}
	return "; it is one of " + strings.Join(slices.Sorted(slices.Values(names)), ", ")
}
