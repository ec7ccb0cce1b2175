package redact

import (
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// Every marker of ours begins with markPrefix. The bare word is what the gate leaves.
const (
	gateMark   = "REDACTED"
	markPrefix = gateMark + "-"
)

// The constants for values that must not keep even their length. A JSON number has no
// leading zeros, so there a single zero stands for all.
const (
	cvcDigits  = "000"
	cvcWrong   = "00" // of a CVC that has not three or four digits: the API refuses it for that
	pinDigits  = "0000"
	jsonDigits = "0"
)

// hidden is what values that hold secrets print as.
const hidden = "[secret]"

// numbered returns the marker of the n-th value of a kind: "REDACTED-token-2".
func numbered(kind profile.Sensitivity, n int) string {
	return markPrefix + string(kind) + "-" + strconv.Itoa(n)
}

// constant returns the marker that is the same for all values of a kind.
func constant(kind profile.Sensitivity) string { return markPrefix + string(kind) }

// markLength returns the length of the marker that s begins with, 0 if there is none.
func markLength(s string) int {
	if !strings.HasPrefix(s, gateMark) {
		return 0
	}
	n := len(gateMark)
	if !strings.HasPrefix(s, markPrefix) {
		return n
	}
	kind := n + 1
	for kind < len(s) && s[kind] >= 'a' && s[kind] <= 'z' {
		kind++
	}
	if !slices.Contains(markKinds, s[n+1:kind]) {
		return n
	}
	end := kind + 1
	for end < len(s) && end-kind <= maxMarkDigits && s[end]-'0' <= 9 {
		end++
	}
	if kind == len(s) || s[kind] != '-' || end == kind+1 {
		return kind
	}
	return end
}

// markKinds are the words that follow markPrefix.
var markKinds = []string{
	string(profile.PAN), string(profile.CVC), string(profile.PIN), string(profile.Track),
	string(profile.Token), string(profile.Key), string(profile.Blob), string(profile.Name),
	string(profile.Phone), string(profile.Email), string(profile.Address),
	string(profile.Birth), string(profile.Document), string(profile.IP),
}

// maxMarkDigits bounds the number of a marker, so that no digits can hide in one.
const maxMarkDigits = 9

// ownMark reports whether a whole value is a marker of ours.
func ownMark(s string) bool { return s != "" && markLength(s) == len(s) }

// ownValue reports whether a whole value is a marker or a constant of ours. Of which kind is
// not asked: what stands beside a value, and told its kind, may have been replaced too.
func ownValue(s string) bool {
	return s == cvcDigits || s == cvcWrong || s == pinDigits || s == jsonDigits || ownMark(s)
}

// insideMark reports whether s[from:to] is a part of a marker of ours.
func insideMark(s string, from, to int) bool {
	const longest = len(markPrefix) + len("document-") + maxMarkDigits
	for at := from; at >= 0 && from-at < longest; at-- {
		if s[at] == gateMark[0] && at+markLength(s[at:]) >= to {
			return true
		}
	}
	return false
}

// note returns the end of a line of Meta.Redactions: "token 2".
func note(kind profile.Sensitivity, n int) string {
	return string(kind) + " " + strconv.Itoa(n)
}

// markOf reads the kind and the number of the marker that s is.
func markOf(s string) (profile.Sensitivity, int) {
	kind, number, _ := strings.Cut(strings.TrimPrefix(s, markPrefix), "-")
	n, err := strconv.Atoi(number)
	if err != nil {
		return "", 0
	}
	return profile.Sensitivity(kind), n
}

// kindOf reads the note from the end of a line of Meta.Redactions.
func kindOf(line string) (profile.Sensitivity, int) {
	at := strings.LastIndex(line, ": ")
	if at < 0 {
		return "", 0
	}
	kind, number, _ := strings.Cut(line[at+len(": "):], " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || len(number) > maxMarkDigits {
		return "", 0
	}
	return profile.Sensitivity(kind), n
}
