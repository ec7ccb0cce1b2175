package match

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// Variable is a value that travels on tape.
type Variable struct {
	Name  string `json:"name"`  // its noun, or the field in which it was born
	Kind  string `json:"kind"`  // one of the words below
	Value string `json:"value"` // as on tape
	Born  Use    `json:"born"`
	Used  []Use  `json:"used"`
}

// The kinds of a variable.
const (
	kindMinted     = "minted"
	kindUnique     = "client unique"
	kindShared     = "client shared"
	kindClientDate = "client date"
	kindDate       = "date"
	kindConfigured = "configured" // of an entity that was there from the start
)

// Minted reports whether the sandbox made the value.
func (v Variable) Minted() bool { return v.Kind == kindMinted }

// Use is a place of a tape where a variable stands.
type Use struct {
	Exchange int    `json:"exchange"`
	Side     string `json:"side"`  // "request" or "answer"
	Place    string `json:"place"` // "form", "json", "header" ...
	Path     string `json:"path"`
	How      string `json:"how"` // "as is", "masked", "inside a longer text" ...
}

// dateName stands in the key of a date, which has no name of its own.
const dateName = "\x00date"

// The sides of a Use.
const sideRequest, sideAnswer = "request", "answer"

// InRequest reports whether the client said the value there.
func (u Use) InRequest() bool { return u.Side == sideRequest }

// Placed names where a use is: "json orderId".
func (u Use) Placed() string {
	if u.Place == leaf.JSON.String() || u.Place == leaf.Form.String() {
		return u.Path
	}
	return u.Place + " " + u.Path
}

// described is a variable on its way into a flow.
type described struct {
	Variable
	flow int // -1 for none
}

// variableKey tells variables apart. A value that the client chose is one variable in all entities
// with which it stays; one that the sandbox made belongs to its entity.
type variableKey struct {
	api, name, text string // api is the name of the profile
	entity          *tape.Entity
}

// variables collects the uses of variables.
type variables struct {
	*describer
	all    []*described
	by     map[variableKey]*described
	minted map[variableKey]bool
}

// variables lists the variables of the tape in the order in which they turn up. Values that every
// answer has anew are not listed.
func (d *describer) variables() []*described {
	vs := &variables{describer: d, by: map[variableKey]*described{}, minted: map[variableKey]bool{}}
	for _, r := range d.m.All {
		r.Holes(func(h *tape.Hole) {
			if h.What == tape.Value && h.Mint {
				vs.minted[variableKey{machine.API(r.Call()), h.Slot.Name, h.Text, owner(d.m, r, h.Ref)}] = true
			}
		})
	}
	for _, r := range d.m.All {
		flow := d.flowOf(r)
		for _, a := range r.Request.All() {
			vs.request(r, a, flow)
		}
		for _, h := range placed(r) {
			vs.answer(r, h, flow)
		}
	}
	for _, v := range vs.all {
		v.findBirth()
	}
	return vs.all
}

// flowOf returns the flow of an exchange: that of the first entity that it names, bears or lists.
// It is -1 if there is none.
func (d *describer) flowOf(r *machine.Recording) int {
	if i, known := d.flows.OfRecording(r); known {
		return i
	}
	return -1
}

// note notes a use of a variable. The kind and the name are those of its first use.
func (vs *variables) note(k variableKey, kind, name string, u Use, flow int) {
	v := vs.by[k]
	if v == nil {
		v = &described{Variable{Name: name, Kind: kind, Value: k.text}, flow}
		vs.by[k] = v
		vs.all = append(vs.all, v)
	}
	v.Used = append(v.Used, u)
}

// request notes the variables that a parameter holds.
func (vs *variables) request(r *machine.Recording, p *tape.Asked, flow int) {
	use := Use{
		Exchange: r.Number, Side: sideRequest, Place: p.Place.String(), Path: p.Path, How: "as is",
	}
	for i := range p.Names {
		n := &p.Names[i]
		k, kind := vs.named(r, p, n)
		use.How = howWritten(n.Rendering, p.Whole())
		vs.note(k, kind, n.Noun, use, flow)
	}
	if k, kind := chosen(r, p); kind != "" {
		vs.note(k, kind, k.name, use, flow)
	}
}

// named returns the variable whose value a name in a request is.
func (vs *variables) named(r *machine.Recording, p *tape.Asked, n *tape.Named) (variableKey, string) {
	e := r.Roles[n.Role]
	text := p.Text[n.From:n.To]
	for v := range e.Names() {
		if v.Noun == n.Noun && (v.Text == text || n.Writes(v.Text, text)) {
			text = v.Text
			break
		}
	}
	k := variableKey{machine.API(r.Call()), n.Noun, text, e}
	if vs.minted[k] {
		return k, kindMinted
	}
	k.entity = nil
	switch {
	case e.Config != "":
		return k, kindConfigured
	case p.Field.From == profile.Shared:
		return k, kindShared
	case p.Field.From == profile.Unique:
		return k, kindUnique
	}
	if v := vs.by[k]; v != nil {
		return k, v.Kind
	}
	return k, kindMinted
}

