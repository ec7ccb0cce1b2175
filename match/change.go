package match

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// Change is a silent change: something that happened on tape between two equal reads without a
// write. The customer was at the ACS, or time ran out. In replay the change comes after as many
// reads as on tape.
type Change struct {
	From      int           `json:"from"` // the number of the last read before it,
	To        int           `json:"to"`   // and of the first read after it
	Operation string        `json:"operation"`
	State     int           `json:"state"`  // of the entity, before,
	Behind    int           `json:"behind"` // and after it
	Reads     int           `json:"reads"`  // how many there were in this state before it
	Fields    []FieldChange `json:"fields"`
}

// FieldChange is a field of an answer that changed; a value is empty where there was none.
type FieldChange struct {
	Path string `json:"path"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// silentChanges finds, for each entity, the reads by which it is behind a silent edge.
func (d *describer) silentChanges() map[*tape.Entity][]Change {
	type life struct {
		own   machine.Own
		known bool
		reads map[machine.Key][]*machine.Recording // in this state
	}
	lives := map[*tape.Entity]*life{}
	of := func(e *tape.Entity) *life {
		if lives[e] == nil {
			lives[e] = &life{reads: map[machine.Key][]*machine.Recording{}}
		}
		return lives[e]
	}
	to := func(l *life, o machine.Own) {
		if l.own != o || !l.known {
			l.own, l.known = o, true
			clear(l.reads)
		}
	}
	changes := map[*tape.Entity][]Change{}
	for _, r := range d.m.All {
		for i, e := range r.Roles {
			if i >= len(r.Owns) {
				break
			}
			l := of(e)
			before := l.reads[r.Key]
			if l.known && r.Reads && len(before) > 0 && slices.Contains(d.m.Behind(l.own), r.Owns[i]) {
				changes[e] = append(changes[e], d.change(before, r, l.own, r.Owns[i]))
			}
			to(l, r.Owns[i])
			if r.Reads {
				l.reads[r.Key] = append(l.reads[r.Key], r)
			}
			to(l, r.Moves[i])
		}
		for _, b := range r.Births {
			if b.Entity != nil {
				to(of(b.Entity), b.Own)
			}
		}
	}
	return changes
}

// change tells of a silent change between reads of one question.
func (d *describer) change(before []*machine.Recording, after *machine.Recording,
	from, to machine.Own,
) Change {
	last := before[len(before)-1]
	c := Change{
		From: last.Number, To: after.Number, Operation: after.Did(),
		Reads: len(before), Fields: d.differing(last, after),
	}
	c.State, _ = d.stateOf(from)
	c.Behind, _ = d.stateOf(to)
	return c
}

// differing compares two recorded answers. What follows a variable or a date in both is no
// difference.
func (d *describer) differing(a, b *machine.Recording) []FieldChange {
	fields := []FieldChange{}
	if a.Code != b.Code {
		fields = append(fields, FieldChange{"status", strconv.Itoa(a.Code), strconv.Itoa(b.Code)})
	}
	was, is := d.answerOf(a), d.answerOf(b)
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

// answerFields are what the body of a recorded answer shows.
type answerFields struct {
	order  []string // paths
	values map[string]answerField
}

type answerField struct {
	text    string
	follows bool // it is a date, or follows a variable
}

func (d *describer) answerOf(r *machine.Recording) answerFields {
	a := answerFields{values: map[string]answerField{}}
	held := map[string]bool{}
	for _, h := range placed(r) {
		if h.place != leaf.Header {
			for path := h.path; path != ""; path = path[:max(0, strings.LastIndexByte(path, '>'))] {
				held[path] = true // an address follows what a message in it does
			}
		}
	}
	x := d.recorded[r.Number]
	if x == nil {
		return a
	}
	m := x.ResponseMessage()
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Place == leaf.Header {
			continue
		}
		path := cmp.Or(l.Path, l.Key)
		a.order = append(a.order, path)
		a.values[path] = answerField{l.Value, held[path]}
	}
	return a
}
