package audit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/credential"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/internal/words"
	"github.com/paytape/paytape/redact/surrogate"
)

// Finding is something that should not stand in a file. It says what and where, and never
// the value.
type Finding struct {
	Kind   string // "card number", "credential", "private key", "cvc", "pin", "track"
	Offset int    // of its first byte in the content, in bytes
}

// Find audits text without knowing the traffic, as Search does.
func Find(content string) []Finding { return Search{}.Find(content) }

// Search says how text is audited. The zero Search is for recorded data.
type Search struct {
	// Prefixes are those of the sandbox's own card numbers: a number of 13 to 19 digits that
	// begins with such a prefix is a card whatever its Luhn sum, unless it is a surrogate of ours.
	Prefixes []string
	// Source says that the text is of a program or its documentation, which is full of words
	// beside "password" that are no secrets. There a credential counts if it has a form of
	// its own (a private key, a JWT, an API key with a known prefix) or if it is a literal
	// of eight characters or more with letters and digits; CVCs and PINs of examples do not.
	// Digits behind 0x are no card number.
	Source bool
	// Tests says of a source that it is of tests, which make their literals up: there only
	// the forms count.
	Tests bool
}

// Find audits text without knowing the traffic: card numbers that pass Luhn, credentials of known
// form, and values beside the keywords that name secrets; as they are, beneath percent, JSON and
// entity escapes, and in base64, hex, UTF-16, compressed data and TLV inside the text. Surrogates
// and markers of ours pass, and so do masks, references and what only says that a value is to be
// put there.
func (f Search) Find(content string) []Finding {
	return (&finder{Search: f}).find(content)
}

// finder is a search that keeps what is costly to make anew for every text.
type finder struct {
	Search
	decoder scan.Decoder
}

func (f *finder) find(content string) []Finding {
	var found []Finding
	look := func(v *scan.View) {
		for _, hit := range f.layer(v.Text) {
			from, _ := v.Origin(hit.from, hit.to)
			found = append(found, Finding{hit.kind, from})
		}
	}
	look(&scan.View{Text: content})
	f.decoder.Visit, f.decoder.Budget = look, scan.DecodeBudget(len(content))
	f.decoder.Decode(content)
	slices.SortFunc(found, func(a, b Finding) int {
		return cmp.Or(a.Offset-b.Offset, strings.Compare(a.Kind, b.Kind))
	})
	return slices.Compact(found)
}

// match is a find in one view of a text.
type match struct {
	from, to int
	kind     string
}

// What finds are called that no sensitivity gives a name.
const (
	kindCard       = "card number"
	kindCredential = "credential"
	kindKey        = "private key"
)

// kindName is what a find of a sensitivity is called.
func kindName(kind profile.Sensitivity) string {
	switch kind {
	case profile.PAN:
		return kindCard
	case profile.Token:
		return kindCredential
	}
	return kind.String()
}

// layer audits a text as it stands.
func (f Search) layer(s string) []match {
	found := f.cards(s)
	for _, m := range words.Mentions(s) {
		if f.counts(s, m) && !partOfOurs(s, m) {
			found = append(found, match{m.From, m.To, kindName(m.Kind)})
		}
	}
	for _, o := range credential.Find(s) {
		password, pair := credential.BasicPassword(s[o.From:o.To])
		switch {
		case o.Kind == profile.Key:
			found = append(found, match{o.From, o.To, kindKey})
		case !pair || f.countsAs(password):
			found = append(found, match{o.From, o.To, kindCredential})
		}
	}
	return found
}

// partOfOurs reports whether the value of a mention is a group of digits of a surrogate: nobody's PIN.
func partOfOurs(s string, m words.Mention) bool {
	if !scan.IsNumeric(s[m.From:m.To]) {
		return false
	}
	ours := scan.Judge{Shape: func(digits string) scan.Verdict {
		if surrogate.IsCard(digits) {
			return scan.Surrogate
		}
		return scan.Nothing
	}}
	const around = 2 * pan.MaxLength
	from := max(0, m.From-around)
	for _, n := range scan.Numbers(s[from:min(len(s), m.To+around)], true, ours) {
		if n.From+from <= m.From && m.To <= n.To+from && m.To-m.From < n.To-n.From {
			return true
		}
	}
	return false
}