// chosen returns the variable that a parameter is of which the client chose the value; the kind is
// empty for a parameter that is none.
func chosen(r *machine.Recording, p *tape.Asked) (variableKey, string) {
	if p.Text == "" || len(p.Names) > 0 || p.Free {
		return variableKey{}, ""
	}
	kind := ""
	switch p.Field.From {
	case profile.Unique:
		kind = kindUnique
	case profile.Shared:
		kind = kindShared
	case profile.Date:
		kind = kindClientDate
	default:
		if !p.Unborn {
			return variableKey{}, ""
		}
		kind = kindUnique
	}
	name := p.Field.Of
	if name == "" {
		name = request.LastName(p.Path)
	}
	return variableKey{api: machine.API(r.Call()), name: name, text: request.Canonical(p.Field, p.Text)}, kind
}

// answer notes the variable that fills a hole.
func (vs *variables) answer(r *machine.Recording, h placedHole, flow int) {
	use := Use{
		Exchange: r.Number, Side: sideAnswer, Place: h.place.String(), Path: h.path,
		How: howWritten(h.Rendering, h.Whole()),
	}
	switch h.What {
	case tape.Sent:
		if p := r.Param(h.Param); p != nil {
			if k, kind := chosen(r, p); kind != "" {
				vs.note(k, kind, k.name, use, flow)
			}
		}
	case tape.Header:
		k := variableKey{api: machine.API(r.Call()), name: h.Param, text: h.Text}
		if vs.by[k] == nil {
			vs.note(k, kindUnique, h.Param, Use{
				Exchange: r.Number, Side: sideRequest, Place: leaf.Header.String(),
				Path: strings.ToLower(h.Param), How: "as is",
			}, flow)
		}
		vs.note(k, kindUnique, h.Param, use, flow)
	case tape.Value:
		k := variableKey{api: machine.API(r.Call()), name: h.Slot.Name, text: h.Text}
		switch {
		case h.Form != profile.NoForm && h.Mint && !h.Name: // a date of an event that no exchange tells
			vs.note(variableKey{api: machine.API(r.Call()), name: dateName, text: h.Text}, kindDate, "", use, flow)
		case h.Mint:
			k.entity = owner(vs.m, r, h.Ref)
			vs.note(k, kindMinted, h.Noun, use, flow)
		default:
			vs.note(k, kindShared, k.name, use, flow)
		}
	case tape.Event, tape.Now:
		vs.note(variableKey{api: machine.API(r.Call()), name: dateName, text: h.Text}, kindDate, "", use, flow)
	}
}

// owner returns the recorded entity to which a ref leads, or nil.
func owner(m *machine.Machine, r *machine.Recording, ref *tape.Ref) *tape.Entity {
	if ref == nil {
		return nil
	}
	var e *tape.Entity
	switch {
	case ref.Base == tape.Role && ref.N < len(r.Roles):
		e = r.Roles[ref.N]
	case ref.Base == tape.Birth && ref.N < len(r.Recording.Births):
		e = r.Recording.Births[ref.N]
	case ref.Base == tape.Member && r.Listing != nil && ref.N < len(r.Listing.Items):
		e = r.Listing.Items[ref.N].Entity
	case ref.Base == tape.Follower && ref.N >= 0 && ref.N < len(m.Tape.Entities):
		e = m.Tape.Entities[ref.N]
	}
	for _, s := range ref.Steps {
		if e == nil {
			return nil
		}
		e = e.Step(s)
	}
	return e
}

// howWritten says how a value is written in a place.
func howWritten(r tape.Rendering, whole bool) string {
	text := r.How.String()
	letters := ""
	switch r.Letters {
	case tape.Upper:
		letters = "in upper case"
	case tape.Lower:
		letters = "in lower case"
	}
	switch {
	case letters == "":
	case r.How == tape.AsIs:
		text = letters
	default:
		text += ", " + letters
	}
	if !whole {
		text += ", inside a longer text"
	}
	return text
}

// findBirth takes the birth of a variable out of its uses. The birth is the first use that shows
// the value as it is, on the side that made the value.
func (v *described) findBirth() {
	born := max(0, slices.IndexFunc(v.Used, func(u Use) bool {
		answer := v.Kind == kindMinted || v.Kind == kindDate
		return u.How == tape.AsIs.String() && (u.Side == sideAnswer) == answer
	}))
	v.Born = v.Used[born]
	v.Used = append([]Use{}, slices.Delete(v.Used, born, born+1)...)
	if v.Name == "" {
		v.Name = request.LastName(v.Born.Path)
	}
}

// placedHole is a hole of an answer, and where it stands.
type placedHole struct {
	*tape.Hole
	place leaf.Place
	path  string
}

// placed returns the holes of an answer that a variable or a date fills, in their order.
func placed(r *machine.Recording) []placedHole {
	var marks tape.Marks
	body := r.Body().Text(marks.Fill)
	m := leaf.Read(leaf.Message{Header: r.Header(marks.Fill), Body: body})
	at := map[*tape.Hole]position{}
	for i := range m.Leaves {
		l := &m.Leaves[i]
		for _, p := range marks.Cut(l.Value) {
			if _, found := at[p.Hole]; !found { // the outermost text that shows it counts
				at[p.Hole] = positionOf(l)
			}
		}
	}
	var holes []placedHole
	for _, h := range marks.Holes() {
		holes = append(holes, placedHole{h, at[h].place, at[h].path})
	}
	return holes
}
