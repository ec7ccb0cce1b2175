package redact

import (
	"cmp"
	"slices"
	"sync"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/internal/words"
)

// Rule is one reason to take something out, and how often it was.
//
// Its ID is the name of a row of a profile ("gateway/paymentorder.do/request/$PAN"), or
//
//	keyword/WORD    the key of a value, or the word beside it in a text, ends with WORD
//	header/NAME     a header that holds a credential whatever a profile says
//	shape/KIND      digits that a scanner would take for a card number, the rest of a track
//	                behind one, the password of a URL, a credential of known form
//	prefix/DIGITS   a prefix of the sandbox's own card numbers, whatever else found the number
//	taint           a secret that was learned elsewhere, in any encoding
//	echo            one that is too short for that, said again in the same exchange
//	packed          a value that packs something which could not be opened
//	body            a body that is no text or cannot be decoded
//	gate            what was left for the last look
type Rule struct {
	ID   string
	Kind profile.Sensitivity // empty where a rule takes out whatever it finds
	// Given names the profile of the user's that has the row, or is "--card-prefix". Empty for
	// rules that are always there.
	Given string
	// Key is the key of a row, in lower case, for all operations that have it.
	Key string
	// Hits is how many values it took out of exchanges.
	Hits int
}

// The names of rules that are no rows.
const (
	ruleKeyword    = "keyword/"
	ruleHeader     = "header/"
	rulePrefix     = "prefix/"
	rulePAN        = "shape/pan"
	ruleTrack      = "shape/track"
	ruleUserInfo   = "shape/userinfo"
	ruleCredential = "shape/credential"
	ruleTaint      = "taint"
	ruleEcho       = "echo"
	rulePacked     = "packed"
	ruleBody       = "body"
	ruleGate       = "gate"
)

// GivenPrefix is what Given says of a prefix.
const GivenPrefix = "--card-prefix"

// Rules lists all that is looked for: the user's rules first, then by ID.
func (r *Redactor) Rules() []Rule {
	var list []Rule
	for _, row := range r.s.Profiles.Rules() {
		if r.s.secret(row.Secret) {
			list = append(list, Rule{ID: row.ID, Kind: row.Secret, Given: row.Given, Key: row.Key})
		}
	}
	for _, p := range r.s.Prefixes {
		list = append(list, Rule{ID: rulePrefix + p, Kind: profile.PAN, Given: GivenPrefix})
	}
	for word, kind := range words.All() {
		list = append(list, Rule{ID: ruleKeyword + word, Kind: kind})
	}
	for _, h := range structuredHeaders {
		list = append(list, Rule{ID: ruleHeader + h.name, Kind: profile.Token})
	}
	list = append(list, Rule{ID: rulePAN, Kind: profile.PAN}, Rule{ID: ruleTrack, Kind: profile.Track},
		Rule{ID: ruleUserInfo, Kind: profile.Token}, Rule{ID: ruleCredential, Kind: profile.Token})
	for _, id := range []string{ruleTaint, ruleEcho, rulePacked, ruleBody, ruleGate} {
		list = append(list, Rule{ID: id})
	}
	for i := range list {
		list[i].Hits = r.s.counts.of(list[i].ID)
	}
	slices.SortFunc(list, func(a, b Rule) int {
		return cmp.Or(orderOfGiven(b)-orderOfGiven(a), cmp.Compare(a.ID, b.ID))
	})
	return slices.CompactFunc(list, func(a, b Rule) bool { return a.ID == b.ID })
}

// orderOfGiven orders rules: 1 for the user's, 0 for others.
func orderOfGiven(r Rule) int {
	if r.Given != "" {
		return 1
	}
	return 0
}

// ruleCounts counts how often rules fired.
type ruleCounts struct {
	mu sync.Mutex // guards n
	n  map[string]int
}

func (h *ruleCounts) of(id string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.n[id]
}

// count counts the rules that fired in one exchange.
func (h *ruleCounts) count(fired firings) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.n == nil {
		h.n = map[string]int{}
	}
	for _, f := range fired {
		h.n[f.rule] += f.times
	}
}

// prefixRule names the rule of the prefix that digits begin with, "" if there is none.
func (s *state) prefixRule(digits string) string {
	if p := s.prefixOf(digits); p != "" {
		return rulePrefix + p
	}
	return ""
}

// cardRule names the rule that found a card number.
func (c *cleaning) cardRule(n scan.Occurrence) string {
	switch prefix := c.prefixRule(n.Digits); {
	case prefix != "":
		return prefix
	case pan.IsCard(n.Digits):
		return rulePAN
	}
	return ruleTaint // nothing but a field could tell
}

// firings are the rules that took something out of one exchange, and how often. They are few.
type firings []firing

// firing is a rule that fired.
type firing struct {
	rule  string
	times int
}

// of returns how often a rule fired.
func (f firings) of(rule string) int {
	for i := range f {
		if f[i].rule == rule {
			return f[i].times
		}
	}
	return 0
}

// fire counts a rule that took something out.
func (c *cleaning) fire(rule string) {
	if rule == "" {
		return
	}
	for i := range c.fired {
		if f := &c.fired[i]; f.rule == rule {
			f.times++
			return
		}
	}
	if c.fired == nil {
		const some = 4 // that fire in most exchanges
		c.fired = make(firings, 0, some)
	}
	c.fired = append(c.fired, firing{rule, 1})
}

// cleanCounted is text for what is stored.
func (c *cleaning) cleanCounted(s string) string {
	found := c.spans(s, asText)
	for _, sp := range found {
		c.fire(sp.rule)
	}
	return splice(s, found)
}

// mentionRule names the rule that a value beside a keyword was found by.
func mentionRule(m words.Mention) string {
	if m.Word == "" {
		return ruleUserInfo
	}
	return ruleKeyword + m.Word
}
