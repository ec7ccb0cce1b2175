package tape

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Listing is what an answer lists: entities of one kind, each as an item of an array.
type Listing struct {
	// Kind is the kind of the items' entities. Of is the kind of the entity that has them as
	// members or parts; "" if all entities of the session are listed.
	Kind, Of string
	// Linked says that those are listed which took part in one write with the entity: the cards that were
	// attached to a customer.
	Linked bool
	// Spec is what the profile says of the list; nil for an inferred one.
	Spec  *profile.List
	Items []Item
	// Before and After are the parts of the body before and after the items. Composable says that
	// the items stand in a JSON array and can be put together in another number or order.
	Before, After Template
	Composable    bool
}

// Item is an entity that a list shows.
type Item struct {
	Entity *Entity
	Text   Template // its element of the array
	Class  uint64   // equal for items that say the same
}

// list finds out what the answer at hand lists, if anything.
func (a *answerReader) list() {
	if !a.rec.Reads || a.rec.Failed {
		if o := a.rec.call.Operation; o == nil || o.List == nil {
			return
		}
	}
	l, shape := a.listed()
	if l == nil {
		a.tape.lists.noteEmpty(a)
		return
	}
	a.tape.lists.note(a.rec, l, shape)
	a.rec.Listing = l
	for i := 0; ; i++ {
		e := a.itemEntity(shape+"["+strconv.Itoa(i)+"]", l)
		if e == nil {
			break
		}
		l.Items = a.tape.slabs.items.Append(l.Items, Item{Entity: e})
	}
	spans, ok := leaf.Elements(a.m.Body, shape)
	l.Composable = ok && len(spans) == len(l.Items)
	a.total(l)
	a.facts(shape, l)
	if !l.Composable || len(spans) == 0 {
		return
	}
	for i := range l.Items {
		a.rebase(spans[i][0], spans[i][1], l.Items[i].Entity, i)
		l.Items[i].Text = a.body.cut(a.tape.words, a.m.Body, spans[i][0], spans[i][1])
		l.Items[i].Class = l.Items[i].Text.Class()
	}
	l.Before = a.body.cut(a.tape.words, a.m.Body, 0, spans[0][0])
	l.After = a.body.cut(a.tape.words, a.m.Body, spans[len(spans)-1][1], len(a.m.Body))
	a.rec.body = a.body.cut(a.tape.words, a.m.Body, 0, len(a.m.Body))
}

// total makes a hole of the number of all items. A list of which one page does not hold all cannot be
// put together.
func (a *answerReader) total(l *Listing) {
	if l.Spec == nil || l.Spec.Total == "" {
		return
	}
	for i := range a.m.Leaves {
		leaf := &a.m.Leaves[i]
		if !strings.EqualFold(leaf.Key, l.Spec.Total) || len(a.pieces[leaf]) > 0 {
			continue
		}
		if leaf.Value != strconv.Itoa(len(l.Items)) {
			l.Composable = false
			return
		}
		n := a.source(Filling{What: Count}, a.tape.slabs.drafts.Clone(leaf.Value), time.Time{})
		a.hole(leaf, 0, len(leaf.Value), a.filled(n, Rendering{}))
		a.body.sort()
		a.rec.body = a.body.cut(a.tape.words, a.m.Body, 0, len(a.m.Body))
		return
	}
}

// facts notes what items say in the fields of the key of their kind.
func (a *answerReader) facts(shape string, l *Listing) {
	first := map[string]*Entity{} // the entities that no list has shown, by the paths of their items
	for i := range l.Items {
		e := l.Items[i].Entity
		if e.Type == nil || e.listed {
			continue
		}
		e.listed = true
		first[shape+"["+strconv.Itoa(i)+"]"] = e
	}
	if len(first) == 0 {
		return
	}
	for i := range a.m.Leaves {
		leaf := &a.m.Leaves[i]
		e := first[groupOf(leaf.Path)]
		if e == nil || !slices.Contains(e.Type.Key, leaf.Key) || e.Facts()[leaf.Key] == leaf.Value {
			continue
		}
		facts := map[string]string{} // what a request has told is that of others, too
		maps.Copy(facts, e.Facts())
		facts[a.tape.slabs.texts.Clone(leaf.Key)] = a.tape.slabs.texts.Clone(leaf.Value)
		e.need(a.tape.slabs).facts = facts
	}
}

// listed returns the list that the profile says the operation gives, or one that is inferred: an
// array of objects of which each has an entity of its own.
func (a *answerReader) listed() (*Listing, string) {
	p := a.rec.call.Profile
	if o := a.rec.call.Operation; o != nil {
		if o.List == nil {
			return nil, ""
		}
		l := a.tape.slabs.listings.Put(Listing{Spec: o.List, Kind: a.tape.words.kind(p, o.List.Noun)})
		if o.List.Of != "" {
			l.Of = p.Name + " " + o.List.Of
		}
		return l, a.shape(o.List.Items)
	}
	if len(a.groups) == 0 {
		return nil, ""
	}
	for i := range a.m.Leaves { // the first of several arrays
		group := groupOf(a.m.Leaves[i].Path)
		shape, first := strings.CutSuffix(group, "[0]")
		if !first || strings.Contains(shape, "[") {
			continue
		}
		for _, e := range a.groups[group] {
			if slices.Contains(a.rec.Roles, e) {
				continue // links of the thing that was asked about are no list of things
			}
			of, linked := listedOf(a.rec, e)
			return a.tape.slabs.listings.Put(Listing{Kind: e.Kind, Of: of, Linked: linked}), shape
		}
	}
	return nil, ""
}

