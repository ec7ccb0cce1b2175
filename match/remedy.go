package match

import (
	"fmt"
	"slices"
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
		switch {
		case d.Problem.ofID():
			p.unissued(m, d, nearest)
			return
		case d.Problem == Taken:
			m.Reason = BadState
			m.Sentence = d.this() + " names a thing that is there already, and on tape the call comes " +
				"with a new one"
			m.Hint = fmt.Sprintf("send another %s, or record this call in this state", d.name())
			return
		}
	}
	m.Reason = BadField
	m.Sentence = disagrees + problems(nearest.Diffs)
	m.Hint = remedy(nearest.Diffs) + ", or record this call too"
	if slices.ContainsFunc(nearest.Diffs, func(d Diff) bool { return d.name() == d.Path }) {
		m.Hint = remedy(nearest.Diffs) + ", record this call too, or mark the field in a profile"
	}
}

// this names a parameter that holds an id: "this orderId", "the id in segment 2 of the path".
func (d *Diff) this() string {
	if name := d.name(); name != d.Path {
		return "the id in " + name
	}
	return "this " + d.Path
}

// unissued words a miss of an id that no answer of this run has brought, or that was brought for something
// which the call cannot be about.
func (p *Player) unissued(m *Miss, d Diff, n Near) {
	m.Reason = UnknownIDs
	m.Sentence = d.this() + " was not issued in this run"
	first, send := "make the call first whose answer brings one", "send one of the kind that is on tape"
	if born := birthOf(n.recording, d.Want); born != "" {
		first = fmt.Sprintf("call %s first: its answer brings one", born)
		send = "send one that the answer of " + born + " brings"
	}
	recorded := string(d.Got) == d.Want
	switch {
	case d.Problem == Elsewhere:
		m.Sentence = d.this() + " was issued in another session"
		m.Hint = "send it under the base path of its session, /~NAME/ or none, or " + first
	case d.Problem == Dropped:
		m.Sentence = d.this() + " was issued in this run, to something that is no longer kept"
		m.Hint = first + ": since then replay was reset or much else was made"
	case d.Problem == OtherKind:
		m.Sentence = d.this() + " names a thing of another kind than on tape"
		m.Hint = send
	case d.Problem == Unfollowed:
		m.Sentence = d.this() + " was issued in this run, to something about which the tape has no such call"
		m.Hint = send + ", or record this call"
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
			parts = append(parts, fmt.Sprintf("%s %s", d.name(), d.Problem))
		default:
			parts = append(parts, fmt.Sprintf("%s is %s", d.name(), d.Problem))
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
		if d.Problem == Differs && d.Field.Secret == profile.NotSecret && d.Path != "" {
			said = join(said, words(" (sent "), d.sent(), words(", on tape %s)", clipShown(d.Want)))
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
		name := d.name()
		switch {
		case d.Problem == Extra:
			leave = append(leave, name)
		case d.Problem == Expired:
			send = append(send, name+" as far in the future or past as recorded")
		case d.Problem == Scheme:
			send = append(send, name+" of the scheme that was recorded")
		case d.Problem == Carried, d.Problem == Unread:
			send = append(send, name+" in the kind of body that was recorded")
		case d.Problem == NotItsOwn:
			send = append(send, name+" of what is named beside it, as recorded")
		case d.Problem == SameText:
			send = append(send, name+" with the name of what the call is about")
		case d.Problem == OtherType:
			send = append(send, name+" as the JSON type that was recorded")
		case d.Problem == Malformed, d.Problem == Spelled, d.Problem == IllFormed:
			send = append(send, name+" in the form that was recorded")
		case d.Field.Secret != profile.NotSecret || d.Want == "" || len(d.Want) > maxShown ||
			surrogate.Holds(d.Want) || name != d.Path:
			send = append(send, name+" as recorded")
		default:
			send = append(send, name+"="+d.Want)
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
