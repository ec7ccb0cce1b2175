package tape

import (
	"net/http"
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/request"
)

// An operation that no profile knows is named by its method and the pattern of its path, in which
// the segments are open that hold names: "POST /payments/{}/refunds". A segment that held a secret is
// open too, because nobody knows what was there: "/cards/55/cvc/{}". Where all calls have one path, the
// name that the body gives is part of it.

// route is a node of the tree of such patterns.
type route struct {
	next map[string]*route // by literal segment
	open *route            // where a name stands
	ends bool              // a recorded path ends here
}

// operation returns the name of the operation of a recorded request, and learns its pattern.
func (t *Tape) operation(r *request.Request, asked []Asked) string {
	if o := r.Call.Operation; o != nil {
		if t.called[o] == "" {
			t.called[o] = r.Call.Profile.Name + " " + o.Name
		}
		return t.knownOperation(r)
	}
	named := map[string]bool{}
	for i := range asked {
		named[asked[i].Path] = len(asked[i].Names) > 0 ||
			asked[i].Free && asked[i].Field.From == profile.Shared
	}
	at := t.routes[r.Method]
	if at == nil {
		at = &route{}
		t.routes[r.Method] = at
	}
	var b strings.Builder
	b.WriteString(r.Method + " ")
	for i, text := range segments(r) {
		if named[segment(i)] {
			at = at.child("", true)
			b.WriteString("/{}")
			continue
		}
		at = at.child(text, false)
		b.WriteString("/" + text)
	}
	at.ends = true
	return withCallName(b.String(), r)
}

func withCallName(op string, r *request.Request) string {
	if name := infer.Called(r); name != "" && r.Method == http.MethodPost {
		return op + " " + name
	}
	return op
}

// segments returns the segments of the path of a request, decoded, as package leaf numbers them.
func segments(r *request.Request) []string {
	n := 0
	for r.Param(segment(n)) != nil {
		n++
	}
	out := make([]string, n)
	for i := range out {
		out[i] = r.Param(segment(i)).Text
	}
	return out
}

func (n *route) child(text string, open bool) *route {
	if open {
		if n.open == nil {
			n.open = &route{}
		}
		return n.open
	}
	if n.next == nil {
		n.next = map[string]*route{}
	}
	if n.next[text] == nil {
		n.next[text] = &route{}
	}
	return n.next[text]
}

// knownOperation names an operation that a profile has.
func (t *Tape) knownOperation(r *request.Request) string { return t.spelled(r, pathForm(r)) }

// pathForms are the ways in which one path is written, as the name of an operation ends with them: not
// every API answers to its path with a slash more, behind it or in it.
var pathForms = [...]string{"", "/", " //", "/ //"}

// pathForm returns how the path of a request is written.
func pathForm(r *request.Request) string {
	path, how := request.PathOf(r.Target), ""
	if len(path) > 1 && strings.HasSuffix(path, "/") {
		how = "/"
	}
	if strings.Contains(path, "//") {
		how += " //"
	}
	return how
}

// Respelled returns the names that an operation has on tape if its path is written in other ways than in
// a live request; none for an operation that no profile knows.
func (t *Tape) Respelled(r *request.Request) []string {
	var names []string
	for _, how := range pathForms {
		if r.Call.Operation != nil && how != pathForm(r) {
			names = append(names, t.spelled(r, how))
		}
	}
	return names
}

// spelled names an operation that a profile has, in a way of writing its path.
func (t *Tape) spelled(r *request.Request, how string) string {
	name := t.called[r.Call.Operation]
	if name == "" {
		name = r.Call.Profile.Name + " " + r.Call.Operation.Name
	}
	name += how
	if r.Call.Open() {
		return withCallName(name, r) // one path may be that of all calls
	}
	return name
}

// Operation returns the name of the operation of a live request, and which segments of its path
// the pattern leaves open. A path that is like none on tape is an operation of its own.
func (t *Tape) Operation(r *request.Request) (op string, open []bool) {
	if r.Call.Operation != nil {
		return t.knownOperation(r), nil
	}
	texts := segments(r)
	open = make([]bool, len(texts))
	if n := t.routes[r.Method]; n != nil {
		n.find(texts, open)
	}
	var b strings.Builder
	b.WriteString(r.Method + " ")
	for i, text := range texts {
		if open[i] {
			text = "{}"
		}
		b.WriteString("/" + text)
	}
	return withCallName(b.String(), r), open
}

