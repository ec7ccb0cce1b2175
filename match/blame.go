package match

import (
	"fmt"
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// tooLate words a miss of what the state has left behind.
func tooLate(q *query, m *Miss, why *obstacles) {
	e := why.late
	m.Near = []Near{near(e, nil)}
	if e.writes {
		exhausted(q, m, why)
		return
	}
	m.Reason = BadState
	m.Sentence = fmt.Sprintf("%s was recorded before %s, which has been called since",
		label(e), label(why.passed))
	m.Hint = fmt.Sprintf("record %s after %s too", e.operation, why.passed.operation)
}

// exhausted words a miss of a write that was made as often as on tape.
func exhausted(q *query, m *Miss, why *obstacles) {
	used := why.lateIn.used(q)
	m.Near = nil
	var places []string
	for _, e := range used[:min(maxNear, len(used))] {
		m.Near = append(m.Near, near(e, nil))
		places = append(places, place(e))
	}
	if more := len(used) - maxNear; more > 0 {
		places = append(places, fmt.Sprintf("and %d more", more))
	}
	how := "used"
	if q.skipWrites {
		how = "used or skipped"
	}
	m.Reason = Exhausted
	m.Sentence = fmt.Sprintf("%s matched, but every one on tape (%s) was %s by thread %d before",
		why.late.operation, strings.Join(places, ", "), how, why.lateIn.slot(why.late.threads[0]).live)
	m.Hint = "a repeated write has a new effect at the sandbox: record the call once more, or " +
		"open another thread"
}

// maxUsed bounds the writes of one thread that are compared to say that they were used.
const maxUsed = 1000

// used returns the recorded writes that a request matches in this reading and that are past.
func (c *candidate) used(q *query) []*exchange {
	var es []*exchange
	for i := range c.slots {
		for _, key := range q.keys {
			recorded := c.slots[i].thread.recorded(key)
			for _, e := range recorded[:min(maxUsed, len(recorded))] {
				if c.isUsed(q, e) {
					es = append(es, e)
				}
			}
		}
	}
	return es
}

func (c *candidate) isUsed(q *query, e *exchange) bool {
	if !e.writes || !c.covers(e) {
		return false
	}
	if s, _ := c.standing(e, q.skipWrites); s != late {
		return false
	}
	_, ok := unify(&c.vars, e, q.r, q.now)
	return ok
}

func place(e *exchange) string { return fmt.Sprintf("%s#%d", e.cassette, e.number) }

// blame words the differences of the nearest exchange.
func (p *Player) blame(m *Miss) {
	nearest := m.Near[0]
	if len(nearest.Diffs) == 0 {
		m.Reason = BadState
		m.Sentence = fmt.Sprintf("%s#%d matches, but belongs to a thread that was not opened",
			nearest.Cassette, nearest.Number)
		m.Hint = "make the calls that come before it on tape"
		return
	}
	for _, d := range nearest.Diffs {
		switch d.Problem {
		case UnknownID, Elsewhere, Dropped:
			p.unissued(m, d)
			return
		}
	}
	m.Reason = BadField
	m.Sentence = "no recording agrees: " + problems(nearest.Diffs)
	m.Hint = remedy(nearest.Diffs) + ", record this call too, or mark the field in a profile"
}

// unissued words a miss of an id that no answer of this run has brought.
func (p *Player) unissued(m *Miss, d Diff) {
	m.Reason = UnknownIDs
	m.Sentence = fmt.Sprintf("this %s was not issued in this run", d.Path)
	first := "open the thread first"
	if d.birth != nil {
		first = fmt.Sprintf("call %s first: its answer brings one", label(d.birth))
	}
	recorded := string(d.Got) == d.Want
	switch {
	case d.Problem == Elsewhere:
		m.Sentence = fmt.Sprintf("this %s was issued in another session", d.Path)
		m.Hint = "send it under the base path of its session, /~NAME/ or none, or " + first
	case d.Problem == Dropped:
		m.Sentence = fmt.Sprintf("this %s was issued in this run, to a thread that is no longer kept",
			d.Path)
		m.Hint = first + ": since then replay was reset or many threads were opened"
	case recorded && p.tape.opts.RecordedIDs:
		m.Hint = first
	case recorded:
		m.Sentence += ": it is the one on tape"
		m.Hint = first + ", or start replay with --ids recorded"
	default:
		m.Hint = first + "; ids of an earlier run are not served"
	}
}

// maxProblems bounds the fields that a sentence names: a client may send any number.
const maxProblems = 10

// problems lists differences: "amount differs, language is missing".
func problems(ds []Diff) string {
	var parts []string
	for _, d := range ds[:min(maxProblems, len(ds))] {
		switch d.Problem {
		case Missing, Extra, Expired:
			parts = append(parts, fmt.Sprintf("%s is %s", d.Path, d.Problem))
		default:
			parts = append(parts, fmt.Sprintf("%s %s", d.Path, d.Problem))
		}
	}
	if more := len(ds) - maxProblems; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}

// maxShown bounds the recorded values that a hint repeats, in bytes, and maxRemedies the
// fields.
const (
	maxShown    = 60
	maxRemedies = 3
)

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
		case d.Field.Secret != profile.NotSecret || d.Want == "" || len(d.Want) > maxShown:
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
