package profile

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Outcome says in words what answers of an API came to, and names what people look for: who an
// exchange is about, and how much money it moves.
type Outcome struct {
	// Who are the nouns by which people call what an exchange is about, the best name first.
	Who []string
	// Amounts are the fields that hold a sum of money, in the smallest unit of its currency. Keys are
	// in lower case.
	Amounts map[string]Money
	// Amount are the fields of which the first that a message has is the amount of an exchange.
	Amount []string
	// Currency is that of an amount without one. Empty: nobody knows.
	Currency string
	// Codes are the words of codes, by the key of their field in lower case.
	Codes map[string]map[string]Code
	// Show are the fields whose codes stand behind the words.
	Show []string
	// Failed and Words are the rows for all operations: of answers that say that the call has failed,
	// and of all others.
	Failed, Words []Says

	operations map[string]*Wording
	currencies map[string]bool // the fields that hold one
}

// IsCurrency reports whether a field holds the currency of an amount. The key is in lower case.
func (o *Outcome) IsCurrency(key string) bool { return o.currencies[key] }

// Money says where the currency of an amount stands: the key of a field beside it.
type Money struct{ Currency string }

// Code is what a code stands for.
type Code struct {
	Words string
	Tone  Tone
}

// Tone says whether an outcome is good news.
type Tone string

// The tones. An outcome that is neither good nor bad, and waits for nobody, has none.
const (
	Plain Tone = ""
	Good  Tone = "good"
	Bad   Tone = "bad"
	Waits Tone = "waits"
)

// Wording is what an outcome section says of one operation.
type Wording struct {
	// Short is a name for narrow lists, of MaxShort letters at most. Empty: it is derived.
	Short string
	// From and To are who speaks to whom, in words of Actors. Empty: the client, and the deck.
	From, To string
	// Failed and Words are tried before those for all operations.
	Failed, Words []Says
}

// Says is a row: an answer for which all its conditions hold came to these words.
type Says struct {
	When  []Condition // of the answer
	Asked []Condition // of the request; they hold whatever its status
	Words Phrase
	// Tone is that of the words. Plain: that of the first code in them which has one.
	Tone Tone
	// Amount are fields that stand in place of Outcome.Amount. Nil: those. None: no money is moved.
	Amount []string
	// Show are fields that stand in place of Outcome.Show. Nil: those.
	Show []string
	// Of are shapes of which members are counted. Nil: the items of the operation's list.
	Of []string
}

// MaxShort is the length of the longest short name.
const MaxShort = 9

// Actors are who takes part in an exchange.
var Actors = []string{"client", "deck", "sandbox", "browser", "acs", "shop"}

// Wording returns what is said of one operation, or of callbacks; the zero Wording where there is
// nothing.
func (o *Outcome) Wording(operation string) *Wording {
	if w := o.operations[operation]; w != nil {
		return w
	}
	return &Wording{}
}

// Code returns what a code of a field stands for, and whether anybody knows. The key is in lower case.
func (o *Outcome) Code(key, code string) (Code, bool) {
	found, known := o.Codes[key][code]
	return found, known
}

// outcome reads what answers came to.
func (r *reader) outcome(p place, n *yaml.Node) error {
	o := &Outcome{}
	r.profile.Outcome = o
	return p.members(n, []member{
		{"who", false, r.whoInto(&o.Who)},
		{"amounts", false, moneyInto(o)},
		{"amount", false, keysInto(&o.Amount)},
		{"currency", false, textInto(&o.Currency)},
		{"codes", false, r.codesInto(&o.Codes)},
		{"show", false, keysInto(&o.Show)},
		{"failed", false, saysInto(&o.Failed)},
		{"words", false, saysInto(&o.Words)},
		{"operations", false, r.wordings(o)},
	})
}

// whoInto reads nouns that some row has.
func (r *reader) whoInto(who *[]string) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		if err := textsInto(who, "nouns")(p, n); err != nil {
			return err
		}
		for _, item := range listed(n) {
			r.later(p, item, "a noun that some row has", r.nouns)
		}
		return nil
	}
}

