package line

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// Ending is what a run came to.
type Ending struct {
	Status view.Status
	Took   time.Duration
	Seen   Seen
	Marks  []Count // by what answers stand on beside the tape
	Rules  []rules.Status
	// Unused are lines of recordings that nobody asked for, as many as UnusedOf exchanges that can be
	// asked for have.
	Unused      []string
	UnusedCount int
	UnusedOf    int
	// Recorded says what is on tape now. Empty: nothing was recorded.
	Recorded string
	Exit     int    // the exit code
	Would    string // what would have been another one: "--strict: 1 for 3 misses"
}

// Count is how often something was.
type Count struct {
	Name string
	N    int
}

// End returns what a run came to: three lines where all went well. It names no commands that ask the
// deck, which has ended.
func End(e *Ending, o Options) string {
	p := &page{o: o}
	of := strings.Join(e.Status.Cassettes, ", ")
	if of != "" {
		of = " of " + of
	}
	p.paragraph(e.Status.Mode + of + " ended after " + longDuration(e.Took))
	if e.well() {
		p.table(2, cells(e.wellDone()))
	} else {
		e.write(p)
	}
	if e.Recorded != "" {
		p.paragraph(e.Recorded)
	}
	exit := "exit " + strconv.Itoa(e.Exit)
	if e.Would != "" {
		exit += "    (" + e.Would + ")"
	}
	p.paragraph(exit)
	return p.b.String()
}

// well reports whether nothing happened that somebody should look at.
func (e *Ending) well() bool {
	s := &e.Status
	return s.Misses == 0 && s.Failed == 0 && s.Marked == 0 && len(e.Seen.callbacks()) == 0 &&
		len(e.idle()) == 0
}

// wellDone says what a run came to in which all went well.
func (e *Ending) wellDone() string {
	s := &e.Status
	text := count.Of(s.Requests, "request")
	switch {
	case s.Requests == 0:
		text = "no request came"
	case s.Hits == s.Requests:
		text += ", all from tape, none marked"
	default:
		text = join(", ", text, e.sources())
	}
	if n := s.Callbacks.Accepted; n > 0 {
		text += fmt.Sprintf("; %s, all accepted", count.Of(n, "callback"))
	}
	if e.UnusedCount > 0 {
		text += fmt.Sprintf("; %d of %d on tape never asked for", e.UnusedCount, e.UnusedOf)
	}
	return text
}

// sources says where answers came from.
func (e *Ending) sources() string {
	s := &e.Status
	return join(", ", number(int(s.Hits), "from tape"), counted(int(s.Misses), "miss"),
		number(int(s.Recorded), "recorded"), number(int(s.Passed), "passed on"),
		number(int(s.Failed), "failed"), number(int(s.Ruled), "made or changed by rules"))
}

// write writes what a run came to in which something should be looked at.
func (e *Ending) write(p *page) {
	s := &e.Status
	rows := [][]cell{cells("requests", strconv.FormatInt(s.Requests, 10), e.sources())}
	if s.Marked > 0 {
		rows = append(rows, cells("marked", strconv.FormatInt(s.Marked, 10), e.marks()))
	}
	for _, k := range e.Seen.kinds() {
		rows = append(rows, cells(k.name, strconv.Itoa(k.n), k.text))
	}
	if c := s.Callbacks; c != (view.CallbackCounts{}) {
		rows = append(rows, cells("callbacks",
			strconv.Itoa(c.Accepted+c.Refused+c.Pending+c.Held+c.Dropped),
			join(", ", number(c.Accepted, "accepted"), number(c.Refused, "refused"),
				number(c.Pending, "still due"), number(c.Held, "held"), number(c.Dropped, "never sent"))))
	}
	if len(e.Rules) > 0 {
		rows = append(rows, cells("rules", strconv.Itoa(e.fired()), e.ruleCounts()))
	}
	for i := range rows {
		rows[i][1].text = padLeft(rows[i][1].text, 4)
		rows[i][1].raw = true
	}
	p.gap()
	p.table(2, rows...)
	e.misses(p)
	e.callbacks(p)
	if e.UnusedCount > 0 {
		p.gap()
		p.line(fmt.Sprintf("  on tape and never asked for: %d of %d", e.UnusedCount, e.UnusedOf))
		shown := e.Unused[:min(mostUnused, len(e.Unused))]
		more := number(len(e.Unused)-len(shown), "more")
		p.table(4, cells(join(", ", strings.Join(shown, ", "), more)))
	}
	p.gap()
}

