package machine

import (
	"cmp"
	"slices"
	"time"

	"github.com/paytape/paytape/match/tape"
)

// A callback comes with the write that caused it, or with a change by itself. This is the life of
// an order that its payer confirmed at the bank:
//
//	#2 paymentorder.do     the order waits
//	#3 status: 5
//	#4 callback deposited  caused by #2
//	#5 status: 2
//
// Between #3 and #5 is a silent edge. #4 came behind the last read before the edge, so it comes
// with the edge: at the read that takes the edge, or as long after #2 as on tape. Had there been no
// #3, the callback would come with the answer to #2.
//
// A callback that came long after its cause tells of a change by itself even where no read does: an
// order that nobody pays is declined after twenty minutes.

// Timed is a change that comes by itself as long after a state began as on tape.
type Timed struct {
	After time.Duration
	// To is the own state behind the change; 0 where no recording shows a difference.
	To        Own
	Callbacks []*tape.Callback
	// Entity is the recorded entity that it was about.
	Entity *tape.Entity
}

// Long reports whether the change comes so late that time tells of it, whoever asks.
func (t *Timed) Long() bool { return t.After >= shortestWait }

// Callbacks returns the callbacks that come with the answer of a recording, and whether the tape
// tells for certain. One that was recorded where nobody listened brings those of a recording that
// serves alike.
//
// What a write brings may be there already, like the binding of a card that pays again; the answer
// says nothing of it, and no "bindingCreated" comes. old is what the write has found. A callback whose
// Role is below 0 is about what the write has found of the kind of its Entity. It comes with every write of
// the operation that finds the same.
func (m *Machine) Callbacks(r *Recording, old []Found) (cbs []*tape.Callback, sure bool) {
	if len(m.direct) == 0 {
		return nil, true
	}
	same := slices.Equal(r.old, old)
	if same && len(r.Recording.Callbacks)+len(r.direct) > 0 {
		return r.direct, !r.guessed
	}
	all := m.direct[r.use]
	for _, o := range all {
		if slices.Equal(o.old, old) {
			return o.direct, !o.guessed
		}
	}
	if len(r.direct) == 0 && len(all) > 0 {
		r = all[0]
	}
	sure = true
	for _, f := range r.old { // and here it is new, or in another state
		sure = sure && slices.Contains(old, f)
	}
	for _, cb := range r.direct {
		comes := true
		for _, f := range old {
			if slices.Contains(r.old, f) {
				continue
			}
			seen := m.seen[evidence{r.Op, f, ""}]
			comes = comes && (!seen || m.seen[evidence{r.Op, f, "told " + cb.Operation}])
			sure = sure && seen
		}
		if comes {
			cbs = append(cbs, cb)
		}
	}
	for _, f := range old {
		if o := m.finders[evidence{r.Op, f, ""}]; o != nil && !slices.Contains(r.old, f) {
			cbs, sure = o.withFound(cbs, f), sure && !o.guessed
		}
	}
	return cbs, sure
}

// withFound adds to callbacks those of the recording that are about what it has found, where they came among
// its own.
func (r *Recording) withFound(cbs []*tape.Callback, f Found) []*tape.Callback {
	for i, cb := range r.direct {
		if isAbout(cb, f) {
			cbs = slices.Insert(cbs, min(i, len(cbs)), cb)
		}
	}
	return cbs
}

// isAbout reports whether a callback is about what a write has found.
func isAbout(cb *tape.Callback, f Found) bool { return cb.Role < 0 && cb.Entity.Kind == f.Kind }

// evidence is what calls of an operation have told on tape where something was there already.
type evidence struct {
	op    string
	found Found
	told  string
}

// Behind an own state to which a change by itself leads, BySelf returns the callbacks that come
// with the change.
func (m *Machine) BySelf(to Own) []*tape.Callback { return m.bySelf[to] }

// Timed returns the changes that come by themselves in an own state.
func (m *Machine) Timed(o Own) []Timed { return m.timed[o] }

// CallsBack reports whether there are callbacks.
func (m *Machine) CallsBack() bool { return len(m.direct)+len(m.bySelf)+len(m.timed) > 0 }

// change is a silent edge that the walk has found on the way of an entity.
type change struct {
	entity   *tape.Entity
	from, to Own
	began    time.Time // when the state before began
	last     int       // the place of the last read before
}

