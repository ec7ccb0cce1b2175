package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/similar"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// assumedOrder is the mark of what follows an ambiguous answer.
const assumedOrder = "assumed=order"

// marks are all the marks that an Answer may have, in the order in which a summary lists them, and
// what each says. Package cmd/paytape explains them in "paytape help replaying".
var marks = []struct{ mark, says string }{
	{ambiguous, "several recordings fit and differ, so they are served in their order"},
	{composed, "no recording has this list, so it is put together of recorded items"},
	{assumedCard, "the tape does not have this card, so it is answered as the most similar one"},
	{assumedKin, "what belongs to it is in another state than on tape"},
	{assumedName, "it is named by a field by which no recording of this call names one, or by an id " +
		"that another has too"},
	{assumedLogin, "the tape does not have this login"},
	{assumedMiss, "a write to it was a miss, so what the sandbox would hold of it is not known"},
	{assumedWay, "the answer depends on something to which nothing on tape leads"},
	{assumedWrite, "the recorded answer was given while a write was under way"},
	{assumedGap, "a call is missing on tape before the recorded answer"},
	{assumedEdge, "recordings disagree about a change that no write explains"},
	{assumedValue, "the value of a secret decides, and no tape has it"},
	{assumedOrder, "it follows from an ambiguous answer"},
	{assumedOne, "the answer shows as recorded what may be the number or the id of another thing"},
	{assumedRetry, "the same write was sent again, and the tape does not have the second one"},
}

// Marks returns all the marks that an Answer may have, in the order in which a summary lists them.
// They are part of the outside contract (header Paytape-Served).
func Marks() []string {
	var all []string
	for _, m := range marks {
		all = append(all, m.mark)
	}
	return all
}

// MarkWords says what a mark tells, in words without a full stop; "" for what is no mark.
func MarkWords(mark string) string {
	for _, m := range marks {
		if m.mark == mark {
			return m.says
		}
	}
	return ""
}

// Hint tells the operator what a tape does not tell, and what would mend the tape.
type Hint struct {
	// Warning says that answers may be wrong because of what the hint tells. Hints that are no
	// warning tell what to expect.
	Warning bool
	Text    string // in lower case, without a full stop; it holds values of the tape alone
}

// Hints returns what there is to know of a tape before it is played: one hint for each cause, the
// worst first.
func Hints(t *Tape) []Hint {
	var hints []Hint
	for _, find := range []func() (Hint, bool){
		t.misnamed, t.contradictions, t.ambiguities, t.edges, t.gaps, t.strangers, t.secrets, t.lists, t.fixtures,
	} {
		if h, found := find(); found {
			hints = append(hints, h)
		}
	}
	for _, c := range t.opts.Profiles.Changes(t.machine.Tape.Profiles()) {
		hints = append(hints, Hint{c.Warning, c.Text})
	}
	return hints
}

// maxCases bounds the cases of one cause that a hint names.
const maxCases = 3

