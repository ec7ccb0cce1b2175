package verify

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/outcome"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/redact/surrogate"
)

// Need is a secret that the requests of a plan have and the tape does not hold.
type Need struct {
	// Name is what a file of secrets calls it; Names are all names that will do, the most particular
	// first: CARD/FIELD of a CVC or PIN beside a card, what stands on tape in its place, the mask of a
	// card, OPERATION/FIELD, the field, the noun of the field, the kind of secret.
	Name  string   `json:"name"`
	Names []string `json:"names"`
	Kind  string   `json:"kind"` // "pan", "token"
	// Stands is what the tape has in its place: of a card the mask of that.
	Stands string   `json:"stands"`
	Where  []string `json:"where"` // OPERATION/FIELD, each once
	Given  bool     `json:"given"` // the file tells its value, or that there is none

	key string // the field
}

// stretch is a part of a value of a request in whose place a secret was sent.
type stretch struct {
	from, to int
	text     string // on tape
	names    []string
	kind     string
	key      string // the field
	place    string // OPERATION/FIELD
}

// markersIn returns the markers in a text, each once.
func markersIn(text string) []string {
	var all []string
	for {
		at := strings.Index(text, surrogate.Prefix)
		if at < 0 {
			return all
		}
		n := surrogate.MarkerLength(text[at:])
		if m := text[at : at+n]; !slices.Contains(all, m) {
			all = append(all, m)
		}
		text = text[at+max(n, 1):]
	}
}

// toldBy returns what the answer of a recorded exchange tells of secrets: their markers, also inside
// packed messages, and the fields whose secrets stand as a constant.
func toldBy(x *leaf.Exchange) (markers, fields []string) {
	for _, l := range x.ResponseMessage().Leaves {
		markers = append(markers, markersIn(l.Value)...)
		if surrogate.Is(l.Value) {
			fields = append(fields, l.Key)
		}
	}
	return markers, fields
}

// constant reports whether a text stands for many secrets.
func constant(text string) bool {
	_, n := surrogate.ReadMarker(text)
	return surrogate.Is(text) && n == 0
}

// secretsIn returns the stretches of a value that stand for secrets.
func secretsIn(operation string, l *leaf.Leaf, f profile.Field) []stretch {
	key := l.Key
	if l.Place == leaf.Path {
		key = "path"
	}
	secret := f.Secret != profile.NotSecret && !f.Secret.Personal()
	var found []stretch
	add := func(from, to int, kind string) {
		text := l.Value[from:to]
		s := stretch{from: from, to: to, text: text, kind: kind, key: key, place: operation + "/" + key}
		if mask, is := outcome.MaskOf(text); is && surrogate.IsCard(text) {
			s.names = append(s.names, text, mask)
		} else if _, n := surrogate.ReadMarker(text); surrogate.IsMarker(text) && n > 0 {
			s.names = append(s.names, text) // one without a number stands for many secrets
		}
		s.names = append(s.names, s.place, key)
		if f.Of != "" && f.Of != key {
			s.names = append(s.names, f.Of)
		}
		s.names = append(s.names, kind)
		found = append(found, s)
	}
	switch {
	case l.Value == surrogate.WrongCVC:
	case surrogate.IsCard(l.Value):
		add(0, len(l.Value), profile.PAN.String())
	case surrogate.IsMarker(l.Value) && !personalMarker(l.Value), secret && surrogate.Is(l.Value):
		kind := f.Secret.String()
		if marked, _ := surrogate.ReadMarker(l.Value); marked != profile.NotSecret {
			kind = marked.String()
		}
		add(0, len(l.Value), kind)
	default:
		for from := 0; ; {
			i := strings.Index(l.Value[from:], surrogate.Prefix)
			if i < 0 {
				return found
			}
			from += i
			n := surrogate.MarkerLength(l.Value[from:])
			if kind, _ := surrogate.ReadMarker(l.Value[from : from+n]); n > 0 && !kind.Personal() {
				add(from, from+n, kind.String())
			}
			from += max(n, 1)
		}
	}
	return found
}

