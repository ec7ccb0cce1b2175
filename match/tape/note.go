package tape

import (
	"net/http"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// leafNote is what is known of a leaf of an answer, or of a callback, whatever stands before it on tape.
type leafNote struct {
	field  profile.Field
	known  bool   // a row says so
	cell   cell   // as long as the leaf has no hole
	header string // of the request, which had the value; "" for none
}

// noting says whose leaves are noted.
type noting struct {
	call   profile.Call
	half   profile.Direction
	infers bool        // what no row says of the operation is inferred
	header http.Header // of the request; nil for a callback, which repeats none
}

// appendNotes appends the notes of leaves.
func appendNotes(out []leafNote, set *profile.Set, of noting, leaves []leaf.Leaf) []leafNote {
	out = slices.Grow(out, len(leaves))
	for i := range leaves {
		l := &leaves[i]
		f, known := fieldOf(set, of.call, of.half, of.infers, l)
		n := leafNote{field: f, known: known, cell: cellOf(l, f)}
		if f.From == profile.Minted || f.From == profile.Exact && !known {
			n.header = headerWith(of.header, l.Value)
		}
		out = append(out, n)
	}
	return out
}

// headerWith returns the first header, by name, that has a value by which a client may know its request;
// "" for none.
func headerWith(h http.Header, value string) string {
	if !request.Embeddable(value) || !request.OneRun(value) {
		return ""
	}
	name := ""
	for key, values := range h {
		if (name == "" || key < name) && slices.Contains(values, value) {
			name = key
		}
	}
	return name
}
