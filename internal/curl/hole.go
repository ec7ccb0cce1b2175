package curl

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/surrogate"
)

// part is a part of a request: its target, a value of a header, or its body.
type part struct {
	place leaf.Place // Path, Header or bodyPlace
	name  string     // of a header
	index int
}

// bodyPlace stands for all places of a body.
const bodyPlace = leaf.Text

// hole is a stretch of a part in whose place a variable is written.
type hole struct {
	from, to int
	variable string
	form     bool // it is a value of a form, which curl can escape
}

// most bounds the values of a part that are looked at.
const most = 1 << 12

// newCommand finds the holes of a request.
func newCommand(x *leaf.Exchange, o Options) *command {
	c := &command{x: x, o: o, places: map[part][]hole{}}
	call := profile.Call{}
	if o.Profiles != nil {
		call = callOf(o.Profiles, x)
	}
	v := o.Variables
	if v == nil {
		v = Variables{}
	}
	asked := x.Asked()
	asked.Most, asked.Headless = most, true
	c.find(call, v, leaf.Read(asked), part{})
	for _, name := range slices.Sorted(maps.Keys(x.Request.Headers)) {
		for i, value := range x.Request.Headers[name] {
			m := leaf.Message{Header: http.Header{name: {value}}, Most: most}
			c.find(call, v, leaf.Read(m), part{leaf.Header, name, i})
		}
	}
	for at, holes := range c.places {
		c.places[at] = apart(holes)
	}
	return c
}

// find finds the holes of a message: of one value of a header, or of all else of a request.
func (c *command) find(call profile.Call, v Variables, m *leaf.Message, header part) {
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Packed() != nil {
			continue
		}
		at := part{place: bodyPlace}
		switch l.Place {
		case leaf.Path, leaf.Query:
			at.place = leaf.Path
		case leaf.Header:
			at = header
		}
		for _, s := range c.secrets(call, l) {
			from, to := m.Span(l, s.from, s.to)
			c.places[at] = append(c.places[at], hole{
				from: from, to: to, variable: v.name(l.Key, l.Value[s.from:s.to]),
				form: l.Place == leaf.Form && l.Holder() == nil && l.Encode("&") == "%26" &&
					s.from == 0 && s.to == len(l.Value),
			})
		}
	}
}

// apart returns holes in their order, without those that lie over another.
func apart(holes []hole) []hole {
	slices.SortStableFunc(holes, func(a, b hole) int { return a.from - b.from })
	end := 0
	return slices.DeleteFunc(holes, func(h hole) bool {
		over := h.from < end
		end = max(end, h.to)
		return over
	})
}

// span is a stretch of a value.
type span struct{ from, to int }

// secrets returns the stretches of a value that stand for a secret.
func (c *command) secrets(call profile.Call, l *leaf.Leaf) []span {
	whole := []span{{0, len(l.Value)}}
	if surrogate.IsMarker(l.Value) || surrogate.IsCard(l.Value) {
		return whole
	}
	if c.o.Profiles != nil && l.Place != leaf.Header {
		f, _ := c.o.Profiles.Meaning(call, profile.Request, profile.At{
			Key: l.Key, Name: l.Name, Shape: l.Shape})
		secret := f.Secret != profile.NotSecret && !f.Secret.Personal()
		if secret && surrogate.Is(l.Value) {
			return whole
		}
	}
	var found []span
	for from := 0; ; {
		i := strings.Index(l.Value[from:], surrogate.Prefix)
		if i < 0 {
			return found
		}
		from += i
		n := surrogate.MarkerLength(l.Value[from:])
		found = append(found, span{from, from + n})
		from += n
	}
}

// callOf returns what the profiles recognise of an exchange.
func callOf(set *profile.Set, x *leaf.Exchange) profile.Call {
	if x.Meta.Callback != nil {
		return set.FindCallback(x.Meta.Profile)
	}
	path, _, _ := strings.Cut(x.Target(), "?")
	return set.Find(x.Request.Method, path)
}

// name returns the variable for a value of a field: PASSWORD for "password", CARD_NUMBER for
// "cardNumber", and for another value of that name CARD_NUMBER_2.
func (v Variables) name(key, value string) string {
	base := variableOf(key)
	for n := 1; ; n++ {
		name := base
		if n > 1 {
			name += "_" + strconv.Itoa(n)
		}
		if other, taken := v[name]; !taken || other == value {
			v[name] = value
			return name
		}
	}
}

// variableOf writes a key as the name of a variable. One that a shell uses itself gets a word more.
func variableOf(key string) string {
	const longest = 40
	var b strings.Builder
	previous := byte(0)
	for i := range min(len(key), longest) {
		c := key[i]
		upper := c >= 'A' && c <= 'Z'
		switch {
		case upper && previous >= 'a' && previous <= 'z':
			b.WriteString("_" + string(c))
		case upper, c >= '0' && c <= '9' && b.Len() > 0:
			b.WriteByte(c)
		case c >= 'a' && c <= 'z':
			b.WriteByte(c - 'a' + 'A')
		case b.Len() > 0 && previous != '_':
			c = '_'
			b.WriteByte(c)
		}
		previous = c
	}
	name := strings.Trim(b.String(), "_")
	if name == "" || slices.Contains(ofShells, name) {
		name = strings.TrimPrefix(name+"_VALUE", "_")
	}
	return name
}

// ofShells are variables that a shell or curl reads, or that stand for an origin here.
var ofShells = []string{"PATH", "HOME", "IFS", "PS1", "PS2", "PS4", "ENV", "SHELL", "USER", "PWD", "TERM",
	"LANG", "LINENO", "PPID", "UID", "SHOP", "BASE"}
