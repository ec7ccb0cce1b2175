package profile

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// object is what a provenance is about.
type object uint8

const (
	nothing   object = iota
	aNoun            // the kind of thing that the value identifies
	maybeNoun        // the same, or nothing
	aForm            // how a date is written
)

// clause is one provenance as a row writes it.
type clause struct {
	words string
	from  Provenance
	form  Form // of a rendering
	of    object
}

// example shows the clause in an error.
func (c clause) example() string {
	return c.words + [...]string{"", " NOUN", " [NOUN]", " FORM"}[c.of]
}

// clauses are the provenances in the order in which errors and the example profile list
// them.
var clauses = []clause{
	{words: "exact", from: Exact},
	{words: "ignored", from: Ignored},
	{words: "client unique", from: Unique, of: aNoun},
	{words: "client shared", from: Shared, of: maybeNoun},
	{words: "minted", from: Minted, of: aNoun},
	{words: "date", from: Date, of: aForm},
	{words: "mask of", from: Rendering, form: Mask, of: aNoun},
	{words: "last of", from: Rendering, form: Last, of: aNoun},
	{words: "unpadded of", from: Rendering, form: Unpadded, of: aNoun},
	{words: "scheme of", from: Rendering, form: Scheme, of: aNoun},
}

// Words that qualify a row.
const (
	decides  = "decides"  // its secret decides the outcome
	deadline = "deadline" // its moment must lie in the future
	signs    = "signs"    // it holds for the request as its client has sent it
)

// parseRow reads what a row says of a field:
//
//	PROVENANCE[ like PATTERN][, SENSITIVITY][, address][, decides][, born|done][, deadline][, signs]
//	[, as SHAPE][, max N]
//
// The word address means two things, and both are wanted: a row that says "client shared,
// address" is about where somebody lives, one that says "exact, address" is about a URL of
// the sandbox's own. The provenance tells them apart: the sandbox's own addresses are made
// by the sandbox, and nobody's home is exact.
func parseRow(row string) (Field, Pattern, error) {
	parts := strings.Split(row, ",")
	said, like, hasLike := strings.Cut(strings.Join(strings.Fields(parts[0]), " "), " like")
	f, err := parseProvenance(said)
	if err != nil {
		return Field{}, Pattern{}, err
	}
	var pattern Pattern
	if hasLike {
		if f.From != Minted {
			return Field{}, Pattern{}, expected(`"minted" before "like"`, said)
		}
		if pattern, err = ParsePattern(strings.TrimPrefix(like, " ")); err != nil {
			return Field{}, Pattern{}, err
		}
	}
	for _, part := range parts[1:] {
		if err := f.qualify(strings.TrimSpace(part)); err != nil {
			return Field{}, Pattern{}, err
		}
	}
	if f.Decides && f.Secret == NotSecret {
		return Field{}, Pattern{}, expected(`a sensitivity beside "decides"`, row)
	}
	if hasLike && f.Secret == PAN {
		return Field{}, Pattern{}, expected("no pattern of the number of a card, which has a check digit",
			row)
	}
	return f, pattern, nil
}

func parseProvenance(text string) (Field, error) {
	for _, c := range clauses {
		rest, found := strings.CutPrefix(text, c.words)
		if !found || rest != "" && rest[0] != ' ' {
			continue
		}
		f := Field{From: c.from, Form: c.form}
		return f, f.setObject(c, strings.TrimPrefix(rest, " "))
	}
	return Field{}, suggestClause(expected(listOf(clauses, clause.example), text), text)
}

// suggestClause adds to a complaint which provenance may be meant: of "client uniqe order-number" the
// first two words are compared with "client unique".
func suggestClause(complaint error, text string) error {
	words := strings.Fields(text)
	for _, c := range clauses {
		n := min(len(words), len(strings.Fields(c.words)))
		begins := strings.Join(words[:n], " ")
		if with := suggest(complaint, begins, []string{c.words}); with != complaint {
			return with
		}
	}
	return complaint
}

