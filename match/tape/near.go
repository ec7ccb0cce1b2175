package tape

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// Bounds of the entities that a leaf is compared with: in all, and of the parts and of the links of one,
// the latest.
const (
	maxNear    = 64
	maxRelated = 8
)

// near returns the entities that a leaf may be about, the likeliest first: those of the innermost
// object around it that has any, those that the answer bears, those that the request names, and what
// these are related to.
func (a *answerReader) near(l *leaf.Leaf) []*Entity { return a.around(l, true) }

// around is near with or without what took part in one write with them, and is nothing else to them.
//
// The list is good until the next is asked for.
func (a *answerReader) around(l *leaf.Leaf, links bool) []*Entity {
	es := a.nearby[:0]
	one := func(e *Entity) {
		if len(es) < maxNear && !slices.Contains(es, e) {
			es = append(es, e)
		}
	}
	add := func(more []*Entity) {
		for _, e := range more {
			one(e)
		}
	}
	group := groupOf(l.Path)
	for group != "" && len(a.groups[group]) == 0 {
		group = groupOf(group[:strings.LastIndexByte(group, '[')])
	}
	add(a.groups[group])
	own := len(es) > 0 && group != ""
	if !own {
		if a.callback != nil {
			one(a.callback.Entity)
		}
		add(a.rec.Births)
		add(a.rec.Roles)
		if len(es) == 0 {
			add(a.ungrouped) // "GET /contacts" in XML, of which the one contact is no array
		}
	}
	for i := 0; i < len(es) && i < maxNear; i++ {
		e := es[i]
		add(e.Wholes())
		add(e.Scopes())
		if e.more == nil {
			continue
		}
		for _, link := range slices.Backward(e.more.links[max(0, len(e.more.links)-maxRelated):]) {
			if links {
				one(link.Entity)
			}
		}
		for _, part := range slices.Backward(e.more.parts[max(0, len(e.more.parts)-maxRelated):]) {
			one(part)
		}
	}
	if own {
		add(a.rec.Roles)
	}
	a.nearby = es
	return es
}

// groupOf returns the path of the innermost object of an array that a leaf stands in; "" for a leaf
// that stands in none.
func groupOf(path string) string {
	if strings.IndexByte(path, ']') < 0 { // most paths, which are looked through faster from the front
		return ""
	}
	for end := strings.LastIndexByte(path, ']'); end > 0; end = strings.LastIndexByte(path[:end], ']') {
		open := strings.LastIndexByte(path[:end], '[')
		if open >= 0 && open+1 < end && request.IsDigits(path[open+1:end]) {
			return path[:end+1]
		}
	}
	return "" // the brackets of a key, perhaps
}

// beside notes that an entity has a name in the object in which a leaf stands.
func (a *answerReader) beside(l *leaf.Leaf, e *Entity) {
	group := groupOf(l.Path)
	switch {
	case l.Place == leaf.Header:
	case group == "":
		a.ungrouped = append(a.ungrouped, e)
	case !slices.Contains(a.groups[group], e):
		a.groups[group] = append(a.groups[group], e)
	}
}

// owner returns the entity whose value a leaf brings that nobody knew before. A value that names a
// kind is the name of an entity of that kind: of the one beside it that has none of the noun yet, of
// the one that the answer bears, or of one that the request names; else of one that is born here. Of
// the names of a kind the first is the one that every birth brings, and any other may come later.
// A value without a kind is of the entity beside it, of the one that is born, or of the first that
// the request names; nil if there is none.
func (a *answerReader) owner(l *leaf.Leaf, noun string) *Entity {
	p := a.req.Call.Profile
	t := p.Entity(noun)
	group := groupOf(l.Path)
	inferred := a.infersNoun(noun)
	if l.Place == leaf.Header && t == nil && !inferred {
		return nil
	}
	if t == nil && !inferred {
		for _, es := range [][]*Entity{a.groups[group], a.rec.Births, a.rec.Roles} {
			for _, e := range es {
				if !e.Scope {
					return e
				}
			}
		}
		return nil
	}
	kind := a.inferredKind(group)
	if t != nil {
		kind = a.tape.words.kind(p, noun)
	}
	takes := func(e *Entity) bool { return e.Kind == kind && (e.has(noun) == nil || t == nil) }
	for _, e := range a.groups[group] {
		if takes(e) && (group != "" || e.Born == a.rec) {
			return e
		}
	}
	if group == "" {
		for _, e := range a.rec.Births {
			if takes(e) && !a.inGroup(e) {
				return e
			}
		}
		for _, e := range a.rec.Roles {
			later := t != nil && noun != t.Names[0]
			if e.Kind == kind && (later || e.has(noun) == nil) {
				return e
			}
		}
	}
	if t == nil && a.rec.Reads && group == "" {
		// What a read brings that has no kind, such as a nonce, is one more name of what is asked
		// about.
		for _, e := range slices.SortedStableFunc(slices.Values(a.rec.Roles), scopesLast) {
			return e
		}
	}
	return a.bear(l, kind, noun, t)
}

