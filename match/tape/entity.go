package tape

import (
	"fmt"
	"iter"
	"slices"

	"github.com/paytape/paytape/internal/profile"
)

// Entity is a thing on tape that requests act on and answers show.
type Entity struct {
	*EntityKind
	ID int32 // among all of the tape, from 0
	// Scope says that the entity has members and no parts. A scope is of no family.
	Scope bool
	// Followed says that some answer shows a value of whichever live entity follows this one.
	Followed bool
	// Config is the text under which the entity was there from the start: no exchange on tape bore
	// it. It is empty for an entity that an exchange bore.
	Config string
	// Born is the exchange that bore the entity; nil for configuration and scopes.
	Born *Recording

	holders *holders // nil for none; entities that have the same share it once the tape is compiled
	names   packed   // the texts of the names that requests find it by, once the tape is compiled
	more    *more    // what most entities do not have; nil for nothing of it
	*notes
}

// EntityKind is what entities of one kind have in common, and share.
type EntityKind struct {
	Kind string // "gateway order"; of an API that no profile knows the operation that bore it
	// Type is what the profile says of the kind; nil for an inferred one.
	Type *profile.Entity
	// Session is the Session in the Frame of the recordings about the entity.
	Session string

	nouns packed // of the names, in their order
}

// more is what most entities do not have.
type more struct {
	parts   []*Entity
	links   []Link
	members []*Entity
	facts   map[string]string
}

// holders are what an entity belongs to.
type holders struct{ wholes, scopes []*Entity }

// Wholes returns the entities whose part an entity is.
func (e *Entity) Wholes() []*Entity {
	if e.holders == nil {
		return nil
	}
	return e.holders.wholes
}

// Scopes returns the scopes whose member an entity is.
func (e *Entity) Scopes() []*Entity {
	if e.holders == nil {
		return nil
	}
	return e.holders.scopes
}

// hold returns what an entity belongs to, to be changed.
func (e *Entity) hold(s *slabs) *holders {
	if e.holders == nil {
		e.holders = s.holding.Put(holders{})
	}
	return e.holders
}

// Parts returns the parts of an entity, in the order of their births.
func (e *Entity) Parts() []*Entity {
	if e.more == nil {
		return nil
	}
	return e.more.parts
}

// Links lead to the entities that took part in a write with it.
func (e *Entity) Links() []Link {
	if e.more == nil {
		return nil
	}
	return e.more.links
}

// Members returns the members of a scope, in the order of their births.
func (e *Entity) Members() []*Entity {
	if e.more == nil {
		return nil
	}
	return e.more.members
}

// Facts returns what the items that show the entity, or the request that brought it, say in the fields of
// its kind's key.
func (e *Entity) Facts() map[string]string {
	if e.more == nil {
		return nil
	}
	return e.more.facts
}

// need returns what most entities do not have, to be changed.
func (e *Entity) need(s *slabs) *more {
	if e.more == nil {
		e.more = s.mores.Put(more{})
	}
	return e.more
}

// Hidden returns an entity that no recording shows. It is of a kind and has facts as its model, is born
// in a recording, and has no ID.
func Hidden(model *Entity, born *Recording, wholes, scopes []*Entity) *Entity {
	kind := *model.EntityKind
	kind.Session, kind.nouns = born.Frame.Session, ""
	return &Entity{
		EntityKind: &kind, ID: -1, Born: born, holders: &holders{wholes, scopes},
		more: &more{facts: model.Facts()},
	}
}

// notes are what is known of an entity while its tape is compiled. Nothing of it is kept.
type notes struct {
	values []*value  // in the order in which they turned up
	room   [2]*value // where the first of values lie: most entities have few
	*valueIndexes
	*shownDates
	// addresses are the addresses that the client has sent, by what comes before the fragment: the
	// first of the longest with each. Nil for none.
	addresses map[string]*value
	events    []*Recording  // the writes that moved the entity; the first bore it
	event     [1]*Recording // where the first of events lies
	times     *eventTimes   // of the events at the front; nil for none
	listed    bool          // a list has shown it
	// calls are the latest calls that named the entity, one of each operation.
	calls []*Recording
	call  [1]*Recording // where the first of calls lies
}

// newNotes returns the notes of an entity of which nothing is known.
func newNotes() notes { return notes{valueIndexes: &noIndexes, shownDates: &noDates} }

