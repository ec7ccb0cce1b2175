package drift

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// Comparison compares exchanges of one tape with those of another. It is not safe for concurrent use.
type Comparison struct {
	old, new *Tape
	// Growing says that the new side goes on where others were: a list of a scope, such as all cards
	// of a client, may have other items than on the old tape, and its items are compared by kind.
	Growing bool

	mapping mapping
}

// NewComparison returns a comparison of two tapes.
func NewComparison(old, new *Tape) *Comparison { return &Comparison{old: old, new: new} }

// Exchange returns what differs in two exchanges of one operation: first in what was asked, then in
// what was answered.
func (c *Comparison) Exchange(was, is *Exchange) []Finding {
	return append(c.Request(was, is), c.Answer(was, is)...)
}

// Request returns what differs in two requests.
func (c *Comparison) Request(was, is *Exchange) []Finding {
	p := c.pair(was, is, SideRequest)
	p.messages()
	return p.findings
}

// Answer returns what differs in two answers, or in two callbacks.
func (c *Comparison) Answer(was, is *Exchange) []Finding {
	p := c.pair(was, is, was.says())
	p.asked = askedIn(was, is)
	p.messages()
	return p.findings
}

// says returns the side on which the sandbox speaks.
func (x *Exchange) says() string {
	if x.Callback {
		return SideCallback
	}
	return SideAnswer
}

// pair is a comparison of two messages under way.
type pair struct {
	*Comparison
	was, is  *Exchange
	side     string
	findings []Finding
	asked    map[counterpart]bool // by the request of an answer
	learns   bool                 // nothing is told
	mapping  *mapping
}

func (c *Comparison) pair(was, is *Exchange, side string) *pair {
	return &pair{Comparison: c, was: was, is: is, side: side, mapping: &c.mapping}
}

// messages compares the messages of a side.
func (p *pair) messages() {
	if p.side == SideRequest {
		if !p.was.Callback {
			p.flat(p.was.asked, p.is.asked)
		}
		return
	}
	if p.was.Failure != p.is.Failure {
		p.tell(Finding{Grade: ChangedValue, Path: PathBody, Was: p.was.Failure, Is: p.is.Failure})
		return
	}
	if !p.was.Callback {
		p.status()
		if p.was.Failed != p.is.Failed {
			p.failure()
			return
		}
	}
	p.headers()
	p.body()
}

func (p *pair) tell(f Finding) {
	if p.learns {
		return
	}
	f.Side = p.side
	p.findings = append(p.findings, f)
}

// status compares the HTTP statuses.
func (p *pair) status() {
	if p.was.Code == p.is.Code {
		return
	}
	g := ChangedConstant
	code := strconv.Itoa(p.is.Code)
	if !p.old.hasCode(p.was.Op, PathStatus, code) {
		g = NewCode
	}
	p.tell(Finding{Grade: g, Path: PathStatus, Was: strconv.Itoa(p.was.Code), Is: code})
}

// failure tells of an answer that fails where the other does not: by its code.
func (p *pair) failure() {
	if len(p.findings) > 0 {
		return // the status has told
	}
	was := map[string]*value{}
	for _, v := range p.was.answered {
		was[v.path] = v
	}
	for _, v := range p.is.answered {
		before := was[v.path]
		if !p.is.isCode(v) || before != nil && before.fold == v.fold {
			continue
		}
		f := Finding{Grade: ChangedConstant, Path: v.path, Is: v.String()}
		if !p.old.hasCode(p.was.Op, v.key, v.fold) {
			f.Grade = NewCode
		}
		if before != nil {
			f.Was = before.String()
		}
		p.tell(f)
		return
	}
	p.tell(Finding{Grade: ChangedConstant, Path: PathBody, Was: p.was.outcome(), Is: p.is.outcome()})
}

// headers compares the headers that count.
func (p *pair) headers() {
	var of [2][]*value
	for i, values := range [][]*value{p.was.answered, p.is.answered} {
		for _, v := range values {
			if v.place == leaf.Header {
				of[i] = append(of[i], v)
			}
		}
	}
	p.flat(of[0], of[1])
}

// flat compares values that are known by their paths alone.
func (p *pair) flat(was, is []*value) {
	by, seen := map[string]*value{}, map[*value]bool{}
	for _, v := range is {
		if key := v.place.String() + v.path; by[key] == nil {
			by[key] = v
		}
	}
	for _, v := range was {
		o := by[v.place.String()+v.path]
		if o == nil {
			p.tell(Finding{Grade: Removed, Path: pathOf(v), Was: v.String()})
			continue
		}
		if !seen[o] {
			seen[o] = true
			p.values(v, o)
		}
	}
	for _, v := range is {
		if by[v.place.String()+v.path] == v && !seen[v] {
			p.tell(Finding{Grade: Added, Path: pathOf(v), Is: v.String()})
		}
	}
}

// pathOf returns the path of a value in findings.
func pathOf(v *value) string {
	switch v.place {
	case leaf.Header:
		return pathHeader + v.path
	case leaf.Path:
		return strings.TrimSpace("path " + v.path)
	}
	return v.path
}

