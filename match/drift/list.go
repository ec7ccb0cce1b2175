package drift

import (
	"slices"
)

// arrays compares two arrays. Items that say the same are paired first; what is left over on one side
// was added or removed, and what is left over on both is compared in its order.
func (p *pair) arrays(a, b *node) {
	if byA, byB := a.keyed(), b.keyed(); len(byA) > 0 && byB != nil {
		p.named(a, byA, b, byB)
		return
	}
	if open := p.was.open(a.path) || p.is.open(b.path); p.Growing && open {
		if !p.learns {
			p.items(a, b)
		}
		return
	}
	if len(a.kids) == len(b.kids) {
		if reordered(a, b) {
			p.tell(Finding{
				Grade: ChangedValue, Path: pathAt(a), Was: a.String(), Is: b.String(), Why: "order of items",
			})
			return
		}
		var sameA, sameB []*node
		for i, item := range a.kids {
			if o := b.kids[i]; item.digest() == o.digest() {
				sameA, sameB = append(sameA, item), append(sameB, o)
			} else {
				p.nodes(item, o)
			}
		}
		p.twins(sameA, sameB)
		return
	}
	restA, restB := p.twins(a.kids, b.kids)
	n := min(len(restA), len(restB))
	for i := range n {
		p.nodes(restA[i], restB[i])
	}
	f := Finding{Path: pathAt(a), Was: a.String(), Is: b.String(), Why: "number of items"}
	if f.Grade = Added; len(restA) > n {
		f.Grade = Removed
	}
	p.tell(f)
}

// reordered reports whether two arrays have the same items in another order.
func reordered(a, b *node) bool {
	var was, is []string
	for i := range a.kids {
		was, is = append(was, a.kids[i].digest()), append(is, b.kids[i].digest())
	}
	if slices.Equal(was, is) {
		return false
	}
	slices.Sort(was)
	slices.Sort(is)
	return slices.Equal(was, is)
}

// twins compares items of two arrays that say the same, and returns the items that have no equal in the
// other array. Of several equals those are compared that are about the same things, and otherwise those
// that come first: a list may be ordered by ids. From several equals nothing is learned.
func (p *pair) twins(a, b []*node) (restA, restB []*node) {
	left, several := map[string][]*node{}, map[string]bool{}
	for _, n := range b {
		several[n.digest()] = len(left[n.digest()]) > 0
		left[n.digest()] = append(left[n.digest()], n)
	}
	twin := map[*node]*node{}
	pair := func(n *node, suits func(*node) bool) {
		same := left[n.digest()]
		if i := slices.IndexFunc(same, suits); i >= 0 && twin[n] == nil {
			twin[n] = same[i]
			left[n.digest()] = slices.Delete(same, i, i+1)
		}
	}
	for _, n := range a {
		pair(n, func(o *node) bool { return p.agree(n, o) })
	}
	for _, n := range a {
		pair(n, func(*node) bool { return true })
	}
	paired := map[*node]bool{}
	for _, n := range a {
		switch o := twin[n]; {
		case o == nil:
			restA = append(restA, n)
		default:
			paired[o] = true
			if !p.learns || !several[n.digest()] {
				p.nodes(n, o)
			}
		}
	}
	return restA, slices.DeleteFunc(slices.Clone(b), func(n *node) bool { return paired[n] })
}

// agree reports whether two items that say the same are about the same things.
func (p *pair) agree(a, b *node) bool {
	if a.value != nil && b.value != nil && p.another(a.value, b.value) != "" {
		return false
	}
	for i, k := range a.kids {
		if !p.agree(k, b.kids[i]) {
			return false
		}
	}
	return true
}

// named compares name/value lists, whose items have no order.
func (p *pair) named(a *node, byA map[string]*node, b *node, byB map[string]*node) {
	for _, item := range a.kids {
		name := item.kids[item.at["name"]].value.fold
		if other := byB[name]; other != nil {
			p.nodes(item, other)
		} else {
			p.tell(Finding{Grade: Removed, Path: a.path + "[" + name + "]", Was: item.String()})
		}
	}
	for _, item := range b.kids {
		if name := item.kids[item.at["name"]].value.fold; byA[name] == nil {
			p.tell(Finding{Grade: Added, Path: b.path + "[" + name + "]", Is: item.String()})
		}
	}
}

// items compares the items of lists that are about different things: each item of the new list is
// compared with the item of the old list that is nearest to it, in what it has and not in what it says.
func (p *pair) items(a, b *node) {
	const most = 64 // items of a list that are looked at
	told := map[string]bool{}
	if len(a.kids) == 0 {
		return
	}
	for _, item := range b.kids[:min(most, len(b.kids))] {
		var best []Finding
		for i, other := range a.kids[:min(most, len(a.kids))] {
			q := p.pair(p.was, p.is, p.side)
			q.mapping = &mapping{} // they are about other things
			q.nodes(other, item)
			q.findings = slices.DeleteFunc(q.findings, func(f Finding) bool {
				return f.Grade == ChangedConstant || f.Grade == ChangedValue && f.Why == ""
			})
			if i == 0 || len(q.findings) < len(best) {
				best = q.findings
			}
		}
		for _, f := range best {
			f.Path = withoutIndexes(f.Path)
			if key := string(f.Grade) + f.Path; !told[key] {
				told[key] = true
				p.tell(f)
			}
		}
	}
}

// withoutIndexes returns a path with empty brackets: it is about some items of a list.
func withoutIndexes(path string) string {
	var b []byte
	for i := 0; i < len(path); i++ {
		b = append(b, path[i])
		if path[i] != '[' {
			continue
		}
		for i+1 < len(path) && path[i+1] >= '0' && path[i+1] <= '9' {
			i++
		}
	}
	return string(b)
}
