package check

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Finding is a place that looks like a secret. It never says what the secret is.
type Finding struct {
	File string `json:"file"` // as it was named
	// Line is where it stands, from 1. In a file that was compressed or is UTF-16 it is that of
	// the text.
	Line int `json:"line"`
	// Exchange is the number of the exchange in a cassette or an HTTP archive; 0 elsewhere.
	Exchange int `json:"exchange,omitempty"`
	// Field is the field of the exchange or of the document; empty where nothing tells.
	Field string `json:"field,omitempty"`
	Kind  string `json:"kind"` // as of audit.Finding

	at int // its offset in the file, in bytes
}

// String is the line that check prints: "FILE:LINE: exchange 3: request form $PAN: card number".
func (f Finding) String() string {
	parts := []string{fmt.Sprintf("%s:%d", f.File, f.Line)}
	if f.Exchange > 0 {
		parts = append(parts, fmt.Sprintf("exchange %d", f.Exchange))
	}
	if f.Field != "" {
		parts = append(parts, f.Field)
	}
	return strings.Join(append(parts, f.Kind), ": ")
}

// sorted puts findings in the order of the file and leaves out those that say the same.
func sorted(found []Finding) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int {
		return cmp.Or(a.Line-b.Line, a.Exchange-b.Exchange, a.at-b.at)
	})
	seen := map[Finding]bool{}
	return slices.DeleteFunc(found, func(f Finding) bool {
		f.at = 0
		known := seen[f]
		seen[f] = true
		return known
	})
}

// section is an exchange in a file: the bytes that it takes, and what its fields hold.
type section struct {
	number   int
	from, to int
	exposed  []exposure
}

func (s section) holds(f Finding) bool { return f.at >= s.from && f.at < s.to }

// exposure is a field of an exchange that holds a secret.
type exposure struct {
	field, kind string
	line        int // near it: where the part of the exchange begins
}

// joinSections says of what was found in the text of a file in which exchange and field it is,
// and adds what only the fields show. A find in the text and one in a field that may lie there
// are one: of the same kind, in the same part of the exchange where the file has parts.
func joinSections(found []Finding, sections []section, partAt func(line int) string) []Finding {
	slices.SortStableFunc(found, func(a, b Finding) int { return a.at - b.at })
	for _, s := range sections {
		i, _ := slices.BinarySearchFunc(found, s.from, func(f Finding, at int) int {
			return f.at - at
		})
		left := slices.Clone(s.exposed)
		for ; i < len(found) && s.holds(found[i]); i++ {
			f := &found[i]
			f.Exchange, f.Field = s.number, partAt(f.Line)
			same := func(e exposure) bool {
				return e.kind == f.Kind && (f.Field == "" || f.Field == partOf(e.field))
			}
			if at := slices.IndexFunc(left, same); at >= 0 {
				f.Field = left[at].field
				left = slices.Delete(left, at, at+1)
			}
		}
		for _, e := range left {
			found = append(found, Finding{
				Line: e.line, Exchange: s.number, Field: e.field, Kind: e.kind,
				at: math.MaxInt, // behind those that the search goes through
			})
		}
	}
	return sorted(found)
}

// partOf returns the part of an exchange that a field is in, by the keys of a cassette: "request
// form $PAN" is in "request body".
func partOf(field string) string {
	half, rest, _ := strings.Cut(field, " ")
	place, _, _ := strings.Cut(rest, " ")
	switch {
	case half == "trailer":
		return "trailers"
	case place == "path" || place == "query":
		return half + " url"
	case place == "header":
		return half + " headers"
	}
	return half + " body"
}