// Says returns what a row says of where the value comes from, in the words of a row: "client shared",
// "minted order".
func (f Field) Says() string {
	for _, c := range clauses {
		if c.from != f.From || c.of != aForm && c.form != f.Form {
			continue
		}
		switch {
		case c.of == aForm:
			return c.words + " " + f.Form.String()
		case f.Of != "":
			return c.words + " " + f.Of
		}
		return c.words
	}
	return ""
}

// setObject reads what follows the words of a clause.
func (f *Field) setObject(c clause, text string) error {
	switch {
	case c.of == nothing && text != "":
		return expected(fmt.Sprintf("nothing after %q", c.words), text)
	case c.of == nothing, c.of == maybeNoun && text == "":
		return nil
	case c.of == aForm:
		var err error
		f.Form, err = oneOf[Form](text, formWords[:Mask])
		return err
	case !isWord(text):
		return expected(fmt.Sprintf("a noun after %q", c.words), text)
	}
	f.Of = text
	return nil
}

// qualify reads one of the words after the provenance.
func (f *Field) qualify(word string) (err error) {
	if shape, found := strings.CutPrefix(word, "as "); found && f.As == 0 {
		f.As, err = oneOf[Shape](shape, shapeWords[:])
		return err
	}
	if limit, found := strings.CutPrefix(word, "max "); found && f.Max == 0 {
		n, err := strconv.Atoi(limit)
		if err != nil || n < 1 {
			return expected(`a number of characters after "max"`, limit)
		}
		f.Max = bound(n)
		return nil
	}
	switch {
	case word == deadline && f.From == Date && !f.Deadline:
		f.Deadline = true
		return nil
	case word == signs && !f.Signs:
		f.Signs = true
		return nil
	case word == decides && f.Decides:
		return expected(`"decides" once`, "decides, decides")
	case word == decides:
		f.Decides = true
		return nil
	case word == Address.String() && f.From == Exact:
		if f.Address {
			return expected(`"address" once`, "address, address")
		}
		f.Address = true
		return nil
	case slices.Contains(momentWords[Born:], word) && f.From == Date && f.Tells == 0:
		f.Tells, err = oneOf[Moment](word, momentWords[:])
		return err
	case f.Secret != NotSecret:
		return expected("one sensitivity", fmt.Sprintf("%s, %s", f.Secret, word))
	}
	f.Secret, err = oneOf[Sensitivity](word, sensitivityWords[:])
	return err
}

// bound returns a number of characters as a Field has it. No text is longer than that can tell.
func bound(n int) int32 { return int32(min(n, math.MaxInt32)) }

// isWord reports whether s is of small letters, digits and inner dashes, as nouns and the
// names of profiles and sets are.
func isWord(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !letter && (c != '-' || i == 0 || i == len(s)-1) {
			return false
		}
	}
	return s != ""
}

// oneOf returns the value of a word of a list, or an error that has the words.
func oneOf[T ~uint8](word string, words []string) (T, error) {
	v, known := valueOf[T](word, words)
	if !known {
		complaint := expected(listOf(words[1:], func(w string) string { return w }), word)
		return 0, suggest(complaint, word, words[1:])
	}
	return v, nil
}

// listOf writes "a, b or c".
func listOf[T any](items []T, text func(T) string) string {
	var b strings.Builder
	for i, item := range items {
		switch {
		case i > 0 && i == len(items)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(text(item))
	}
	return b.String()
}

// expected is how every complaint about a profile reads.
func expected(what, found string) error {
	if found == "" {
		return fmt.Errorf("expected %s, found nothing", what)
	}
	return fmt.Errorf("expected %s, found %q", what, shorten(found))
}

// shorten keeps an error on one line of the terminal, and out of it what no profile holds: a file
// of passwords or of cards that was named by mistake is not repeated.
func shorten(s string) string {
	const limit, cardDigits = 60, 12
	digits := 0
	for _, c := range []byte(s) {
		if c >= '0' && c <= '9' {
			digits++
		}
	}
	if digits >= cardDigits || strings.Contains(s, "=") && !strings.HasPrefix(s, "/") {
		return fmt.Sprintf("(%d characters)", len(s))
	}
	if len(s) <= limit {
		return s
	}
	return strings.ToValidUTF8(s[:limit], "") + "..."
}
