package explain

import (
	"fmt"
	"strings"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/outcome"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// Why explains an answer or a miss. x is the zero Clean and t is nil where they are held no longer;
// t is nil, too, of an exchange of which no tape was asked.
func Why(o Options, row view.Row, x redact.Clean, t *match.Trace) view.Why {
	e := newExplainer(o, row, x)
	w := view.Why{
		Row: row, Title: e.title(), Rungs: []view.Rung{}, Compared: []view.Compared{},
		Candidates: []view.Candidate{}, Mends: []view.Mend{},
	}
	if row.Reason != "" && o.Same != nil {
		w.Same = o.Same(row.Reason, row.Operation)
	}
	if t == nil {
		e.withoutTrace(&w)
		return w
	}
	found := t.Explain()
	w.Sentence = e.text(found.Sentence)
	w.Before, w.After = found.Before, found.After
	for _, r := range found.Rungs {
		w.Rungs = append(w.Rungs, e.rung(r))
	}
	for _, c := range found.Compared {
		if len(w.Compared) == MaxFields {
			break
		}
		w.Compared = append(w.Compared, view.Compared{
			Place: c.Place.String(), Path: e.words(c.Path).String(),
			Sent: e.live(c.Path, c.Field, c.Sent),
			Role: c.Role, Row: c.Row, Differs: c.Differs,
		})
	}
	for i := range found.Candidates {
		w.Candidates = append(w.Candidates, e.candidate(&found.Candidates[i]))
	}
	for _, m := range found.Mends {
		mend := view.Mend{Text: e.words(m.Text), Kind: string(m.Kind)}
		if m.Code != "" {
			mend.Code = e.words(m.Code)
		}
		w.Mends = append(w.Mends, mend)
	}
	return w
}

// title is the headline of an explanation.
func (e *explainer) title() redact.Safe {
	r := &e.row
	served := fmt.Sprintf("%s#%d", r.Cassette, r.Number)
	switch proxy.Kind(r.Kind) {
	case proxy.Missed:
		parts := []redact.Safe{e.words("miss: " + r.Reason)}
		for i, f := range r.Fields {
			if i > 0 {
				parts = append(parts, e.words(","))
			}
			parts = append(parts, e.words(" "), f)
		}
		return redact.Join(parts...)
	case proxy.Served:
		if r.Mark != "" {
			return e.words(fmt.Sprintf("answered from %s, %s", served, r.Mark))
		}
		return e.words("answered from " + served)
	case proxy.Recorded:
		return e.words("recorded as " + served)
	case proxy.Passed:
		return e.words("answered by the sandbox")
	case proxy.ByRule:
		return e.words("made by a rule")
	}
	return e.words(strings.TrimSpace(r.Kind + " " + r.Problem))
}

// withoutTrace explains what no tape was asked for, or what is forgotten.
func (e *explainer) withoutTrace(w *view.Why) {
	switch proxy.Kind(e.row.Kind) {
	case proxy.Served, proxy.Missed:
		w.Gone, w.Sentence = true, e.row.Sentence
		return
	case proxy.Recorded:
		w.Sentence = e.words("The sandbox was asked, and its answer is on tape.")
	case proxy.Passed:
		w.Sentence = e.words("The sandbox was asked, and nothing was recorded.")
	case proxy.Callback:
		e.callback(w)
		return
	case proxy.ByRule:
		w.Sentence = e.words("A rule of the run has answered: " +
			"neither the tape nor the sandbox was asked.")
	default:
		w.Sentence = e.row.Sentence
	}
	known := view.Rung{Name: match.RungOperation, Verdict: view.Yes}
	if o := e.call.Operation; o != nil {
		known.Text = e.words(fmt.Sprintf("%s is known (%s)", o.Name, o.Origin))
	} else {
		known.Verdict, known.Text = view.NotTried, e.words("no profile knows it")
	}
	w.Rungs = append(w.Rungs, known, e.rung(match.Rung{Name: match.RungRules, Verdict: match.NotTried}))
}

// callback explains what the shop was told: which event of which order, and what became of it. No
// tape was asked.
func (e *explainer) callback(w *view.Why) {
	r := &e.row
	attempt := ""
	if r.Attempt > 0 {
		attempt = fmt.Sprintf(", attempt %d", r.Attempt)
		if r.Attempts > 0 {
			attempt += fmt.Sprintf(" of %d", r.Attempts)
		}
	}
	w.Title = e.words(fmt.Sprintf("callback c%d: %s%s", r.Callback, r.Operation, attempt))
	says := "The sandbox tells the shop by itself what has happened: nobody has called the deck."
	if r.Cassette != "" && r.Number > 0 {
		says = fmt.Sprintf("The shop is told what the sandbox has told on tape (%s#%d).", r.Cassette, r.Number)
	}
	w.Sentence = redact.Join(e.words(says+" "+becameOf(r)), e.sentenceOf(r))
	known := view.Rung{Name: match.RungOperation, Verdict: view.Yes, Text: e.words("what the shop is told")}
	if r.Profile != "" {
		known.Text = e.words("a callback of " + r.Profile)
	}
	w.Rungs = append(w.Rungs, known, e.rung(match.Rung{Name: match.RungRules, Verdict: match.NotTried}))
}

// sentenceOf returns what a row tells beside its outcome, as a sentence.
func (e *explainer) sentenceOf(r *view.Row) redact.Safe {
	if r.Sentence == (redact.Safe{}) {
		return redact.Safe{}
	}
	return redact.Join(e.words(" "), r.Sentence, e.words("."))
}

// becameOf says what became of an attempt of a callback.
func becameOf(r *view.Row) string {
	switch r.CallbackOutcome {
	case proxy.OutcomeAccepted:
		return fmt.Sprintf("The shop has taken it: it said %d.", r.Code)
	case proxy.OutcomeHeld:
		return "It is held: paytape callbacks next sends it."
	case proxy.OutcomeDropped:
		return "It was not sent: " + r.Problem + "."
	case proxy.OutcomeUnanswered:
		return "The shop did not answer."
	}
	if r.Code == 0 {
		return strings.TrimSpace("The shop has not taken it: "+r.Problem) + "."
	}
	if r.CallbackOutcome == proxy.OutcomeRelayed {
		return fmt.Sprintf("The shop said %d.", r.Code)
	}
	return fmt.Sprintf("The shop has refused it: it said %d.", r.Code)
}

// rung is a check. What the rules of the run have done, only the deck knows.
func (e *explainer) rung(r match.Rung) view.Rung {
	v := view.Rung{Name: r.Name, Verdict: view.Verdict(r.Verdict), Text: e.text(r.Text)}
	if r.Born != "" {
		v.Text = redact.Join(v.Text, e.words(e.birthOf(r.Born)))
	}
	if r.Name != match.RungRules || r.Verdict == match.No {
		return v
	}
	if len(e.row.Rules) == 0 {
		v.Text = e.words(e.unfired())
		return v
	}
	var fired []string
	for _, f := range e.row.Rules {
		fired = append(fired, strings.TrimSpace(f.Name+" "+f.Count))
	}
	v.Verdict, v.Text = view.Yes, e.words("fired: "+strings.Join(fired, ", "))
	return v
}

// maxRules is how many rules a sentence names.
const maxRules = 8

// unfired tells of the rules of a run of which none has fired.
func (e *explainer) unfired() string {
	inForce := len(e.Rules.Report())
	if inForce == 0 {
		return "none in force"
	}
	armed, what := e.Rules.For(e.call), "this call"
	if o := e.call.Operation; o != nil {
		what = o.Name
	}
	if len(armed) == 0 {
		return fmt.Sprintf("none of %s is armed for %s", count.Of(inForce, "rule"), what)
	}
	text := strings.Join(armed[:min(maxRules, len(armed))], ", ")
	if more := len(armed) - maxRules; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("none fired; armed for %s: %s", what, text)
}

// maxDiffs bounds the fields of a candidate.
const maxDiffs = 50

// candidate is a recording of the same call.
func (e *explainer) candidate(c *match.Candidate) view.Candidate {
	v := view.Candidate{
		Exchange: fmt.Sprintf("%s#%d", c.Cassette, c.Number), State: e.words(c.State).String(),
		Equal: c.Equal, Served: c.Served, Differs: []view.Differ{}, Answers: e.answers(c),
	}
	for _, d := range c.Diffs[:min(maxDiffs, len(c.Diffs))] {
		differ := view.Differ{
			Path: e.words(d.Path).Clip(MaxText), Problem: string(d.Problem),
			Tape: e.words(d.Want).Clip(MaxText), Sent: e.live(d.Path, d.Field, d.Got),
		}
		if d.Problem == match.Differs && differ.Tape == differ.Sent {
			differ.Sent = e.words(match.AnotherValue)
		}
		v.Differs = append(v.Differs, differ)
	}
	return v
}

// answers says what a recording answers: "200, paid".
func (e *explainer) answers(c *match.Candidate) string {
	text := fmt.Sprint(c.Code)
	if words := outcome.Of(e.Profiles, c.Exchange()).Words; words != "" {
		text += ", " + words
	}
	if c.Cards != "" {
		text += "; card " + c.Cards
	}
	return e.words(text).Clip(maxInSentence).String()
}
