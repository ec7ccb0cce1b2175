package match

import (
	"net/http"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// ValueKind says where a value comes from that replay has served or compared.
type ValueKind string

// The kinds of values.
const (
	KindFresh    ValueKind = "fresh"    // made by the sandbox on tape, made anew here
	KindEcho     ValueKind = "echo"     // the client's own value, followed
	KindMoved    ValueKind = "moved"    // a date, moved with the clock
	KindMask     ValueKind = "mask"     // a part of a live value: a mask, the last digits
	KindConstant ValueKind = "constant" // as recorded
)

// TapeField is a value of the recording that was served, or that came nearest.
type TapeField struct {
	Place leaf.Place
	Path  string // of a request canonical, as in Compared
	Text  string // as on tape
	Kind  ValueKind
	// Noun is what the value names; "" for none.
	Noun string
}

// FieldsOnTape returns the parameters and the leaves of the answer of the recording that was served, or
// that came nearest to a miss. Both are nil if there is none.
func (t *Trace) FieldsOnTape() (request, answer []TapeField) {
	r := t.recording
	if near := t.missNear(); r == nil && near != nil {
		r = near.recording
	}
	if r == nil {
		return nil, nil
	}
	for _, a := range r.Request.All() {
		f := TapeField{Place: a.Place, Path: a.Path, Text: a.Text, Kind: KindConstant, Noun: a.Field.Of}
		if got := t.param(a.Path); got != nil {
			f.Kind = t.paramKind(got)
		} else {
			f.Kind = t.paramKind(a)
		}
		request = append(request, f)
	}
	s := served{tape: t.tape, recording: r, composed: t.composed, items: t.items()}
	return request, s.fields()
}

// RequestKinds returns the kind of each parameter of the request, by its path.
func (t *Trace) RequestKinds() map[string]ValueKind {
	asked := t.asked()
	kinds := make(map[string]ValueKind, len(asked))
	for i := range asked {
		kinds[asked[i].Path] = t.paramKind(&asked[i])
	}
	return kinds
}

// paramKind returns the kind of a parameter.
func (t *Trace) paramKind(a *tape.Asked) ValueKind {
	if a.Field.From == profile.Exact && len(a.Names) > 0 && !a.Known {
		return KindFresh // an id in a place of which no profile knows anything
	}
	return KindOfRow(a.Field)
}

// KindOfRow returns the kind of a value by what a profile says of it. It is what is known of a value
// that did not come from a tape.
func KindOfRow(f profile.Field) ValueKind {
	switch f.From {
	case profile.Minted:
		return KindFresh
	case profile.Unique, profile.Shared:
		return KindEcho
	case profile.Date:
		return KindMoved
	case profile.Rendering:
		return KindMask
	}
	return KindConstant
}

// served is a recording, or a list put together of several, as text with holes.
type served struct {
	tape      *Tape
	recording *machine.Recording
	composed  bool
	items     []listItem
}

// text returns the header and the body with the holes filled.
func (s *served) text(fill func(*tape.Hole) string) (http.Header, string) {
	header := http.Header{}
	for name, values := range s.recording.Header(fill) {
		header[name] = values
	}
	if !s.composed {
		return header, s.recording.Body().Text(fill)
	}
	b := s.recording.Listing.Before.Append(nil, fill)
	for i, item := range s.items {
		if i > 0 {
			b = append(b, ',')
		}
		b = item.from.Listing.Items[item.n].Text.Append(b, fill)
	}
	return header, string(s.recording.Listing.After.Append(b, fill))
}

// fields returns the leaves of the answer as they are on tape, with their kinds.
func (s *served) fields() []TapeField {
	var marks tape.Marks
	header, body := s.text(marks.Fill)
	marked := leaf.Read(leaf.Message{Header: header, Body: body})
	filled := map[position]*tape.Hole{}
	for i := range marked.Leaves {
		l := &marked.Leaves[i]
		if h := marks.Cut(l.Value)[0].Hole; h != nil {
			filled[positionOf(l)] = h
		}
	}
	header, body = s.text(asRecorded)
	onTape := leaf.Read(leaf.Message{Header: header, Body: body})
	fields := make([]TapeField, 0, len(onTape.Leaves))
	for i := range onTape.Leaves {
		l := &onTape.Leaves[i]
		f := TapeField{Place: l.Place, Path: positionOf(l).path, Text: l.Value, Kind: KindConstant}
		if h := filled[positionOf(l)]; h != nil {
			f.Kind, f.Noun = s.holeKind(h), nounOf(h)
		}
		fields = append(fields, f)
	}
	return fields
}

// position is where a leaf sits in a message.
type position struct {
	place leaf.Place
	path  string
}

// positionOf returns where a leaf sits. A header has no path but its name.
func positionOf(l *leaf.Leaf) position {
	if l.Path == "" {
		return position{l.Place, l.Key}
	}
	return position{l.Place, l.Path}
}

// holeKind returns the kind of the value that fills a hole.
func (s *served) holeKind(h *tape.Hole) ValueKind {
	switch h.How {
	case tape.Masked, tape.Last, tape.Scheme:
		return KindMask
	}
	switch h.What {
	case tape.Sent, tape.Header:
		return KindEcho
	case tape.Event, tape.Now:
		return KindMoved
	case tape.Value:
		switch {
		case !h.Mint:
			return KindEcho
		case h.Form != profile.NoForm && !h.Name:
			return KindMoved
		}
	case tape.PerOne:
	default:
		return KindConstant
	}
	if s.tape.opts.RecordedIDs {
		return KindConstant
	}
	return KindFresh
}

// nounOf names what the value of a hole names.
func nounOf(h *tape.Hole) string {
	if h.What == tape.Value || h.What == tape.PerOne {
		return h.Noun
	}
	return ""
}