// countsAs reports whether the password of a pair in base64 is a find.
func (f Search) countsAs(password string) bool {
	return !f.Source || !f.Tests && credential.IsRandom(password)
}

// cards returns the card numbers in s.
func (f Search) cards(s string) []match {
	j := scan.Judge{Shape: f.shape}
	var found []match
	for _, n := range scan.Numbers(s, true, j) {
		// One group after a dot is the fraction of some number.
		alone := strings.Trim(s[n.From:n.To], "0123456789") == ""
		constant := f.Source && n.From > 1 && (s[n.From-2:n.From] == "0x" || s[n.From-1] == '.')
		chance := constant || scan.IsDecimals(s, n.From) || insideHex(s, n.From, n.To)
		if n.Verdict == scan.Card && !(alone && chance) && (alone || !beginsOurs(n.Digits)) {
			found = append(found, match{n.From, n.To, kindCard})
		}
	}
	for _, n := range scan.SplitNumbers(s, j) {
		if !beginsOurs(n.Digits) {
			found = append(found, match{n.From, n.To, kindCard})
		}
	}
	return found
}

// beginsOurs reports whether digits in groups are a surrogate of ours and the group behind it, such as a
// code beside the number: one in ten of these passes for a longer number.
func beginsOurs(digits string) bool {
	return len(digits) > pan.MaxGrouped && surrogate.IsCard(digits[:pan.MaxGrouped])
}

// minDigest is the length of the shortest hash in hex, and of anything else of which a run of
// digits is a part by chance.
const minDigest = 24

// insideHex reports whether the digits s[from:to] are a part of a longer stretch of hex: of a hash,
// or of text in hex, which is read as such. A number at the beginning of the stretch, with the
// separator of track 2 or the padding behind it, is a number; a number that the tag of a TLV
// announces is looked for on its own.
func insideHex(s string, from, to int) bool {
	start, end := from, to
	for start > 0 && from-start < minDigest && leaf.Hex(s[start-1]) >= 0 {
		start--
	}
	for end < len(s) && end-to < minDigest && leaf.Hex(s[end]) >= 0 {
		end++
	}
	track := start == from && end > to && strings.IndexByte("DdFf", s[to]) >= 0
	return end-start >= minDigest && end-start > to-from && !track
}

// shape judges 13 to 19 digits.
func (f Search) shape(digits string) scan.Verdict {
	switch {
	case pan.IsCard(digits):
		return scan.Card
	case pan.IsTemplate(digits) || surrogate.IsCardNumber(digits):
		return scan.Nothing
	}
	for _, p := range f.Prefixes {
		if p != "" && strings.HasPrefix(digits, p) {
			return scan.Card
		}
	}
	return scan.Nothing
}

// counts reports whether the value of a mention in s is a find.
func (f Search) counts(s string, m words.Mention) bool {
	value := s[m.From:m.To]
	ours := m.Kind == profile.PAN &&
		(surrogate.IsCardNumber(scan.ReadNumber(value).Digits) || isCut(s, m))
	if ours || credential.IsPlaceholder(value) || unclosed(s, m) {
		return false
	}
	if !f.Source {
		return true
	}
	if m.Kind != profile.Token && m.Kind != profile.Key || f.Tests {
		return false // a card number is found by its shape
	}
	if password, ok := credential.BasicPassword(value); ok {
		return credential.IsRandom(password)
	}
	literal := m.From > 0 && strings.IndexByte("\"'`:", s[m.From-1]) >= 0 ||
		strings.Trim(value, identifierBytes) != ""
	return literal && credential.IsRandom(value) && !credential.IsSample(value)
}

// isCut reports whether the quotes around the value of a mention are not closed in s: of base64 in lines
// that nobody joined, a line may end in the middle of a surrogate. A number that is whole is found by its
// shape.
func isCut(s string, m words.Mention) bool {
	return m.To == len(s) && m.From > 0 && strings.IndexByte("\"'", s[m.From-1]) >= 0
}

// unclosed reports whether a mention is of an element that nothing closes: a <token> in prose.
func unclosed(s string, m words.Mention) bool {
	before, after := strings.TrimRight(s[:m.From], " \t\r\n"), strings.TrimLeft(s[m.To:], " \t\r\n")
	return strings.HasSuffix(before, ">") && !strings.HasPrefix(after, "</")
}

const identifierBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$"
