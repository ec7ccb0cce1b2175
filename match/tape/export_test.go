package tape

import (
	"fmt"
	"strings"
)

// Said is what the templates of a tape and its requests say: each text, filled with all that is known of
// its holes, and with what was recorded. Seen counts what holes have beside values.
type Said struct {
	Texts []string
	Seen  map[string]int
	Open  int // templates that are open
	Own   int // parameters of requests that have texts for themselves
}

// OpenAndClosed compiles a tape, and returns what its templates say before they are closed and after.
func OpenAndClosed(o Options, cassettes ...Cassette) (open, closed Said) {
	t := compileOpen(o, cassettes)
	open = said(t)
	t.close()
	return open, said(t)
}

func said(t *Tape) Said {
	s := Said{Seen: map[string]int{}}
	for _, r := range t.Recordings {
		s.template(r.body)
		s.Texts = append(s.Texts, fmt.Sprint(r.Header(s.filled), r.Header(recordedText)))
		s.request(r.Request)
		if r.Listing != nil {
			s.template(r.Listing.Before)
			s.template(r.Listing.After)
			for _, item := range r.Listing.Items {
				s.Seen["item"]++
				s.template(item.Text)
			}
		}
	}
	return s
}

func (s *Said) request(p Params) {
	copies := p.Append(nil)
	for i, a := range p.All() {
		if c := &copies[i]; !a.equal(c) || a.tie != c.tie {
			s.Texts = append(s.Texts, fmt.Sprintf("All yields %+v, and Append %+v", a, c))
		}
		if p.open == nil && p.parts[i].own {
			s.Own++
		}
		tied := ""
		if a.tie != nil {
			s.Seen["tie"]++
			tied = told(&Hole{a.tie, &Writing{}})
		}
		s.Texts = append(s.Texts, fmt.Sprintf("%+v %+v %+v %s", *a.Parameter, a.Argument, a.Names, tied))
	}
}

func (s *Said) template(t Template) {
	if t.layout != nil && t.open != nil {
		s.Open++
	}
	t.walk(func(_ string, h *Hole) {
		if h != nil && h.packing != nil {
			s.Seen["packing"]++
			s.template(h.inner)
		}
	})
	s.Texts = append(s.Texts, fmt.Sprint(t.Text(s.filled), "\n", t.Text(recordedText), "\n", t.Class()))
}

// filled fills a hole with all that is known of it.
func (s *Said) filled(h *Hole) string {
	text := told(h)
	if h.To != nil {
		s.Seen["address"]++
		text += fmt.Sprint(*h.To)
	}
	if h.date != nil {
		s.Seen["date"]++
		text += fmt.Sprint(h.date.from, h.date.to, h.date.zone)
	}
	if h.odd != nil {
		s.Seen["spelling"]++
		text += fmt.Sprint(*h.odd)
	}
	if h.Like != "" {
		s.Seen["like"]++
	}
	if h.Ref != nil && len(h.Ref.Steps) > 0 {
		s.Seen["way"]++
	}
	return strings.ToValidUTF8(text, "")
}

// recordedText fills a hole with what stands there on tape.
func recordedText(h *Hole) string {
	if h.What == Leads {
		return h.Like
	}
	return h.Apply(h.Source.Text)
}
