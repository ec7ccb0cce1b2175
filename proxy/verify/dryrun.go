package verify

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/match/request"
)

// Shown is a request of a plan for people: with words in place of what is not known before it is sent,
// and of secrets. It holds values of the tape alone.
type Shown struct {
	Flow      int      `json:"flow"`
	Number    int      `json:"number"` // on tape
	Operation string   `json:"operation"`
	Skip      string   `json:"skip,omitempty"` // why it is not sent; the rest is empty then
	Method    string   `json:"method,omitempty"`
	URL       string   `json:"url,omitempty"`
	Header    []string `json:"header,omitempty"` // "Name: value", sorted
	Body      string   `json:"body,omitempty"`
}

// DryRun shows what Play would send, and sends nothing.
func (p *Plan) DryRun() []Shown {
	c := p.composer()
	c.shown = true
	for k := range p.minted {
		c.live.named[k] = "<" + request.LastName(k.noun) + ">"
		c.live.text[k.text] = c.live.named[k]
	}
	var all []Shown
	for _, s := range p.steps {
		shown := Shown{Flow: s.of.Number, Number: s.Number, Operation: s.Operation, Skip: s.skip}
		if s.skip == "" {
			c.now = p.options.Now()
			if m, err := c.compose(s); err != nil {
				shown.Skip = err.Error()
			} else {
				shown.fill(p, s, m)
			}
		}
		all = append(all, shown)
	}
	return all
}

// words undoes the escapes of words that stand in a form or an address.
var words = strings.NewReplacer("%3Cfresh+", "<fresh ", "%3Cfresh%20", "<fresh ",
	"%3Csecret+", "<secret ", "%3Csecret%20", "<secret ", "%3C", "<", "%3E", ">")

// fill writes down a request.
func (s *Shown) fill(p *Plan, of *step, m *message) {
	s.Method, s.URL, s.Body = m.method, words.Replace(m.target), words.Replace(m.body)
	path, _, _ := strings.Cut(m.target, "?")
	if up, ok := p.options.Route.Upstreams.For(path); ok && m.host == "" {
		s.URL = up.Origin + up.Base + s.URL
	} else if m.host != "" {
		s.URL = m.host + ": " + s.URL
	}
	if p.onTape[of.Number].Meta.RequestCoding != "" {
		s.Body = "(in " + p.onTape[of.Number].Meta.RequestCoding + ")"
	}
	for name, values := range m.header {
		for _, v := range values {
			s.Header = append(s.Header, name+": "+v)
		}
	}
	slices.Sort(s.Header)
}
