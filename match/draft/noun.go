package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// noun is what the values of one or more slots are called, and the evidence.
type noun struct {
	slot   slot // the first that was seen
	text   string
	chosen bool // by the client; else the sandbox makes its values
	name   bool // requests find entities by it
	// unclear is set where a place at which values are born can have no row: then no place has one.
	unclear bool
	born    []int
	asked   []int
	texts   []string // of the values, as they stand on tape
	series  *tape.Series
	thing   string // what the path calls the thing that the values are of
}

// noun returns the noun of a slot, for whatever is known of it.
func (d *draft) noun(s slot) *noun {
	n := d.ids[s]
	if n == nil {
		n = &noun{slot: s}
		d.ids[s] = n
		d.nouns = append(d.nouns, n)
	}
	return n
}

// bear notes that a value of a slot was born in an exchange.
func (d *draft) bear(o *operation, s slot, number int, text string) *noun {
	n := d.noun(s)
	n.born = append(n.born, number)
	if n.thing == "" {
		n.thing = o.before(len(o.segments))
	}
	if !slices.Contains(n.texts, text) {
		n.texts = append(n.texts, text)
	}
	return n
}

// show notes what an answer tells of a slot.
func (d *draft) show(s slot, h *tape.Hole) {
	n := d.noun(s)
	n.name = n.name || h.Name
	if n.series == nil {
		n.series = h.Series
	}
	if h.Mint && !slices.Contains(n.texts, h.Text) {
		n.texts = append(n.texts, h.Text)
	}
}

// ask notes that a request names an entity by a slot.
func (d *draft) ask(s slot, number int) {
	n := d.noun(s)
	n.asked, n.name = append(n.asked, number), true
}

// settle makes one noun of the slots that stand in one place, and names the nouns.
func (d *draft) settle() {
	for _, o := range d.order {
		for _, p := range o.order {
			d.unite(p)
		}
	}
	var kept []*noun
	for _, n := range d.nouns {
		first := d.ids[d.slots.of(n.slot)]
		if first == n {
			kept = append(kept, n)
			continue
		}
		first.born, first.asked = append(first.born, n.born...), append(first.asked, n.asked...)
		first.name, first.chosen = first.name || n.name, first.chosen || n.chosen
		for _, text := range n.texts {
			if !slices.Contains(first.texts, text) {
				first.texts = append(first.texts, text)
			}
		}
		if first.thing == "" {
			first.thing = n.thing
		}
		d.ids[n.slot] = first
	}
	d.nouns = kept
	d.findUnclear()
	taken := map[string]bool{}
	for _, reserved := range httpNouns {
		taken[reserved] = true
	}
	for _, n := range d.nouns {
		n.text = n.wanted(taken)
		taken[n.text] = true
	}
}

// findUnclear finds the nouns of which values are born in a place that has other things too.
func (d *draft) findUnclear() {
	for _, o := range d.order {
		for _, p := range o.order {
			if d.agrees(p) {
				continue
			}
			for _, f := range p.facts {
				if f.what != ofSlot {
					continue
				}
				n := d.of(f.slot)
				births := n.chosen == (p.dir == profile.Request)
				n.unclear = n.unclear || births && slices.Contains(n.born, f.number)
			}
		}
	}
}

// httpNouns are nouns of the rows for all APIs.
var httpNouns = []string{
	"card", "credential", "login", "request-id", "correlation-id", "tds-transaction",
	"acs-transaction", "ds-transaction",
}

// unite makes one of the slots whose values stand in a place.
func (d *draft) unite(p *place) {
	var first *slot
	for i := range p.facts {
		f := &p.facts[i]
		if f.what != ofSlot {
			continue
		}
		if first == nil {
			first = &f.slot
			continue
		}
		if d.noun(*first).name && d.noun(f.slot).name {
			d.kinds.join(first.kind, f.slot.kind)
		}
		d.slots.join(*first, f.slot)
	}
}

// wanted returns what a noun is to be called: its key, or where everything has such a key, the thing that
// it is of.
func (n *noun) wanted(taken map[string]bool) string {
	key := word(request.LastName(strings.TrimPrefix(n.slot.name, "sent ")))
	key = strings.TrimSuffix(key, "-id")
	choices := []string{key, n.thing + "-" + key}
	if key == "" || key == "id" {
		choices = []string{n.thing, n.thing + "-id"}
	}
	for _, text := range choices {
		if text = strings.Trim(text, "-"); text != "" && !taken[text] {
			return text
		}
	}
	base := strings.Trim(choices[0], "-")
	for i := 2; ; i++ {
		if text := fmt.Sprintf("%s-%d", base, i); !taken[text] {
			return text
		}
	}
}

// of returns the noun of a slot.
func (d *draft) of(s slot) *noun { return d.ids[d.slots.of(s)] }

// pattern returns how the values of a noun look; "" where the tape does not tell.
func (n *noun) pattern() string {
	if n.chosen || isToken(n.texts) || slices.ContainsFunc(n.texts, fresh.Structured) {
		return ""
	}
	if p := profile.CommonPattern(n.texts); !p.IsZero() {
		return p.String()
	}
	if n.series != nil && len(n.texts) == 1 {
		return n.series.Like
	}
	return ""
}

// entity is a kind of thing that the draft tells of.
type entity struct {
	root  string // of the kinds that it is
	names []string
	of    []string
	scope bool
}

// entities returns the entities, in the order in which the tape shows them.
func (d *draft) entities() []*entity {
	var all []*entity
	byRoot, rowed := map[string]*entity{}, d.rowed()
	for _, minted := range []bool{true, false} { // the first name is that which every birth brings
		for _, n := range d.nouns {
			if !n.name && !n.chosen || n.chosen == minted || !rowed[n] {
				continue
			}
			root := d.kinds.of(n.slot.kind)
			e := byRoot[root]
			if e == nil {
				e = &entity{root: root}
				byRoot[root], all = e, append(all, e)
			}
			e.names = append(e.names, n.text)
		}
	}
	for _, e := range all {
		d.relate(e, byRoot)
	}
	return all
}

// rowed returns the nouns that some row has.
func (d *draft) rowed() map[*noun]bool {
	rowed := map[*noun]bool{}
	for _, o := range d.order {
		for _, p := range o.order {
			if says, _ := d.says(p); says == "" {
				continue
			}
			for _, f := range p.facts {
				if f.what == ofSlot {
					rowed[d.of(f.slot)] = true
				}
			}
		}
	}
	return rowed
}

// relate says whose part or member an entity is.
func (d *draft) relate(e *entity, byRoot map[string]*entity) {
	scopes, all := 0, 0
	for _, on := range d.tape.Entities {
		if d.kinds.of(on.Kind) != e.root || on.Type != nil {
			continue
		}
		all++
		if on.Scope {
			scopes++
		}
		for _, up := range slices.Concat(on.Wholes(), on.Scopes()) {
			whole := byRoot[d.kinds.of(up.Kind)]
			if whole == nil || whole == e || slices.Contains(e.of, whole.names[0]) {
				continue
			}
			if !above(whole, e, byRoot) {
				e.of = append(e.of, whole.names[0])
			}
		}
	}
	e.scope = all > 0 && scopes == all
}

// above reports whether an entity is, further up, of another.
func above(e, other *entity, byRoot map[string]*entity) bool {
	for _, name := range e.of {
		for _, up := range byRoot {
			if up.names[0] == name && (up == other || above(up, other, byRoot)) {
				return true
			}
		}
	}
	return false
}
