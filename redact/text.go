package redact

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/credential"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/internal/taint"
	"github.com/paytape/paytape/redact/internal/words"
	"github.com/paytape/paytape/redact/surrogate"
)

// cleaning is the cleaning of one exchange, or of one text.
type cleaning struct {
	leaf.Unprinted
	*state
	trust        trust
	taken        takings       // for Meta.Redactions
	fired        firings       // how often a rule took something out
	lost         []string      // for Meta.Withheld
	told         []Safe        // for the operator
	searchWords  bool          // a search for words too, which the gate leaves to the leaves
	shortSecrets []shortSecret // secrets of this exchange that are too short for taint
	// packs says of the request and of the response whether a value of it packs a message, of which what
	// it holds cannot be seen from outside.
	packs [2]bool
	// asRead is the response as it was taken apart, if a value of it packs a message and its body is
	// written as it came: the gate need not take it apart once more.
	asRead *leaf.Message
	// inside says that what is at hand is a value that goes whole.
	inside bool
	// budget is how many bytes may still be decoded; nil until something is.
	budget *int
	// searched is a body that is one text or markup, in which nothing was found when searchedAt values
	// were known. Another look at the body would be the same; with it BenchmarkBodies takes 10 percent
	// longer for text.
	searched   string
	searchedAt int
	// last is the texture of the text in which holdsSecret has looked last and found nothing. bodies
	// are those of the bodies: see Clean.
	last   texture
	bodies [2]texture
	hidden []string // values of the messages that were written: see hiding
	// grouped says that the text which was searched last may have a number that does not stand in one
	// row of ASCII digits.
	grouped bool
}

// texture is what is known of how a text is made, as far as anything is.
type texture struct {
	flat      bool // it has no escapes and nothing under an encoding
	ungrouped bool // every number in it stands in one row of ASCII digits
}

// isSearched reports whether a body was searched with all that is known.
func (c *cleaning) isSearched(body string) bool {
	return c.searchedAt == c.learnedCount() && c.searched == body
}

// style says how a text is read.
type style uint8

const (
	asNumber style = iota // of a JSON number: a dot is a decimal point
	asText
	asProse // text in which an API may repeat what it was told: short secrets too
)

// text returns s without what shape, taint and keywords find in it.
func (c *cleaning) text(s string) string { return splice(s, c.spans(s, asText)) }

// spans finds what must be replaced in a text, in order and without overlaps.
//
// Every layer of escapes is looked through; what is found beneath a layer is replaced above it.
// What is found in something that is encoded takes the encoded stretch with it.
func (c *cleaning) spans(s string, as style) []span {
	if len(s) < shortestFind {
		return nil
	}
	if c.isQuiet(s, as) {
		return c.quietSpans(s, as)
	}
	look := scan.LookAt(s)
	var found []span
	if as != asNumber {
		found = c.blobs(s, look)
	}
	if !look.MayEscape() {
		return merge(append(found, c.layer(s, as, look)...))
	}
	back, escaped := scan.NewOrigins(s), false
	for depth, text := range scan.Unescaped(s) {
		if escaped = depth > 0; !escaped {
			found = append(found, c.layer(s, as, look)...)
			continue
		}
		for _, f := range c.layer(text, as, scan.LookAt(text)) {
			if f.digits {
				f.from, f.to, f.Text = back.ReplaceDigits(depth, f.from, f.to, f.Text)
			} else {
				f.from, f.to, f.Text = back.Replace(depth, f.from, f.to, f.Text)
			}
			found = append(found, f)
		}
	}
	found = merge(found)
	if escaped {
		c.markMisread(s, found, whole)
	}
	return found
}

// shortestFind is the length of the shortest text in which anything is found: a name, a sign and a value
// ("p=1"), or a code and a character beside it.
const shortestFind = words.MinCode

