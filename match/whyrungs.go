package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/tape"
)

// rungs are the checks on the way to an answer. The check at which a miss ended says No, and what
// stands behind it was not tried.
func (t *Trace) rungs() []Rung {
	all := []Rung{
		{Name: RungOperation, Verdict: Yes, Text: t.operationText()},
		{Name: t.subjectName(), Verdict: Yes, Text: t.subjectText(), Born: t.issued()},
		{Name: RungState, Verdict: Yes, Text: t.stateText()},
		{Name: RungFields, Verdict: Yes, Text: t.fieldsText()},
		{Name: RungLikeness, Verdict: Yes, Text: t.likenessText()},
		{Name: RungRules, Verdict: NotTried, Text: t.rulesText()},
	}
	if t.chosen {
		all[len(all)-1].Verdict = Yes
	}
	if t.miss == nil {
		return all
	}
	at := t.failingIndex()
	all[at].Verdict, all[at].Born = No, ""
	for i := at + 1; i < len(all); i++ {
		all[i] = Rung{Name: all[i].Name, Verdict: NotTried, Text: words("not tried")}
	}
	if at == indexFields && t.inState() == 0 && len(t.subjects) > 0 {
		all[indexState].Verdict = NotTried // the look-up began with the fields
		all[indexState].Text = words("no recording agrees in its fields, so no state was looked at")
	}
	return all
}

// The places of rungs.
const (
	indexOperation = iota
	indexSubject
	indexState
	indexFields
	indexLikeness
	indexRules
)

var rungNames = [...]string{
	RungOperation, RungSubject, RungState, RungFields, RungLikeness, RungRules,
}

// failing names the rung at which a miss ended.
func (t *Trace) failing() string { return rungNames[t.failingIndex()] }

// failingIndex returns the place of the rung at which a miss ended. It follows Player.missed.
func (t *Trace) failingIndex() int {
	switch {
	case t.divided:
		return indexSubject
	case t.refused:
		return indexLikeness
	case t.inList, t.ruled:
		return indexRules
	case t.denied:
		return indexFields
	case t.reusedKey:
		return indexState
	case len(t.tape.machine.Of(t.op())) == 0:
		return indexOperation
	}
	near := t.missNear()
	if near == nil || len(near.Diffs) == 0 {
		return indexState
	}
	for _, d := range near.Diffs {
		if d.Problem.ofID() || d.Problem == Taken {
			return indexSubject
		}
	}
	return indexFields
}

// operationText tells whether the operation is known, and what it does.
func (t *Trace) operationText() Text {
	if t.miss != nil && t.failingIndex() == indexOperation {
		return words("%s", t.miss.Sentence)
	}
	does := "writes"
	if t.reads {
		does = "reads"
	}
	if o := t.call().Operation; o != nil {
		return words("%s is known (%s), it %s", o.Name, o.Origin, does)
	}
	return words("no profile knows it; the tape has %s like it, and it %s",
		plural(len(t.tape.machine.Of(t.op())), "call"), does)
}

// subjectName names the kind of thing that the request is about.
func (t *Trace) subjectName() string {
	s := t.first()
	if s == nil && len(t.births()) > 0 {
		s = &t.births()[0]
	}
	if s != nil && s.typ != nil {
		return s.typ.Name
	}
	if t.miss != nil && t.failingIndex() == indexSubject {
		if a := t.unissued(); a != nil {
			if e := t.call().Profile.Entity(a.Field.Of); e != nil {
				return e.Name
			}
		}
	}
	return RungSubject
}

// unissued returns the parameter that names nothing live, or a thing that is there already.
func (t *Trace) unissued() *tape.Asked {
	near := t.missNear()
	if near == nil {
		return nil
	}
	for _, d := range near.Diffs {
		if d.Problem.ofID() || d.Problem == Taken {
			return t.param(d.Path)
		}
	}
	return nil
}

// maxSubjects is how many things a rung names.
const maxSubjects = 4

// subjectText tells what the request is about, and where that comes from.
func (t *Trace) subjectText() Text {
	if t.miss != nil && t.failingIndex() == indexSubject {
		if a := t.unissued(); a != nil {
			return join(words("%s ", nameOf(a.Place, a.Path)), live(a), words(": %s", t.miss.Sentence))
		}
		return words("%s", t.miss.Sentence)
	}
	if len(t.subjects) == 0 {
		if len(t.births()) > 0 {
			return words("the request names nothing; the answer bears %s", t.births()[0].words())
		}
		return words("the request names nothing")
	}
	var text Text
	for role := range t.subjects[:min(maxSubjects, len(t.subjects))] {
		if role > 0 {
			text = append(text, words("; ")...)
		}
		if a := t.naming(role); a != nil {
			text = join(text, words("%s ", nameOf(a.Place, a.Path)), live(a), words(" "))
		}
		text = append(text, words("%s", t.origin(role))...)
	}
	if more := len(t.subjects) - maxSubjects; more > 0 {
		text = append(text, words("; and %d more", more)...)
	}
	return text
}

