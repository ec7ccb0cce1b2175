package drawing

import "github.com/paytape/paytape/proxy/inspect/view"

// place sets the columns and rows of the nodes of a machine.
func place(m *view.Machine) {
	index := map[string]int{} // by id, in m.Nodes
	for i := range m.Nodes {
		index[m.Nodes[i].ID] = i
	}
	next, born := map[int][]int{}, make([]bool, len(m.Nodes))
	reached := make([]bool, len(m.Nodes))
	for _, e := range m.Edges {
		to, from := index[e.To], e.From
		switch {
		case from == "":
			born[to] = true
		case from != e.To:
			next[index[from]] = append(next[index[from]], to)
			reached[to] = true
		}
	}
	base := 0
	for at := 0; at < len(m.Nodes); {
		end := at
		for end < len(m.Nodes) && m.Nodes[end].Kind == m.Nodes[at].Kind {
			end++
		}
		g := grid{m: m, next: next, base: base, placed: map[int]bool{}, free: map[int]int{}}
		for _, first := range []func(i int) bool{
			func(i int) bool { return born[i] },
			func(i int) bool { return !reached[i] }, // it was there from the start
			func(int) bool { return true },          // it is only reached in a ring
		} {
			for i := at; i < end; i++ {
				if first(i) {
					g.start(i)
				}
			}
			g.spread()
		}
		base, at = g.end(), end
	}
}

// grid places the nodes of one kind.
type grid struct {
	m      *view.Machine
	next   map[int][]int // where edges lead
	base   int           // the first row
	placed map[int]bool
	free   map[int]int // by column: the first row, from base, that is free as all below it
	queue  []int
}

// start places a node that no placed node leads to in the first column.
func (g *grid) start(i int) { g.put(i, 0, 0) }

// spread places what the nodes of the queue lead to, the nearest first.
func (g *grid) spread() {
	for len(g.queue) > 0 {
		i := g.queue[0]
		g.queue = g.queue[1:]
		n := &g.m.Nodes[i]
		for _, to := range g.next[i] {
			g.put(to, n.Column+1, n.Row-g.base)
		}
	}
}

// put places a node that has no place yet, in a row or below.
func (g *grid) put(i, column, row int) {
	if g.placed[i] {
		return
	}
	row = max(row, g.free[column])
	g.placed[i], g.free[column] = true, row+1
	g.m.Nodes[i].Column, g.m.Nodes[i].Row = column, g.base+row
	g.queue = append(g.queue, i)
}

// end returns the first row below all nodes.
func (g *grid) end() int {
	most := 0
	for _, row := range g.free {
		most = max(most, row)
	}
	return g.base + most
}
