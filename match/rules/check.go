package rules

import (
	"errors"

	"go.yaml.in/yaml/v3"
)

// failed returns what is wrong with a file; nil for nothing.
func (r *reader) failed() error { return errors.Join(r.errs...) }

// check notes what cannot be together in one rule. at has the nodes of its keys.
func (r *reader) check(rule *Rule, at map[string]*yaml.Node) {
	e := &rule.then
	wrong := func(bad bool, text string) {
		if bad {
			r.wrong(at["then"], "%s", text)
		}
	}
	wrong(e.none(), "expected an effect, found none")
	early := e.instead != nil || e.redirect != nil || e.lose == LoseRequest
	waits := len(rule.answer) > 0
	wrong(e.instead != nil && e.redirect != nil, "expected answer or redirect, found both")
	wrong(e.lose == LoseRequest && (e.instead != nil || e.redirect != nil),
		"expected an answer or lose: request, found both: what never arrived is not answered")
	wrong(e.take != nil && e.decline != "", "expected take or decline, found both")
	wrong(early && (e.take != nil || e.decline != "" || !e.ask.empty()) && !waits,
		"expected no answer beside an effect on the way to it: the request goes no further")
	invisible := e.lose != NoLoss && e.fail == nil || e.fail != nil && e.fail.how != Cut
	wrong(invisible && (e.status != 0 || !e.answer.empty() || e.drip > 0),
		"expected no change of an answer that nobody sees")
	wrong(waits && (!e.ask.empty() || e.lose == LoseRequest || e.take != nil || e.decline != ""),
		"expected no effect on the request or the choice: the rule waits for the answer")
	if e.decline != "" {
		r.declinable(rule, at["then"])
	}
	if rule.per.what == byField {
		for _, c := range rule.when {
			if c.word == seen || c.word == unseen {
				r.wrong(at["when"], "expected %s per entity, session or deck", c.word)
			}
		}
	}
}

// none reports whether a rule does nothing.
func (e *effects) none() bool {
	return e.ask.empty() && e.instead == nil && e.redirect == nil && e.decline == "" && e.take == nil &&
		e.status == 0 && e.answer.empty() && e.delay == nil && e.drip == 0 && e.fail == nil &&
		e.lose == NoLoss && !e.stop
}
