package match

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// Mermaid draws the machine of a tape as a flowchart of Mermaid: nodes are own states of the
// entities of one kind, solid edges are writes, dashed edges are changes that no write explains.
func (t *Tape) Mermaid() string {
	return t.draw(&dialect{
		open: "flowchart TD\n", kind: "  subgraph k%d[\"%s\"]\n", node: "    %s[\"%s\"]\n",
		endKind: "  end\n", birth: "b%d(( ))", solid: "  %[1]s -->|\"%[2]s\"| %[3]s\n",
		dashed: "  %[1]s -.->|\"%[2]s\"| %[3]s\n", newline: "<br/>", text: mermaidText,
	})
}

// DOT draws the machine of a tape as Mermaid does, in the language of Graphviz.
func (t *Tape) DOT() string {
	return t.draw(&dialect{
		open: "digraph tape {\n  node [shape=box];\n",
		kind: "  subgraph cluster_%d {\n    label=\"%s\";\n", node: "    %s [label=\"%s\"];\n",
		endKind: "  }\n", point: "  b%d [shape=point];\n", birth: "b%d",
		solid:   "  %[1]s -> %[3]s [label=\"%[2]s\"];\n",
		dashed:  "  %[1]s -> %[3]s [label=\"%[2]s\", style=dashed];\n",
		newline: `\n`, text: dotText, close: "}\n",
	})
}

// dialect is a language of graphs: the formats of its statements.
type dialect struct {
	open, close string
	kind        string // a number and the text of a kind, before its nodes
	endKind     string
	node        string // an id and a text
	// birth is the node where a birth begins, by its number, and point declares it before; "" where
	// that is not needed.
	birth, point  string
	solid, dashed string              // the id of a node, a text, the id of another node
	newline       string              // in a text
	text          func(string) string // writes a text for a label
}

// draw writes the graph of a tape.
func (t *Tape) draw(d *dialect) string {
	g := newDrawing(t.machine.Graph())
	var b strings.Builder
	b.WriteString(d.open)
	for i, kind := range g.kinds {
		fmt.Fprintf(&b, d.kind, i+1, d.text(kind))
		for _, n := range g.nodes[kind] {
			fmt.Fprintf(&b, d.node, g.id(n), d.text(fmt.Sprintf("%d: %s", n.Number, n.Words)))
		}
		b.WriteString(d.endKind)
	}
	for i, a := range g.Arcs {
		from := fmt.Sprintf(d.birth, i+1)
		if a.From != nil {
			from = g.id(a.From)
		} else if d.point != "" {
			fmt.Fprintf(&b, d.point, i+1)
		}
		edge := d.solid
		if !a.IsWrite() {
			edge = d.dashed
		}
		lines := t.arcLines(a)
		for j := range lines {
			lines[j] = d.text(lines[j])
		}
		fmt.Fprintf(&b, edge, from, strings.Join(lines, d.newline), g.id(a.To))
	}
	return b.String() + d.close
}

// drawing is a graph with its nodes by kind.
type drawing struct {
	*machine.Graph
	kinds []string // in the order of the tape
	index map[string]int
	nodes map[string][]*machine.Node
}

func newDrawing(g *machine.Graph) *drawing {
	d := &drawing{Graph: g, index: map[string]int{}, nodes: map[string][]*machine.Node{}}
	for _, n := range g.Nodes {
		if d.nodes[n.Kind] == nil {
			d.index[n.Kind] = len(d.kinds)
			d.kinds = append(d.kinds, n.Kind)
		}
		d.nodes[n.Kind] = append(d.nodes[n.Kind], n)
	}
	return d
}

// id names a node in both languages.
func (d *drawing) id(n *machine.Node) string {
	return fmt.Sprintf("k%ds%d", d.index[n.Kind]+1, n.Number)
}

// arcLines are the lines of the label of an edge.
func (t *Tape) arcLines(a *machine.Arc) []string { return append(arcText(a), t.places(a.Recordings)) }

// arcText is what an edge is, in lines.
func arcText(a *machine.Arc) []string {
	text := a.Operation
	if a.Cards != "" {
		text += ", card " + a.Cards
	}
	switch {
	case a.IsWrite():
	case a.Reads == 0:
		text += " shows it first"
	default:
		text = fmt.Sprintf("after %s of %s", plural(a.Reads, "read"), text)
		if a.Term > 0 {
			text += fmt.Sprintf(", or after %v", a.Term.Round(time.Second))
		}
	}
	lines := []string{text}
	if a.Ambiguous {
		lines = append(lines, "recordings disagree")
	}
	return lines
}

// maxPlaces bounds the recordings that a label or a hint names.
const maxPlaces = 6

// places names recordings: "#1, #4", or "a#1, b#4" where the tape has several cassettes.
func (t *Tape) places(rs []tape.Recorded) string {
	all := t.machine.All // one cassette after the other
	several := len(all) > 0 && all[0].Cassette != all[len(all)-1].Cassette
	var parts []string
	for _, r := range rs[:min(maxPlaces, len(rs))] {
		name := "#" + strconv.Itoa(r.Number)
		if several {
			name = r.Cassette + name
		}
		parts = append(parts, name)
	}
	if more := len(rs) - maxPlaces; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, ", ")
}

// mermaidText writes a text for a label of Mermaid, which is in double quotes: whatever is no
// letter, digit or harmless sign becomes a number (#35; is #).
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range shown(s) {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" .,:/()_+=*-", r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "#%d;", r)
	}
	return b.String()
}

// dotText writes a text for a label of Graphviz, which is in double quotes.
func dotText(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(shown(s))
}

// shown replaces what is not to be printed, and line ends.
func shown(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}
