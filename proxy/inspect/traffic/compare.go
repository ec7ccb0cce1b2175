package traffic

import (
	"errors"
	"fmt"
	"strings"

	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// ErrNoFlow says that a flow to be compared is not held.
var ErrNoFlow = errors.New("no flow has this name: its rows may be held no longer")

// maxSteps bounds the steps of a flow that is compared: its first.
const maxSteps = 300

// Compare puts two flows side by side, step by step. Each flow is named as in Flow. The error is
// ErrNoFlow.
func (t *Traffic) Compare(a, b string) (view.Comparison, error) {
	one, found := t.Flow(a)
	two, also := t.Flow(b)
	if !found || !also {
		return view.Comparison{}, ErrNoFlow
	}
	c := view.Comparison{A: one.Group, B: two.Group, FirstSent: -1, FirstAnswered: -1}
	d := differ{set: t.profiles, same: map[[2]string]bool{}}
	for _, pair := range aligned(stepsOf(one.Rows), stepsOf(two.Rows)) {
		c.Steps = append(c.Steps, t.compared(&d, pair))
		step := &c.Steps[len(c.Steps)-1]
		if c.FirstSent < 0 && len(step.Sent) > 0 {
			c.FirstSent = len(c.Steps) - 1
		}
		if c.FirstAnswered < 0 && len(step.Answered) > 0 {
			c.FirstAnswered = len(c.Steps) - 1
		}
	}
	c.Folded = d.folded
	c.Sentence = sentenceOf(&c)
	return c, nil
}

// stepsOf returns the rows of a flow that are compared.
func stepsOf(rows []view.Row) []*view.Row {
	var steps []*view.Row
	for i := range rows[:min(maxSteps, len(rows))] {
		if rows[i].Sign != view.SignNote {
			steps = append(steps, &rows[i])
		}
	}
	return steps
}

// stepName is what two rows must share to be the same step.
func stepName(r *view.Row) string {
	switch {
	case r.Sign == view.SignCallback:
		return "callback " + r.Operation
	case r.Operation != "":
		return r.Operation
	}
	return strings.TrimSpace(r.Method + " " + r.Target.String())
}

// rowPair is a step of two flows; one of the rows may be missing.
type rowPair struct{ a, b *view.Row }

// aligned pairs the steps of two flows so that as many as can be have a partner of their name, and
// none crosses another: a longest common subsequence.
func aligned(a, b []*view.Row) []rowPair {
	common := make([][]int, len(a)+1) // of the steps from i and from j on
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if stepName(a[i]) == stepName(b[j]) {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	var pairs []rowPair
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case stepName(a[i]) == stepName(b[j]):
			pairs = append(pairs, rowPair{a[i], b[j]})
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			pairs = append(pairs, rowPair{a: a[i]})
			i++
		default:
			pairs = append(pairs, rowPair{b: b[j]})
			j++
		}
	}
	for ; i < len(a); i++ {
		pairs = append(pairs, rowPair{a: a[i]})
	}
	for ; j < len(b); j++ {
		pairs = append(pairs, rowPair{b: b[j]})
	}
	return pairs
}

// compared returns a step with what differs in it. What the sandbox says to a shop is an answer, and
// what the client says is sent.
func (t *Traffic) compared(d *differ, p rowPair) view.Pair {
	step := view.Pair{}
	if p.a != nil {
		step.A, step.OutcomeA, step.Operation = p.a.ID, p.a.Outcome, stepName(p.a)
	}
	if p.b != nil {
		step.B, step.OutcomeB, step.Operation = p.b.ID, p.b.Outcome, stepName(p.b)
	}
	if p.a == nil || p.b == nil {
		return step
	}
	x, found := t.hub.Exchange(p.a.ID)
	y, also := t.hub.Exchange(p.b.ID)
	if found && also {
		sent, answered := d.exchanges(x, y)
		if p.a.Sign == view.SignCallback {
			step.Answered = sent
		} else {
			step.Sent, step.Answered = sent, answered
		}
	}
	if p.a.Code != p.b.Code {
		step.Answered = append([]view.Delta{t.codes(p.a, p.b)}, step.Answered...)
	}
	return step
}

// codes returns the difference of two statuses.
func (t *Traffic) codes(a, b *view.Row) view.Delta {
	code := func(r *view.Row) redact.Safe { return t.safe(fmt.Sprint(r.Code)) }
	return view.Delta{Path: "status", A: code(a), B: code(b)}
}

// sentenceOf says where two flows part.
func sentenceOf(c *view.Comparison) string {
	var said []string
	step := func(i int) string { return fmt.Sprintf("step %d (%s)", i+1, c.Steps[i].Operation) }
	if c.FirstSent >= 0 {
		said = append(said, fmt.Sprintf("The client first sent something else in %s: %s.",
			step(c.FirstSent), pathsOf(c.Steps[c.FirstSent].Sent)))
	}
	if c.FirstAnswered >= 0 {
		p := &c.Steps[c.FirstAnswered]
		text := "The first answer that differs is in " + step(c.FirstAnswered)
		a, b := p.OutcomeA.Words.String(), p.OutcomeB.Words.String()
		if a != b && a != "" && b != "" {
			text += ": " + a + " here, and there " + b
		} else {
			text += ": " + pathsOf(p.Answered)
		}
		said = append(said, text+".")
	}
	alone := 0
	for i := range c.Steps {
		if c.Steps[i].A == 0 || c.Steps[i].B == 0 {
			alone++
		}
	}
	switch {
	case len(said) == 0 && alone == 0:
		return fmt.Sprintf("All %d steps agree.", len(c.Steps))
	case len(said) == 0:
		return fmt.Sprintf("All steps that both have agree; %s no partner.", have(alone))
	case c.FirstSent < 0:
		said = append([]string{"The client sent the same."}, said...)
	case c.FirstAnswered < 0:
		said = append(said, "No answer differs.")
	}
	if alone > 0 {
		said = append(said, fmt.Sprintf("%s no partner.", have(alone)))
	}
	return strings.Join(said, " ")
}

// have begins a sentence about so many steps.
func have(n int) string {
	if n == 1 {
		return "1 step has"
	}
	return fmt.Sprintf("%d steps have", n)
}

// pathsOf names the fields of some differences.
func pathsOf(deltas []view.Delta) string {
	const most = 3
	var paths []string
	for _, d := range deltas[:min(most, len(deltas))] {
		paths = append(paths, d.Path)
	}
	text := strings.Join(paths, ", ")
	if more := len(deltas) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
