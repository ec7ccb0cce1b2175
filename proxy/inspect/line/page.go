package line

import (
	"strings"
)

// page is a text of several lines that is being written.
type page struct {
	o Options
	b strings.Builder
}

// line writes a line.
func (p *page) line(text string) {
	p.b.WriteString(strings.TrimRight(text, " "))
	p.b.WriteByte('\n')
}

// gap writes an empty line, except at the beginning.
func (p *page) gap() {
	if p.b.Len() > 0 {
		p.b.WriteByte('\n')
	}
}

// heading begins a part of the page.
func (p *page) heading(text string) {
	p.gap()
	p.line(p.o.paint(strong, cut(text, p.o.columns())))
}

// paragraph writes a text that is broken into lines.
func (p *page) paragraph(text string) {
	for _, l := range wrap(whole(text), p.o.columns()) {
		p.line(l)
	}
}

// ends writes a text at the beginning of a line, and another at its end, below if there is no room.
func (p *page) ends(left string, colour style, right string) {
	columns := p.o.columns()
	left, right = cut(left, columns), cut(right, columns)
	if room := columns - width(left) - width(right); room >= 2 {
		p.line(p.o.paint(colour, left) + spaces(room) + p.o.paint(dim, right))
		return
	}
	p.line(p.o.paint(colour, left))
	p.line(p.o.paint(dim, right))
}

// cell is a plain text in a table, with its colour. A raw cell may have several lines of its own.
type cell struct {
	text   string
	colour style
	raw    bool
}

func cells(texts ...string) []cell {
	row := make([]cell, len(texts))
	for i, t := range texts {
		row[i].text = whole(t)
	}
	return row
}

// leastCell is how narrow a column of a table becomes.
const leastCell = 6

// table writes rows in columns, two spaces from each other. Where they are wider than the page the
// widest columns give way, and their cells are broken into lines: nothing is cut.
func (p *page) table(indent int, rows ...[]cell) {
	widths := p.widths(indent, rows)
	for _, row := range rows {
		parts, most := make([][]string, len(row)), 0
		for i, c := range row {
			parts[i] = c.lines(widths[i])
			most = max(most, len(parts[i]))
		}
		for n := range most {
			line := spaces(indent)
			for i, c := range row {
				if i > 0 {
					line += "  "
				}
				text := ""
				if n < len(parts[i]) {
					text = parts[i][n]
				}
				line += p.o.paint(c.colour, text) + spaces(widths[i]-width(text))
			}
			p.line(line)
		}
	}
}

func (c cell) lines(columns int) []string {
	if c.raw {
		return fold(c.text, columns)
	}
	return wrap(c.text, columns)
}

// widths returns how wide each column of a table is.
func (p *page) widths(indent int, rows [][]cell) []int {
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			for _, l := range strings.Split(c.text, "\n") {
				widths[i] = max(widths[i], width(l))
			}
		}
	}
	over := indent - p.o.columns() - 2
	for _, w := range widths {
		over += w + 2
	}
	for over > 0 {
		widest, second := 0, 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		for i, w := range widths {
			if i != widest {
				second = max(second, w)
			}
		}
		less := min(over, max(1, widths[widest]-second))
		if widths[widest]-less < leastCell {
			break // a page this narrow has no table
		}
		widths[widest] -= less
		over -= less
	}
	return widths
}
