package match

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/fresh"
)

// What looks like anything may be an id all the same: letters alone, or seven digits. Where
// its name says so, in the answer that brings it, and a later request has it in a place for
// ids, it is one. This file knows such names, and which texts they are believed for.

// shortestID is the length of the shortest value that is taken for an id because of its name.
// There are too few of shorter ones for every client to get its own.
const shortestID = 5

// smallLetters are what the kind of an id is written in: "tr_".
const smallLetters = "abcdefghijklmnopqrstuvwxyz"

// idNames are the last words of keys that name an id.
var idNames = []string{"id", "ids", "uuid", "guid", "token", "ref", "reference"}

// namesID reports whether a leaf stands where ids stand: it is a segment of a path, or its key
// names one.
func namesID(l *leaf.Leaf) bool { return l.Place == leaf.Path || idNamed(l.Key) }

// idNamed reports whether the last word of a key names an id: "paymentId", "order_id", "ID".
func idNamed(key string) bool {
	last := lastWord(key)
	return slices.ContainsFunc(idNames, func(name string) bool {
		return len(name) == len(last) && strings.EqualFold(name, last)
	})
}

// lastWord is the last of wordsOf, written as it is.
func lastWord(name string) string {
	to := len(name)
	for to > 0 && !isLetter(name[to-1]) {
		to--
	}
	from := max(to-1, 0)
	for from > 0 && isLetter(name[from-1]) && (!isCapital(name[from]) || isCapital(name[from-1])) {
		from--
	}
	return name[from:to]
}

// wordsOf splits a name at everything but letters, and where a capital follows a small
// letter. The words are in small letters.
func wordsOf(name string) []string { return appendWords(nil, name) }

func appendWords(ws []string, name string) []string {
	from := 0
	for i := range len(name) + 1 {
		inWord := i < len(name) && isLetter(name[i])
		if inWord && (i == from || !isCapital(name[i]) || isCapital(name[i-1])) {
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

func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

func isLetter(c byte) bool { return isCapital(c) || c >= 'a' && c <= 'z' }

// idLike reports whether a text can be an id that a machine made, if its name says so: it has
// a digit, or letters in both cases.
func idLike(text string) bool {
	if len(text) < shortestID || !oneRun(text) {
		return false
	}
	return strings.ContainsAny(text, "0123456789") || fresh.InBothCases(text)
}

// leafTokens returns the tokens of a leaf's value outside its passages. A value too plain to
// be found inside text is one as a whole, and where ids stand a short one, too.
func leafTokens(l *leaf.Leaf, ps leaf.Passages) []token {
	return namedTokens(ps.Outside(l), namesID(l))
}

func namedTokens(value string, named bool) []token {
	if (named || len(value) >= embedLength) && !embeddable(value) && idLike(value) {
		return []token{{text: value, run: true}}
	}
	return append(tokens(value), lettered(value)...)
}

// lettered returns the parts of an address that are letters alone and may be an id which is known
// from elsewhere: "https://pay.example/things/tr_QkEhNaBaXy". None is born there.
func lettered(value string) []token {
	at := strings.Index(value, "://")
	if at < 0 {
		return nil
	}
	var ts []token
	for at += len("://"); at < len(value); at++ {
		n := strings.IndexAny(value[at:], "/?&=#")
		if n < 0 {
			n = len(value) - at
		}
		if part := value[at : at+n]; !embeddable(part) && idLike(part) && fresh.InBothCases(part) {
			ts = append(ts, token{text: part, at: at, run: true, within: true})
		}
		at += n
	}
	return ts
}

// paramTokens is leafTokens for a parameter.
func paramTokens(p *param) []token { return namedTokens(p.text, p.names()) }

// names reports whether a parameter stands where ids stand: see namesID.
func (p *param) names() bool { return p.place == leaf.Path || idNamed(lastName(p.path)) }

// issues reports whether a leaf of an answer, to an unknown operation, brings a token that
// cleaning took out: as its whole value, or in an address. In prose stand other people's
// secrets, such as the password that a test page asks for.
func issues(unknown bool, l *leaf.Leaf, tok token) bool {
	return unknown && isMark(tok.text) &&
		(tok.text == l.Value || strings.Contains(l.Value, "://"))
}

// born reports whether a token of a leaf of an answer is an id that is born there. open says
// that no profile settles what the leaf holds.
func (s *survey) born(tok token, l *leaf.Leaf, place int, open, unknown bool) bool {
	if isMark(tok.text) {
		key := folded(tok.text)
		return issues(unknown, l, tok) && s.requested[key].first > place && !s.constant[key]
	}
	return open && s.bornHere(tok, place, namesID(l) && !tok.within)
}

// isMark reports whether a text is what cleaning left in the place of a token. Each has a
// number of its own, so that it can be followed like an id.
func isMark(text string) bool {
	const prefix = "REDACTED-token-"
	return strings.HasPrefix(text, prefix) && oneNumber(text[len(prefix):])
}
