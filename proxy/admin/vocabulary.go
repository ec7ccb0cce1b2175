package admin

import (
	"slices"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
)

// unknown stands for every word that is not in the vocabulary.
const unknown = "unknown"

// vocabulary are the words that labels may be.
type vocabulary struct {
	operations map[string]map[string]bool // by profile
}

func newVocabulary(set *profile.Set) vocabulary {
	v := vocabulary{map[string]map[string]bool{}}
	if set == nil {
		return v
	}
	for _, p := range set.Profiles() {
		known := map[string]bool{}
		for _, o := range p.Operations {
			known[o.Name] = true
		}
		v.operations[p.Name] = known
	}
	return v
}

// names returns the names of a profile and of an operation of it.
func (v vocabulary) names(profile, operation string) (string, string) {
	known, ok := v.operations[profile]
	switch {
	case !ok:
		return unknown, unknown
	case !known[operation]:
		return profile, unknown
	}
	return profile, operation
}

// causes are the kinds of fault of an upstream, refusals the reasons to refuse a client,
// withholdings those to keep a body off the tape, and outcomes what becomes of callbacks.
var (
	causes, refusals = proxy.Causes(), proxy.Refusals()
	withholdings     = proxy.Withholdings()
	outcomes         = proxy.Outcomes()
)

// marks are what answers from tape may say of themselves.
var marks = match.Marks()

// among returns a word that is one of words; else unknown.
func among(words []string, word string) string {
	if slices.Contains(words, word) {
		return word
	}
	return unknown
}

// kinds are the kinds of event that tell of a request.
var kinds = []proxy.Kind{
	proxy.Recorded, proxy.Served, proxy.Missed, proxy.Passed, proxy.ByRule, proxy.Failed,
	proxy.Lost,
}

func (vocabulary) kind(k proxy.Kind) string {
	if slices.Contains(kinds, k) {
		return string(k)
	}
	return unknown
}

// reasons are those that match knows.
var reasons = match.Reasons()

func (vocabulary) reason(r match.Reason) string {
	if slices.Contains(reasons, r) {
		return string(r)
	}
	return unknown
}