// personalMarker reports whether a marker stands for personal data, which is sent as it is on tape.
func personalMarker(text string) bool {
	kind, _ := surrogate.ReadMarker(text)
	return kind.Personal()
}

// findNeeds lists the secrets of all requests that are played. What an answer before has told is none.
func (p *Plan) findNeeds() {
	told, fields, by := map[string]bool{}, map[string]bool{}, map[string]*Need{}
	keys := map[string][]string{} // the texts on tape of each field
	for _, s := range p.steps {
		if s.skip != "" {
			continue
		}
		for _, st := range p.stretches(s) {
			if p.made[st.text] || !constant(st.text) && told[st.text] || constant(st.text) && fields[st.key] {
				continue
			}
			if s.Denied && !p.given(st.names[:1]) {
				s.skip = "the tape does not hold the credentials that were refused"
				break
			}
			p.asks[s.Number] = append(p.asks[s.Number], st)
			id := st.names[0]
			if by[id] == nil {
				by[id] = &Need{Name: id, Names: st.names, Kind: st.kind, Stands: st.text, key: st.key}
				if mask, is := outcome.MaskOf(st.text); is {
					by[id].Stands = mask
				}
				p.needs = append(p.needs, by[id])
				keys[st.key] = append(keys[st.key], id)
			}
			n := by[id]
			n.Given = n.Given || p.options.Secrets.knows(st.names)
			if !slices.Contains(n.Where, st.place) {
				n.Where = append(n.Where, st.place)
			}
		}
		markers, constants := toldBy(p.onTape[s.Number])
		for _, m := range markers {
			told[m] = true
		}
		for _, key := range constants {
			fields[key] = true
		}
	}
	for _, n := range p.needs {
		switch {
		case len(keys[n.key]) == 1:
			n.Name = n.key // the field has one secret
		case n.Kind == profile.PAN.String():
			n.Name = n.Names[min(1, len(n.Names)-1)] // the mask
		}
	}
}

// given reports whether there is a value of one of some names.
func (p *Plan) given(names []string) bool {
	_, ok := p.options.Secrets.find(names)
	return ok
}

// stretches returns what stands for secrets in the request of a step.
func (p *Plan) stretches(s *step) []*stretch {
	var all []*stretch
	call := s.Recording.Call()
	m := p.onTape[s.Number].RequestMessage()
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if connectionHeaders[l.Key] && l.Place == leaf.Header {
			continue
		}
		f := p.field(call, l)
		for _, st := range secretsIn(s.Operation, l, f) {
			all = append(all, &st)
		}
	}
	for _, st := range all {
		st.names = append(beside(all, st), st.names...)
	}
	return all
}

// beside returns the name of a secret that goes with a card, where the request has one card:
// "400000******1118/$CVC".
func beside(all []*stretch, st *stretch) []string {
	mask := ""
	for _, o := range all {
		if o.kind == profile.PAN.String() {
			m, is := outcome.MaskOf(o.text)
			if !is || mask != "" && m != mask {
				return nil
			}
			mask = m
		}
	}
	if mask == "" || st.kind != profile.CVC.String() && st.kind != profile.PIN.String() {
		return nil
	}
	return []string{mask + "/" + st.key}
}

// field returns what the profiles know of a leaf of a request.
func (p *Plan) field(call profile.Call, l *leaf.Leaf) profile.Field {
	if l.Place == leaf.Header && l.Holder() == nil {
		f, _ := p.options.Profiles.HeaderField(call, profile.Request, l.Key)
		return f
	}
	if param, ok := request.Parameter(p.options.Profiles, call, l); ok {
		return param.Field
	}
	return profile.Field{}
}

// Needs returns the secrets that the plan needs, in the order in which they are sent.
func (p *Plan) Needs() []*Need { return p.needs }

// Missing returns the needs for which there is no value.
func (p *Plan) Missing() []*Need {
	var all []*Need
	for _, n := range p.needs {
		if !n.Given {
			all = append(all, n)
		}
	}
	return all
}
