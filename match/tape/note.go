package tape

import (
	"net/http"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/request"
)

// leafNote is what is known of a leaf of an answer, or of a callback, whatever stands before it on tape.
type leafNote struct {
	field  profile.Field
	known  bool        // a row says so
	cell   cell        // as long as the leaf has no hole
	header string      // of the request, which had the value; "" for none
	links  []leaf.Link // of a leaf of a page
	action string      // of the form in which the leaf is hidden; see leaf.Message.HiddenLinks
	hidden bool        // the leaf is such a field
	// lettered says that some part of an address may be an id which is known from elsewhere.
	lettered bool
	// What stands inside the value is noted of fields from profile.Exact alone.
	tokens []request.Token // what may be an id; in an address each part, however short
	dates  []dates.Span    // what may be a date; nil of a header
}

// noting says whose leaves are noted.
type noting struct {
	call   profile.Call
	half   profile.Direction
	infers bool        // what no row says of the operation is inferred
	header http.Header // of the request; nil for a callback, which repeats none
}

// leafNotes are what is known of the leaves of a message, in their order. The next message may take their place.
type leafNotes struct {
	leaves []leafNote
	tokens []request.Token // of all leaves
	masks  []int           // the leaves that are masks of cards
}

// make notes the leaves of a message.
func (n *leafNotes) make(set *profile.Set, of noting, m *leaf.Message) {
	passages, page := m.Passages(), m.HTML()
	var hidden map[int]string
	if page {
		hidden = m.HiddenLinks()
	}
	out := slices.Grow(n.leaves[:0], len(m.Leaves))
	n.tokens, n.masks = n.tokens[:0], n.masks[:0]
	for i := range m.Leaves {
		l := &m.Leaves[i]
		f, known := fieldOf(set, of.call, of.half, of.infers, l)
		note := leafNote{field: f, known: known, cell: cellOf(l, f)}
		if f.From == profile.Minted || f.From == profile.Exact && !known {
			note.header = headerWith(of.header, l.Value)
		}
		if page {
			note.links = l.Links()
			if action, ok := hidden[i]; ok {
				note.hidden, note.action = true, action
			}
		}
		if f.From == profile.Exact && l.Value != "" {
			note.tokens = n.tokensOf(l, passages)
			if l.Place != leaf.Header && request.HasDigit(l.Value) {
				note.dates = dates.Find(passages.Outside(l))
			}
		}
		if f.From == profile.Rendering && f.Form == profile.Mask && pan.IsMask(l.Value) {
			n.masks = append(n.masks, i)
		}
		note.lettered = len(request.Lettered(l.Value)) > 0
		out = append(out, note)
	}
	n.leaves = out
}

// tokensOf returns what may be an id inside a leaf.
func (n *leafNotes) tokensOf(l *leaf.Leaf, passages leaf.Passages) []request.Token {
	from := len(n.tokens)
	n.tokens = infer.AppendTokens(n.tokens, l, passages)
	if strings.HasPrefix(l.Value, "/") || strings.Contains(l.Value, "://") {
		n.tokens = append(n.tokens, request.AddressParts(l.Value)...)
	}
	return n.tokens[from:len(n.tokens):len(n.tokens)]
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