// layer finds what must be replaced in a text as it stands.
func (c *cleaning) layer(s string, as style, look scan.Look) []span {
	numbers, hits := c.search(s, as, look)
	found := c.numbers(s, numbers)
	if look.MaySplit() {
		found = append(found, c.splitNumbers(s, as)...)
	}
	var mentions []words.Mention
	if look.MayMention() {
		mentions = words.Mentions(s)
	}
	for _, m := range mentions {
		if partOfOwn(numbers, m) {
			continue // digits of a surrogate are nobody's PIN
		}
		got := c.replace(m.Kind, fieldValue{text: decoded(s[m.From:m.To])})
		if got.Note != "" {
			found = append(found, span{
				from: m.From, to: m.To, Value: got, rule: mentionRule(m),
				named:  m.Kind != profile.PAN,
				digits: m.Kind == profile.PAN && !surrogate.IsMarker(got.Text),
			})
		}
	}
	for _, o := range credential.Find(s) {
		got := c.replace(o.Kind, fieldValue{text: s[o.From:o.To]})
		if got.Note == "" {
			continue
		}
		found = append(found, span{from: o.From, to: o.To, Value: got, rule: ruleCredential})
		if _, pair := credential.BasicPassword(s[o.From:o.To]); pair {
			c.learnPair(s[o.From:o.To])
		}
	}
	for _, h := range hits {
		found = append(found, span{from: h.From, to: h.To, Value: h.By, rule: ruleTaint})
	}
	if as == asProse {
		found = append(found, c.echoes(s)...)
	}
	return found
}

// partOfOwn reports whether a mention is a part of a surrogate, which has groups of digits.
func partOfOwn(numbers []scan.Occurrence, m words.Mention) bool {
	return slices.ContainsFunc(numbers, func(n scan.Occurrence) bool {
		inside := n.From <= m.From && m.To <= n.To && m.To-m.From < n.To-n.From
		return n.Verdict == scan.Surrogate && inside
	})
}

// numbers replaces the card numbers found in s, and what follows them on a track.
func (c *cleaning) numbers(s string, numbers []scan.Occurrence) []span {
	var found []span
	var tail span
	for _, n := range numbers {
		if n.From >= tail.from && n.From < tail.to {
			continue // digits of a track that happen to pass for a number
		}
		if n.Verdict == scan.Surrogate {
			// Known from now on, it is recognised beside other digits too.
			c.tape.noteIssued(n.Digits)
		}
		if n.Verdict == scan.Card {
			by := c.tape.card(n.Digits)
			digits := !surrogate.IsMarker(by.Text)
			if digits {
				by.Text = scan.Regroup(by.Text, s[n.From:n.To])
			}
			found = append(found, span{
				from: n.From, to: n.To, Value: by, rule: c.cardRule(n), digits: digits,
			})
		}
		if from, to, ok := scan.TrackTail(s, n.To); ok {
			tail = span{from: from, to: to, Value: surrogate.Constant(profile.Track), rule: ruleTrack}
			found = append(found, tail)
		}
	}
	return found
}

// splitNumbers replaces the card numbers that tags split, each piece by its digits.
func (c *cleaning) splitNumbers(s string, as style) []span {
	if as == asNumber {
		return nil
	}
	var found []span
	for _, n := range c.searchSplit(s) {
		by := c.tape.card(n.Digits)
		digits := by.Text
		for i, at := range n.Pieces {
			piece, value := s[at[0]:at[1]], by
			marker := surrogate.IsMarker(by.Text)
			if size := len(scan.Digits(piece)); !marker {
				value.Text, digits = scan.Regroup(digits[:size], piece), digits[size:]
			} else if i > 0 {
				value.Text = "" // the marker stands in the place of the first piece
			}
			found = append(found, span{
				from: at[0], to: at[1], Value: value, rule: rulePAN, digits: !marker,
			})
		}
	}
	return found
}

// searchSplit finds card numbers that tags split.
func (c *cleaning) searchSplit(s string) []scan.SplitNumber {
	if strings.IndexByte(s, '<') < 0 {
		return nil
	}
	if len(s) > longText {
		return scan.SplitNumbers(s, c.lockingJudge())
	}
	c.tape.mu.RLock()
	defer c.tape.mu.RUnlock()
	return scan.SplitNumbers(s, c.judge(c.trust))
}

