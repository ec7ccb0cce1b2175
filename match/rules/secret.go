package rules

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// A rules file lies beside tests and is committed with them, so it holds no secret. Two checks see
// to that: no text of the file holds a card number, whatever its key and however it is written; and
// no value of a field is written out that a profile calls a secret.

// noCards notes every text of a file that holds a card number, and every alias, which stands for
// another place than it is at. Comments are looked at and go: a rule with another comment is the
// same rule.
func (r *reader) noCards(n *yaml.Node) {
	texts := []string{n.HeadComment, n.LineComment, n.FootComment}
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	if n.Kind == yaml.ScalarNode {
		texts = append(texts, n.Value)
	}
	for _, text := range append(texts, n.Anchor, strings.TrimPrefix(n.Tag, "!")) {
		if holdsCard(text) {
			r.wrong(n, "expected no card number: write the first six and the last four digits, "+
				`as in "400000*9995"`)
			break
		}
	}
	if n.Kind == yaml.AliasNode {
		r.wrong(n, "expected no alias: write out what it stands for")
	}
	for _, inner := range n.Content {
		r.noCards(inner)
	}
}

// holdsCard reports whether a text has a card number in it: in groups or not, as it is or in
// percent escapes, escapes of JSON, hex or base64.
func holdsCard(text string) bool {
	if showsCard(text) {
		return true
	}
	if plain, err := url.PathUnescape(text); err == nil && plain != text && showsCard(plain) {
		return true
	}
	if strings.Contains(text, `\u`) {
		plain, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, "") + `"`)
		if err == nil && showsCard(plain) {
			return true
		}
	}
	plain := func(c rune) bool { // no character of base64
		letter := c|0x20 >= 'a' && c|0x20 <= 'z'
		return !letter && (c < '0' || c > '9') && !strings.ContainsRune("+/-_", c)
	}
	for token := range strings.FieldsFuncSeq(text, plain) {
		if codesCard(token) {
			return true
		}
	}
	return false
}

// codesCard reports whether a text is a card number in hex or base64, with or without other text.
func codesCard(token string) bool {
	const shortest = pan.MinLength * 4 / 3 // in base64
	if len(token) < shortest {
		return false
	}
	if plain, err := hex.DecodeString(token); err == nil && showsCard(string(plain)) {
		return true
	}
	for _, coding := range [...]*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		if plain, err := coding.DecodeString(token); err == nil && showsCard(string(plain)) {
			return true
		}
	}
	return false
}

// showsCard reports whether a text has a card number in it as it is. Digits that pass the sum of
// Luhn behind an issuer's prefix are one, also in groups: of three digits and more, or all of one
// length.
func showsCard(text string) bool {
	var groups []string
	var group strings.Builder
	gap := 0 // separators since the last digit
	end := func() {
		if group.Len() > 0 {
			groups = append(groups, group.String())
			group.Reset()
		}
	}
	for _, c := range text {
		switch digit, is := pan.Digit(c); {
		case is:
			if gap > 0 {
				end()
			}
			group.WriteByte('0' + byte(digit))
			gap = 0
		case gap < 2 && (unicode.IsSpace(c) || strings.ContainsRune("-._\\", c)):
			gap++
		default:
			if end(); anyCard(groups) {
				return true
			}
			groups, gap = groups[:0], 0
		}
	}
	end()
	return anyCard(groups)
}

// anyCard reports whether some neighbouring groups of digits are a card number together.
func anyCard(groups []string) bool {
	for i := range groups {
		digits, even, long := "", true, true
		for _, g := range groups[i:] {
			digits += g
			even = even && len(g) == len(groups[i])
			long = long && len(g) >= 3
			if len(digits) > pan.MaxLength || !even && !long {
				break
			}
			if pan.IsCard(digits) {
				return true
			}
		}
	}
	return false
}

// noSecret notes a text of a field that a profile calls a secret, and reports whether there was
// one. What no text was needed for may stand: "present", stars, a reference.
func (r *reader) noSecret(n *yaml.Node, text string, p place, dir profile.Direction) bool {
	if v, err := parseValue(text); err == nil && v.refers() || saysNothing(text) {
		return false
	}
	for _, f := range r.meanings(p, dir) {
		if isSecret(f, text) {
			r.wrong(n, "expected no secret: %s is one, and a rules file must not hold it: "+
				"test for present, absent or a star, and set ${mint}", quote(p.text))
			return true
		}
	}
	return false
}

// isSecret reports whether a text of a field must not stand in a rules file. Of a card number the
// first six and the last four digits may.
func isSecret(f profile.Field, text string) bool {
	switch f.Secret {
	case profile.CVC, profile.PIN, profile.Track, profile.Token, profile.Key:
		return true
	case profile.PAN:
		digits := pan.Digits(text)
		whole := len(digits) >= pan.MinLength-1 && !strings.ContainsAny(text, "*xX")
		return whole && !pan.IsTemplate(digits)
	}
	return false
}

// saysNothing reports whether a text has neither letters nor digits, but for zeros and the X of a
// mask: no secret is in it.
func saysNothing(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool {
		return c != '0' && c != 'X' && (unicode.IsLetter(c) || unicode.IsDigit(c))
	})
}

// meanings returns what is known of a place in the calls that the rule which is read may be about.
func (r *reader) meanings(p place, dir profile.Direction) []profile.Field {
	if p.in == aHeader {
		var all []profile.Field
		for _, c := range r.calls() {
			f, _ := r.set.HeaderField(c, dir, p.key)
			all = append(all, f)
		}
		return all
	}
	last := lastOf(p.key)
	pair := profile.At{Key: "value", Name: last, Shape: strings.TrimSuffix(p.key, last) + "value"}
	return append(r.fieldsAt(dir, profile.At{Key: last, Shape: p.key}), r.fieldsAt(dir, pair)...)
}

// fieldsAt returns what is known of a leaf in the calls that the rule which is read may be about.
func (r *reader) fieldsAt(dir profile.Direction, at profile.At) []profile.Field {
	var all []profile.Field
	for _, c := range r.calls() {
		f, _ := r.set.Meaning(c, dir, at)
		all = append(all, f)
	}
	return all
}

// noSecretBody notes a body of an answer that holds a secret. References in it are not looked at.
func (r *reader) noSecretBody(n *yaml.Node, v value) {
	var b strings.Builder
	for _, p := range v {
		if p.kind == literal {
			b.WriteString(p.literal)
		} else {
			b.WriteByte('0') // a number, and part of a text
		}
	}
	m := leaf.Read(leaf.Message{Headless: true, Body: b.String()})
	known := map[profile.At][]profile.Field{} // a body may have a field many times
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if saysNothing(l.Value) {
			continue
		}
		if holdsCard(l.Value) { // in what is packed, too
			r.wrong(n, "expected no card number in a body")
			return
		}
		at := profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape}
		if known[at] == nil {
			known[at] = r.fieldsAt(profile.Response, at)
		}
		for _, f := range known[at] {
			if isSecret(f, l.Value) {
				r.wrong(n, "expected no secret in a body: %s is one", quote(l.Shape))
				return
			}
		}
	}
}