// find marks the segments of a path that are open, and reports whether it is like one on tape. A
// literal segment goes before an open one.
func (n *route) find(texts []string, open []bool) bool {
	if len(texts) == 0 {
		return n.ends
	}
	if next := n.next[texts[0]]; next != nil && next.find(texts[1:], open[1:]) {
		return true
	}
	if n.open == nil || !n.open.find(texts[1:], open[1:]) {
		return false
	}
	open[0] = true
	return true
}

// learn notes what the parameters of a recording tell of their places.
func (t *Tape) learn(rec *Recording) {
	for _, p := range rec.Request.All() {
		if p.Field.From == profile.Shared && p.Field.Of != "" && p.Field.Secret == profile.NotSecret {
			t.says[configKey{p.Field.Of, t.words.word(p.Text)}] = true
		}
		at := position{rec.Op, p.Path}
		if p.Class.Nothing() {
			t.nothing = append(t.nothing, nothingSent{rec, at})
		}
		card := !p.Known && p.Field.Secret == profile.PAN
		embeds := rec.Request.embedsName(p.Text)
		if !p.Free && !p.Unborn && len(p.Names) == 0 && !card && !p.Tied && !embeds {
			continue
		}
		place := t.places[at]
		if place == nil {
			place = &Place{}
			t.places[at] = place
		}
		if p.Tied {
			place.tied(p.tie)
		}
		place.Free = place.Free || p.Free
		place.Card = place.Card || card
		place.Chosen = place.Chosen || p.Unborn && !p.Known
		place.Named = place.Named || len(p.Names) > 0
		place.Embeds = place.Embeds || embeds
		if !rec.Failed && len(p.Names) > 0 {
			t.fields[at] = true
		}
		for _, n := range p.Names {
			place.seen(n.Rendering)
		}
		place.strangers(rec, p)
	}
}

// seen notes a rendering in which a name stands at a place.
func (p *Place) seen(r Rendering) {
	if r.How == Masked || r.How == Last || r.How == Grouped || r == (Rendering{}) {
		return // these are told by the field, or by the value
	}
	for _, o := range p.Renderings {
		if o == r {
			return
		}
	}
	p.Renderings = append(p.Renderings, r)
}

// Place returns what the tape knows of a parameter of an operation; nil for nothing.
func (t *Tape) Place(op, path string) *Place { return t.places[position{op, path}] }

// NamedBy reports whether some recording of an operation that succeeded names an entity by a
// parameter.
func (t *Tape) NamedBy(op, path string) bool { return t.fields[position{op, path}] }

// Configured reports whether an entity of a kind was there from the start under a text.
func (t *Tape) Configured(kind, text string) bool {
	return t.config.Find(request.Digest(kind, text)) != nil
}

// findConfigured finds out what was there from the start.
func (t *Tape) findConfigured() {
	for _, e := range t.Entities {
		if e.Config != "" {
			t.config.At(request.Digest(e.Kind, e.Config))
		}
	}
	for _, s := range t.scopes {
		t.config.At(request.Digest(s.kind, s.text))
	}
}

// Issues reports whether answers bring names of scopes of a kind, so that a client has none of its own.
func (t *Tape) Issues(kind string) bool { return t.issued[kind] }

// Says reports whether some request on tape has a value of a noun.
func (t *Tape) Says(noun, text string) bool { return t.says[configKey{noun, text}] }

// Wanted reports whether some answer is filled from a slot of a name.
func (t *Tape) Wanted(name string) bool { return t.slots[name] > 0 }

// Slots returns how many values of a name answers are filled from.
func (t *Tape) Slots(name string) int { return t.slots[name] }

// want notes that an answer is filled from a slot.
func (t *Tape) want(s Slot) {
	if t.slots[s.Name] <= s.N {
		t.slots[s.Name] = s.N + 1
	}
}

// Events returns how many events of one entity answers tell the time of.
func (t *Tape) Events() int { return t.events }
