package explain

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// The sides of an exchange.
const (
	SideRequest = "request"
	SideAnswer  = "answer"
)

// The bounds of a search for uses: exchanges that are looked through, and uses that are told.
const (
	maxSearched = 300
	maxUses     = 100
)

// Value tells where a value was born and where it is used among the exchanges of its flow. The rows are
// those of the flow, the oldest first; id, side and path say where the value stands that is asked
// about. It returns false if nothing stands there, or the exchange is held no longer.
func Value(o Options, rows []view.Row, exchanges func(id uint64) (redact.Clean, bool), id uint64,
	side, path string) (view.Value, bool) {
	var row view.Row
	for i := range rows {
		if rows[i].ID == id {
			row = rows[i]
		}
	}
	x, held := exchanges(id)
	if row.ID == 0 || !held || x.Exchange() == nil {
		return view.Value{}, false
	}
	e := newExplainer(o, row, x)
	f, text, found := e.field(side, path)
	if !found {
		return view.Value{}, false
	}
	v := view.Value{
		Text: f.Live, Tape: f.Tape, Kind: f.Kind, Noun: f.Noun, Row: f.Row, Says: says[f.Kind],
		Used: []view.Use{},
	}
	s := search{Options: o, text: text, key: lastName(path)}
	v.Used = s.uses(rows, exchanges, id)
	born := -1
	for i, u := range v.Used {
		if u.How == "" && (u.Side == SideAnswer) == (f.Kind == view.Fresh || f.Kind == view.Moved) {
			born = i
			break
		}
	}
	if born >= 0 {
		use := v.Used[born]
		v.Born = &use
		v.Used = append(v.Used[:born:born], v.Used[born+1:]...)
	}
	return v, true
}

// says tells of each kind where its values come from.
var says = map[view.ValueKind]string{
	view.Fresh:    "made by the sandbox, and made anew for this run in the same shape",
	view.Echo:     "the client's own value: answers repeat it",
	view.Moved:    "a date, which moves with the clock",
	view.Mask:     "a part of another value: a mask, or its last digits",
	view.Constant: "the same in every run",
	view.Redacted: "taken out: what stands here was put in its place",
}

// field returns the field at a path of a side, and its whole text as it was cleaned.
func (e *explainer) field(side, path string) (view.Field, string, bool) {
	var t *match.Trace
	if e.Trace != nil {
		t = e.Trace(e.row.ID)
	}
	var request, answer []match.TapeField
	if t != nil {
		request, answer = t.FieldsOnTape()
	}
	fields, text := []view.Field{}, ""
	switch side {
	case SideRequest:
		fields, _ = e.requestFields(t, request, nil)
		text = e.sent[path]
	case SideAnswer:
		if e.row.Reason != "" {
			answer = nil
		}
		fields, _ = e.answerFields(answer)
		for _, l := range answerLeaves(e.x.Exchange()) {
			if placeOf(&l).path == path {
				text = l.Value
				break
			}
		}
	}
	for _, f := range fields {
		if f.Path == path && f.HasLive {
			return f, text, true
		}
	}
	return view.Field{}, "", false
}

func answerLeaves(x *leaf.Exchange) []leaf.Leaf {
	return leaf.Read(leaf.Message{
		Header: x.Response.Headers, Body: x.Response.Body, Most: maxLeaves,
	}).Leaves
}

// search looks for the uses of a value.
type search struct {
	Options
	text string // of the value, as it was cleaned
	key  string // of the field that was asked about
}

// uses are the places in which the value stands, in the order of the exchanges. The exchange that was
// asked about is looked through whatever its place.
func (s *search) uses(rows []view.Row, exchanges func(uint64) (redact.Clean, bool), id uint64,
) []view.Use {
	uses := []view.Use{}
	searched := 0
	for i := range rows {
		row := &rows[i]
		if searched++; searched > maxSearched && row.ID != id {
			continue
		}
		x, held := exchanges(row.ID)
		if !held || x.Exchange() == nil {
			continue
		}
		uses = s.inExchange(uses, row, x)
		if len(uses) >= maxUses {
			return uses[:maxUses]
		}
	}
	return uses
}

// inExchange adds the uses in one exchange.
func (s *search) inExchange(uses []view.Use, row *view.Row, x redact.Clean) []view.Use {
	what := row.Short
	if what == "" {
		what = row.Operation
	}
	add := func(side, path, how string) {
		uses = append(uses, view.Use{
			ID: row.ID, What: what, Side: side, Path: x.Derive(func(*leaf.Exchange) string {
				return path
			}).Clip(MaxText).String(), How: how,
		})
	}
	e := newExplainer(s.Options, *row, x)
	for i := range e.params {
		p := &e.params[i]
		if how, found := s.holds(p.Text, lastName(p.Path), p.Field); found {
			add(SideRequest, p.Path, how)
		}
	}
	for _, l := range answerLeaves(x.Exchange()) {
		f := match.FieldOf(s.Profiles, e.call, profile.Response, &l)
		if how, found := s.holds(l.Value, l.Key, f); found {
			add(SideAnswer, placeOf(&l).path, how)
		}
	}
	return uses
}

// identifies is how long a value is that means the same wherever it stands, in bytes. A shorter value
// is a use where the name of the field is the same.
const identifies = 6

// holds says how a text has the value, and whether it has.
func (s *search) holds(text, key string, f profile.Field) (how string, found bool) {
	switch {
	case s.text == "" || text == "":
		return "", false
	case text == s.text:
		return "", len(text) >= identifies || strings.EqualFold(key, s.key)
	case pan.IsMask(text) && pan.Masks(text, pan.Digits(s.text)):
		return "masked", true
	case f.From == profile.Rendering && f.Form == profile.Last && strings.HasSuffix(s.text, text):
		return "its last digits", true
	case len(s.text) >= identifies && len(text) > len(s.text) && strings.Contains(text, s.text):
		return "inside a longer text", true
	}
	return "", false
}
