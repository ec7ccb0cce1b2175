package draft

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// operation is the calls of one method and one pattern of paths.
type operation struct {
	method   string
	segments []segment
	carrier  profile.Carrier
	calls    []*tape.Recording
	writes   bool
	places   map[string]*place // by direction and shape
	order    []*place
	list     *listing
	fails    map[string]bool // keys at the top of answers that tell of a failure
}

// segment is a segment of a path: a constant, or a parameter.
type segment struct {
	text string // of a constant
	open bool
	name string // of a parameter
}

// listing is what an operation lists.
type listing struct {
	shape string
	kind  string
	of    string // the kind whose members they are; "" for none
}

// keyOf returns the method and the pattern of a recording's path.
func keyOf(rec *tape.Recording) string {
	if call := callName(rec); call != "" {
		return strings.TrimSuffix(rec.Op, " "+call)
	}
	return rec.Op
}

// fold finds the calls with an id that nobody has: they have failed, and their paths are those of other
// calls but for a segment that looks generated.
func (d *draft) fold(all []*tape.Recording) {
	failed := map[string]bool{}
	for _, rec := range all {
		key := keyOf(rec)
		before, seen := failed[key]
		failed[key] = rec.Failed && (before || !seen)
	}
	for key, fails := range failed {
		if !fails || strings.Contains(key, "{}") {
			continue
		}
		for other := range failed {
			if sameBut(key, other) && (d.folded[key] == "" || other < d.folded[key]) {
				d.folded[key] = other
			}
		}
	}
}

// sameBut reports whether a path is like a pattern, but for segments that look generated where the
// pattern is open.
func sameBut(path, pattern string) bool {
	texts, open := strings.Split(path, "/"), strings.Split(pattern, "/")
	if len(texts) != len(open) || path == pattern {
		return false
	}
	for i := range texts {
		if texts[i] != open[i] && (open[i] != "{}" || !generated(texts[i])) {
			return false
		}
	}
	return true
}

// generated reports whether a segment of a path may be an id.
func generated(text string) bool {
	const shortest = 4
	return infer.LooksGenerated(text) || len(text) >= shortest && strings.Trim(text, "0123456789") == ""
}

// operationOf returns the operation of a recording; nil for one that no profile can describe.
func (d *draft) operationOf(rec *tape.Recording) *operation {
	key := keyOf(rec)
	key = cmp.Or(d.folded[key], key)
	method, pattern, _ := strings.Cut(key, " ")
	if o := d.operations[key]; o != nil {
		return o
	}
	o := &operation{method: method, places: map[string]*place{}, fails: map[string]bool{}}
	for text := range strings.SplitSeq(strings.TrimPrefix(pattern, "/"), "/") {
		o.segments = append(o.segments, segment{text: text, open: text == "{}"})
	}
	o.nameSegments()
	if !d.describable(o, key) {
		return nil
	}
	d.operations[key] = o
	d.order = append(d.order, o)
	return o
}

// callName returns what the body of a recorded request says it calls; "" if it does not.
func callName(rec *tape.Recording) string {
	if rec.Method != "POST" {
		return ""
	}
	r := &request.Request{Method: rec.Method, Target: rec.Target}
	for _, a := range rec.Request.All() {
		r.Params = append(r.Params, request.Param{Place: a.Place, Path: a.Path, Text: a.Text})
	}
	return infer.Called(r)
}

