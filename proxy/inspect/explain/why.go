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
		inForce := len(e.Rules.Report())
		if inForce == 0 {
			v.Text = e.words("none in force")
		} else {
			v.Text = e.words("none fired of " + count.Of(inForce, "rule"))
		}
		return v
	}
	var fired []string
	for _, f := range e.row.Rules {
		fired = append(fired, strings.TrimSpace(f.Name+" "+f.Count))
	}
	v.Verdict, v.Text = view.Yes, e.words("fired: "+strings.Join(fired, ", "))
	return v
}

// maxDiffs bounds the fields of a candidate.
const maxDiffs = 50

// anotherValue stands for a value that differs although what cleaning left of it does not: tape and
// deck number their secrets apart.
const anotherValue = "(another value)"

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
			differ.Sent = e.words(anotherValue)
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
