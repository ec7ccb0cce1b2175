package redact

import (
	"cmp"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/redact/surrogate"
)

// mostPlaces is of how many places an exchange says what was taken out of each. Lists have secrets
// by the hundred thousand: naming the place of each takes more room than the list.
const mostPlaces = 1000

// takings are the lines of Meta.Redactions. Of the places after mostPlaces they say how many there
// are, by the kind of what was taken out of them, and the highest number of that kind: recording
// goes on behind it.
type takings struct {
	lines []string
	more  map[string]further // by kind
}

// further is what was taken out of the places that are not named.
type further struct {
	places int
	note   string // that has the highest number
	number int
}

// add adds what was taken out of a place, of which line makes the line for a note if the place is to be
// named.
func (t *takings) add(note string, line func(note string) string) {
	if len(t.lines) < mostPlaces {
		if t.lines == nil {
			const some = 8 // as most exchanges have
			t.lines = make([]string, 0, some)
		}
		t.lines = append(t.lines, line(note))
		return
	}
	kind, _, _ := strings.Cut(note, " ")
	_, n := surrogate.ReadNote(": " + note)
	f := t.more[kind]
	if f.places++; f.places == 1 || n > f.number {
		f.note, f.number = note, n
	}
	if t.more == nil {
		t.more = map[string]further{}
	}
	t.more[kind] = f
}

// list returns the lines.
func (t *takings) list() []string {
	var rest []string
	for _, f := range t.more {
		rest = append(rest, count.Of(f.places, "more place")+": "+f.note)
	}
	slices.SortFunc(rest, cmp.Compare)
	return append(t.lines, rest...)
}
