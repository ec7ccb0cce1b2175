package drawing

import (
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// Sizes of a picture, in pixels.
const (
	nodeWidth, nodeHeight = 190, 56
	columnGap, rowGap     = 150, 34
	margin                = 40
	maxText               = 26 // characters of a line in a state
	maxLabel              = 22 // characters on an edge
)

// style is that of a picture: it follows the theme of who looks, and nothing is loaded.
const style = `svg{color-scheme:light dark;font:12px system-ui,sans-serif}
text{fill:light-dark(#16191d,#e8ebee)}.s{fill:light-dark(#434c55,#b4bdc6);font-size:11px}
rect{fill:light-dark(#fff,#1c2126);stroke:light-dark(#747e88,#76818c)}
.good{stroke:light-dark(#17663a,#74cc95)}.bad{stroke:light-dark(#a3241c,#ff9d93)}
.waits{stroke:light-dark(#7a4a00,#eab54f)}
path{fill:none;stroke:light-dark(#59636d,#98a3ad)}.silent{stroke-dasharray:5 4}
.k{font-weight:600}`

// SVG draws a machine as a picture of its own: states are boxes, edges are lines, and dashed edges are
// changes that no write explains. All texts are escaped, and the picture has no script and loads
// nothing.
func SVG(m view.Machine) string {
	p := picture{at: map[string]view.Node{}}
	width, height := 0, 0
	for _, n := range m.Nodes {
		p.at[n.ID] = n
		width, height = max(width, n.Column+1), max(height, n.Row+1)
	}
	w := 2*margin + width*(nodeWidth+columnGap)
	h := 2*margin + height*(nodeHeight+rowGap)
	p.add(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" `+
		`role="img" aria-labelledby="t d">`+"\n", w, h, w, h)
	p.add("<title id=\"t\">%s</title>\n<desc id=\"d\">%s</desc>\n<style>%s</style>\n",
		escaped("The states of cassette "+m.Cassette), escaped(describe(&m)), style)
	p.add(`<defs><marker id="a" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" ` +
		`orient="auto"><path d="M0 0L8 4L0 8z" style="fill:context-stroke"/></marker></defs>` + "\n")
	for _, e := range m.Edges {
		p.edge(e)
	}
	kind := ""
	for _, n := range m.Nodes {
		if n.Kind != kind {
			kind = n.Kind
			p.add("<text class=\"k\" x=\"%d\" y=\"%d\">%s</text>\n", margin, top(n)-10, text(kind, 80))
		}
		p.node(n)
	}
	p.add("</svg>\n")
	return p.String()
}

// describe says in words what the picture shows.
func describe(m *view.Machine) string {
	return fmt.Sprintf("%d states of %s, with %d edges between them", len(m.Nodes),
		strings.Join(m.Kinds, ", "), len(m.Edges))
}

// picture is a picture under way.
type picture struct {
	strings.Builder
	at map[string]view.Node // by id
}

func (p *picture) add(format string, args ...any) { fmt.Fprintf(p, format, args...) }

func left(n view.Node) int { return margin + columnGap/2 + n.Column*(nodeWidth+columnGap) }
func top(n view.Node) int  { return margin + n.Row*(nodeHeight+rowGap) }

// node draws a state: its number and what was done before, and below what answers call it.
func (p *picture) node(n view.Node) {
	x, y := left(n), top(n)
	tone := ""
	switch n.Tone {
	case view.Good, view.Bad, view.Waits:
		tone = string(n.Tone)
	}
	name := n.Name
	if n.Code != "" {
		name = strings.TrimSpace(n.Name + " " + n.Code)
	}
	p.add("<g><title>%s</title><rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"6\"/>",
		escaped(fmt.Sprintf("%d: %s", n.Number, n.Words)), tone, x, y, nodeWidth, nodeHeight)
	p.add("<text x=\"%d\" y=\"%d\">%s</text>", x+10, y+22, text(fmt.Sprintf("%d  %s", n.Number, name), maxText))
	p.add("<text class=\"s\" x=\"%d\" y=\"%d\">%s</text></g>\n", x+10, y+42, text(n.Words, maxText))
}

// edge draws what leads to a state: a curve, or a loop where it leads back to the same state.
func (p *picture) edge(e view.Edge) {
	to, ok := p.at[e.To]
	from, born := p.at[e.From], e.From == ""
	if !ok || !born && from.ID == "" {
		return
	}
	class := ""
	if e.Silent {
		class = "silent"
	}
	x2, y2 := left(to), top(to)+nodeHeight/2
	x1, y1 := x2-columnGap/2, y2 // a birth comes from nowhere
	bend := columnGap / 4
	if !born {
		x1, y1 = left(from)+nodeWidth, top(from)+nodeHeight/2
	}
	if !born && from.Column >= to.Column { // back, or beside: around above the box
		bend = columnGap / 2
	}
	p.add("<g><title>%s</title><path class=\"%s\" marker-end=\"url(#a)\" d=\"M%d %dC%d %d %d %d %d %d\"/>",
		escaped(e.Label), class, x1, y1, x1+bend, y1, x2-bend, y2, x2, y2)
	p.add("<text class=\"s\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">%s</text></g>\n",
		(x1+x2)/2, (y1+y2)/2-6, text(e.Operation, maxLabel))
}

// text returns a line that is not longer than there is room, escaped.
func text(s string, most int) string {
	if rs := []rune(s); len(rs) > most {
		s = string(rs[:most-1]) + "…"
	}
	return escaped(s)
}

// escaped returns a text as XML holds it, attributes too.
func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(leaf.Clip(s, maxTitle))) // a Builder takes everything
	return b.String()
}

// maxTitle bounds a text, in bytes.
const maxTitle = 1000
