package rules

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// check notes what cannot be together in one rule.
func (r *reader) check(rule *Rule) {
	e := &rule.then
	if rule.callbacks {
		r.checkCallbacks(rule)
		return
	}
	wrong := func(bad bool, text string) {
		if bad {
			r.wrong(r.nodes["then"], "%s", text)
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
	wrong(e.instead != nil && e.status != 0,
		"expected a status in the answer or beside it, found an effect status and an answer")
	invisible := e.lose != NoLoss && e.fail == nil || e.fail != nil && e.fail.how != Cut
	wrong(invisible && (e.status != 0 || !e.answer.empty() || e.drip > 0 || e.instead != nil ||
		e.redirect != nil) && e.lose != LoseRequest,
		"expected no change of an answer that nobody sees")
	wrong(waits && (!e.ask.empty() || e.lose == LoseRequest || e.take != nil || e.decline != ""),
		"expected no effect on the request or the choice: the rule waits for the answer")
	if e.decline != "" {
		r.declinable(rule, r.nodes["decline"])
	}
	if e.take != nil {
		r.takeable(r.nodes["take"])
	}
	r.checkConditions(rule)
}

// takeable notes a rule that takes recordings of lists alone: replay puts a list together of what
// there is, so no recording of it can be taken.
func (r *reader) takeable(n *yaml.Node) {
	var lists []string
	for _, c := range r.calls() {
		switch {
		case c.Operation == nil:
		case c.Operation.List == nil:
			return
		default:
			lists = append(lists, c.Operation.Name)
		}
	}
	if len(lists) > 0 {
		r.wrong(n, "expected an operation of which replay takes a recording: %s is a list, which is put "+
			"together of what there is", lists[0])
	}
}

// checkConditions notes conditions of one rule that can never hold together.
func (r *reader) checkConditions(rule *Rule) {
	by := map[word]*condition{}
	for i := range rule.when {
		c := &rule.when[i]
		by[c.word] = c
		if rule.per.what == byField && (c.word == seen || c.word == unseen) {
			r.wrong(r.nodes["when"], "expected %s per entity, session or deck", c.word)
		}
	}
	never := func(a, b *condition) {
		r.wrong(r.nodes["when"], "expected conditions that hold together, found %q and %q",
			a.text, b.text)
	}
	first, nth, every := by[first], by[nth], by[every]
	if first != nil && every != nil && every.counts[0] > first.counts[0] {
		never(first, every)
	}
	if nth != nil && first != nil && slices.Min(nth.counts) > first.counts[0] {
		never(first, nth)
	}
	if nth != nil && every != nil && !slices.ContainsFunc(nth.counts, func(n int) bool {
		return n%every.counts[0] == 0
	}) {
		never(nth, every)
	}
	if by[seen] != nil && by[unseen] != nil && slices.Equal(by[seen].ops, by[unseen].ops) {
		never(by[seen], by[unseen])
	}
}

// none reports whether a rule does nothing.
func (e *effects) none() bool {
	return !e.misplaced && e.ask.empty() && e.instead == nil && e.redirect == nil && e.decline == "" &&
		e.take == nil && e.status == 0 && e.answer.empty() && e.delay == nil && e.drip == 0 &&
		!e.breaks() && !e.stop && (e.callback == nil || len(e.callback.texts()) == 0)
}
