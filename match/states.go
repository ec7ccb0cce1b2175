package match

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
)

// arrange sorts the exchanges of a thread by key, then by the state in which they were
// recorded, then into classes of requests that ask the same, so that none must be searched
// for. An exchange is found in the first of its threads alone.
func (t *thread) arrange() {
	for _, e := range t.exchanges {
		if e.threads[0] == t && e.among == nil {
			t.byKey = append(t.byKey, e)
		}
	}
	slices.SortStableFunc(t.byKey, func(a, b *exchange) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.before[0], b.before[0]))
	})
	for from := 0; from < len(t.byKey); {
		to := from + 1
		for to < len(t.byKey) && t.byKey[from].alike(t.byKey[to]) {
			to++
		}
		t.classify(t.byKey[from:to])
		from = to
	}
}

// alike reports whether two exchanges have the same key and were recorded in the same state.
func (e *exchange) alike(o *exchange) bool { return e.key == o.key && e.before[0] == o.before[0] }

// recorded returns the exchanges with a key, in the order of their states.
func (t *thread) recorded(key uint64) []*exchange {
	from, _ := slices.BinarySearchFunc(t.byKey, key, func(e *exchange, key uint64) int {
		return cmp.Compare(e.key, key)
	})
	to := from
	if from < len(t.byKey) && t.byKey[from].key == key {
		to, _ = slices.BinarySearchFunc(t.byKey, key, func(e *exchange, key uint64) int {
			if e.key <= key {
				return -1
			}
			return 1
		})
	}
	return t.byKey[from:to]
}

// from returns those of the exchanges with one key that were recorded in a state or a later
// one.
func from(es []*exchange, state int) []*exchange {
	i, _ := slices.BinarySearchFunc(es, state, func(e *exchange, state int) int {
		return cmp.Compare(e.before[0], state)
	})
	return es[i:]
}

// in returns those of the exchanges with one key that were recorded in a state.
func in(es []*exchange, state int) []*exchange {
	es = from(es, state)
	return es[:len(es)-len(from(es, state+1))]
}

// classify sorts exchanges that are alike into classes: those of one class unify with the same
// requests, whatever the variables have as values. The first of a class knows how many it has.
func (t *thread) classify(group []*exchange) {
	if len(group) == 1 {
		group[0].class = 1
		return
	}
	type marked struct {
		e    *exchange
		mark uint64
	}
	first := map[uint64]int{}
	all := make([]marked, len(group))
	for i, e := range group {
		m := e.mark()
		all[i] = marked{e, m}
		if _, known := first[m]; !known {
			first[m] = i
		}
	}
	slices.SortStableFunc(all, func(a, b marked) int {
		return cmp.Compare(first[a.mark], first[b.mark])
	})
	begin := 0
	for i, m := range all {
		group[i] = m.e
		if m.mark != all[begin].mark {
			begin = i
		}
		all[begin].e.class++
	}
	if len(first) > maxListed {
		t.spread(group)
	}
}

// mark hashes all that decides with which requests an exchange unifies, and when.
func (e *exchange) mark() uint64 {
	var h maphash.Hash
	h.SetSeed(keySeed)
	h.WriteString(e.address)
	for i := range e.request {
		w := &e.request[i]
		h.WriteByte(0)
		for _, p := range w.value {
			h.WriteString(p.literal)
			if p.hole != nil {
				e.markHole(&h, w, p.hole)
			}
		}
	}
	for i, t := range e.threads {
		maphash.WriteComparable(&h, t)
		maphash.WriteComparable(&h, e.before[i])
	}
	for i, t := range e.tied {
		maphash.WriteComparable(&h, t)
		maphash.WriteComparable(&h, e.tiedBefore[i])
	}
	return h.Sum64()
}

// markHole is mark for a hole of a request. A variable that every request binds anew says
// nothing, but for a date: an expiry may have to be the recorded one, and of the periods of
// two lists the nearer one is asked for.
func (e *exchange) markHole(h *maphash.Hash, w *want, hole *hole) {
	h.WriteByte(1)
	maphash.WriteComparable(h, hole.rendering)
	for _, v := range hole.vars {
		switch {
		case !v.rebinds():
			maphash.WriteComparable(h, v)
		case v.origin == givenDate && dates.Expiry(v.form):
			h.WriteString(w.text)
		case v.origin == givenDate:
			maphash.WriteComparable(h, e.distance(v.form, w.text))
		}
	}
}

// classes calls f for the classes of a group until it returns false.
func classes(group []*exchange, f func(class []*exchange) bool) {
	for len(group) > 0 {
		n := group[0].class
		if !f(group[:n:n]) {
			return
		}
		group = group[n:]
	}
}

// spreading is the index of a group of many classes: by the variable of the parameter in which
// they differ most, a card say of which one thread has thousands.
type spreading struct {
	param   int
	byVar   map[*variable][][]*exchange
	byText  map[string][][]*exchange // of configured ids, which are the same in every run
	unbound [][]*exchange            // classes that a request may bind, and all others
}

// spread indexes a group of many classes.
func (t *thread) spread(group []*exchange) {
	s := &spreading{
		param: widestParam(group), byVar: map[*variable][][]*exchange{},
		byText: map[string][][]*exchange{},
	}
	classes(group, func(class []*exchange) bool {
		switch v := class[0].told(s.param); {
		case v != nil && v.origin == minted:
			s.byVar[v] = append(s.byVar[v], class)
		case v != nil && v.origin == configured:
			s.byText[v.text] = append(s.byText[v.text], class)
		default:
			s.unbound = append(s.unbound, class)
		}
		return true
	})
	if t.spreads == nil {
		t.spreads = map[*exchange]*spreading{}
	}
	t.spreads[group[0]] = s
}

// widestParam returns the parameter that tells most classes of a group apart.
func widestParam(group []*exchange) int {
	best, most := 0, 0
	for i := range group[0].request {
		seen := map[*variable]bool{}
		for _, e := range group {
			if v := e.told(i); v != nil {
				seen[v] = true
			}
		}
		if len(seen) > most {
			best, most = i, len(seen)
		}
	}
	return best
}

// told returns the variable that is all of a parameter and written as it is, and that not
// every request binds anew; nil if there is none.
func (e *exchange) told(param int) *variable {
	h := e.request[param].whole()
	if h == nil || len(h.vars) != 1 || h.how > grouped || h.vars[0].rebinds() {
		return nil
	}
	return h.vars[0]
}

// possible calls f for the classes of a group that a request may unify with.
func (c *candidate) possible(q *query, group []*exchange, f func(class []*exchange) bool) {
	s := group[0].threads[0].spreads[group[0]]
	if s == nil {
		classes(group, f)
		return
	}
	path, going := group[0].request[s.param].path, true
	each := func(found [][]*exchange) {
		for _, class := range found {
			going = going && f(class)
		}
	}
	for _, text := range textsOf(q.r, path) {
		for _, v := range c.vars.having(text) {
			each(s.byVar[v])
		}
		each(s.byText[text])
	}
	each(s.unbound)
}

// textsOf returns the texts under which the value of a parameter may be bound.
func textsOf(r *Request, path string) []string {
	i, found := slices.BinarySearchFunc(r.params, path, func(p param, path string) int {
		return cmp.Compare(p.path, path)
	})
	if !found || r.params[i].field.From == profile.Ignored {
		return nil
	}
	text := r.params[i].text
	if digits := pan.Digits(text); digits != "" && digits != text {
		return []string{text, digits}
	}
	return []string{text}
}
