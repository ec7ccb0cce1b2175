package renumber

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/surrogate"
)

// mark is a surrogate in a text.
type mark struct {
	Surrogate
	from, to int
	digits   string // of a card
	// with returns what stands there if the surrogate has another number.
	with func(n int) string
}

// word is a fake that its words tell: the number is in them.
type word struct {
	kind   profile.Sensitivity
	find   *regexp.Regexp // of which the first group is the number
	number func(group string) int
	with   func(found string, n int) string
}

// words are the fakes that are known wherever they stand. Package surrogate makes them.
var words = []word{
	{profile.Email, regexp.MustCompile(`\btaper([0-9]{1,9})(?:@example\.com)?\b`), decimal,
		func(_ string, n int) string { return "taper" + strconv.Itoa(n) }},
	{profile.Address, regexp.MustCompile(`(?i)\btaper street ([0-9]{1,9})\b`), decimal,
		func(found string, n int) string { return found[:len("taper street ")] + strconv.Itoa(n) }},
	{profile.Name, regexp.MustCompile(`(?i)\btaper([a-z]{1,5})\b`), surrogate.NameNumber,
		func(found string, n int) string { return surrogate.FakeName(found, n) }},
}

func decimal(s string) int {
	n, _ := strconv.Atoi(s) // the pattern has digits alone
	return n
}

// marks returns the surrogates in a text, in order and without overlaps. whole is the kind of the
// field whose value the text is; NotSecret if it is of no field.
func (t *Tape) marks(text string, whole profile.Sensitivity) []mark {
	if len(text) == 0 {
		return nil
	}
	if m, ok := t.fake(text, whole); ok {
		return []mark{m}
	}
	found := append(markers(text), t.cardsIn(text)...)
	if strings.Contains(strings.ToLower(text), "taper") {
		found = append(found, t.wordsIn(text)...)
	}
	slices.SortStableFunc(found, func(a, b mark) int { return a.from - b.from })
	end := 0
	return slices.DeleteFunc(found, func(m mark) bool {
		if m.from < end {
			return true
		}
		end = m.to
		return false
	})
}

// markers finds REDACTED-token-2 and the like.
func markers(text string) []mark {
	var found []mark
	for at := 0; ; {
		next := strings.Index(text[at:], surrogate.Prefix)
		if next < 0 {
			return found
		}
		at += next
		n := surrogate.MarkerLength(text[at:])
		if kind, number := surrogate.ReadMarker(text[at : at+n]); number > 0 {
			found = append(found, mark{
				Surrogate: Surrogate{kind, number}, from: at, to: at + n,
				with: func(n int) string { return surrogate.Numbered(kind, n).Text },
			})
		}
		at += n
	}
}

// cardsIn finds card numbers as cleaning leaves them, of an ordinal that the tape has given out.
func (t *Tape) cardsIn(text string) []mark {
	var found []mark
	for _, n := range scan.Numbers(text, true, scan.Judge{Shape: t.judge}) {
		printed := text[n.From:n.To]
		found = append(found, mark{
			Surrogate: Surrogate{profile.PAN, surrogate.Ordinal(n.Digits)}, from: n.From, to: n.To,
			digits: n.Digits,
			with: func(ordinal int) string {
				digits, ok := renumberCard(n.Digits, ordinal)
				if !ok {
					return digits // a marker
				}
				return scan.Regroup(digits, printed)
			},
		})
	}
	return found
}

func (t *Tape) judge(digits string) scan.Verdict {
	ordinal := surrogate.Ordinal(digits)
	if ordinal > 0 && ordinal <= t.highest[profile.PAN] && surrogate.IsCardNumber(digits) &&
		(t.cards[digits] || pan.Issued(digits)) {
		return scan.Surrogate
	}
	return scan.Nothing
}

// wordsIn finds the fakes that their words tell, of a number that the tape has given out.
func (t *Tape) wordsIn(text string) []mark {
	var found []mark
	for _, w := range words {
		for _, at := range w.find.FindAllStringSubmatchIndex(text, -1) {
			n := w.number(text[at[2]:at[3]])
			if n < 1 || n > t.highest[w.kind] {
				continue
			}
			printed := text[at[0]:at[3]] // without the domain, which stays
			found = append(found, mark{
				Surrogate: Surrogate{w.kind, n}, from: at[0], to: at[3],
				with: func(n int) string { return w.with(printed, n) },
			})
		}
	}
	return found
}

// fake finds a fake that is all of a text: of its field, or one that a field of its kind holds.
func (t *Tape) fake(text string, whole profile.Sensitivity) (mark, bool) {
	kinds := byField
	if whole != profile.NotSecret {
		kinds = []profile.Sensitivity{whole}
	} else if len(text) < searchable {
		return mark{}, false
	}
	for _, kind := range kinds {
		n := t.fakes[fake{kind, text}]
		f, ok := surrogate.FakeOf(kind)
		if n == 0 || !ok || !slices.Contains(byField, kind) {
			continue
		}
		return mark{
			Surrogate: Surrogate{kind, n}, to: len(text),
			with: func(n int) string {
				made := f.Make(text, n)
				if strings.HasPrefix(made, "0") && !strings.HasPrefix(text, "0") {
					made = surrogate.AsJSONNumber(made)
				}
				return made
			},
		}, true
	}
	return mark{}, false
}

// searchable is the length from which on a fake is known outside its field.
const searchable = 8

// byField are the kinds of fakes that are known by their field.
var byField = []profile.Sensitivity{profile.Phone, profile.Address, profile.Birth, profile.Document,
	profile.IP}
