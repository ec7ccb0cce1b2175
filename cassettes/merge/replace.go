package merge

import (
	"maps"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
	"github.com/paytape/paytape/redact/renumber"
)

// Replace returns a tape on which fresh exchanges, recorded by themselves, stand in the place of others,
// which are given by their numbers: where the first of those stood. What stays keeps its number as far as
// there is room.
//
// A surrogate of the fresh exchanges that stands where the same call had one before gets the number of
// that: the password of the flow was token 1, and so it is after it was recorded anew. A card keeps its
// number if its first and last digits are the same. All others are numbered as Merge numbers them.
// What is returned has been cleaned by a redactor that newRedactor makes.
func Replace(tape []redact.Clean, gone []int, fresh []redact.Clean, newRedactor func() *redact.Redactor,
) []redact.Clean {
	reads := newRedactor()
	whole, news := newSide(reads, tape), newSide(reads, fresh)
	isGone := func(i *item) bool { return slices.Contains(gone, i.x.Meta.Number) }
	olds := slices.DeleteFunc(slices.Clone(whole.items), func(i *item) bool { return !isGone(i) })
	numbers := numbering(whole, news, samePlaces(whole, olds, news))
	first := slices.IndexFunc(whole.items, isGone)
	if first < 0 {
		first = len(whole.items)
	}
	var r replacing
	r.add(whole.items[:first], false)
	for _, i := range news.items {
		i.x = news.tape.Apply(i.x, numbers)
	}
	r.add(news.items, true)
	r.add(slices.DeleteFunc(slices.Clone(whole.items[first:]), isGone), false)
	return newRedactor().RecleanAll(r.all)
}

// replacing is a tape that is put together.
type replacing struct {
	all  []*leaf.Exchange
	last int // number
}

// add adds exchanges of one tape, whose callbacks are caused by exchanges among them or before them.
func (r *replacing) add(items []*item, fresh bool) {
	moved := map[int]int{}
	for _, i := range items {
		x := *i.x
		n := r.last + 1
		if !fresh {
			n = max(n, x.Meta.Number)
		}
		moved[x.Meta.Number], r.last, x.Meta.Number = n, n, n
		if told := x.Meta.Callback; told != nil && told.Of > 0 {
			of, known := moved[told.Of]
			if !known && !fresh && told.Of < x.Meta.Number {
				of = told.Of // of what stands before, which kept its number
			}
			x.Meta.Callback = Caused(*told, of)
		}
		r.all = append(r.all, &x)
	}
}

// samePlaces returns which surrogates of fresh exchanges stand where the same calls had which before.
func samePlaces(whole *side, olds []*item, news *side) table {
	calls := map[string][]*item{}
	for _, o := range olds {
		calls[o.call()] = append(calls[o.call()], o)
	}
	same, taken := table{}, map[renumber.Surrogate]bool{}
	for _, i := range news.items {
		list := calls[i.call()]
		if len(list) == 0 {
			continue
		}
		calls[i.call()] = list[1:]
		before := whole.tape.Places(list[0].x)
		places := news.tape.Places(i.x)
		for _, place := range slices.Sorted(maps.Keys(places)) {
			s, was := places[place], before[place]
			if _, known := same[s]; known || taken[was] || was.N == 0 || !news.tape.CanBe(s, whole.tape, was) {
				continue
			}
			same[s], taken[was] = was, true
		}
	}
	return same
}

// call names what an exchange calls.
func (i *item) call() string {
	if told := i.x.Meta.Callback; told != nil {
		return "callback " + told.Operation
	}
	if i.x.Meta.Operation != "" {
		return i.x.Meta.Profile + " " + i.x.Meta.Operation
	}
	target, _, _ := strings.Cut(i.x.Target(), "?")
	return i.x.Method + " " + target
}