// mostUnused bounds the operations of which unused recordings are listed.
const mostUnused = 8

// marks lists what answers stand on beside the tape.
func (e *Ending) marks() string {
	parts := make([]string, len(e.Marks))
	for i, m := range e.Marks {
		parts[i] = fmt.Sprintf("%s %d", m.Name, m.N)
	}
	if len(parts) == 1 {
		return "all " + join(": ", e.Marks[0].Name, match.MarkWords(e.Marks[0].Name))
	}
	return strings.Join(parts, ", ")
}

// fired counts how often rules have fired.
func (e *Ending) fired() int {
	n := int64(0)
	for _, r := range e.Rules {
		n += r.Fired
	}
	return int(n)
}

// idle returns the rules that never fired.
func (e *Ending) idle() []string {
	var names []string
	for _, r := range e.Rules {
		if r.Fired == 0 {
			names = append(names, r.Name)
		}
	}
	return names
}

// ruleCounts lists the rules that have fired, and then those that never did.
func (e *Ending) ruleCounts() string {
	var fired []string
	for _, r := range e.Rules {
		if r.Fired > 0 {
			fired = append(fired, fmt.Sprintf("%s %d", r.Name, r.Fired))
		}
	}
	never := strings.Join(e.idle(), ", ")
	if never != "" {
		never = "never " + never
	}
	return join("; ", strings.Join(fired, ", "), never)
}

// misses lists the misses that were seen.
func (e *Ending) misses(p *page) {
	if len(e.Seen.Misses) == 0 {
		return
	}
	var rows [][]cell
	times := map[string]int{} // by what a row says beside its number
	l := layoutOf(MaxColumns)
	for i := range e.Seen.Misses {
		r := &e.Seen.Misses[i]
		w := wordsOf(r, Options{Columns: MaxColumns}, l)
		what := strings.TrimSpace(strings.TrimPrefix(w.main, join(": ", "miss", r.Reason)))
		if r.Short != "" {
			what = join(" ", r.Short, what)
		}
		tells := shortReason(r, plain(r.Sentence.String()))
		if tells == "" {
			tells = plain(r.Hint.String())
		}
		row := cells(strconv.FormatUint(r.ID, 10), r.Reason, what, tells)
		row[1].colour = magenta
		key := strings.Join([]string{r.Reason, what, tells}, "\x00")
		if times[key]++; times[key] == 1 {
			rows = append(rows, row)
		}
	}
	for _, row := range rows {
		key := strings.Join([]string{row[1].text, row[2].text, row[3].text}, "\x00")
		if n := times[key]; n > 1 {
			row[3].text = join("; ", row[3].text, fmt.Sprintf("%d times", n))
		}
	}
	p.heading("  misses")
	p.table(4, rows...)
	e.mends(p)
	if e.Seen.MoreMisses > 0 {
		p.line(fmt.Sprintf("    and %d more", e.Seen.MoreMisses))
	}
}

// mends lists the rows that would mend misses, each once. A row is to be copied, so it is never cut.
func (e *Ending) mends(p *page) {
	seen := map[string]bool{}
	for i := range e.Seen.Misses {
		row := plain(e.Seen.Misses[i].Mend.String())
		if row == "" || seen[row] {
			continue
		}
		if seen[row] = true; len(seen) == 1 {
			p.line("    rows that would mend them, for a rules file or as a profile:")
		}
		p.line("      " + row)
	}
}

// callbacks lists the callbacks that no shop has taken.
func (e *Ending) callbacks(p *page) {
	failed := e.Seen.callbacks()
	if len(failed) == 0 {
		return
	}
	var rows [][]cell
	for _, r := range failed {
		became := "held, and nobody sent it"
		switch {
		case r.CallbackOutcome == proxy.OutcomeHeld:
		case r.Code != 0:
			became = fmt.Sprintf("shop said %d", r.Code)
			if r.Attempt > 1 {
				became += fmt.Sprintf(" in attempt %d", r.Attempt)
			}
		default:
			became = join(": ", r.CallbackOutcome, r.Problem)
		}
		rows = append(rows, cells("c"+strconv.Itoa(r.Callback), r.Operation, r.Who.Label.String(), became))
	}
	p.heading("  callbacks that failed")
	p.table(4, rows...)
}

// longDuration writes how long a run took: "4 min 47 s".
func longDuration(d time.Duration) string {
	s := int(d.Seconds())
	return join(" ", number(s/3600, "h"), number(s/60%60, "min"), fmt.Sprintf("%d s", s%60))
}