// casesOf lists what a cause was found at: "paymentorder.do (#2, #7) and 4 more".
func casesOf[T any](all []T, name func(T) string) string {
	var parts []string
	for _, one := range all[:min(maxCases, len(all))] {
		parts = append(parts, name(one))
	}
	text := strings.Join(parts, ", ")
	if more := len(all) - maxCases; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// caseOf names recordings of one operation: "paymentorder.do (#2, #7)".
func (t *Tape) caseOf(rs []*machine.Recording) string {
	var at []tape.Recorded
	for _, r := range rs {
		at = append(at, r.Reference())
	}
	return fmt.Sprintf("%s (%s)", rs[0].Did(), t.places(at))
}

// doubts returns the groups of recordings that are not interchangeable: those in which two cassettes
// contradict each other, or the others.
func (t *Tape) doubts(contradict bool) []*machine.Group {
	return slices.DeleteFunc(t.machine.Doubts(), func(g *machine.Group) bool { return contradicts(g) != contradict })
}

// unlikeOf names the recordings of a group that differ.
func (t *Tape) unlikeOf(g *machine.Group) string { return t.caseOf(unlike(g)) }

// contradicts reports whether a group has recordings of two cassettes that say different things.
func contradicts(g *machine.Group) bool {
	first := g.Recordings[0]
	return slices.ContainsFunc(g.Recordings, func(r *machine.Recording) bool {
		return r.Cassette != first.Cassette && r.Class != first.Class
	})
}

// unlike returns the first recording of each class in a group, as many as a hint names.
func unlike(g *machine.Group) []*machine.Recording {
	var out []*machine.Recording
	for _, r := range g.Recordings {
		if len(out) <= maxPlaces &&
			!slices.ContainsFunc(out, func(o *machine.Recording) bool { return o.Class == r.Class }) {
			out = append(out, r)
		}
	}
	return out
}

func (t *Tape) contradictions() (Hint, bool) {
	all := t.doubts(true)
	return Hint{Warning: true, Text: fmt.Sprintf("cassettes contradict each other, and what they "+
		"answer is marked ambiguous: %s; play one of them alone, or record them anew against one sandbox",
		casesOf(all, t.unlikeOf))}, len(all) > 0
}

func (t *Tape) ambiguities() (Hint, bool) {
	all := t.doubts(false)
	return Hint{Warning: true, Text: fmt.Sprintf("recordings of one request in one state differ: they "+
		"are served in their order, marked ambiguous: %s; paytape show tells the fields, which a row in "+
		"a profile can name", casesOf(all, t.unlikeOf))}, len(all) > 0
}

func (t *Tape) edges() (Hint, bool) {
	var all [][]*machine.Recording
	for _, e := range t.machine.SilentEdges() {
		if e.Ambiguous {
			all = append(all, []*machine.Recording{e.From, e.At})
		}
	}
	return Hint{Warning: true, Text: fmt.Sprintf("changes that no write explains differ from one "+
		"recording to the next: the first is replayed, marked assumed=edge: %s; record each on a "+
		"cassette of its own", casesOf(all, t.caseOf))}, len(all) > 0
}

// gaps tells where calls are missing on tape, by the first recording behind.
func (t *Tape) gaps() (Hint, bool) {
	var behind []tape.Recorded
	missing := map[string]int{}
	for _, r := range t.machine.All {
		if int(r.Missing) > missing[r.Cassette] {
			behind = append(behind, r.Reference())
		}
		missing[r.Cassette] = max(missing[r.Cassette], int(r.Missing))
	}
	return Hint{Warning: true, Text: fmt.Sprintf("calls are missing on tape, and what they changed is not "+
		"known: what was there before is answered from behind them marked assumed=gap: before %s; record "+
		"the cassette anew", t.places(behind))}, len(behind) > 0
}

func (t *Tape) secrets() (Hint, bool) {
	denied := t.machine.Denied()
	if len(denied) == 0 || len(t.opts.Credentials) > 0 {
		return Hint{}, false
	}
	return Hint{Text: fmt.Sprintf("credentials are refused on tape, and which are good is not there: "+
		"all are taken for good: %s; --credentials FILE tells them apart", t.caseOf(denied))}, true
}

// misnamed tells of credentials that have the name of no field on tape, so that nothing is checked by
// them. Such a name is told only if it is much like a field's: any other may be the secret itself,
// in a file that has login=password. It is no warning if the others are on tape, and this one may be
// for another tape.
func (t *Tape) misnamed() (Hint, bool) {
	missing := map[string]bool{} // names in lower case
	for _, c := range t.opts.Credentials {
		missing[strings.ToLower(c.Name)] = true
	}
	fields := map[string]string{} // names of fields, by themselves in lower case
	for _, r := range t.machine.All {
		if len(missing) == 0 {
			break
		}
		r.Request.Alike(func(a *tape.Asked) bool {
			name := request.LastName(a.Path)
			lower := strings.ToLower(name)
			delete(missing, lower)
			fields[lower] = name
			return len(missing) == 0
		})
	}
	var all []string
	likely := !slices.ContainsFunc(t.opts.Credentials, func(c Credential) bool {
		return !missing[strings.ToLower(c.Name)]
	})
	for i, c := range t.opts.Credentials {
		if lower := strings.ToLower(c.Name); missing[lower] {
			delete(missing, lower) // told once
			search := similar.To(lower)
			for field := range fields {
				search.Try(field)
			}
			if near := search.Best(); near != "" {
				likely = true
				all = append(all, fmt.Sprintf("%q (did you mean %s?)", c.Name, fields[near]))
			} else {
				all = append(all, fmt.Sprintf("the name of credential %d", i+1))
			}
		}
	}
	return Hint{Warning: likely, Text: fmt.Sprintf("no request on tape has a field that --credentials names, "+
		"so nothing is checked by it: %s", casesOf(all, strings.Clone))}, len(all) > 0 && len(fields) > 0
}

func (t *Tape) lists() (Hint, bool) {
	var all [][]*machine.Recording
	for _, l := range t.machine.Lists() {
		if !l.Composable() && l.Frame != nil || l.Conflicts() {
			all = append(all, l.Recordings())
		}
	}
	return Hint{Text: fmt.Sprintf("lists of which other members than recorded may be a miss, because the "+
		"tape does not tell how they look: %s; record them with one member in each state",
		casesOf(all, t.caseOf))}, len(all) > 0
}

// manyFlows is how many flows write to a fixture before a hint tells of it.
const manyFlows = 3

// fixtures finds entities that were there before the tape and that writes of many flows change:
// what one flow is answered then depends on the others.
func (t *Tape) fixtures() (Hint, bool) {
	flows := map[*tape.Entity]map[*tape.Entity]bool{} // what else the writes to a fixture are about
	var order []*tape.Entity
	for _, r := range t.machine.All {
		for i, e := range r.Roles {
			if e.Scope || e.Config == "" || i >= len(r.Moves) || r.Moves[i] == r.Owns[i] {
				continue
			}
			for _, o := range r.Concerned() {
				if o == e || o.Scope || o.Config != "" {
					continue
				}
				if flows[e] == nil {
					flows[e] = map[*tape.Entity]bool{}
					order = append(order, e)
				}
				flows[e][o] = true
			}
		}
	}
	all := slices.DeleteFunc(order, func(e *tape.Entity) bool { return len(flows[e]) < manyFlows })
	name := func(e *tape.Entity) string {
		return fmt.Sprintf("%s (%d flows)", e.Words(), len(flows[e]))
	}
	return Hint{Text: fmt.Sprintf("several flows change what was there before the tape, so the order "+
		"of these flows matters: %s; give each its own, or write uses: in a profile where a call does "+
		"not change it", casesOf(all, name))}, len(all) > 0
}
