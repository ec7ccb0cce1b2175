package match

import (
	"fmt"
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/redact/surrogate"
)

// disagrees is how the sentence of a miss begins that a parameter has caused.
const disagrees = "no recording agrees: "

// blame words the differences of the nearest recording.
func (p *Player) blame(q *query, m *Miss) {
	if len(m.Near) == 0 || len(m.Near[0].Diffs) == 0 {
		m.Reason = BadState
		m.Sentence = "the nearest recording asks the same about another thing"
		m.Hint = "make the calls that come before it on tape"
		return
	}
	nearest := m.Near[0]
	for _, d := range nearest.Diffs {
		switch d.Problem {
		case UnknownID, Elsewhere, Dropped:
			p.unissued(m, d, nearest)
			return
		case Taken:
			m.Reason = BadState
			m.Sentence = fmt.Sprintf("this %s names a thing that is there already, and on tape the call "+
				"comes with a new one", d.Path)
			m.Hint = fmt.Sprintf("send another %s, or record this call in this state", d.Path)
			return
		}
	}
	m.Reason = BadField
	m.Sentence = disagrees + problems(nearest.Diffs)
	m.Hint = remedy(nearest.Diffs) + ", record this call too, or mark the field in a profile"
}

// unissued words a miss of an id that no answer of this run has brought.
func (p *Player) unissued(m *Miss, d Diff, n Near) {
	m.Reason = UnknownIDs
	m.Sentence = fmt.Sprintf("this %s was not issued in this run", d.Path)
	first := "make the call first whose answer brings one"
	if born := birthOf(n.recording, d.Want); born != "" {
		first = fmt.Sprintf("call %s first: its answer brings one", born)
	}
	recorded := string(d.Got) == d.Want
	switch {
	case d.Problem == Elsewhere:
		m.Sentence = fmt.Sprintf("this %s was issued in another session", d.Path)
		m.Hint = "send it under the base path of its session, /~NAME/ or none, or " + first
	case d.Problem == Dropped:
		m.Sentence = fmt.Sprintf("this %s was issued in this run, to something that is no longer kept",
			d.Path)
		m.Hint = first + ": since then replay was reset or much else was made"
	case recorded && p.tape.opts.RecordedIDs:
		m.Hint = first
	case recorded:
		m.Sentence += ": it is the one on tape"
		m.Hint = first + ", or start replay with --ids recorded"
	default:
		m.Hint = first + "; ids of an earlier run are not served"
	}
}

// birthOf names the exchange whose answer brings what a recording names by a text.
func birthOf(r *machine.Recording, text string) string {
	for _, a := range r.Request.All() {
		if a.Text != text || len(a.Names) == 0 {
			continue
		}
		if born := r.Roles[a.Names[0].Role].Born; born != nil {
			return fmt.Sprintf("%s (%s#%d)", born.Operation(), born.Cassette, born.Number)
		}
	}
	return ""
}

// problems lists differences: "amount differs, language is missing".
func problems(ds []Diff) string {
	var parts []string
	for _, d := range ds[:min(maxProblems, len(ds))] {
		switch d.Problem {
		case Differs:
			parts = append(parts, fmt.Sprintf("%s %s", d.Path, d.Problem))
		default:
			parts = append(parts, fmt.Sprintf("%s is %s", d.Path, d.Problem))
		}
	}
	if more := len(ds) - maxProblems; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// Said returns the sentence of a miss with what was sent in place of the tape: "no recording agrees:
// amount differs (sent 5000, on tape 2500)".
func (m *Miss) Said() Text {
	if m.Reason != BadField || len(m.Near) == 0 || len(m.Near[0].Diffs) == 0 {
		return words("%s", m.Sentence)
	}
	ds := m.Near[0].Diffs
	if m.Sentence != disagrees+problems(ds) {
		return words("%s", m.Sentence)
	}
	said := words(disagrees)
	for i := range ds[:min(maxRungDiffs, len(ds))] {
		if i > 0 {
			said = append(said, words(", ")...)
		}
		d := &ds[i]
		said = append(said, words("%s", problems(ds[i:i+1]))...)
		if d.Problem == Differs && d.Field.Secret == profile.NotSecret {
			said = join(said, words(" (sent "), Text{{Live: d.Got, Field: d.Field, Path: d.Path}},
				words(", on tape %s)", clipShown(d.Want)))
		}
	}
	if more := len(ds) - maxRungDiffs; more > 0 {
		said = append(said, words(", and %d more", more)...)
	}
	return said
}

// remedy says how a request would have to be for the tape to answer it: "send amount=100,
// leave language out". It repeats values of the tape alone, and of those no secrets.
func remedy(ds []Diff) string {
	var send, leave []string
	for _, d := range ds[:min(maxRemedies, len(ds))] {
		switch {
		case d.Problem == Extra:
			leave = append(leave, d.Path)
		case d.Problem == Expired:
			send = append(send, d.Path+" as far in the future or past as recorded")
		case d.Problem == Scheme:
			send = append(send, d.Path+" of the scheme that was recorded")
		case d.Problem == Carried:
			send = append(send, d.Path+" in the kind of body that was recorded")
		case d.Problem == NotItsOwn:
			send = append(send, d.Path+" of what is named beside it, as recorded")
		case d.Problem == OtherType:
			send = append(send, d.Path+" as the JSON type that was recorded")
		case d.Problem == Malformed, d.Problem == Spelled:
			send = append(send, d.Path+" in the form that was recorded")
		case d.Field.Secret != profile.NotSecret || d.Want == "" || len(d.Want) > maxShown ||
			surrogate.Holds(d.Want):
			send = append(send, d.Path+" as recorded")
		default:
			send = append(send, d.Path+"="+d.Want)
		}
	}
	var parts []string
	if len(send) > 0 {
		parts = append(parts, "send "+strings.Join(send, " and "))
	}
	if len(leave) > 0 {
		parts = append(parts, "leave out "+strings.Join(leave, " and "))
	}
	return strings.Join(parts, ", ")
}
