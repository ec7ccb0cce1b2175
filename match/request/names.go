package request

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fresh"
)

// EmbedLength is the length from which a value is recognised inside other text, if it has a digit.
const EmbedLength = 8

// shortestID is the length of the shortest value that is taken for an id because of its name.
// There are too few of shorter ones for every client to get its own.
const shortestID = 5

// NamesID reports whether a leaf stands where ids stand: it is a segment of a path, or its key
// names one.
func NamesID(l *leaf.Leaf) bool { return l.Place == leaf.Path || IDNamed(l.Key) }

// IDNamed reports whether the last word of a key names an id: "paymentId", "order_id", "ID".
func IDNamed(key string) bool {
	last := lastWord(key)
	return slices.ContainsFunc(idNames, func(name string) bool {
		return len(name) == len(last) && strings.EqualFold(name, last)
	})
}

// lastWord is the last of Words, written as it is.
func lastWord(name string) string {
	to := len(name)
	for to > 0 && !IsLetter(name[to-1]) {
		to--
	}
	from := max(to-1, 0)
	for from > 0 && IsLetter(name[from-1]) && (!IsCapital(name[from]) || IsCapital(name[from-1])) {
		from--
	}
	return name[from:to]
}

// AppendWords appends the words of a name, which ends at everything but letters and where a
// capital follows a small letter. The words are in small letters.
func AppendWords(ws []string, name string) []string {
	from := 0
	for i := range len(name) + 1 {
		inWord := i < len(name) && IsLetter(name[i])
		if inWord && (i == from || !IsCapital(name[i]) || IsCapital(name[i-1])) {
			continue
		}
		if i > from {
			ws = append(ws, strings.ToLower(name[from:i]))
		}
		if from = i; !inWord {
			from++
		}
	}
	return ws
}

// IsCapital reports whether a byte is a capital of ASCII.
func IsCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

// IsLetter reports whether a byte is a letter of ASCII.
func IsLetter(c byte) bool { return IsCapital(c) || c >= 'a' && c <= 'z' }

// IDLike reports whether a text can be an id that a machine made, if its name says so: it has a
// digit, or letters in both cases.
func IDLike(text string) bool {
	if len(text) < shortestID || !OneRun(text) {
		return false
	}
	return HasDigit(text) || fresh.InBothCases(text)
}

// AppendLeafTokens appends the tokens of a leaf's value outside its passages. A value too plain to be
// found inside text is one as a whole, and where ids stand a short one, too.
func AppendLeafTokens(ts []Token, l *leaf.Leaf, ps leaf.Passages) []Token {
	return appendNamed(ts, ps.Outside(l), NamesID(l))
}

// Tokens returns the tokens of a parameter's value, as AppendLeafTokens appends them.
func (p *Param) Tokens() []Token { return appendNamed(nil, p.Text, p.NamesID()) }

// NamesID reports whether a parameter stands where ids stand.
func (p *Param) NamesID() bool { return p.Place == leaf.Path || IDNamed(LastName(p.Path)) }

func appendNamed(ts []Token, value string, named bool) []Token {
	if (named || len(value) >= EmbedLength) && !Embeddable(value) && IDLike(value) {
		return append(ts, Token{Text: value, Run: true})
	}
	return append(AppendTokens(ts, value), Lettered(value)...)
}

// Lettered returns the parts of an address that are letters alone and may be an id which is known
// from elsewhere: "https://pay.example/things/tr_QkEhNaBaXy". None is born there.
func Lettered(value string) []Token {
	if !strings.Contains(value, "://") {
		return nil
	}
	return slices.DeleteFunc(AddressParts(value), func(t Token) bool {
		return Embeddable(t.Text) || !IDLike(t.Text) || !fresh.InBothCases(t.Text)
	})
}

// AddressParts returns the segments and parameters of an address or a path, however short.
func AddressParts(address string) []Token {
	var ts []Token
	at := 0
	if i := strings.Index(address, "://"); i >= 0 {
		at = i + len("://")
	}
	for at < len(address) {
		n := strings.IndexAny(address[at:], "/?&=#")
		if n < 0 {
			n = len(address) - at
		}
		if n > 0 {
			ts = append(ts, Token{Text: address[at : at+n], At: at, Run: true, Within: true})
		}
		at += n + 1
	}
	return ts
}

// LastName returns the last name of a parameter's path.
func LastName(path string) string { return path[profile.LastBreak(path)+1:] }

// Index returns the index at the end of a parameter's path, as of the first element of a list "[0]"; "" for
// what is no element. An API may refuse a list of one element in place of the element.
func Index(path string) string {
	if at := strings.LastIndexByte(path, '['); at >= 0 && path[len(path)-1] == ']' {
		return path[at:]
	}
	return ""
}

// Parent returns a parameter's path without its last name; "" at the top.
func Parent(path string) string { return path[:max(profile.LastBreak(path), 0)] }

// Canonical returns the text under which values of a field are compared: the digits of a card
// number, everything else as it is.
func Canonical(f profile.Field, text string) string {
	if f.Secret == profile.PAN {
		if digits := pan.Digits(text); digits != "" {
			return digits
		}
	}
	return text
}
