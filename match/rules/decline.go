package rules

import (
	"net/http"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// A decline takes the branch of the tape in which the payment was declined: then all later answers
// agree by themselves. Where there is no such branch, or no tape, the profile of the API tells how
// the answer looks, and how later answers about the same entity do.

// declining returns the rule that declines the call; nil if none does.
func (r *Ruling) declining() *firing {
	if f := r.first((*firing).chooses); f != nil && f.then.decline != "" {
		return f
	}
	return nil
}

// settles reports whether the answer decides if the entity of the request is declined from now on.
func (r *Ruling) settles() bool { return r.declining() != nil || r.earlier != nil }

// settle notes that the entity of the request is declined from now on, if the tape has no branch in
// which it was. A later call that could be declined, and was not, and did not fail, takes the
// decline back. The lock of the engine is held.
func (r *Ruling) settle(a *Answer, m *leaf.Message) {
	if r.entity == nil {
		return
	}
	f := r.declining()
	switch {
	case !r.declinable():
	case f != nil && !r.branched():
		r.entity.declined = &declined{rule: f.Rule, code: f.then.decline}
	case f != nil, !r.asked.Call.Fails(a.Code, valueOf(m)):
		r.entity.declined, r.earlier = nil, nil
	}
}

// declinable reports whether the profile tells how a decline of the call looks.
func (r *Ruling) declinable() bool {
	c := r.asked.Call
	if c.Operation == nil || c.Profile.Declines == nil {
		return false
	}
	_, can := c.Profile.Declines.Answers[c.Operation.Name]
	return can
}

// valueOf returns a function that finds the value of the first leaf of a body that has a key.
func valueOf(m *leaf.Message) func(key string) (string, bool) {
	return func(key string) (string, bool) {
		for i := range m.Leaves {
			if l := &m.Leaves[i]; strings.EqualFold(l.Key, key) {
				return l.Value, true
			}
		}
		return "", false
	}
}

// branched reports whether the tape has answered as a rule has asked it to.
func (r *Ruling) branched() bool { return r.choice != nil && r.choice.Found }

// declined returns what the answer to the request has to show of a decline: of that of the call
// itself, or of an earlier one of the same entity.
func (r *Ruling) declined() []profile.DeclineField {
	c := r.asked.Call
	if c.Operation == nil || c.Profile.Declines == nil || r.branched() {
		return nil
	}
	if f := r.declining(); f != nil {
		return c.Profile.Declines.Shown(c.Operation, f.then.decline, false)
	}
	if r.earlier == nil {
		return nil
	}
	return c.Profile.Declines.Shown(c.Operation, r.earlier.code, true)
}

// shown returns the earlier decline that the answer shows; nil if it shows none.
func (r *Ruling) shown() *declined {
	if r.earlier == nil || r.declining() != nil || len(r.declined()) == 0 {
		return nil
	}
	return r.earlier
}

// decline writes a decline into an answer.
func (r *Ruling) decline(a *Answer) {
	fields := r.declined()
	if len(fields) == 0 {
		return
	}
	w := &editor{ruling: r, firing: &firing{}, dir: profile.Response}
	w.message.Header, w.message.Headless, w.message.Body = a.Header, true, a.Body
	for _, f := range fields {
		w.set(&setting{at: parsePlace(f.Key), value: value{{literal: f.Text}}})
	}
	a.Body = w.message.Body
}

// Declined returns the answer to a call that a rule declines, for a mode that would ask the
// sandbox: a declined call must not reach it. It returns false where no rule declines the call.
func (r *Ruling) Declined() (*Answer, bool) {
	if r == nil {
		return nil, false
	}
	f := r.declining()
	if f == nil {
		return nil, false
	}
	if !r.declinable() {
		return nil, false // a rule of many operations
	}
	c := r.asked.Call
	body := c.Profile.Declines.Body(c.Operation, f.then.decline)
	v, _ := parseValue(body) // which was checked when the rule was read
	a := &Answer{Code: http.StatusOK, Header: http.Header{}}
	a.Body = r.textEscaped(v, f, nil, escapeOf(v))
	a.Header.Set("Content-Type", mediaType(a.Body))
	r.engine.mu.Lock()
	defer r.engine.mu.Unlock()
	r.settle(a, nil)
	return a, true
}

// declinable notes a code that no operation of a rule can be declined with.
func (r *reader) declinable(rule *Rule, n *yaml.Node) {
	codes, some := map[string]bool{}, false
	for _, c := range r.calls() {
		if c.Operation == nil || c.Profile.Declines == nil {
			continue
		}
		if _, can := c.Profile.Declines.Answers[c.Operation.Name]; !can {
			continue
		}
		some = true
		if _, err := parseValue(c.Profile.Declines.Body(c.Operation, rule.then.decline)); err != nil {
			r.wrong(n, "profile %q: the answer of %q: %v", c.Profile.Name, c.Operation.Name, err)
		}
		for code := range c.Profile.Declines.Codes {
			codes[code] = true
		}
	}
	switch {
	case !some:
		r.wrong(n, "expected an operation that can be declined: the profile tells of none that is meant")
	case !codes[rule.then.decline]:
		r.unknown(n, rule.then.decline, "code", codes)
	}
}
