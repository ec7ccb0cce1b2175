package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// Explanation says why a request was answered as it was, or why it was a miss. Its plain texts hold
// values of the tape alone; what the client sent is Live.
type Explanation struct {
	leaf.Unprinted
	Operation string // "refund.do"
	// Served is the recording that was served; nil for a miss. Of a list that was put together it
	// is the recording that lends what stands around the items.
	Served *Recorded
	// Reason is why there is no answer; empty for an answer. Mark is that of the answer, or the mark
	// for which an answer was refused.
	Reason Reason
	Mark   string
	// Sentence tells what happened in one or two sentences, with their full stops.
	Sentence Text
	// Rungs are the checks in their order. Behind a check that says No nothing was tried.
	Rungs []Rung
	// Compared is the request as it was compared.
	Compared []Compared
	// Candidates are the recordings that came nearest, the one that was served first.
	Candidates []Candidate
	// Mends are what would make an answer of a miss, or take away the mark, in the order of effort.
	Mends []Mend
	// Before and After tell what was done to the first thing that the request names, or that the
	// answer bears. Both are empty where there is none.
	Before, After string
}

// Text is a text with values of the client in it.
type Text []Phrase

// Phrase is a part of a Text: words of ours and of the tape, or a value of the client.
type Phrase struct {
	Words string
	// Live is a value as the client sent it, to be cleaned as a value of Field.
	Live Live
	// Beside is the value on tape that the text sets against Live; empty for none. What cleaning leaves of
	// the two may be equal, and then the text must not show them as a difference.
	Beside string
	Field  profile.Field
	Path   string // of the parameter that has the value
}

// words makes a text of words alone.
func words(format string, args ...any) Text {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	return Text{{Words: format}}
}

// live makes a text of a value that was sent.
func live(a *tape.Asked) Text { return Text{{Live: Live(a.Text), Field: a.Field, Path: a.Path}} }

// join makes one text of several.
func join(texts ...Text) Text { return slices.Concat(texts...) }

// String returns the text with the live values hidden.
func (t Text) String() string {
	var b strings.Builder
	for _, p := range t {
		b.WriteString(p.Words)
		if p.Path != "" {
			b.WriteString(p.Live.String())
		}
	}
	return b.String()
}

// Verdict is what a check came to.
type Verdict string

// The verdicts.
const (
	Yes      Verdict = "yes"
	No       Verdict = "no"
	NotTried Verdict = "-"
)

// Rung is a check on the way to an answer.
type Rung struct {
	Name    string // one of the names below, or the kind of thing that the request is about
	Verdict Verdict
	Text    Text
	// Born is the path of a parameter whose thing was issued in this run, if the text ends with that:
	// whoever knows the exchange may tell it. Empty for other rungs.
	Born string
}

// The names of rungs. In place of RungSubject stands the kind of thing, where that has a name.
const (
	RungOperation = "operation"
	RungSubject   = "subject"
	RungState     = "state"
	RungFields    = "fields"
	RungLikeness  = "likeness"
	RungRules     = "rules"
)

// Explain says how an answer, or a miss, came about.
func (t *Trace) Explain() *Explanation {
	e := &Explanation{Operation: t.operationName(), Mark: t.mark}
	if t.miss != nil {
		e.Reason = t.miss.Reason
	} else if t.recording != nil {
		r := t.recording.Reference()
		e.Served = &r
	}
	e.Rungs = t.rungs()
	e.Compared = t.compareAll()
	e.Candidates = t.candidates()
	e.Sentence = t.sentence(e)
	e.Mends = t.mends()
	e.Before, e.After = t.states()
	return e
}

func (t *Trace) operationName() string {
	switch {
	case t.call().Operation != nil:
		return t.call().Operation.Name
	case t.miss != nil:
		return t.miss.Operation
	case t.recording != nil:
		return t.recording.Did()
	}
	return t.op()
}

// states tells the states of what the request is about, before and after.
func (t *Trace) states() (before, after string) {
	if s := t.first(); s != nil {
		return t.words(s.before), t.words(s.after)
	}
	if len(t.births()) > 0 {
		return "", t.words(t.births()[0].after)
	}
	return "", ""
}

