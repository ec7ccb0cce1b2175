package match

import (
	"regexp"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// A trace knows the parameters of a request by their canonical paths alone. The row that a profile has
// of a parameter is found by where its leaf sat.

// repeatSuffix is what makes the path of a repeated parameter unique: "a#2".
var repeatSuffix = regexp.MustCompile(`#[0-9]+$`)

// indexes are the places in arrays in a path: "transactions[0].rrn".
var indexes = regexp.MustCompile(`\[[0-9]+\]`)

// RowOfParam words the row of a parameter of a request: "exact (gateway.yaml:753)". It is empty where no
// profile says anything.
func RowOfParam(set *profile.Set, c profile.Call, p *request.Param) string {
	return rowOf(set, c, &tape.Asked{
		Argument: tape.Argument{Parameter: &tape.Parameter{Place: p.Place, Path: p.Path, Field: p.Field}},
	})
}

// rowOf words the row of a parameter: "exact (gateway.yaml:753)". It is empty where no profile says
// anything.
func rowOf(set *profile.Set, c profile.Call, a *tape.Asked) string {
	at, known := originOfParam(set, c, a)
	if !known {
		return ""
	}
	return wordRow(a.Field, at)
}

// originOfParam returns where the row of a parameter is written, and whether there is one.
func originOfParam(set *profile.Set, c profile.Call, a *tape.Asked) (profile.Origin, bool) {
	path := repeatSuffix.ReplaceAllString(a.Path, "")
	switch a.Place {
	case leaf.Header:
		return set.OriginOfHeader(c, profile.Request, path)
	case leaf.Path:
		name := strings.Trim(path, "{}")
		if name == path {
			return profile.Origin{}, false // no operation has a name for the segment
		}
		return set.OriginOf(c, profile.Request, segmentAt(name))
	}
	return set.OriginOf(c, profile.Request, placeOf(c, path))
}

// placeOf says where the leaf sits that a canonical path names.
func placeOf(c profile.Call, path string) profile.At {
	shape := indexes.ReplaceAllString(path, "")
	prefix, key := cutLast(shape)
	if _, list := cutLast(strings.TrimRight(prefix, ".>")); c.Profile != nil && c.Profile.Lists[list] {
		return profile.At{Key: "value", Name: key, Shape: prefix + "value"}
	}
	return profile.At{Key: key, Shape: shape}
}

// cutLast cuts a shape before its last name. A dot behind a backslash is part of a name.
func cutLast(shape string) (prefix, key string) {
	for i := len(shape) - 1; i >= 0; i-- {
		if shape[i] == '>' || shape[i] == '.' && (i == 0 || shape[i-1] != '\\') {
			return shape[:i+1], strings.ReplaceAll(shape[i+1:], `\.`, ".")
		}
	}
	return "", strings.ReplaceAll(shape, `\.`, ".")
}
