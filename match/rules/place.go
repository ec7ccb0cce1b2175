package rules

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// place says where in a message a value is.
type place struct {
	text string // as the file has it
	in   part
	key  string // of a field, as foldName has it; the path after "body:"; the name of a header
}

// part is the part of a message that a place is in.
type part uint8

const (
	aField  part = iota // the key of a profile, in any form in which it travels, or its whole path
	aBody               // "body:PATH": a path of gjson in a JSON body
	aHeader             // "header:NAME"
	aQuery              // "query:NAME"
	aStatus             // "http-status", of an answer
)

// prefixes are how places begin that are no fields.
var prefixes = []struct {
	text string
	in   part
}{{"body:", aBody}, {"header:", aHeader}, {"query:", aQuery}}

// statusPlace is the place of the status of an answer.
const statusPlace = "http-status"

func parsePlace(text string) place {
	if text == statusPlace {
		return place{text: text, in: aStatus}
	}
	for _, p := range prefixes {
		if key, ok := strings.CutPrefix(text, p.text); ok {
			if p.in == aHeader {
				key = http.CanonicalHeaderKey(key)
			}
			return place{text: text, in: p.in, key: key}
		}
	}
	return place{text: text, key: foldName(text)}
}

// foldName returns the path of a field in small letters of ASCII.
func foldName(text string) string {
	folded := []byte(dotted(text))
	for i, c := range folded {
		if c >= 'A' && c <= 'Z' {
			folded[i] |= 0x20
		}
	}
	return string(folded)
}

// dotted returns the path of a field: the value of a name in a list is below the list, so that
// "params(email)" is "params.email".
func dotted(text string) string {
	list, name, found := strings.Cut(text, "(")
	if !found || !strings.HasSuffix(name, ")") {
		return text
	}
	return list + "." + strings.TrimSuffix(name, ")")
}

// lastOf returns the last name of a path.
func lastOf(path string) string {
	return strings.TrimPrefix(path[strings.LastIndexAny(path, ".>")+1:], "@")
}

// indexed reports whether the name of a field may have the index of an item in it. Names without
// are found for all fields together (lookup.go).
func (p *place) indexed() bool { return strings.Contains(p.key, "[") }

// is reports whether a leaf of a message, which a profile may call by a name, is at a place that
// is a field.
func (p *place) is(l *leaf.Leaf, name string) bool {
	switch {
	case strings.EqualFold(name, p.key), strings.EqualFold(l.Shape, p.key),
		strings.EqualFold(l.Path, p.key):
		return true
	case l.Name != "" && strings.EqualFold(l.Key, "value"):
		list := l.Shape[:len(l.Shape)-len(l.Key)]
		return strings.EqualFold(l.Name, p.key) || strings.EqualFold(list+l.Name, p.key)
	}
	return false
}

// nameOf returns what a profile calls a leaf: its key, or the name in braces of a path segment.
func nameOf(c profile.Call, l *leaf.Leaf) string {
	if l.Place == leaf.Path {
		if c.Operation == nil {
			return ""
		}
		return c.Operation.Segment(index(l.Key))
	}
	return l.Key
}

// index reads the number of a path segment.
func index(key string) int {
	n := 0
	for _, c := range []byte(key) {
		n = n*10 + int(c-'0')
	}
	return n
}

// inRequest returns the values at a place of a request.
func (p *place) inRequest(a *Asked) []found {
	switch p.in {
	case aHeader:
		return texts(a.Header[p.key])
	case aBody:
		return inJSON(a.Body, p.key)
	case aQuery:
		return p.inQuery(a)
	}
	var out []found
	var room [64]byte
	for i := range a.Params {
		q := &a.Params[i]
		whole := foldPath(room[:0], q.Path)
		if string(whole) == p.key || string(lastName(whole)) == p.key ||
			p.indexed() && strings.EqualFold(withoutRepeat(q.Path), p.key) {
			out = append(out, foundIn(q))
		}
	}
	return out
}

func foundIn(q *request.Param) found {
	if q.Field.Secret == profile.PAN {
		return cardFound(q.Text)
	}
	return found{text: q.Text}
}

// inQuery returns the values of a parameter of the query, wherever a profile counts it.
func (p *place) inQuery(a *Asked) []found {
	var out []found
	m := leaf.Read(leaf.Message{Target: a.Target})
	for i := range m.Leaves {
		if l := &m.Leaves[i]; l.Place == leaf.Query && l.Key == p.key {
			out = append(out, found{text: l.Value})
		}
	}
	return out
}

// foldPath appends the path of a parameter to buf in small letters, as a rule names it: without
// indexes, without the number of a repeated name, and without the braces of a path parameter.
func foldPath(buf []byte, path string) []byte {
	path = strings.Trim(withoutRepeat(path), "{}")
	index := false
	for i := range len(path) {
		c := path[i]
		switch {
		case c == '[':
			index = isIndex(path[i:])
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		}
		if !index {
			buf = append(buf, c)
		}
		index = index && c != ']'
	}
	return buf
}

// isIndex reports whether a text begins with the index of an item: "[0]".
func isIndex(text string) bool {
	digits, _, closed := strings.Cut(text[1:], "]")
	return closed && digits != "" && areDigits(digits)
}

// lastName returns the last name of a path.
func lastName(path []byte) []byte { return path[bytes.LastIndexAny(path, ".>")+1:] }

// withoutRepeat returns the path of a parameter without the number that a repeated name has.
func withoutRepeat(path string) string {
	if i := strings.LastIndexByte(path, '#'); i > 0 && areDigits(path[i+1:]) {
		return path[:i]
	}
	return path
}

// inAnswer returns the values at a place of an answer, of which m has the leaves.
func (p *place) inAnswer(c profile.Call, a *Answer, m *leaf.Message) []found {
	switch p.in {
	case aStatus:
		return []found{{text: strconv.Itoa(a.Code)}}
	case aHeader:
		return texts(a.Header[p.key])
	case aBody:
		return inJSON(a.Body, p.key)
	}
	var out []found
	for i := range m.Leaves {
		if l := &m.Leaves[i]; p.is(l, nameOf(c, l)) {
			out = append(out, found{text: l.Value})
		}
	}
	return out
}

// inJSON returns the values at a path in a JSON body; none if the body is no JSON.
func inJSON(body, path string) []found {
	if len(body) > leaf.MaxJSON || !readable(body) {
		return nil
	}
	r := gjson.Get(body, path)
	if !r.Exists() {
		return nil
	}
	if r.IsArray() && strings.Contains(path, "#") {
		var out []found
		r.ForEach(func(_, item gjson.Result) bool {
			out = append(out, found{text: item.String()})
			return true
		})
		return out
	}
	if r.Type == gjson.Number {
		return []found{{text: r.Raw}} // exact, where a float is not
	}
	return []found{{text: r.String()}}
}

// readable reports whether gjson may read a body: one that package leaf reads as JSON, which checks
// depth and size first.
func readable(body string) bool {
	m := leaf.Read(leaf.Message{Body: body, Headless: true, Most: 1})
	return len(m.Leaves) > 0 && m.Leaves[0].Place == leaf.JSON
}

func texts(values []string) []found { return appendTexts(nil, values) }

func appendTexts(to []found, values []string) []found {
	for _, v := range values {
		to = append(to, found{text: v})
	}
	return to
}
