package match

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/fresh"
)

// token is a part of a text that may be an id.
type token struct {
	text string
	at   int
	run  bool // it is a whole run of characters that ids are made of
	// within says that it is a part of an address, and too plain to be found in other text.
	within bool
}

// tokens returns what may be an id inside s: every run of letters, digits, '-' and '_' that
// is embeddable, and what may be one inside a run: what lies between its '_' or '-', a UUID,
// a number. They overlap; a longer one comes before those it holds.
func tokens(s string) []token {
	var ts []token
	for from := 0; from < len(s); {
		from = behindEscapes(s, from)
		to := from
		for to < len(s) && idByte(s[to]) {
			to++
		}
		if embeddable(s[from:to]) {
			ts = append(ts, token{text: s[from:to], at: from, run: true})
			ts = appendInner(ts, s[from:to], from)
		}
		from = to + 1
	}
	return ts
}

// behindEscapes returns the offset behind percent escapes, so that "%3D" in front of an id
// does not become part of it. An escaped percent sign begins another escape.
func behindEscapes(s string, at int) int {
	for escaped := at > 0 && s[at-1] == '%'; escaped && at+2 <= len(s); at += 2 {
		if leaf.Hex(s[at]) < 0 || leaf.Hex(s[at+1]) < 0 {
			break
		}
		escaped = s[at:at+2] == "25"
	}
	return at
}

// appendInner appends the tokens inside a run that begins at an offset.
func appendInner(ts []token, run string, at int) []token {
	for i := 0; i+fresh.UUIDLength < len(run)+1; i++ {
		if t := run[i : i+fresh.UUIDLength]; len(run) > fresh.UUIDLength && fresh.IsUUID(t) {
			ts = append(ts, token{text: t, at: at + i})
		}
	}
	for _, part := range []func(byte) bool{isNot('_'), isNot('-'), isDigit} {
		ts = appendParts(ts, run, at, part)
	}
	return ts
}

// appendParts appends the embeddable stretches of a run, shorter than itself, whose
// characters belong together.
func appendParts(ts []token, run string, at int, belongs func(byte) bool) []token {
	for from := 0; from < len(run); from++ {
		to := from
		for to < len(run) && belongs(run[to]) {
			to++
		}
		if to-from < len(run) && embeddable(run[from:to]) {
			ts = append(ts, token{text: run[from:to], at: at + from})
		}
		from = to
	}
	return ts
}

func isNot(c byte) func(byte) bool { return func(b byte) bool { return b != c } }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func idByte(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '_'
}

// oneRun reports whether a text is nothing but the bytes of ids.
func oneRun(s string) bool {
	for i := range len(s) {
		if !idByte(s[i]) {
			return false
		}
	}
	return s != ""
}

// embeddable reports whether a value is long and odd enough to be recognised inside text.
func embeddable(text string) bool {
	return len(text) >= embedLength && strings.ContainsAny(text, "0123456789")
}
