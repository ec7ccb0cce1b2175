package live

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"time"

	"github.com/paytape/paytape/proxy/inspect/line"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// mostLines is how many lines are written in a second before hits are counted.
const mostLines = 50

// Options are what Follow needs.
type Options struct {
	// Rows are the rows as they come, and how many before each were lost. Follow returns when they
	// end.
	Rows iter.Seq2[view.Row, uint64]
	// Status is the status for the line at the bottom. Nil: there is no such line.
	Status func() view.Status
	// Shows says which rows are written. Nil: all.
	Shows func(r *view.Row) bool
	// Seen remembers the rows, for the end of the run. Nil: nobody does.
	Seen *line.Seen
	// Reads says which rows are of operations that change nothing; equal ones become one line. Nil: none.
	Reads func(r *view.Row) bool
	// To takes the lines. It leads to a Screen, and must not wait.
	To io.Writer
	// Line says how lines are written, and Columns how wide the terminal is by now.
	Line    line.Options
	Columns func() int
	// Resized holds a token when the terminal has another size. Nil: it keeps its size.
	Resized <-chan struct{}
}

// Follow writes rows as they come, and keeps the status at the bottom, until the rows end.
func Follow(o Options) {
	f := &follower{Options: o}
	type coming struct {
		row  view.Row
		lost uint64
	}
	rows := make(chan coming)
	go func() {
		defer close(rows)
		for r, lost := range o.Rows {
			rows <- coming{r, lost}
		}
	}()
	seconds := time.NewTicker(time.Second)
	defer seconds.Stop()
	f.status()
	for {
		select {
		case c, more := <-rows:
			if !more {
				f.second()
				f.write(Bottom(""))
				return
			}
			f.lost(c.lost)
			f.row(&c.row)
		case <-seconds.C:
			f.second()
			f.status()
		case <-o.Resized:
			f.last = "" // a line that the terminal has broken is more than one
			f.status()
		}
	}
}

// follower is Follow under way.
type follower struct {
	Options
	lines  int      // written since the second began
	hits   int      // rows of this second that are counted instead
	misses int      // of this second
	newest view.Row // of the hits that are counted

	last  string // what the row that was written last asked and got; empty if it is not to be replaced
	times int    // how often that came
	below string // the status at the bottom

	told map[string]bool // marks of flows that were said
}

// row writes a row, or counts it.
func (f *follower) row(r *view.Row) {
	if r.Sign == view.SignMiss {
		f.misses++
	}
	if f.Seen != nil {
		f.Seen.Add(r)
	}
	if f.Shows != nil && !f.Shows(r) {
		return
	}
	f.sayOnce(r)
	hit := r.Sign == view.SignHit || r.Sign == view.SignWaits
	same := f.sameRead(r)
	switch {
	case hit && f.lines >= mostLines:
		f.hits++
		f.newest, f.last = *r, ""
		return
	case same != "" && same == f.last:
		f.times++
	default:
		f.last, f.times = same, 1
	}
	f.lines++
	o := f.options()
	o.Times = f.times
	all := line.Row(r, o)
	if same != "" && len(all) == 1 {
		all[0] = keyed(same, all[0])
	}
	f.write(all...)
}

// mostTold bounds the memory for marks that were said.
const mostTold = 10_000

// sayOnce takes the words of a mark off a row of a flow that has told them.
func (f *follower) sayOnce(r *view.Row) {
	if r.Mark == "" || r.Group == "" {
		return
	}
	key := r.Group + " " + r.Mark
	if f.told[key] {
		r.Mark, r.MarkWords = "", "" // the sign stays
	}
	if f.told == nil || len(f.told) >= mostTold {
		f.told = map[string]bool{}
	}
	f.told[key] = true
}

// sameRead returns what equal reads have in common; empty for a row that is no read of anything, or
// that has more to tell. What an answer says is part of it, so a state that was reached begins a line.
func (f *follower) sameRead(r *view.Row) string {
	told := r.Sign == view.SignMarked && r.Mark == "" // its mark was told before
	switch {
	case r.Sign != view.SignHit && r.Sign != view.SignWaits && !told, r.Group == "", len(r.Rules) > 0,
		!r.Read, f.Reads == nil || !f.Reads(r):
		return ""
	}
	amount := ""
	if r.Amount != nil {
		amount = r.Amount.Text.String()
	}
	return fmt.Sprintf("%q", []any{r.Group, r.Operation, r.Code, r.Outcome.Words, r.Outcome.Codes, amount})
}

// second ends a second: it tells of the hits that were counted.
func (f *follower) second() {
	if f.hits > 0 {
		o := f.options()
		f.write(line.Hits(&f.newest, f.hits, f.misses, o))
	}
	f.lines, f.hits, f.misses = 0, 0, 0
}

// lost tells of rows that are missing.
func (f *follower) lost(n uint64) {
	if n > 0 {
		f.last = ""
		f.write(line.Lost(n, f.options()))
	}
}

// status writes the line at the bottom, if it has changed.
func (f *follower) status() {
	if f.Status == nil {
		return
	}
	now, o := f.Status(), f.options()
	o.Now = time.Now()
	if o.Columns > line.MinColumns {
		o.Columns -= len("^C") // a terminal writes that behind the line, which must not break it
	}
	if below := line.StatusLine(&now, o); below != f.below {
		f.below = below
		f.write(Bottom(below))
	}
}

func (f *follower) options() line.Options {
	o := f.Line
	if f.Columns != nil {
		o.Columns = f.Columns()
	}
	return o
}

// write writes lines. Nobody is left to be told if nobody reads them.
func (f *follower) write(all ...string) {
	_, _ = io.WriteString(f.To, strings.Join(all, "\n")+"\n")
}