// passes takes the changes by themselves that callbacks tell of before a recording begins. A
// question that was asked before in the state tells by itself whether there is a change.
func (b *builder) passes(r *Recording) {
	for _, e := range r.Roles {
		e, s := b.of(e)
		if s.by == nil || r.Recording == s.by {
			continue
		}
		asked := s.reads.find(Reads{r.Key, s.Own, b.viewAsked(r)}) != nil
		for _, cb := range s.by.Callbacks {
			if o, _ := b.of(cb.Entity); o != e || cb.Gap < shortestWait || cb.Place >= r.Surveyed() ||
				b.passed[cb] != 0 || asked && r.Reads || b.changed(s.by, cb) != nil {
				continue
			}
			b.pass(e, s, cb)
		}
	}
}

// pass moves an entity by a callback that tells of a change by itself.
func (b *builder) pass(e *tape.Entity, s *state, cb *tape.Callback) {
	to := Silently(s.Own, Key(digest("callback "+cb.Operation)), cb.Class)
	b.passed[cb] = to
	b.timed(s.Own, s.moved, to, cb)
	b.note(to, s.Own, "(a change by itself)", b.caused[s.by])
	if !slices.Contains(b.m.behind[s.Own], to) {
		b.m.behind[s.Own] = append(b.m.behind[s.Own], to)
	}
	b.move(e, to)
	b.state.came(s, cb.At(), s.by)
}

// timed adds a change that comes by itself.
func (b *builder) timed(from Own, began time.Time, to Own, cb *tape.Callback) {
	after := cb.Gap
	if !began.IsZero() && !cb.At().IsZero() {
		after = cb.At().Sub(began)
	}
	if to != 0 {
		b.m.bySelf[to] = addCallback(b.m.bySelf[to], cb)
	}
	all := b.m.timed[from]
	at := slices.IndexFunc(all, func(t Timed) bool {
		return t.To == to && (to != 0 || t.Callbacks[0].Class == cb.Class)
	})
	if at < 0 {
		at = len(all)
		b.m.timed[from] = append(all, Timed{After: after, To: to, Entity: cb.Entity})
	}
	t := &b.m.timed[from][at]
	t.After = min(t.After, after)
	t.Callbacks = addCallback(t.Callbacks, cb)
}

// addCallback adds a callback to those of a change, of which an equal one is none more. Of equal callbacks
// stays the one that came soonest, as the change comes when the soonest did: the dates in a callback are
// as far from when it comes as on tape.
func addCallback(cbs []*tape.Callback, cb *tape.Callback) []*tape.Callback {
	at := slices.IndexFunc(cbs, func(o *tape.Callback) bool { return o.Class == cb.Class })
	switch {
	case at < 0:
		return append(cbs, cb)
	case cb.Gap < cbs[at].Gap:
		cbs[at] = cb
	}
	return cbs
}

// called decides with what each callback comes.
func (b *builder) called() {
	type kind struct{ use, class uint64 }
	alone := map[kind]bool{} // what comes by itself behind recordings that serve alike
	for _, r := range b.m.All {
		for _, cb := range r.Recording.Callbacks {
			if b.byItself(r, cb) {
				alone[kind{r.use, cb.Class}] = true
			}
		}
	}
	strays := b.strays()
	for _, r := range b.m.All {
		for _, cb := range r.Recording.Callbacks {
			if !alone[kind{r.use, cb.Class}] && strays[cb] == nil {
				come := r.rarely(&b.slabs)
				come.direct = append(come.direct, cb)
			}
		}
	}
	for cb, r := range strays {
		r.adopt(cb, &b.slabs)
	}
	for _, r := range b.m.All {
		if len(r.direct) > 0 {
			b.m.direct[r.use] = append(b.m.direct[r.use], r)
		}
		told := slices.Concat(r.Recording.Callbacks, r.direct)
		if len(told) == 0 {
			continue
		}
		for _, f := range r.old {
			at := evidence{r.Op, f, ""}
			b.m.seen[at] = true
			about := func(cb *tape.Callback) bool { return isAbout(cb, f) }
			if b.m.finders[at] == nil && slices.ContainsFunc(r.direct, about) {
				b.m.finders[at] = r
			}
			for _, cb := range told {
				b.m.seen[evidence{r.Op, f, "told " + cb.Operation}] = true
			}
		}
	}
	b.doubtDirect()
	b.sharpen()
}

