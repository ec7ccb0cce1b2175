package redact

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/internal/taint"
	"github.com/paytape/paytape/redact/internal/words"
	"github.com/paytape/paytape/redact/surrogate"
)

// shortSecret is a secret that is too short to be searched for everywhere: "739" is a CVC, and an
// amount. It is looked for in the prose of the exchange that said it, and nowhere else.
type shortSecret struct {
	leaf.Unprinted
	text   string
	digits bool // nothing but digits
	plain  bool // nothing but digits or nothing but letters
	value  surrogate.Value
}

// minShort is the length of the shortest password or token that is looked for in prose.
const minShort = 4

// maxShort bounds how many short secrets are looked for, so that the time stays in
// proportion to the text. Fields come first, and a message has few that are secret.
const maxShort = 16

// learnShort has a secret of a field looked for in the prose of this exchange.
func (c *cleaning) learnShort(kind profile.Sensitivity, text string, got surrogate.Value) {
	switch {
	case kind != profile.CVC && kind != profile.PIN && kind != profile.Token:
		return
	case taint.IsSearchable(text), len(c.shortSecrets) == maxShort: // nearly all tokens are searchable
		return
	}
	digits := scan.IsNumeric(text)
	switch kind {
	case profile.CVC, profile.PIN:
		if !digits || len(text) < words.MinCode {
			return
		}
		got.Text = surrogate.Constant(kind).Text
	case profile.Token:
		common := scan.Distinct(text) < 2 || words.IsCommon(text)
		if len(text) < minShort || common || surrogate.IsMarker(text) {
			return
		}
	}
	same := func(other shortSecret) bool { return other.text == text }
	if slices.ContainsFunc(c.shortSecrets, same) {
		return
	}
	c.shortSecrets = append(c.shortSecrets, shortSecret{
		text: text, digits: digits, plain: digits || scan.IsWord(text), value: got,
	})
}

// echoes finds the short secrets of this exchange in prose.
func (c *cleaning) echoes(s string) []span {
	var found []span
	for _, secret := range c.shortSecrets {
		if len(s) <= len(secret.text) && (s != secret.text || secret.plain) {
			continue // 739 alone is a number of its own; a mixed password is itself
		}
		for at := 0; ; {
			n := strings.Index(s[at:], secret.text)
			if n < 0 {
				break
			}
			from, to := at+n, at+n+len(secret.text)
			if words.Repeats(s, from, to, secret.digits) && !surrogate.InsideMarker(s, from, to) {
				found = append(found, span{from: from, to: to, Value: secret.value, rule: ruleEcho})
			}
			at = to
		}
	}
	return found
}

// echoesBehind finds the short secrets in a text that has a label before it, as if both were one
// sentence: "The code <b>739</b>".
func (c *cleaning) echoesBehind(label, s string) []span {
	if label == "" {
		return nil
	}
	label += " "
	var found []span
	for _, sp := range c.echoes(label + s) {
		if sp.from >= len(label) {
			sp.from, sp.to = sp.from-len(label), sp.to-len(label)
			found = append(found, sp)
		}
	}
	return found
}

// mayRepeat reports whether an API may repeat in a leaf what it was told: a text of its own, a leaf
// that no profile knows, a URL, or what the client wrote for people. It is not asked of ids,
// amounts and dates, which may hold the digits of a short secret by chance.
func mayRepeat(f *reading, l *leaf.Leaf) bool {
	return !f.known || f.prose || f.From == profile.Shared && f.Of == "" || strings.Contains(l.Value, "://")
}
