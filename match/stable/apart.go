package stable

import (
	"context"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/tape"
)

// Tapes tells whoever merges two stable tapes what only this package knows of them. Two branches may
// each have recorded a flow that begins with the very same call. Its ids are drawn from that call, so
// both flows have the same ids, and would be one flow on one tape.
type Tapes struct{ Profiles *profile.Set }

// Is reports whether a tape is stable: all its exchanges that have times have those of a stable tape.
func Is(all []*leaf.Exchange) bool {
	timed := 0
	for _, x := range all {
		if x.Meta.At.IsZero() {
			continue
		}
		if !Clocked(x) {
			return false
		}
		timed++
	}
	return timed > 0
}

// Flows returns the flows of a stable tape, in the order of their first requests, as the numbers of
// their exchanges; nil if the tape is not stable.
func (t Tapes) Flows(all []*leaf.Exchange) [][]int {
	if !Is(all) {
		return nil
	}
	m := compiled(tape.Options{Profiles: t.Profiles}, all)
	var flows [][]int
	for _, f := range flowsOf(exchangesOf(m, all)) {
		var numbers []int
		for _, x := range f.exchanges {
			numbers = append(numbers, x.Meta.Number)
		}
		flows = append(flows, numbers)
	}
	return flows
}

// Apart returns a stable tape with other ids in the exchanges of some numbers, which are whole flows.
// None of them is an id of others, the exchanges of another tape: they are those that the flows would
// have if they had been recorded behind these. A name that the client has chosen, such as an order
// number, becomes another of its shape where others have it too, because two orders of one tape have
// not one number. Times stay. It returns false, and the tape as it is, if the tape would say something
// else otherwise.
func (t Tapes) Apart(
	all []*leaf.Exchange, numbers []int, others []*leaf.Exchange,
) ([]*leaf.Exchange, bool) {
	o := tape.Options{Profiles: t.Profiles}
	of := compiled(o, all)
	again := map[int]bool{}
	for _, n := range numbers {
		again[n] = true
	}
	r := newRewriter(o, of, all, plan{again: again})
	theirNames := map[tape.NameValue]bool{}
	for _, x := range exchangesOf(compiled(o, others), others) {
		x.holes(func(h *tape.Hole) {
			if h.Mint && h.Form == profile.NoForm {
				r.names.taken[h.Source.Text] = true
			}
		})
		for _, v := range bornNames(x) {
			r.names.taken[v.Text], theirNames[v] = true, true
		}
	}
	var shared []func()
	for _, x := range r.all {
		for _, v := range bornNames(x) {
			r.names.taken[v.Text] = true
			if again[x.Meta.Number] && theirNames[v] {
				shared = append(shared, func() { r.names.rename(v, x) })
			}
		}
	}
	for _, rename := range shared {
		rename()
	}
	made, _ := r.make(context.Background()) // which does not end
	if compare(of, compiled(o, made.exchanges), made) != "" {
		return all, false
	}
	return made.exchanges, true
}

// bornNames returns the names of what an exchange bears.
func bornNames(x *exchange) []tape.NameValue {
	var all []tape.NameValue
	if x.rec != nil {
		for _, e := range x.rec.Births {
			all = slices.AppendSeq(all, e.Names())
		}
	}
	return all
}

// rename notes another name for a name that the client has chosen, and that names something else on
// another tape. A name that the sandbox has made is made again anyway.
func (n *names) rename(v tape.NameValue, x *exchange) {
	key := nameOf(v.Noun, v.Text)
	minted := false
	x.holes(func(h *tape.Hole) { minted = minted || h.Mint && h.Source.Text == v.Text })
	if _, known := n.by[key]; known || minted {
		return
	}
	const attempts = 100 // a name of one digit may be taken whatever it is
	made, seed := v.Text, x.flow.seedOf("renamed "+v.Noun)
	for range attempts {
		if !n.taken[made] {
			break
		}
		made = fresh.New(random(seed).Uint64()|1).Like(fresh.Recorded{Text: v.Text}, x.Meta.At)
		seed += golden
	}
	n.note(key, made)
	for _, a := range x.rec.Request.All() {
		if a.Text == v.Text { // the request that bore the entity has named nothing yet
			n.by[nameOf(a.Path, a.Text)] = made
		}
	}
}
