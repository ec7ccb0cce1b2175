package match

import "slices"

// recency are entities by their last use, the latest first.
type recency struct {
	front, back *entity
	n           int
}

// dropped is which part of all entities goes at once: what each drop looks through is shared by many.
const dropped = 16

// touch notes that entities were used.
func (l *recency) touch(es ...*entity) {
	for _, e := range es {
		if e.passing || e == l.front {
			continue
		}
		l.remove(e)
		e.older, e.kept = l.front, true
		if l.front != nil {
			l.front.newer = e
		}
		l.front = e
		if l.back == nil {
			l.back = e
		}
		l.n++
	}
}

// trim lets go of the least recently used entities if there are more than may be kept.
func (p *Player) trim() {
	if p.used.n > p.most {
		p.drop(p.most / dropped)
	}
}

func (l *recency) remove(e *entity) {
	if !e.kept {
		return
	}
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		l.front = e.older
	}
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		l.back = e.newer
	}
	e.newer, e.older, e.kept = nil, nil, false
	l.n--
}

// drop lets go of the least recently used entities, at least one: they are unknown from now on.
func (p *Player) drop(n int) {
	kinds, near := map[string]bool{}, map[*entity]bool{}
	for left := max(n, 1); left > 0 && p.used.back != nil; left-- {
		e := p.used.back
		e.gone, kinds[e.kind] = true, true
		p.used.remove(e)
		p.strike(e)
		delete(p.awaits, e)
		for _, o := range slices.Concat(e.scopes, e.wholes, e.links) {
			near[o] = true
		}
	}
	is := func(o *entity) bool { return o.gone }
	for kind := range kinds {
		p.kinds[kind] = slices.DeleteFunc(p.kinds[kind], is)
	}
	for o := range near {
		if o.relations == &unrelated {
			continue
		}
		for kind := range o.members {
			o.members[kind] = slices.DeleteFunc(o.members[kind], is)
		}
		o.parts, o.links = slices.DeleteFunc(o.parts, is), slices.DeleteFunc(o.links, is)
	}
}

// strike takes an entity out of all by which it is found and counted, but for what has it as a member.
func (p *Player) strike(e *entity) {
	for i := range e.values {
		if b := &e.values[i]; b.isName {
			p.names.remove(e, b.text)
		}
	}
	if e.Scope {
		for _, b := range e.values {
			if key := (configured{b.name, b.text}); p.config[key] == e {
				delete(p.config, key)
			}
		}
		return
	}
	e.Leave(p.relatives(e))
	if e.follows != nil && p.followers[e.follows] == e {
		delete(p.followers, e.follows)
	}
	if e.literal != "" {
		delete(p.config, configured{e.kind, e.literal})
	}
}

// kept returns how many entities there are.
func (p *Player) kept() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used.n
}