// moneyInto reads amounts and, beside each, the field with its currency.
func moneyInto(o *Outcome) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		pairs, err := p.mapping(n, "fields of currencies by fields of amounts")
		o.Amounts, o.currencies = map[string]Money{}, map[string]bool{}
		for _, e := range pairs {
			currency := string(fold(nil, text(e.value)))
			if currency == "" {
				return p.expected(e.value, "the field of a currency")
			}
			o.Amounts[string(fold(nil, e.key))] = Money{currency}
			o.currencies[currency] = true
		}
		return err
	}
}

// keysInto reads keys of fields, which it puts in lower case.
func keysInto(keys *[]string) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		err := textsInto(keys, "fields")(p, n)
		for i, key := range *keys {
			(*keys)[i] = string(fold(nil, key))
		}
		return err
	}
}

// noneOr reads an empty list, which is not nil, or what read reads.
func noneOr(keys *[]string, read func(place, *yaml.Node) error) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
			*keys = []string{}
			return nil
		}
		return read(p, n)
	}
}

// fromDeclines is the key of a code table that takes over the texts of declines.
const fromDeclines = "include"

// codesInto reads tables of codes. They come after declines, which they may include.
func (r *reader) codesInto(codes *map[string]map[string]Code) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		pairs, err := p.mapping(n, "tables of codes by field")
		*codes = map[string]map[string]Code{}
		for _, e := range pairs {
			table, err := r.codes(p.named("field", e.key), e.value)
			if err != nil {
				return err
			}
			(*codes)[string(fold(nil, e.key))] = table
		}
		return err
	}
}

func (r *reader) codes(p place, n *yaml.Node) (map[string]Code, error) {
	pairs, err := p.mapping(n, "words by code")
	table := map[string]Code{}
	for _, e := range pairs {
		if e.key == fromDeclines {
			if r.profile.Declines == nil || text(e.value) != "declines" {
				return nil, p.expected(e.value, `"declines", and that section`)
			}
			for code, words := range r.profile.Declines.Codes {
				if _, own := table[code]; !own {
					table[code] = Code{uncapital(words), Bad}
				}
			}
			continue
		}
		c := Code{Words: text(e.value)}
		if e.value.Kind == yaml.MappingNode {
			if c, err = toned(p.named("code", e.key), e.value); err != nil {
				return nil, err
			}
		}
		if c.Words == "" {
			return nil, p.expected(e.value, "words, or good, bad or waits and words")
		}
		table[e.key] = c
	}
	return table, err
}

// uncapital writes a sentence as a part of another: "Insufficient funds" as "insufficient funds", and
// "3-D Secure" and "PIN" as they are.
func uncapital(s string) string {
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && (s[1] == ' ' || s[1] >= 'a' && s[1] <= 'z') {
		return string(s[0]-'A'+'a') + s[1:]
	}
	return s
}

// toned reads {good: words}.
func toned(p place, n *yaml.Node) (c Code, err error) {
	into := func(tone Tone) func(place, *yaml.Node) error {
		return func(p place, n *yaml.Node) error {
			if c.Words != "" {
				return p.expected(n, "one tone")
			}
			c.Tone = tone
			return textInto(&c.Words)(p, n)
		}
	}
	err = p.members(n, []member{
		{string(Good), false, into(Good)}, {string(Bad), false, into(Bad)},
		{string(Waits), false, into(Waits)},
	})
	return c, err
}

