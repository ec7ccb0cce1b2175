package line

import (
	"fmt"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// Flow returns a flow: what it is about, the states it has reached, and its rows, the oldest first.
func Flow(f *view.Flow, o Options) string {
	p := &page{o: o}
	g := &f.Group
	p.ends(groupTitle(g), strong, join(", ", g.At.Format("15:04:05"), count.Of(g.Rows, "row"),
		duration(g.Took)))
	if text := groupOutcome(g); text != "" {
		p.line(o.paint(tones[g.Outcome.Tone], cut(text, o.columns())))
	}
	if len(f.States) > 0 {
		var rows [][]cell
		for _, s := range f.States {
			words := s.Words.String()
			if code := s.Code.String(); code != "" {
				words += " (" + code + ")"
			}
			row := cells("+"+after(s), words, fmt.Sprintf("#%d", s.ID))
			row[0].colour, row[1].colour, row[2].colour = dim, tones[s.Tone], dim
			rows = append(rows, row)
		}
		p.heading("States")
		p.table(2, rows...)
	}
	p.gap()
	for i := range f.Rows {
		for _, text := range Row(&f.Rows[i], o) {
			p.line(text)
		}
	}
	if f.More > 0 {
		p.line(fmt.Sprintf("and %s more", count.Of(f.More, "row")))
	}
	return p.b.String()
}

// after says how long after the beginning of its flow a state was reached.
func after(s view.Stage) string {
	if s.After <= 0 {
		return "0"
	}
	return duration(s.After)
}

// groupTitle says what a flow is about: "order B-1045, 500000..1115".
func groupTitle(g *view.Group) string {
	label := plain(g.Who.Label.String())
	if label == "" {
		label = g.ID
	}
	return join(", ", join(" ", g.Who.Kind, label), shortMask(plain(g.Who.Card.String()), MaxColumns))
}

// groupOutcome says what a flow came to, in as much room as it takes.
func groupOutcome(g *view.Group) string {
	return outcome(&g.Outcome, g.Amount, layoutOf(MaxColumns))
}

// Window returns a part of a list: groups in the columns of rows, and below each its rows.
func Window(w *view.Window, o Options) string {
	p := &page{o: o}
	for i := range w.Lines {
		switch l := &w.Lines[i]; {
		case l.Group != nil:
			p.line(groupLine(l, o))
		case l.Row != nil:
			for _, text := range Row(l.Row, o) {
				p.line(text)
			}
		}
	}
	c := w.Counts
	p.gap()
	p.paragraph(join(", ", count.Of(c.All, "exchange"), counted(c.Groups, "flow"),
		counted(c.Misses, "miss"), number(c.Declined, "declined"), number(c.Failed, "failed"),
		number(c.Marked, "marked"), number(c.Ruled, "by rules"), counted(c.Callbacks, "callback"),
		number(int(w.Lost), "lost before anybody looked")))
	if end := w.At + len(w.Lines); len(w.Lines) < w.Total {
		p.paragraph(fmt.Sprintf("lines %d to %d of %d", min(w.At+1, end), end, w.Total))
	}
	return p.b.String()
}

// groupLine writes a group in the columns of rows.
func groupLine(line *view.Line, o Options) string {
	l, g := layoutOf(o.columns()), line.Group
	fold := "-"
	if line.Folded {
		fold = "+"
	}
	r := view.Row{At: g.At, Who: g.Who, Took: g.Took}
	text := o.paint(dim, pad(timeOf(&r, l), l.time)) + " " +
		pad(cut(fmt.Sprintf("   %s %s", fold, count.Of(g.Rows, "row")), l.number), l.number) + " "
	if l.code > 0 {
		text += spaces(l.code + 1)
	}
	if l.label > 0 {
		text += o.paint(strong, pad(about(&r, l), l.label+1+l.card)) + " "
	}
	letter, colour := " ", none
	switch {
	case g.Misses > 0:
		letter, colour = signs[view.SignMiss].letter, magenta
	case g.Outcome.Tone == view.Bad:
		letter, colour = signs[view.SignDeclined].letter, red
	case g.Outcome.Tone == view.Waits:
		letter = signs[view.SignWaits].letter
	}
	words := outcome(&g.Outcome, g.Amount, l)
	text += o.paint(colour, letter) + " " +
		o.paint(tones[g.Outcome.Tone], pad(cut(words, l.words), l.words))
	if l.served > 0 {
		notable := join(", ", counted(g.Misses, "miss"), number(g.Marked, "marked"))
		text += " " + pad(cut(notable, l.served), l.served)
	}
	if l.took > 0 {
		text += " " + o.paint(dim, padLeft(duration(g.Took), l.took))
	}
	return text
}

// counted is count.Of, and nothing for none.
func counted(n int, thing string) string {
	if n == 0 {
		return ""
	}
	return count.Of(n, thing)
}

// number is a number with a word behind it, and nothing for none.
func number(n int, word string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("%d %s", n, word)
}