// strays returns the callbacks that came with another write than the write about their entity, and that
// write, which is a guess. A write tells a thing of an entity once:
//
//	#14 unBindCard.do               binding 0b07 is switched off
//	#15 callback bindingActivityChanged, enabled=false
//	#18 paymentorder.do, card V     finds the binding of V, and switches it on
//	#19 callback bindingActivityChanged, enabled=true
//
// No call names the binding but #14, and #14 has told it. So #19 came with the last write before it that
// has found a binding in another state than that of its birth.
func (b *builder) strays() map[*tape.Callback]*Recording {
	strays := map[*tape.Callback]*Recording{}
	for i, r := range b.m.All {
		for n, cb := range r.Recording.Callbacks {
			again := slices.ContainsFunc(r.Recording.Callbacks[:n], func(o *tape.Callback) bool {
				return o.Operation == cb.Operation && o.Entity == cb.Entity && o.Class != cb.Class
			})
			if !again || cb.Operation == "" {
				continue
			}
			if by := b.lastFinder(i, cb); by != nil {
				strays[cb] = by
			}
		}
	}
	return strays
}

// lastFinder returns the last write between the ith recording and a callback that has found something of
// the callback's kind in another state than that of its birth.
func (b *builder) lastFinder(i int, cb *tape.Callback) (by *Recording) {
	const most = 1000 // recordings that are looked at
	r := b.m.All[i]
	for _, o := range b.m.All[i+1 : min(len(b.m.All), i+1+most)] {
		if o.Cassette != r.Cassette || o.Surveyed() > cb.Place {
			break
		}
		if slices.ContainsFunc(o.old, func(f Found) bool { return f.Kind == cb.Entity.Kind && f.Own != 0 }) {
			by = o
		}
	}
	return by
}

// adopt has a callback come with a recording that names nothing of what the callback is about.
func (r *Recording) adopt(cb *tape.Callback, s *slabs) {
	own := *cb
	own.Cause, own.Role, own.Birth = r.Recording, -1, false
	if !cb.At().IsZero() && !r.Answered().IsZero() {
		own.Gap = cb.At().Sub(r.Answered())
	}
	come := r.rarely(s)
	at, _ := slices.BinarySearchFunc(come.direct, cb.Place, func(o *tape.Callback, place int) int {
		return cmp.Compare(o.Place, place)
	})
	come.direct, come.guessed = slices.Insert(come.direct, at, &own), true
}

// byItself reports whether a callback that a recording caused comes with a change by itself, and
// notes the change.
func (b *builder) byItself(r *Recording, cb *tape.Callback) bool {
	if b.passed[cb] != 0 {
		return true
	}
	if of := b.changed(r.Recording, cb); of != nil {
		b.timed(of.from, of.began, of.to, cb)
		return true
	}
	if cb.Gap < shortestWait {
		return false
	}
	e, s := b.of(cb.Entity)
	if s.by == r.Recording { // nothing came after: nobody knows the state behind
		b.pass(e, s, cb)
		return true
	}
	from := r.Behind(cb)
	b.timed(from, r.Answered(), 0, cb)
	return true
}

// changed returns the silent edge behind a write with which a callback of the write came: that
// behind the last read before the callback. It returns nil if there is none.
func (b *builder) changed(cause *tape.Recording, cb *tape.Callback) *change {
	e, _ := b.of(cb.Entity)
	for i := range slices.Backward(b.changes[cause]) {
		if c := &b.changes[cause][i]; c.entity == e && c.last < cb.Place {
			return c
		}
	}
	return nil
}

// Behind returns the own state in which the recording leaves what a callback is about; 0 if nobody
// knows.
func (r *Recording) Behind(cb *tape.Callback) Own {
	if !cb.Birth {
		if cb.Role >= len(r.Moves) {
			return 0
		}
		return r.Moves[cb.Role]
	}
	at := slices.IndexFunc(r.Births, func(o Birth) bool { return o.Entity == cb.Entity })
	if at < 0 {
		return 0
	}
	return r.Births[at].Own
}

// sharpen lets callbacks tell when silent edges are due that time tells of. Reads alone tell no
// more than that the change came between two of them.
func (b *builder) sharpen() {
	for at, e := range b.m.silent {
		for _, t := range b.m.timed[at.Own] {
			if t.To == e.To && t.Long() && t.After-e.Before > longestPause {
				e.Term = min(e.Term, t.After)
			}
		}
	}
}