// body compares the bodies, and of callbacks the query.
func (p *pair) body() {
	var was, is [2][]*value // of the target, and of the body
	part := func(all *[2][]*value, values []*value) {
		for _, v := range values {
			switch v.place {
			case leaf.Header:
			case leaf.Path, leaf.Query:
				all[0] = append(all[0], v)
			default:
				all[1] = append(all[1], v)
			}
		}
	}
	part(&was, p.was.answered)
	part(&is, p.is.answered)
	p.flat(was[0], is[0])
	m, n := placeOf(was[1]), placeOf(is[1])
	switch {
	case m == n:
		p.nodes(treeOf(was[1]), treeOf(is[1]))
	case m == "":
		p.tell(Finding{Grade: Added, Path: PathBody, Is: n})
	case n == "":
		p.tell(Finding{Grade: Removed, Path: PathBody, Was: m})
	case !p.told(pathHeader + "Content-Type"):
		p.tell(Finding{Grade: ChangedType, Path: PathBody, Was: m, Is: n})
	}
}

// told reports whether a path has a finding.
func (p *pair) told(path string) bool {
	for _, f := range p.findings {
		if f.Path == path {
			return true
		}
	}
	return false
}

// placeOf names what a body is; empty for none.
func placeOf(values []*value) string {
	if len(values) == 0 {
		return ""
	}
	return values[0].place.String()
}

// nodes compares two trees.
func (p *pair) nodes(a, b *node) {
	switch {
	case a.isArray() && b.isArray():
		p.arrays(a, b)
		return
	case a.texted() && b.texted():
	case a.kind() != b.kind() && (len(a.kids) == 0 || len(b.kids) == 0 || a.isArray() != b.isArray()):
		p.changedType(a, b)
		return
	case a.value != nil && b.value != nil && len(a.kids)+len(b.kids) == 0:
		p.values(a.value, b.value)
		return
	}
	p.members(a, b)
}

// texted reports whether a node has a text, as an element of markup may have beside its attributes.
func (n *node) texted() bool { return n.value != nil && n.value.place == leaf.Markup }

func (p *pair) changedType(a, b *node) {
	p.tell(Finding{Grade: ChangedType, Path: pathAt(a), Was: a.typed(), Is: b.typed()})
}

// typed writes a node with its type.
func (n *node) typed() string {
	if n.isArray() || n.isObject() {
		return n.String()
	}
	return strings.TrimSpace(n.kind() + " " + n.String())
}

// pathAt returns the path of a node in findings.
func pathAt(n *node) string {
	if n.path == "" {
		return PathBody
	}
	return n.path
}

// members compares two objects or elements.
func (p *pair) members(a, b *node) {
	switch {
	case a.value != nil && a.value.kind != leaf.Empty && b.value != nil && b.value.kind != leaf.Empty:
		p.values(a.value, b.value)
	case a.value != nil && a.value.kind != leaf.Empty:
		p.tell(Finding{Grade: Removed, Path: pathAt(a), Was: a.value.String()})
	case b.value != nil && b.value.kind != leaf.Empty:
		p.tell(Finding{Grade: Added, Path: pathAt(b), Is: b.value.String()})
	}
	for i, name := range a.names {
		if j, found := b.at[name]; found {
			p.nodes(a.kids[i], b.kids[j])
		} else {
			p.tell(Finding{Grade: Removed, Path: pathAt(a.kids[i]), Was: a.kids[i].String()})
		}
	}
	for j, name := range b.names {
		if _, found := a.at[name]; !found {
			p.tell(Finding{Grade: Added, Path: pathAt(b.kids[j]), Is: b.kids[j].String()})
		}
	}
}

// values compares two values at one place.
func (p *pair) values(a, b *value) {
	if p.learns {
		p.learn(a, b)
		return
	}
	f := Finding{Grade: ChangedConstant, Path: pathOf(a), Was: a.String(), Is: b.String()}
	switch {
	case a.kind != b.kind:
		f.Grade = ChangedType
		f.Was, f.Is = kindWord(a)+" "+f.Was, kindWord(b)+" "+f.Is
	case a.loose && b.loose:
		return
	case a.fold == b.fold:
		if a.raw != b.raw {
			f.Why = p.reshaped(a, b)
		}
		if f.Why = cmp.Or(f.Why, p.another(a, b)); f.Why == "" {
			return
		}
		f.Grade = ChangedValue
	case a.raw == b.raw:
		return
	case p.alike(a, b):
		return
	case !a.literal() || !b.literal():
		f.Grade = ChangedValue
	case p.side == SideAnswer && p.is.isCode(b) && !p.old.hasCode(p.was.Op, b.key, b.fold):
		f.Grade = NewCode
	}
	p.tell(f)
}

// kindWord names the type of a value in JSON; it is empty elsewhere.
func kindWord(v *value) string {
	if v.kind == leaf.Empty {
		return "empty"
	}
	return kinds[v.kind]
}