// listedOf returns the kind of the one thing that a request names if what is listed is its part or member, or took
// part in a write with it; else "": all of the session is listed.
func listedOf(r *Recording, item *Entity) (of string, linked bool) {
	if len(r.Roles) != 1 {
		return "", false
	}
	role := r.Roles[0]
	if slices.Contains(item.Wholes(), role) || slices.Contains(item.Scopes(), role) {
		return role.Kind, false
	}
	linked = slices.ContainsFunc(role.Links(), func(l Link) bool { return l.Entity == item })
	if !linked {
		return "", false
	}
	return role.Kind, true
}

// inferredLists are what operations of APIs that no profile knows list. An answer with an empty array lists
// nothing where another answer of the operation has items.
type inferredLists struct {
	shown map[string]shownList // by operation, as the first of its answers that has items
	empty []emptyArrays
}

type shownList struct {
	kind, of string
	linked   bool
	shape    string
}

// emptyArrays are the shapes of the arrays of an answer that lists nothing.
type emptyArrays struct {
	rec    *Recording
	shapes []string
}

// note notes what an answer with items lists.
func (i *inferredLists) note(r *Recording, l *Listing, shape string) {
	if _, known := i.shown[r.Op]; l.Spec != nil || known {
		return
	}
	i.shown[r.Op] = shownList{l.Kind, l.Of, l.Linked, shape}
}

// noteEmpty notes the empty arrays of the answer at hand.
func (i *inferredLists) noteEmpty(a *answerReader) {
	if !a.rec.Infers {
		return
	}
	var shapes []string
	for n := range a.m.Leaves {
		l := &a.m.Leaves[n]
		if l.Place == leaf.JSON && l.Kind == leaf.Empty && l.Value == "[]" && !strings.Contains(l.Path, "[") {
			shapes = append(shapes, strings.Clone(l.Path))
		}
	}
	if len(shapes) > 0 {
		i.empty = append(i.empty, emptyArrays{a.rec, shapes})
	}
}

// settle makes lists of the answers that list nothing, once all answers are known.
func (i *inferredLists) settle(s *slabs) {
	for _, e := range i.empty {
		if l, known := i.shown[e.rec.Op]; known && slices.Contains(e.shapes, l.shape) {
			e.rec.Listing = s.listings.Put(Listing{Kind: l.kind, Of: l.of, Linked: l.linked, Composable: true})
		}
	}
}

// shape returns the one of several shapes that the array of items has in the answer.
func (a *answerReader) shape(shapes []string) string {
	for _, s := range shapes {
		for i := range a.m.Leaves {
			l := &a.m.Leaves[i]
			if l.Place == leaf.JSON && (l.Path == s || strings.HasPrefix(l.Path, s+"[")) {
				return s
			}
		}
	}
	return shapes[0]
}

// itemEntity returns the entity of an item; nil if there is no such item.
func (a *answerReader) itemEntity(group string, l *Listing) *Entity {
	for _, e := range a.groups[group] {
		if e.Kind == l.Kind {
			return e
		}
	}
	if l.Spec == nil && len(a.groups[group]) > 0 {
		return a.groups[group][0]
	}
	return nil
}

// rebase lets the holes in an item of a list begin at its entity, where a way leads from there to
// whose value it is: so the item fits wherever its entity is listed.
func (a *answerReader) rebase(from, to int, e *Entity, n int) {
	item := func(yield func(hop) bool) { yield(hop{entity: e, ref: Ref{Base: Member, N: n}}) }
	a.search.begin(item)
	defer a.search.forget()
	inside := a.body.within(from, to)
	for i := range inside {
		s := &inside[i]
		if s.hole.Source == nil || s.hole.owner == nil {
			continue
		}
		if h := a.search.find(s.hole.owner); h != nil {
			same, r := a.tape.slabs.sources.Put(*s.hole.Source), a.trace(h)
			a.tape.words.refill(same, func(f *Filling) { f.Ref = r })
			s.hole.Source = same
		}
	}
}

// Class digests a template by its literals and the keys of its holes. It is equal for templates that
// say the same.
func (t Template) Class() uint64 {
	var b strings.Builder
	t.walk(func(literal string, h *Hole) {
		b.WriteString(literal)
		b.WriteByte(0)
		if h != nil {
			b.WriteString(itemKey(h))
			b.WriteByte(0)
		}
	})
	return digestText(b.String())
}

// itemKey is the key of a hole in an item, which is the same wherever the item stands.
func itemKey(h *Hole) string {
	if h.Source != nil && h.Source.Ref != nil && h.Source.Ref.Base == Member {
		same, fill := *h.Source, *h.Filling
		fill.Ref = &Ref{Base: Member, Steps: h.Source.Ref.Steps}
		same.Filling = &fill
		return string((&Hole{&same, h.Writing}).appendKey(nil))
	}
	return string(h.appendKey(nil))
}