// describable reports whether a profile can have the path of an operation, and whether it is no other's
// path.
func (d *draft) describable(o *operation, key string) bool {
	fine := strings.Trim(o.method, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
	for _, s := range o.segments {
		fine = fine && (s.open || s.text != "" && !strings.ContainsAny(s.text, "?#% \t\r\n{}"))
	}
	for _, other := range d.order {
		fine = fine && !clash(o, other)
	}
	if !fine && !slices.Contains(d.left, key) {
		d.left = append(d.left, key)
	}
	return fine
}

// clash reports whether a path may be of two operations, of which neither is the more special one.
func clash(a, b *operation) bool {
	if a.method != b.method || len(a.segments) != len(b.segments) {
		return false
	}
	aSpecial, bSpecial := false, false
	for i := range a.segments {
		x, y := a.segments[i], b.segments[i]
		if !x.open && !y.open && x.text != y.text {
			return false
		}
		aSpecial, bSpecial = aSpecial || !x.open && y.open, bSpecial || x.open && !y.open
	}
	return aSpecial == bSpecial
}

// nameSegments gives the parameters of the path names: the last is the id, those before it are named
// after what stands before them.
func (o *operation) nameSegments() {
	last := -1
	for i, s := range o.segments {
		if s.open {
			last = i
		}
	}
	seen := map[string]bool{}
	for i := range o.segments {
		s := &o.segments[i]
		if !s.open {
			continue
		}
		s.name = "id"
		if i != last {
			s.name = o.before(i) + "-id"
		}
		for base, n := s.name, 2; seen[s.name]; n++ {
			s.name = fmt.Sprintf("%s-%d", base, n)
		}
		seen[s.name] = true
	}
}

// before names what the constant segment before a place in the path names: "payments" names a payment.
func (o *operation) before(at int) string {
	for i := min(at, len(o.segments)) - 1; i >= 0; i-- {
		if s := o.segments[i]; !s.open {
			if w := singular(word(s.text)); w != "" {
				return w
			}
		}
	}
	return "thing"
}

// singular returns the singular of an English word that looks like a plural.
func singular(w string) string {
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses"), strings.HasSuffix(w, "xes"), strings.HasSuffix(w, "ches"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && len(w) > 3:
		return w[:len(w)-1]
	}
	return w
}

// path writes the pattern of the paths.
func (o *operation) path() string {
	var b strings.Builder
	for _, s := range o.segments {
		if s.open {
			b.WriteString("/{" + s.name + "}")
		} else {
			b.WriteString("/" + s.text)
		}
	}
	return b.String()
}

// name returns the name of the operation.
func (o *operation) name() string { return o.method + " " + o.path() }

// carried notes how the parameters of a request travel.
func (o *operation) carried(rec *tape.Recording) {
	for _, a := range rec.Request.All() {
		switch a.Place {
		case leaf.JSON:
			o.carrier = profile.CarrierJSON
		case leaf.Markup:
			o.carrier = profile.CarrierXML
		case leaf.Form:
			o.carrier = profile.CarrierForm
		case leaf.Query:
			if o.carrier == "" {
				o.carrier = profile.CarrierQuery
			}
		}
	}
}

// look is a field by which calls are known that only look, where others write.
type look struct {
	field  string
	values []string // nil: those that have the field look
}

// looks returns the fields by which those calls of an operation are known that only look: the parameter
// that says what is called, or one that no call has which writes.
func (o *operation) looks() []look {
	wrote := map[string]bool{}
	for _, rec := range o.calls {
		if rec.Reads {
			continue
		}
		for _, a := range rec.Request.All() {
			wrote[shapeOf(a.Path)], wrote[shapeOf(a.Path)+"="+a.Text] = true, true
		}
	}
	found := map[string]*look{}
	var all []*look
	for _, rec := range o.calls {
		if !rec.Reads {
			continue
		}
		name := callName(rec)
		field, value := "", ""
		for _, a := range rec.Request.All() {
			shape := shapeOf(a.Path)
			switch {
			case a.Text == "" || a.Place == leaf.Path:
			case a.Text == name && !wrote[shape+"="+name]:
				field, value = shape, name
			case !wrote[shape] && field == "":
				field = shape
			}
		}
		if field == "" {
			continue
		}
		l := found[field]
		if l == nil {
			l = &look{field: field}
			found[field], all = l, append(all, l)
		}
		if value != "" && !slices.Contains(l.values, value) {
			l.values = append(l.values, value)
		}
	}
	slices.SortFunc(all, func(a, b *look) int { return strings.Compare(a.field, b.field) })
	looks := make([]look, len(all))
	for i, l := range all {
		slices.Sort(l.values)
		looks[i] = *l
	}
	return looks
}
