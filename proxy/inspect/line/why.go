package line

import (
	"fmt"
	"strconv"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// Why returns an explanation: what happened, the checks, the recordings that came nearest, the
// request as it was compared, and what would mend a miss. Nothing in it is cut.
func Why(w *view.Why, o Options) string {
	p := &page{o: o}
	colour := signs[w.Row.Sign].words
	if colour == none {
		colour = strong
	}
	p.ends(plain(w.Title.String()), colour, heading(&w.Row))
	p.gap()
	p.paragraph(w.Sentence.String())
	if w.Gone {
		p.gap()
		p.paragraph("What the rest of the explanation needs is held no longer; --keep N holds more.")
	}
	p.rungs(w.Rungs)
	p.candidates(w.Candidates)
	p.compared(w.Compared)
	if w.Before != "" || w.After != "" {
		p.gap()
		p.table(2, cells("before", w.Before), cells("after", w.After))
	}
	p.mends(w.Mends)
	if w.Same > 1 {
		p.gap()
		p.paragraph(fmt.Sprintf("This run has %s of this operation for the same reason.",
			count.Of(w.Same, "miss")))
	}
	return p.b.String()
}

// heading says which exchange a page is about: "#52 refund.do, order B-1048, 11:26:17, answered 501".
func heading(r *view.Row) string {
	operation := r.Operation
	if operation == "" {
		operation = join(" ", r.Method, r.Target.String())
	}
	who := ""
	if label := r.Who.Label.String(); label != "" {
		who = join(" ", r.Who.Kind, label)
	}
	answered := ""
	if r.Code > 0 {
		answered = fmt.Sprintf("answered %d", r.Code)
	}
	return plain(join(", ", join(" ", fmt.Sprintf("#%d", r.ID), operation), who,
		timeOf(r, layout{}), answered))
}

// rungs writes the checks in their order. The check that decided is the loudest.
func (p *page) rungs(all []view.Rung) {
	if len(all) == 0 {
		return
	}
	var rows [][]cell
	for _, r := range all {
		row := cells("yes", r.Name, r.Text.String())
		switch r.Verdict {
		case view.No:
			row[0].text, row[0].colour, row[2].colour = "NO", magenta, magenta
		case view.NotTried:
			row[0].text = " - "
			row[0].raw = true
			row[1].colour, row[2].colour = dim, dim
		default:
			row[0].colour = green
		}
		rows = append(rows, row)
	}
	p.gap()
	p.table(2, rows...)
}

// candidates writes the recordings that came nearest, or of a hit what was served and from what it
// was chosen.
func (p *page) candidates(all []view.Candidate) {
	if len(all) == 0 {
		return
	}
	title := "nearest"
	if all[0].Served {
		title = "recording"
	}
	head := cells(title, "state there", "differs", "answers")
	for i := range head {
		head[i].colour = dim
	}
	rows, answers := [][]cell{head}, false
	for _, c := range all {
		row := cells(c.Exchange, join(" ", c.State, equal(c.Equal)), differences(&c), c.Answers)
		if c.Served {
			row[0].text += " (served)"
			row[0].colour = green
		}
		answers = answers || c.Answers != ""
		rows = append(rows, row)
	}
	if !answers {
		for i := range rows {
			rows[i] = rows[i][:3]
		}
	}
	p.gap()
	p.table(2, rows...)
}

func equal(yes bool) string {
	if yes {
		return "(equal)"
	}
	return ""
}

// differences lists the fields in which a request differs from a recording.
func differences(c *view.Candidate) string {
	if len(c.Differs) == 0 {
		return "nothing"
	}
	parts := make([]string, len(c.Differs))
	for i, d := range c.Differs {
		tape, sent := d.Tape.String(), d.Sent.String()
		if sent != "" {
			sent = "sent " + sent
		}
		parts[i] = join(", ", join(" ", d.Path.String(), tape), sent)
		if tape == "" && sent == "" {
			parts[i] = join(" ", d.Path.String(), d.Problem)
		}
	}
	return join("; ", parts...)
}

// compared writes the request as replay looks at it.
func (p *page) compared(all []view.Compared) {
	if len(all) == 0 {
		return
	}
	var rows [][]cell
	for _, c := range all {
		row := cells(c.Path, c.Sent.String(), c.Role, c.Row)
		row[3].colour = dim
		if c.Differs {
			row[0].colour, row[1].colour = magenta, magenta
		}
		rows = append(rows, row)
	}
	p.heading("The request as it was compared")
	p.table(2, rows...)
}

// mends writes what would mend a miss or a mark.
func (p *page) mends(all []view.Mend) {
	if len(all) == 0 {
		return
	}
	p.heading("What would mend it")
	for i, m := range all {
		p.table(2, cells(strconv.Itoa(i+1), m.Text.String()))
		for _, line := range fold(m.Code.String(), max(1, p.o.columns()-7)) {
			p.line(spaces(7) + p.o.paint(cyan, line))
		}
	}
}
