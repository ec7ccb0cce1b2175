package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// Change is something that happened on tape between two equal reads without a write: the
// customer was at the ACS, or time ran out. In replay it comes after as many reads.
type Change struct {
	From      int           `json:"from"` // the number of the last read before it,
	To        int           `json:"to"`   // and of the first read after it
	Operation string        `json:"operation"`
	State     int           `json:"state"`
	Reads     int           `json:"reads"` // how many there were in this state before it
	Fields    []FieldChange `json:"fields"`
}

// FieldChange is a field of an answer that changed; a value is empty where there was none.
type FieldChange struct {
	Path string `json:"path"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// changes finds the reads of a thread that ask the same in the same state and are answered
// differently.
func (n *notes) changes(th *thread) []Change {
	type question struct {
		state int
		text  string
	}
	asked := map[question][]*exchange{}
	changes := []Change{}
	for _, e := range th.exchanges {
		if e.writes {
			continue
		}
		q := question{e.before[slices.Index(e.threads, th)], e.question()}
		before := asked[q]
		asked[q] = append(before, e)
		if len(before) == 0 {
			continue
		}
		last := before[len(before)-1]
		if fields := n.differing(last, e); len(fields) > 0 {
			changes = append(changes, Change{
				From: last.number, To: e.number, Operation: e.operation, State: q.state,
				Reads: len(before), Fields: fields,
			})
		}
	}
	return changes
}

// question writes a recorded request such that two that ask the same are equal: its constants
// and its variables.
func (e *exchange) question() string {
	var b strings.Builder
	b.WriteString(e.op + "\x00" + e.address)
	for i := range e.request {
		w := &e.request[i]
		fmt.Fprintf(&b, "\x00%s", w.path)
		for _, piece := range w.value {
			fmt.Fprintf(&b, "\x01%s", piece.literal)
			if piece.hole != nil && !piece.hole.vars[0].rebinds() {
				fmt.Fprintf(&b, "\x02%p", piece.hole.vars[0])
			}
		}
	}
	return b.String()
}

// differing compares two recorded answers. Dates, and values that both take from one variable,
// do not count.
func (n *notes) differing(a, b *exchange) []FieldChange {
	var fields []FieldChange
	if a.code != b.code {
		fields = append(fields, FieldChange{"status", fmt.Sprint(a.code), fmt.Sprint(b.code)})
	}
	was, is := n.shown(a), n.shown(b)
	for _, path := range slices.Concat(was.order, is.order) {
		x, y := was.values[path], is.values[path]
		if x.text == y.text || x.follows && y.follows {
			continue
		}
		change := FieldChange{path, x.text, y.text}
		if !slices.Contains(fields, change) {
			fields = append(fields, change)
		}
	}
	return fields
}

// shown is what the body of an answer shows.
type shown struct {
	order  []string // paths
	values map[string]shownValue
}

type shownValue struct {
	text    string
	follows bool // it is a date, or follows a variable
}

func (n *notes) shown(e *exchange) shown {
	s := shown{values: map[string]shownValue{}}
	held := map[string]bool{}
	e.eachHole(func(h *hole) {
		if at := n.places[h]; at.place != leaf.Header {
			for path := at.path; path != ""; path = path[:max(0, strings.LastIndexByte(path, '>'))] {
				held[path] = true // an address follows what a message in it does
			}
		}
	})
	m := n.sources[e].ResponseMessage()
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Place == leaf.Header {
			continue
		}
		path := l.Path
		if path == "" {
			path = l.Key
		}
		s.order = append(s.order, path)
		s.values[path] = shownValue{l.Value, held[path]}
	}
	return s
}

// eachHole calls f for every hole of an answer that a variable or an address fills.
func (e *exchange) eachHole(f func(*hole)) {
	both := func(h, _ *hole) { f(h) }
	e.body.holes(e.body, both)
	for _, v := range e.header.values {
		v.text.holes(v.text, both)
	}
}
