package line

import (
	"fmt"
	"strings"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// Exchange returns an exchange in full: what the client sent, what is on tape and what was served,
// field by field, and the messages, beside each other where there is room.
func Exchange(x *view.Exchange, o Options) string {
	p := &page{o: o}
	p.ends(heading(&x.Row), strong, join(" ", duration(x.Row.Took), served(&x.Row, layoutOf(MaxColumns))))
	if x.Gone {
		p.gap()
		p.paragraph("The messages are held no longer; --keep N holds more.")
		return p.b.String()
	}
	if x.Before != "" || x.After != "" {
		p.table(0, cells("before", x.Before), cells("after", x.After))
	}
	p.fields("The client sent", "sent", x.RequestFields)
	p.fields("It was served", "served", x.ResponseFields)
	if x.More > 0 {
		p.line("  and " + count.Of(x.More, "field") + " more")
	}
	request, response := message(&x.Request), message(&x.Response)
	p.gap()
	if o.columns() >= milliseconds {
		half := (o.columns() - 2) / 2
		p.table(0, []cell{
			{text: strings.Join(fold(request, half), "\n"), raw: true},
			{text: strings.Join(fold(response, half), "\n"), raw: true},
		})
		return p.b.String()
	}
	for i, m := range []string{request, response} {
		if i > 0 {
			p.gap()
		}
		for _, text := range fold(m, o.columns()) {
			p.line(text)
		}
	}
	return p.b.String()
}

// kinds are the colours of values.
var kinds = map[view.ValueKind]style{
	view.Fresh: green, view.Echo: cyan, view.Moved: amber, view.Mask: violet, view.Redacted: dim,
}

// fields writes the fields of a message: what was live, what is on tape, and what a value is.
func (p *page) fields(title, live string, all []view.Field) {
	if len(all) == 0 {
		return
	}
	head := cells("field", live, "on tape", "kind", "")
	for i := range head {
		head[i].colour = dim
	}
	rows := [][]cell{head}
	for i := range all {
		f := &all[i]
		row := cells(f.Path, value(f.Live.String(), f.HasLive), onTape(f), string(f.Kind),
			join(", ", f.Human.String(), f.Noun))
		row[1].colour, row[3].colour, row[4].colour = kinds[f.Kind], kinds[f.Kind], dim
		if f.Differs {
			row[0].colour, row[1].colour, row[2].colour = magenta, magenta, magenta
			row[3].text = "differs"
			row[3].colour = magenta
		}
		rows = append(rows, row)
	}
	p.heading(title)
	p.table(2, rows...)
}

// value writes a value; a value that is not there is no empty one.
func value(text string, there bool) string {
	switch {
	case !there:
		return "-"
	case text == "":
		return `""`
	}
	return text
}

// onTape writes what is on tape in the place of a field.
func onTape(f *view.Field) string {
	if f.HasLive && f.HasTape && f.Live == f.Tape {
		return "same"
	}
	return value(f.Tape.String(), f.HasTape)
}

// message writes a message as it was sent, with a body laid out.
func message(m *view.Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", m.Line)
	for _, h := range m.Header {
		fmt.Fprintf(&b, "%s: %s\n", h.Name, h.Value)
	}
	body := m.Pretty.String()
	if body == "" {
		body = m.Body.String()
	}
	if body != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimRight(body, "\r\n"))
	}
	if m.Cut {
		fmt.Fprintf(&b, "... of %s\n", count.Of(m.Size, "byte"))
	}
	for _, h := range m.Trailer {
		fmt.Fprintf(&b, "%s: %s\n", h.Name, h.Value)
	}
	return b.String()
}
