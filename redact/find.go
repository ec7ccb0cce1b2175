package redact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// Finding is something that should not stand in a file. It says what and where, and never
// the value.
type Finding struct {
	Kind   string // "card number", "credential", "cvc", "pin", "track"
	Offset int    // of its first byte in the content, in bytes
}

// Find audits text without knowing the traffic: card numbers that pass Luhn, and
// credentials beside their keywords, as they are and beneath percent, JSON and entity
// escapes. Surrogates and markers of ours pass.
func Find(content string) []Finding {
	var found []Finding
	for from := 0; from < len(content); {
		to := len(content)
		if n := strings.IndexByte(content[from:], '\n'); n >= 0 {
			to = from + n + 1
		}
		found = append(found, findInLine(content[from:to], from)...)
		from = to
	}
	// Keys and values of YAML may stand on two lines.
	for _, m := range mentions(content) {
		if f, ok := m.finding(content); ok {
			found = append(found, f)
		}
	}
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(a.Offset-b.Offset, strings.Compare(a.Kind, b.Kind))
	})
	return slices.Compact(found)
}

// findInLine audits one line, which lies at offset start of the content.
func findInLine(line string, start int) []Finding {
	var found []Finding
	for _, at := range cardsIn(line) {
		found = append(found, Finding{"card number", start + at})
	}
	view, back := line, origins{text: line}
	for depth := 1; depth <= maxViews; depth++ {
		if view = unwrap(view, nil); view == "" {
			break
		}
		for _, at := range cardsIn(view) {
			from, _ := back.of(depth, at, at)
			found = append(found, Finding{"card number", start + from})
		}
		for _, m := range mentions(view) {
			if f, ok := m.finding(view); ok {
				from, _ := back.of(depth, f.Offset, f.Offset)
				f.Offset = start + from
				found = append(found, f)
			}
		}
	}
	return found
}

// cardsIn returns the offsets of card numbers in s.
func cardsIn(s string) []int {
	j := judge{
		exact: func([]byte) verdict { return nothing },
		shape: func(digits string) verdict {
			if pan.IsCard(digits) {
				return card
			}
			return nothing
		},
	}
	if !enoughDigits(s) {
		return nil
	}
	var at []int
	for _, n := range scan(s, true, j) {
		// One group after a dot is the fraction of some number.
		if !fraction(s, n.from, narrow) || strings.Trim(s[n.from:n.to], "0123456789") != "" {
			at = append(at, n.from)
		}
	}
	return at
}

// finding returns what a mention in s is, unless its value only names another, as
// ${PASSWORD} does, or is a number of ours.
func (m mention) finding(s string) (Finding, bool) {
	value := s[m.from:m.to]
	if strings.HasPrefix(value, "$") || strings.Trim(value, "*x") == "" {
		return Finding{}, false
	}
	kind := string(m.kind)
	switch m.kind {
	case profile.PAN:
		kind = "card number"
		if surrogateShape(readNumber(value).digits) {
			return Finding{}, false
		}
	case profile.Token:
		kind = "credential"
	}
	return Finding{kind, m.from}, true
}
