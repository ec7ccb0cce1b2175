package explain

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/outcome"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact/surrogate"
)

// place is where a value stands in a message: its place and its path.
type place struct{ place, path string }

// onTape are the values of a recording by their places; several values may have one place.
type onTape map[place][]match.TapeField

func byPlace(fields []match.TapeField) onTape {
	all := onTape{}
	for _, f := range fields {
		at := place{f.Place.String(), f.Path}
		all[at] = append(all[at], f)
	}
	return all
}

// take returns the next value of a place, which is then taken.
func (o onTape) take(at place) (match.TapeField, bool) {
	all := o[at]
	if len(all) == 0 {
		return match.TapeField{}, false
	}
	o[at] = all[1:]
	return all[0], true
}

// messageFields are the fields of a message, as they come.
type messageFields struct {
	*explainer
	dir    profile.Direction
	tape   onTape
	kinds  map[string]match.ValueKind // of the request, where a trace tells
	differ map[string]bool
	around func(key string) (string, bool)
	fields []view.Field
	more   int
}

// requestFields are the parameters of the request beside those of the recording.
func (e *explainer) requestFields(t *match.Trace, recorded []match.TapeField, differ map[string]bool,
) ([]view.Field, int) {
	m := messageFields{explainer: e, dir: profile.Request, tape: byPlace(recorded), differ: differ,
		around: func(key string) (string, bool) {
			for i := range e.params {
				if lastName(e.params[i].Path) == key {
					return e.params[i].Text, true
				}
			}
			return "", false
		}}
	if t != nil {
		m.kinds = t.RequestKinds()
	}
	for i := range e.params {
		p := &e.params[i]
		kind, known := m.kinds[p.Path]
		if !known {
			kind = match.KindOfRow(p.Field)
		}
		m.add(value{
			place: place{p.Place.String(), p.Path}, text: p.Text, kind: kind, field: p.Field,
			typ: typeOf(p.Place, p.Kind), row: match.RowOfParam(e.Profiles, e.call, p),
		})
	}
	m.addRest(recorded)
	return m.fields, m.more
}

// answerFields are the leaves of the answer beside those of the recording. Of its header there are those
// lines that a profile has a row for, or that replay has filled.
func (e *explainer) answerFields(recorded []match.TapeField) ([]view.Field, int) {
	x := e.x.Exchange()
	answer := leaf.Read(leaf.Message{
		Header: x.Response.Headers, Body: x.Response.Body, Most: maxLeaves,
	})
	m := messageFields{explainer: e, dir: profile.Response, tape: byPlace(recorded),
		around: func(key string) (string, bool) {
			for i := range answer.Leaves {
				if answer.Leaves[i].Key == key {
					return answer.Leaves[i].Value, true
				}
			}
			return "", false
		}}
	for i := range answer.Leaves {
		l := &answer.Leaves[i]
		f := match.FieldOf(e.Profiles, e.call, profile.Response, l)
		v := value{
			place: placeOf(l), text: l.Value, kind: match.KindOfRow(f), field: f,
			typ: typeOf(l.Place, l.Kind), row: match.RowOf(e.Profiles, e.call, profile.Response, l),
		}
		if l.Place == leaf.Header && v.row == "" && !m.filled(v.place) {
			continue
		}
		m.add(v)
	}
	m.addRest(slices.DeleteFunc(slices.Clone(recorded), func(f match.TapeField) bool {
		return f.Place == leaf.Header && f.Kind == match.KindConstant
	}))
	return m.fields, m.more
}

// maxLeaves bounds the values of a message that are looked at.
const maxLeaves = 1 << 16

// filled reports whether replay has filled the value at a place.
func (m *messageFields) filled(at place) bool {
	all := m.tape[at]
	return len(all) > 0 && all[0].Kind != match.KindConstant
}

// value is a value of a message that was cleaned.
type value struct {
	place
	text  string
	kind  match.ValueKind
	field profile.Field
	typ   string
	row   string
}

// add adds a value of the message, beside that of the recording.
func (m *messageFields) add(v value) {
	rec, found := m.tape.take(v.place)
	if len(m.fields) == MaxFields {
		m.more++
		return
	}
	f := view.Field{
		Place: v.place.place, Path: m.derived(v.path).String(), Depth: depth(v.path),
		Live: m.derived(v.text), HasLive: true, Type: v.typ, Kind: view.ValueKind(v.kind),
		Noun: v.field.Of, Row: v.row, Differs: m.differ[v.path],
	}
	if found {
		f.Tape, f.HasTape, f.Kind = m.words(rec.Text).Clip(MaxText), true, view.ValueKind(rec.Kind)
		if f.Noun == "" {
			f.Noun = rec.Noun
		}
		if f.Kind == view.Constant && rec.Text != v.text && !f.Differs {
			f.Kind = view.Echo // an address that leads to the deck, or what follows the client's own
		}
	}
	if m.redacted(&v) {
		f.Kind = view.Redacted
	}
	f.Human = m.derived(outcome.Human(m.call, v.field, lastName(v.path), v.text, m.around))
	m.fields = append(m.fields, f)
}

// addRest adds what the recording has and the message has not.
func (m *messageFields) addRest(recorded []match.TapeField) {
	for _, r := range recorded {
		rec, found := m.tape.take(place{r.Place.String(), r.Path})
		switch {
		case !found:
		case len(m.fields) == MaxFields:
			m.more++
		default:
			m.fields = append(m.fields, view.Field{
				Place: rec.Place.String(), Path: m.words(rec.Path).Clip(MaxText).String(),
				Depth: depth(rec.Path), Tape: m.words(rec.Text).Clip(MaxText), HasTape: true,
				Kind: view.ValueKind(rec.Kind), Noun: rec.Noun, Differs: m.differ[rec.Path],
			})
		}
	}
}

// redacted reports whether a value is what cleaning has left of another.
func (m *messageFields) redacted(v *value) bool {
	switch {
	case v.text == "" || v.kind == match.KindMask:
		return false
	case surrogate.Holds(v.text):
		return true
	case v.field.Secret == profile.NotSecret:
		return false
	case v.field.Secret.Personal():
		return m.noted(v)
	}
	return true
}

// noted reports whether the exchange notes that a value was taken out.
func (m *messageFields) noted(v *value) bool {
	half := "request "
	if m.dir == profile.Response {
		half = "response "
	}
	prefix := half + v.place.place + " " + v.path + ": "
	return slices.ContainsFunc(m.x.Exchange().Meta.Redactions, func(note string) bool {
		return strings.HasPrefix(note, prefix)
	})
}

// placeOf returns where a leaf stands. A header has no path but its name.
func placeOf(l *leaf.Leaf) place {
	if l.Path == "" {
		return place{l.Place.String(), l.Key}
	}
	return place{l.Place.String(), l.Path}
}

// typeOf names the JSON type of a value; "" for what is no JSON.
func typeOf(p leaf.Place, k leaf.Kind) string {
	if p != leaf.JSON {
		return ""
	}
	switch k {
	case leaf.Number:
		return "number"
	case leaf.Bool:
		return "bool"
	case leaf.Null:
		return "null"
	}
	return "string"
}

// depth counts the objects around a value.
func depth(path string) int {
	n := 0
	for i := range len(path) {
		if path[i] == '>' || path[i] == '.' && i > 0 && path[i-1] != '\\' {
			n++
		}
	}
	return n
}

// lastName returns the last name of a path.
func lastName(path string) string {
	return path[strings.LastIndexAny(path, ".>")+1:]
}