// decoded undoes percent-encoding, so that a password in a URL is the same password in a form.
func decoded(s string) string {
	if strings.IndexByte(s, '%') < 0 {
		return s
	}
	if got := scan.Unescape(s); got != "" && utf8.ValidString(got) {
		return got
	}
	return s
}

// search finds numbers and tainted values in a text as it stands, of which look is the look. It notes
// whether the text has numbers in groups.
func (c *cleaning) search(
	s string, as style, look scan.Look,
) (numbers []scan.Occurrence, tainted []taint.Hit) {
	c.grouped = false
	switch {
	case len(s) < taint.MinLength:
		return nil, nil
	case len(s) > longText:
		if look.MayNumber() {
			numbers, c.grouped = scan.Grouped(s, as != asNumber, c.lockingJudge())
		}
		return numbers, c.tape.findTainted(s)
	}
	c.tape.mu.RLock()
	defer c.tape.mu.RUnlock()
	if look.MayNumber() {
		numbers, c.grouped = scan.Grouped(s, as != asNumber, c.judge(c.trust))
	}
	return numbers, c.tape.taint.Find(s)
}

// learnedIn finds tainted values in a short text.
func (c *cleaning) learnedIn(s string) []taint.Hit {
	if len(s) < taint.MinLength {
		return nil
	}
	c.tape.mu.RLock()
	defer c.tape.mu.RUnlock()
	return c.tape.taint.Find(s)
}

// longText is the length of a text from which on the lock of the tape is not held during a search:
// whoever learns a secret would wait for the end of the search, and all others for them.
const longText = 64 << 10

// lockingJudge is a judge that takes the lock of the tape for each number that it is asked about.
func (c *cleaning) lockingJudge() scan.Judge {
	c.tape.mu.RLock()
	defer c.tape.mu.RUnlock()
	j := c.judge(c.trust)
	if exact := j.Exact; exact != nil {
		j.Exact = func(digits []byte) scan.Verdict {
			c.tape.mu.RLock()
			defer c.tape.mu.RUnlock()
			return exact(digits)
		}
	}
	return j
}

// holdsSecret reports whether a text still holds a card number, a credential of known form or a
// tainted value, seen through every layer of escapes and inside what is encoded. The gate asks it;
// words are left to the leaves, where they stand between other characters.
func (c *cleaning) holdsSecret(s string, as style) bool {
	if c.last = (texture{}); len(s) < taint.MinLength {
		return false
	}
	if c.isQuiet(s, as) {
		c.last = texture{flat: true, ungrouped: true}
		return c.isTainted(c.learnedIn(s))
	}
	look := scan.LookAt(s)
	if c.layerHoldsSecret(s, as, look) {
		return true
	}
	ungrouped := as != asNumber && !c.grouped
	if look.MayEscape() {
		for depth, text := range scan.Unescaped(s) {
			if depth > 0 && c.layerHoldsSecret(text, as, scan.LookAt(text)) {
				return true
			}
		}
	}
	encoded := look.MayDecode(s, c.runs)
	c.last = texture{flat: !encoded && !look.MayEscape(), ungrouped: ungrouped}
	return encoded && c.holdsEncodedSecret(s)
}

// layerHoldsSecret is holdsSecret for a text as it stands.
func (c *cleaning) layerHoldsSecret(s string, as style, look scan.Look) bool {
	numbers, tainted := c.search(s, as, look)
	for _, n := range numbers {
		if n.Verdict == scan.Card {
			return true
		}
	}
	return c.isTainted(tainted) || len(credential.Find(s)) > 0 ||
		as != asNumber && look.MaySplit() && len(c.searchSplit(s)) > 0
}

// isTainted reports whether holdsSecret counts any of the hits.
func (c *cleaning) isTainted(hits []taint.Hit) bool {
	return slices.ContainsFunc(hits, func(t taint.Hit) bool { return !t.Word || c.searchWords })
}
