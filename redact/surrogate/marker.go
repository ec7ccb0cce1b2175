package surrogate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Every marker of ours begins with Prefix. The bare word is what the gate leaves.
const (
	Withheld = "REDACTED"
	Prefix   = Withheld + "-"
)

// The constants for values that must not keep even their length. A JSON number has no
// leading zeros, so there a single zero stands for all.
const (
	CVC        = "000"
	WrongCVC   = "00" // of a CVC that has not three or four digits: the API refuses it for that
	PIN        = "0000"
	JSONNumber = "0"
)

// Value is what takes the place of a secret, and the note that says so: "token 2". Where nothing is
// to be taken out it is the value itself, and the note is empty.
type Value struct {
	leaf.Unprinted
	Text string // "REDACTED-token-2"
	Note string // "token 2"
}

// Numbered returns the marker of the n-th value of a kind: "REDACTED-token-2".
func Numbered(kind profile.Sensitivity, n int) Value {
	return Value{Text: Prefix + kind.String() + "-" + strconv.Itoa(n), Note: Note(kind, n)}
}

// Marked returns the value with its marker for a text: of card 2, "REDACTED-pan-2".
func (v Value) Marked() Value {
	v.Text = Prefix + v.Note
	if kind, number, numbered := strings.Cut(v.Note, " "); numbered {
		v.Text = Prefix + kind + "-" + number
	}
	return v
}

// Constant returns the marker that is the same for all values of a kind: "REDACTED-track".
func Constant(kind profile.Sensitivity) Value {
	return Value{Text: Prefix + kind.String(), Note: kind.String()}
}

// MarkerLength returns the length of the marker that s begins with, 0 if there is none.
func MarkerLength(s string) int {
	if !strings.HasPrefix(s, Withheld) {
		return 0
	}
	n := len(Withheld)
	if !strings.HasPrefix(s, Prefix) {
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

// markKinds are the words that follow Prefix.
var markKinds = []string{
	profile.PAN.String(), profile.CVC.String(), profile.PIN.String(), profile.Track.String(),
	profile.Token.String(), profile.Key.String(), profile.Blob.String(), profile.Name.String(),
	profile.Phone.String(), profile.Email.String(), profile.Address.String(),
	profile.Birth.String(), profile.Document.String(), profile.IP.String(),
}

// maxMarkDigits bounds the number of a marker, so that no digits can hide in a marker.
const maxMarkDigits = 9

// IsMarker reports whether a whole value is a marker of ours.
func IsMarker(s string) bool { return s != "" && MarkerLength(s) == len(s) }

// Is reports whether a whole value is a marker or a constant of ours. Of which kind is
// not asked: what stands beside a value, and told its kind, may have been replaced too.
func Is(s string) bool {
	return s == CVC || s == WrongCVC || s == PIN || s == JSONNumber || IsMarker(s)
}

// Holds reports whether a text has a marker of ours anywhere.
func Holds(text string) bool { return strings.Contains(text, Prefix) }

// tokenPrefix is how the marker of a token begins.
var tokenPrefix = Prefix + profile.Token.String() + "-"

// IsToken reports whether a whole value is the marker of a token. Each token has a number of its
// own, so that it can be followed like an id.
func IsToken(text string) bool {
	number, ok := strings.CutPrefix(text, tokenPrefix)
	return ok && strings.Trim(number, "0123456789") == ""
}

// InsideMarker reports whether s[from:to] is a part of a marker of ours.
func InsideMarker(s string, from, to int) bool {
	const longest = len(Prefix) + len("document-") + maxMarkDigits
	for at := from; at >= 0 && from-at < longest; at-- {
		if s[at] == Withheld[0] && at+MarkerLength(s[at:]) >= to {
			return true
		}
	}
	return false
}

// Note returns the end of a line of Meta.Redactions: "token 2".
func Note(kind profile.Sensitivity, n int) string {
	return kind.String() + " " + strconv.Itoa(n)
}

// ReadMarker reads the kind and the number of the marker that s is.
func ReadMarker(s string) (profile.Sensitivity, int) {
	word, number, _ := strings.Cut(strings.TrimPrefix(s, Prefix), "-")
	n, err := strconv.Atoi(number)
	if err != nil {
		return profile.NotSecret, 0
	}
	kind, _ := profile.SensitivityOf(word)
	return kind, n
}

// ReadNote reads the note from the end of a line of Meta.Redactions.
func ReadNote(line string) (profile.Sensitivity, int) {
	at := strings.LastIndex(line, ": ")
	if at < 0 {
		return profile.NotSecret, 0
	}
	word, number, _ := strings.Cut(line[at+len(": "):], " ")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || len(number) > maxMarkDigits {
		return profile.NotSecret, 0
	}
	kind, _ := profile.SensitivityOf(word)
	return kind, n
}