// wordings reads what is said of operations, by name.
func (r *reader) wordings(o *Outcome) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		pairs, err := p.mapping(n, "operations and their words")
		o.operations = map[string]*Wording{}
		for _, e := range pairs {
			w := &Wording{}
			o.operations[e.key] = w
			if err := p.named("operation", e.key).members(e.value, []member{
				{"short", false, shortInto(&w.Short)},
				{"from", false, wordOf(&w.From, Actors...)},
				{"to", false, wordOf(&w.To, Actors...)},
				{"failed", false, saysInto(&w.Failed)},
				{"words", false, saysInto(&w.Words)},
			}); err != nil {
				return err
			}
			r.later(p, e.at, "the name of an operation", func() []string {
				names := r.operationNames(false)()
				if r.profile.Callbacks != nil {
					names = append(names, CallbackOperation)
				}
				return names
			})
		}
		return err
	}
}

func shortInto(short *string) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		if *short = text(n); !isWord(*short) || len(*short) > MaxShort {
			return p.expected(n, "a word of 9 small letters, digits and dashes at most")
		}
		return nil
	}
}

// saysInto reads rows: a list, or the words of one that needs no condition.
func saysInto(rows *[]Says) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		if n.Kind == yaml.MappingNode {
			return p.expected(n, "words, or a list of rows")
		}
		for _, item := range listed(n) {
			row, err := says(p, item)
			if err != nil {
				return err
			}
			*rows = append(*rows, row)
		}
		return nil
	}
}

func says(p place, n *yaml.Node) (Says, error) {
	s := Says{}
	if n.Kind == yaml.ScalarNode {
		return s, phraseInto(&s.Words)(p, n)
	}
	words := func(tone Tone) func(place, *yaml.Node) error {
		return func(p place, n *yaml.Node) error {
			if s.Words != nil {
				return p.expected(n, "one of say, good, bad and waits")
			}
			s.Tone = tone
			return phraseInto(&s.Words)(p, n)
		}
	}
	err := p.members(n, []member{
		{"when", false, allOf(&s.When)},
		{"asked", false, allOf(&s.Asked)},
		{"say", false, words(Plain)},
		{string(Good), false, words(Good)},
		{string(Bad), false, words(Bad)},
		{string(Waits), false, words(Waits)},
		{"amount", false, noneOr(&s.Amount, keysInto(&s.Amount))},
		{"show", false, keysInto(&s.Show)},
		{"of", false, textsInto(&s.Of, "shapes")},
	})
	if err == nil && s.Words == nil {
		err = p.fail(n, errors.New("expected one of say, good, bad and waits, found none"))
	}
	return s, err
}

// allOf reads conditions that must all hold: a list of them, or one.
func allOf(conditions *[]Condition) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		if n.Kind == yaml.MappingNode {
			n = &yaml.Node{Kind: yaml.SequenceNode, Line: n.Line, Content: []*yaml.Node{n}}
		}
		return conditionsInto(conditions, failedKeys)(p, n)
	}
}

// Phrases returns all words of the section, for whoever looks for words that are too long or strange:
// those of rows as they are written, and those of codes.
func (o *Outcome) Phrases() []string {
	var all []string
	for _, key := range slices.Sorted(maps.Keys(o.Codes)) {
		for _, code := range slices.Sorted(maps.Keys(o.Codes[key])) {
			all = append(all, o.Codes[key][code].Words)
		}
	}
	rows := slices.Concat(o.Failed, o.Words)
	for _, name := range slices.Sorted(maps.Keys(o.operations)) {
		rows = append(rows, slices.Concat(o.operations[name].Failed, o.operations[name].Words)...)
	}
	for _, row := range rows {
		all = append(all, row.Words.String())
	}
	return all
}

// ShortName returns the short name of an operation, of MaxShort letters at most: what a profile says,
// or the beginning of the last constant part of its path.
func (o *Operation) ShortName() string {
	if o.Profile != nil && o.Profile.Outcome != nil {
		if short := o.Profile.Outcome.Wording(o.Name).Short; short != "" {
			return short
		}
	}
	name := o.Name
	for segment := range strings.SplitSeq(o.Path, "/") {
		if segment != "" && parameter(segment) == "" {
			name = segment
		}
	}
	name, _, _ = strings.Cut(name, ".")
	return strings.ToLower(name[:min(len(name), MaxShort)])
}