// naming returns the parameter that names the subject of a role, or nil.
func (t *Trace) naming(role int) *tape.Asked {
	asked := t.asked()
	for i := range asked {
		for j := range asked[i].Names {
			if asked[i].Names[j].Role == role {
				return &asked[i]
			}
		}
	}
	return nil
}

// issued returns the parameter that names the only thing of this run that the request is about; "" if
// there are several, or none.
func (t *Trace) issued() string {
	if len(t.subjects) != 1 {
		return ""
	}
	if s := &t.subjects[0]; s.scope || s.literal != "" || s.upstream {
		return ""
	}
	if a := t.naming(0); a != nil && a.Whole() {
		return a.Path
	}
	return ""
}

// origin tells where a subject comes from.
func (t *Trace) origin(role int) string {
	s := &t.subjects[role]
	switch {
	case s.scope:
		return "is known by its name"
	case s.upstream:
		return "lives at the sandbox"
	case s.literal != "":
		return "was there before the tape began"
	}
	if a := t.naming(role); a != nil && a.Field.From == profile.Unique {
		return "was named by the client in this run"
	}
	return "was issued in this run"
}

// words name a subject: "an order", "what POST /payments has made".
func (s *subject) words() string {
	if s.typ == nil {
		return "a thing"
	}
	article := "a"
	if strings.ContainsRune("aeiou", rune(s.typ.Name[0])) {
		article = "an"
	}
	return article + " " + s.typ.Name
}

// stateText tells the state in which the request comes, and how much is on tape there.
func (t *Trace) stateText() Text {
	if t.miss != nil && t.failingIndex() == indexState {
		if s := t.first(); s != nil && t.inState() == 0 {
			return words("%s: nothing on tape", t.words(s.before))
		}
		return words("%s", t.miss.Sentence)
	}
	here := "no state matters"
	if s := t.first(); s != nil {
		here = t.words(s.before)
	}
	if t.composed || t.members() > 0 {
		return words("%s: %s are listed", here, plural(t.members(), "member"))
	}
	return words("%s: %s", here, plural(t.inState(), "recording"))
}

// inState counts the recordings of the operation in the state of what the request names.
func (t *Trace) inState() int {
	n := 0
	for _, r := range t.tape.machine.Of(t.op()) {
		if t.sameState(r) {
			n++
		}
	}
	return n
}

// fieldsText tells whether the parameters agree.
func (t *Trace) fieldsText() Text {
	if t.miss != nil && t.failingIndex() == indexFields {
		near := t.missNear()
		if t.denied || near == nil {
			return words("%s", t.miss.Sentence)
		}
		return t.diffsText(near.Diffs)
	}
	var follow []string
	asked := t.asked()
	for i := range asked {
		if a := &asked[i]; t.follows(a) {
			follow = append(follow, nameOf(a.Place, a.Path))
		}
	}
	text := fmt.Sprintf("all of %d agree", len(asked))
	if len(asked) == 0 {
		text = "there are none"
	}
	if more := len(follow) - maxRungDiffs; more > 0 {
		follow = append(follow[:maxRungDiffs], fmt.Sprintf("%d more", more))
	}
	if len(follow) > 0 {
		text += "; " + strings.Join(follow, ", ") + " " + verb(len(follow), "follows", "follow") +
			" the client"
	}
	return words("%s", text)
}

func verb(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// diffsText lists differences with the rows that say how the fields are compared.
func (t *Trace) diffsText(ds []Diff) Text {
	var text Text
	for i := range ds[:min(maxRungDiffs, len(ds))] {
		d := &ds[i]
		if i > 0 {
			text = append(text, words("; ")...)
		}
		text = append(text, d.text()...)
		row := ""
		if a := t.param(d.Path); a != nil {
			row = rowOf(t.tape.opts.Profiles, t.call(), a)
		}
		if row != "" {
			text = append(text, words("; %s", row)...)
		}
	}
	if more := len(ds) - maxRungDiffs; more > 0 {
		text = append(text, words("; and %d more", more)...)
	}
	return text
}

// likenessText tells what was assumed.
func (t *Trace) likenessText() Text {
	if t.mark == "" {
		return words("nothing was assumed")
	}
	text := words("%s: %s", t.mark, MarkWords(t.mark))
	switch {
	case t.inherits():
		text = append(text, words("; it was assumed in an earlier answer about the same thing")...)
	case t.mark == assumedCard && t.recording != nil && t.recording.Cards() != "":
		text = append(text, words("; taken as %s", t.recording.Cards())...)
	}
	if t.refused {
		text = append(text, words("; marked answers are refused (--marked miss)")...)
	}
	return text
}

// inherits reports whether the mark was on what the request names before the request came.
func (t *Trace) inherits() bool {
	return slices.ContainsFunc(t.subjects, func(s subject) bool {
		return t.mark != "" && s.mark == t.mark && (t.reads || !s.scope)
	})
}

// rulesText tells of the part that rules have in what the tape was asked for.
func (t *Trace) rulesText() Text {
	switch {
	case t.inList, t.ruled:
		return words("%s", t.miss.Sentence)
	case t.chosen:
		return words("a rule has chosen the branch")
	}
	return words("none has chosen a branch")
}
