package traffic

import (
	"slices"
	"time"

	"github.com/paytape/paytape/proxy/inspect/filter"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// MaxLines bounds the lines of a window.
const MaxLines = 500

// Query says what a window shows.
type Query struct {
	// Filter is in the language of package filter; empty wants all.
	Filter string
	// Grouped has the rows stand below their flows, the newest flow on top, and in a flow the oldest
	// row. Else rows stand alone, the newest on top.
	Grouped bool
	// At is the index of the first line, and N how many lines there are at most.
	At, N int
	// Open are the flows whose rows are in the list, by ID. Under All these are those of all flows
	// but Folded.
	Open, Folded []string
	All          bool
	// Before is the ID of a row, after which nothing is in the list: nothing moves while somebody
	// reads. 0: nothing is left out.
	Before uint64
}

// Window returns a part of the list of rows. Its error is a *filter.Error.
func (t *Traffic) Window(q Query) (view.Window, error) {
	f, err := filter.Parse(q.Filter)
	if err != nil {
		return view.Window{}, err
	}
	t.begin()
	q.At, q.N = max(0, q.At), max(0, min(q.N, MaxLines))
	t.prepare(f)
	t.mu.Lock()
	defer t.mu.Unlock()
	res := t.resultLocked(f)
	lines := t.linesLocked(res, &q)
	if unread := t.unreadLocked(lines); len(unread) > 0 {
		t.mu.Unlock()
		t.readNow(unread)
		t.mu.Lock()
		res = t.resultLocked(f)
		lines = t.linesLocked(res, &q)
	}
	w := view.Window{
		Total: lines.total, At: min(q.At, lines.total), Lines: t.drawLocked(lines, res, &q), Last: t.lastLocked(),
		Lost: t.goneLocked(), Counts: res.counts, Pending: len(res.pending), New: t.newLocked(res, &q),
	}
	return w, nil
}

// goneLocked returns how many events have no row any more, or never had one.
func (t *Traffic) goneLocked() uint64 { return t.lastLocked() - uint64(len(t.rows)) }

// place is a line of a list that was not drawn yet: a group, or a row if id is not 0.
type place struct {
	group *group
	id    uint64
	open  bool
}

// places are lines of a window, of so many in all.
type places struct {
	total int
	lines []place
}

// add adds lines, of which the window takes those that are in it.
func (p *places) add(q *Query, n int, line func(i int) place) {
	for i := max(0, q.At-p.total); i < n && len(p.lines) < q.N; i++ {
		p.lines = append(p.lines, line(i))
	}
	p.total += n
}

func (t *Traffic) linesLocked(res *result, q *Query) places {
	if !q.Grouped {
		ids := upTo(res.ids, q.Before)
		var p places
		p.add(q, len(ids), func(i int) place { return place{id: ids[len(ids)-1-i]} })
		return p
	}
	return t.groupedLocked(res, q)
}

// upTo returns the IDs that are not after one; 0 is after all.
func upTo(ids []uint64, before uint64) []uint64 {
	if before == 0 {
		return ids
	}
	n, there := slices.BinarySearch(ids, before)
	if there {
		n++
	}
	return ids[:n]
}

// groupedLocked goes through the flows, the newest first. Of a flow that is folded it looks at
// nothing but that.
func (t *Traffic) groupedLocked(res *result, q *Query) places {
	var p places
	listed := map[*group]bool{}
	names := q.Open
	if q.All {
		names = q.Folded
	}
	for _, id := range names {
		if g := t.groups.byID(id); g != nil {
			listed[g] = true
		}
	}
	for i := len(res.shares) - 1; i >= 0; i-- {
		s := res.shares[i]
		if q.Before != 0 && s.group.born > q.Before {
			continue
		}
		open := q.All != (len(listed) > 0 && listed[s.group])
		p.add(q, 1, func(int) place { return place{group: s.group, open: open} })
		if !open {
			continue
		}
		n, ids := s.rows, []uint64(nil)
		inWindow := p.total < q.At+q.N && p.total+n > q.At
		if inWindow || q.Before != 0 && s.group.rows[len(s.group.rows)-1] > q.Before {
			ids = upTo(res.of(s.group), q.Before)
			n = len(ids)
		}
		p.add(q, n, func(i int) place { return place{group: s.group, id: ids[i]} })
	}
	return p
}

// of returns the rows of a group that the filter wants.
func (res *result) of(g *group) []uint64 {
	if res.filter == nil {
		return g.rows
	}
	var ids []uint64
	for _, id := range g.rows {
		if res.has(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// unreadLocked returns the rows among lines that are to be read before they are shown.
func (t *Traffic) unreadLocked(p places) []uint64 {
	var ids []uint64
	for _, line := range p.lines {
		if line.id == 0 {
			continue
		}
		if r := t.findLocked(line.id); r != nil && r.readable {
			ids = append(ids, line.id)
		}
	}
	return ids
}

// drawLocked returns lines as people see them.
func (t *Traffic) drawLocked(p places, res *result, q *Query) []view.Line {
	lines := make([]view.Line, 0, len(p.lines))
	for i, at := range p.lines {
		line := view.Line{Index: q.At + i, Level: 2}
		if at.id != 0 {
			v := t.findLocked(at.id).view()
			line.Row = &v
		} else {
			g := at.group.view(t.findLocked)
			line.Level, line.Group, line.Folded = 1, &g, !at.open
		}
		lines = append(lines, line)
	}
	return lines
}

// newLocked returns how many lines wait because of Query.Before: flows, or rows.
func (t *Traffic) newLocked(res *result, q *Query) int {
	if q.Before == 0 {
		return 0
	}
	if !q.Grouped {
		return len(res.ids) - len(upTo(res.ids, q.Before))
	}
	n := 0
	for i := len(res.shares) - 1; i >= 0 && res.shares[i].group.born > q.Before; i-- {
		n++
	}
	return n
}

// maxResults is how many filters are kept with their rows: a page and a few terminals.
const maxResults = 8

// moving is how long the rows are kept of a filter that wants others as time passes, and movingShare
// is the part of the time that may be spent with asking about all rows anew.
const (
	moving      = time.Second
	movingShare = 50
)

// resultLocked returns the rows that a filter wants.
func (t *Traffic) resultLocked(f *filter.Filter) *result {
	if f.Empty() {
		return t.all
	}
	text := f.String()
	now := t.now()
	i := slices.IndexFunc(t.results, func(res *result) bool { return res.filter.String() == text })
	if i >= 0 {
		res := t.results[i]
		t.results = append(slices.Delete(t.results, i, i+1), res)
		if !f.Moves() || now.Sub(res.made) < max(moving, movingShare*res.took) {
			return res
		}
		t.results = t.results[:len(t.results)-1]
	}
	res := newResult(f)
	for i := range len(t.rows) {
		res.consider(t.atLocked(i))
	}
	res.made, res.took = now, t.now().Sub(now)
	if len(t.results) == maxResults {
		t.results = slices.Delete(t.results, 0, 1)
	}
	t.results = append(t.results, res)
	return res
}