// words tell an own state.
func (t *Trace) words(own machine.Own) string { return t.tape.named(own, t.tape.machine.Words(own)) }

// sentence tells what happened.
func (t *Trace) sentence(e *Explanation) Text {
	switch {
	case t.miss != nil:
		return t.missSentence()
	case t.repeats:
		return join(words("This is the answer that the same request got before"), t.from(),
			words(", given once more."), t.markSentence())
	case t.reusedKey:
		return join(words("The idempotency key has come before, and the sandbox refuses that"), t.from(), words("."))
	case t.composed:
		return join(words("No recording has this list: it was put together of recorded items for %s",
			plural(t.members(), "member")), t.from(), words("."), t.markSentence())
	case t.chosen:
		return join(words("A rule has chosen this branch of the tape"), t.from(), words("."),
			t.markSentence())
	}
	return join(words("Served"), t.from(), words(
		": the operation, the state and all that must be equal agree."), t.markSentence())
}

// from names the recording that was served.
func (t *Trace) from() Text {
	if t.recording == nil {
		return nil
	}
	return words(" from %s", refOf(t.recording))
}

// markSentence says what an answer stands on beside the tape.
func (t *Trace) markSentence() Text {
	if t.mark == "" {
		return nil
	}
	return words(" It is marked %s: %s.", t.mark, MarkWords(t.mark))
}

// missSentence tells of a miss.
func (t *Trace) missSentence() Text {
	near := t.missNear()
	if t.failing() != RungFields || near == nil || len(near.Diffs) == 0 {
		return words("%s.", t.capital(t.miss.Sentence))
	}
	text := words("The tape has %s", t.operationName())
	if r := near.recording; r != nil && len(t.subjects) > 0 && t.sameState(r) {
		text = append(text, words(" in this state")...)
	}
	text = append(text, words(" (%s#%d), but ", near.Cassette, near.Number)...)
	for i, d := range near.Diffs[:min(maxRungDiffs, len(near.Diffs))] {
		if i > 0 {
			text = append(text, words("; ")...)
		}
		text = append(text, d.text()...)
	}
	return append(text, words(".")...)
}

// maxRungDiffs is how many fields a sentence names that differ.
const maxRungDiffs = 3

// text words a difference: "amount: sent 5000, on tape 2500".
func (d *Diff) text() Text {
	switch {
	case d.Problem == Differs && d.Path == "":
		return words("%s differs", d.name())
	case d.Problem == Differs:
		return join(words("%s differs: sent ", d.name()), d.sent(), words(", on tape %s", clipShown(d.Want)))
	case d.Problem == Missing:
		return words("%s is missing, on tape it is %s", d.name(), clipShown(d.Want))
	}
	return words("%s is %s", d.name(), d.Problem)
}

// sent is the value that was sent, beside the recorded one.
func (d *Diff) sent() Text { return Text{{Live: d.Got, Beside: d.Want, Field: d.Field, Path: d.Path}} }

// clipShown cuts a recorded value for a sentence.
func clipShown(s string) string {
	if s == "" {
		return "empty"
	}
	return leaf.Clip(s, maxShown)
}

// capital begins a sentence. The name of an operation stays as it is.
func (t *Trace) capital(s string) string {
	if s == "" || strings.HasPrefix(s, t.miss.Operation) {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func refOf(r *machine.Recording) string { return fmt.Sprintf("%s#%d", r.Cassette, r.Number) }

// missNear returns the recording that came closest to a miss, or nil.
func (t *Trace) missNear() *Near {
	if t.miss == nil || len(t.miss.Near) == 0 {
		return nil
	}
	return &t.miss.Near[0]
}

// sameState reports whether a recording was made in the state in which the request found what it
// names.
func (t *Trace) sameState(r *machine.Recording) bool {
	if len(r.Owns) != len(t.subjects) {
		return false
	}
	for i := range t.subjects {
		if t.subjects[i].before != r.Owns[i] {
			return false
		}
	}
	return true
}
