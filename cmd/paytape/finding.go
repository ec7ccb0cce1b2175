package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// finding is a place that looks like a secret.
type finding struct {
	File string `json:"file"`
	// Line is where it stands, from 1. In a file that was compressed or is UTF-16 it is that of
	// the text.
	Line int `json:"line"`
	// Exchange is the number of the exchange in a cassette or an HTTP archive; 0 elsewhere.
	Exchange int `json:"exchange,omitempty"`
	// Field is the field of the exchange or of the document; empty where nothing tells.
	Field string `json:"field,omitempty"`
	Kind  string `json:"kind"`
}

// String is the line that check prints: "FILE:LINE: exchange 3: request form $PAN: card number".
func (f finding) String() string {
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
func sorted(found []finding) []finding {
	slices.SortStableFunc(found, func(a, b finding) int {
		return cmp.Or(a.Line-b.Line, a.Exchange-b.Exchange)
	})
	return slices.Compact(found)
}

// section is an exchange in a file: what its fields hold, and the lines that it takes.
type section struct {
	number      int
	first, last int // lines
	exposed     []exposure
}

// exposure is a field of an exchange that holds a secret.
type exposure struct {
	field, kind string
	line        int // near it: where the part of the exchange begins
}

// hasFinding reports whether something was found in the lines of a section.
func hasFinding(found []finding, s section) bool {
	return slices.ContainsFunc(found, func(f finding) bool {
		return f.Line >= s.first && f.Line <= s.last
	})
}

// joinSections says of what was found in the lines of a file in which exchange and field it is,
// and adds what only the fields show. A find in a line and one in a field that may lie there are
// one: of the same kind, in the same part of the exchange where the file has parts.
func joinSections(found []finding, sections []section, partAt func(line int) string) []finding {
	for _, s := range sections {
		left := s.exposed
		for i := range found {
			f := &found[i]
			if f.Line < s.first || f.Line > s.last {
				continue
			}
			f.Exchange, f.Field = s.number, partAt(f.Line)
			same := func(e exposure) bool {
				return e.kind == f.Kind && (f.Field == "" || f.Field == partOf(e.field))
			}
			if at := slices.IndexFunc(left, same); at >= 0 {
				f.Field = left[at].field
				left = slices.Delete(slices.Clone(left), at, at+1)
			}
		}
		for _, e := range left {
			found = append(found, finding{
				Line: e.line, Exchange: s.number, Field: e.field, Kind: e.kind,
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
