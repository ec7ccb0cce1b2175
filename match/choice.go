package match

import (
	"iter"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// A choice asks for another branch of the tape than the one that the request leads to: a payment of
// the card V is to be declined, and on tape only one by the card X was. Both stand in one row: the
// call and the state of the order are the same. So the branch is taken among all recordings of the
// row, whatever card they are of and whatever else there was, and the order goes on as that of X
// did: every later answer agrees. Where what belongs to the order is in another state than on tape,
// that is as with any answer: a recording with the same view comes first, and another is marked.

// choice chooses among the recordings of a row as a rule asks; cases is nil if there is no row.
func (p *Player) choice(q *query, f found, cases *machine.Cases) found {
	c := q.r.Choice
	if cases != nil {
		f.recording, f.inCase = p.tape.branch(cases, c, p.view(q), q.address)
	}
	switch {
	case f.recording != nil:
		c.Found = true
		f.mark = either(f.mark, p.viewMark(q, f))
	case c.Takes != nil:
		f.ruled = true
		f.goBack()
	}
	return f
}

// branch returns the first recording of a row that a choice asks for, with its case; one with the
// view if there is any. If the address is not empty, the recording is one of that address.
func (t *Tape) branch(cases *machine.Cases, choice *request.Choice, view machine.View, address string,
) (*machine.Recording, *machine.Case) {
	var first *machine.Recording
	var in *machine.Case
	for c, r := range cases.Recordings() {
		if address != "" && r.Address != address || first != nil && r.View != view ||
			!t.wants(choice, r) {
			continue
		}
		if r.View == view {
			return r, c
		}
		first, in = r, c
	}
	return first, in
}

// Branch returns the recording that a choice takes if the request of a recorded exchange comes
// again, in the state in which it was recorded; false if the tape has none.
func (t *Tape) Branch(cassette string, number int, c *request.Choice) (Recorded, bool) {
	for _, r := range t.machine.All {
		if r.Cassette != cassette || r.Number != number {
			continue
		}
		if cases := t.machine.Beside(r); cases != nil {
			if taken, _ := t.branch(cases, c, r.View, ""); taken != nil {
				return taken.Reference(), true
			}
		}
	}
	return Recorded{}, false
}

// viewMark returns the mark of a chosen recording for what belongs to the things that the request
// names.
func (p *Player) viewMark(q *query, f found) string {
	switch {
	case f.recording.View != p.view(q) &&
		(!f.inCase.Indifferent() || f.inCase.HasParts() || q.hasSiblings()):
		return assumedKin
	case f.recording.View == p.view(q) && !f.inCase.Indifferent():
		return q.familyMark()
	}
	return ""
}

// wants reports whether a recording is one that a choice asks for.
func (t *Tape) wants(c *request.Choice, r *machine.Recording) bool {
	b := request.Branch{
		Cassette: r.Cassette, Number: r.Number, Code: r.Code, Answer: recordedAnswer(r),
		Later: func() []*leaf.Message { return slices.Collect(t.later(r)) },
	}
	if c.Takes != nil {
		return c.Takes(b)
	}
	return t.declinedBy(b, r, c.Declined)
}

// declinedBy reports whether a recording led to a decline of a code: the last answer tells that has
// the field of the code, of its own and the later ones about the same thing. Answers before that
// may say that nobody knows yet.
func (t *Tape) declinedBy(b request.Branch, r *machine.Recording, code string) bool {
	call := t.opts.Profiles.Find(r.Method, request.PathOf(r.Target))
	if call.Profile == nil || call.Profile.Declines == nil {
		return false
	}
	said := ""
	for _, m := range append([]*leaf.Message{b.Answer}, b.Later()...) {
		at := slices.IndexFunc(m.Leaves, func(l leaf.Leaf) bool {
			return strings.EqualFold(l.Key, call.Profile.Declines.Field)
		})
		if at >= 0 {
			said = m.Leaves[at].Value
		}
	}
	return said != "" && (said == code || said == call.Profile.Declines.Codes[code])
}

// later yields the answers to questions about what a recording has changed, until that is changed
// again.
func (t *Tape) later(r *machine.Recording) iter.Seq[*leaf.Message] {
	return func(yield func(*leaf.Message) bool) {
		about := r.Concerned()
		if i := slices.IndexFunc(about, func(e *tape.Entity) bool { return !e.Scope }); i >= 0 {
			about = about[i : i+1]
		}
		if len(about) == 0 {
			return
		}
		for _, next := range t.machine.All {
			at := slices.Index(next.Roles, about[0])
			if next.Place <= r.Place || at < 0 {
				continue
			}
			if moved := at < len(next.Moves) && next.Moves[at] != next.Owns[at]; moved {
				return
			}
			if next.Recording.Reads && !yield(recordedAnswer(next)) {
				return
			}
		}
	}
}

// recordedAnswer returns the answer of a recording as it is on tape.
func recordedAnswer(r *machine.Recording) *leaf.Message {
	return leaf.Read(leaf.Message{
		Header: r.Header(asRecorded), Headless: true, Body: r.Body().Text(asRecorded),
	})
}

// asRecorded returns the text that stands on tape in the place of a hole.
func asRecorded(h *tape.Hole) string {
	if h.Form != 0 {
		return h.Source.Text
	}
	return h.Apply(h.OnWire())
}