// shownDates is what is known of the dates that were shown of an entity.
type shownDates struct {
	dates map[dated]*Source
	// latest are the recordings that showed each date last. earlier are the events that the same
	// text has told under the same key before.
	latest  map[dated]*Recording
	earlier map[dated][]*Source
	// instants are the dates that tell a time of day, by the second.
	instants map[int64][]*Source
}

// noDates is that of every entity of which no date was shown. Nobody writes to it.
var noDates shownDates

// called notes a call that names the entity.
func (e *Entity) called(rec *Recording) {
	at := slices.IndexFunc(e.calls, func(q *Recording) bool { return q.Op == rec.Op })
	if at < 0 {
		e.calls = append(e.calls, rec)
		return
	}
	e.calls[at] = rec
}

// keptBack reports whether a call of the same operation was answered after another recording, and
// did not show what that recording has done.
func (e *Entity) keptBack(after, rec *Recording) bool {
	return slices.ContainsFunc(e.calls, func(q *Recording) bool {
		return q.Op == rec.Op && after.Place < q.Place
	})
}

// dated is a date as a message shows it, under a key; "" for any.
type dated struct {
	form      profile.Form
	text, key string
}

// Words name an entity for people: "order 0190-aa".
func (e *Entity) Words() string {
	kind := e.Kind
	if e.Type != nil {
		kind = e.Type.Name
	}
	for name := range e.Names() {
		return fmt.Sprintf("%s %s", kind, name.Text)
	}
	return kind
}

// HasNames reports whether values name the entity.
func (e *Entity) HasNames() bool { return e.nouns != "" }

// Names yields the values that name the entity, by noun.
func (e *Entity) Names() iter.Seq[NameValue] {
	return func(yield func(NameValue) bool) {
		for nouns, texts := e.nouns, e.names; nouns != ""; {
			if !yield(NameValue{nouns.text(), texts.text()}) {
				return
			}
		}
	}
}

// finish keeps the names of an entity and lets go of what only compiling needed.
func (e *Entity) finish(w *words) {
	s, nouns, texts := w.slabs, w.nounRoom[:0], w.textRoom[:0]
	for _, v := range e.values {
		if v.isName {
			nouns, texts = appendText(nouns, v.slot.Name), appendText(texts, v.text)
		}
	}
	e.EntityKind, e.names = w.kindNamed(e.EntityKind, nouns), packed(s.entityNames.CloneBytes(texts))
	w.nounRoom, w.textRoom = nouns, texts
	if e.more != nil {
		e.more.parts = s.relatives.Clone(e.more.parts)
	}
	if h := e.holders; h != nil {
		if last := s.last; last == nil || !slices.Equal(h.wholes, last.wholes) || !slices.Equal(h.scopes, last.scopes) {
			s.last = s.holders.Put(holders{s.relatives.Clone(h.wholes), s.relatives.Clone(h.scopes)})
		}
		e.holders = s.last
	}
	e.notes = nil
}

// NameValue is a recorded name of an entity.
type NameValue struct{ Noun, Text string }

// Link leads to another entity that took part in a write.
type Link struct {
	Entity *Entity
	Write  *Recording // the first write in which both took part
}

// link notes that two entities took part in a write.
func (e *Entity) link(o *Entity, write *Recording, s *slabs) {
	for _, l := range e.Links() {
		if l.Entity == o {
			return
		}
	}
	m := e.need(s)
	m.links = append(m.links, Link{o, write})
}

// linkAll notes that an entity took part in a write with others, each of which is given once.
func (e *Entity) linkAll(others []*Entity, write *Recording, s *slabs) {
	before := e.Links()
	for _, o := range others {
		known := slices.ContainsFunc(before, func(l Link) bool { return l.Entity == o })
		if o != e && !known {
			m := e.need(s)
			m.links = s.links.Append(m.links, Link{o, write})
		}
	}
}

// Family returns the entity with all its wholes and parts, in the order of birth.
func (e *Entity) Family() []*Entity {
	seen, queue := map[*Entity]bool{e: true}, []*Entity{e}
	for i := 0; i < len(queue); i++ {
		for _, near := range [][]*Entity{queue[i].Wholes(), queue[i].Parts()} {
			for _, o := range near {
				if !seen[o] {
					seen[o] = true
					queue = append(queue, o)
				}
			}
		}
	}
	return queue
}