// inGroup reports whether an object of an array shows an entity.
func (a *answerReader) inGroup(e *Entity) bool {
	for group, es := range a.groups {
		if group != "" && slices.Contains(es, e) {
			return true
		}
	}
	return false
}

// inferredKind names the kind of what an answer of an unknown API bears.
func (a *answerReader) inferredKind(group string) string {
	if group == "" {
		return a.rec.Op
	}
	open := strings.IndexByte(group, '[')
	return a.rec.Op + " " + group[:open]
}

// bear makes an entity that an answer shows first. A write has made it; one that a read or a callback
// shows first was made by the latest write that may have brought it, or else is there since the read,
// or since what caused the callback.
func (a *answerReader) bear(l *leaf.Leaf, kind, noun string, t *profile.Entity) *Entity {
	var w *Recording
	if (a.rec.Reads || a.callback != nil) && t != nil {
		var born *Entity
		if w, born = a.bringer(l, kind, noun, t); born != nil {
			return born
		}
	}
	if w == nil && a.callback != nil {
		w = a.rec
	}
	e := a.entity(kind, t)
	if w != nil {
		a.brought(e, w)
		return e
	}
	if !a.rec.Reads {
		a.tell(e, a.rec)
	}
	e.Born = a.rec
	a.rec.Births = a.tape.slabs.relatives.Append(a.rec.Births, e)
	a.search.forget()
	a.relate(e, a.rec)
	return e
}

// relate says whose part or member an entity is that an exchange bears.
func (c *compiler) relate(e *Entity, rec *Recording) {
	if e.Type == nil {
		var wholes []*Entity
		for _, r := range rec.Roles {
			if r.Scope {
				c.join(e, r)
			} else {
				wholes = append(wholes, r)
			}
		}
		if len(wholes) == 1 && !rec.Reads {
			c.partOf(e, wholes[0])
		}
		return
	}
	var room [8]*Entity
	for _, kind := range c.tape.words.above(rec.call.Profile, e.Type) {
		for _, es := range [2][]*Entity{rec.Roles, rec.Births} {
			for i, r := range es {
				if r.Kind != kind && len(r.Wholes()) == 0 && len(r.Scopes()) == 0 {
					continue // most of what a long list bears
				}
				if r == e && i == len(es)-1 {
					continue // all above it is above what came before
				}
				for _, up := range upwards(room[:0], r) {
					c.below(e, up, kind)
				}
			}
		}
	}
}

// below makes an entity a member or a part of another, if the other is of a kind.
func (c *compiler) below(e, up *Entity, kind string) {
	switch {
	case up.Kind != kind, up == e:
	case up.Scope:
		c.join(e, up)
	default:
		c.partOf(e, up)
	}
}

// upwards appends an entity, its wholes and the scopes of all to an empty list.
func upwards(es []*Entity, e *Entity) []*Entity {
	es = append(es, e)
	for i := 0; i < len(es); i++ {
		for _, ups := range [2][]*Entity{es[i].Wholes(), es[i].Scopes()} {
			for _, up := range ups {
				if !slices.Contains(es, up) {
					es = append(es, up)
				}
			}
		}
	}
	return es
}

func (c *compiler) join(e, scope *Entity) {
	if !slices.Contains(e.Scopes(), scope) {
		held := e.hold(c.tape.slabs)
		held.scopes = c.tape.slabs.kin.Append(held.scopes, scope)
		c.search.forget()
		of := scope.need(c.tape.slabs)
		of.members = append(of.members, e)
	}
}

func (c *compiler) partOf(e, whole *Entity) {
	if e != whole && !slices.Contains(e.Wholes(), whole) {
		held := e.hold(c.tape.slabs)
		held.wholes = c.tape.slabs.kin.Append(held.wholes, whole)
		c.search.forget()
		of := whole.need(c.tape.slabs)
		of.parts = c.tape.slabs.kin.Append(of.parts, e)
	}
}

// reach links an entity that an answer shows, and to which no way leads, to the write by which what the
// request names has got it too: a second payment with one card has the binding that the first made.
func (a *answerReader) reach(e *Entity) {
	if e.Type == nil || len(e.Type.Brought) == 0 || a.ref(e).Base != Follower {
		return
	}
	for _, r := range a.rec.Roles {
		for _, w := range slices.Backward(r.events) {
			o := w.call.Operation
			if o == nil || !slices.Contains(e.Type.Brought, o.Name) || slices.Contains(w.Births, e) {
				continue
			}
			w.Births = a.tape.slabs.relatives.Append(w.Births, e)
			for _, other := range w.Roles {
				if !other.Scope {
					e.link(other, w, a.tape.slabs)
					other.link(e, w, a.tape.slabs)
				}
			}
			delete(a.refs, e)
			a.search.forget()
			return
		}
	}
}
