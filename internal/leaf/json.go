package leaf

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Bounds of a JSON document that is read as one. gjson recurses and takes time in
// proportion to depth times size, so both are checked before it sees a byte.
const (
	MaxDepth = 64
	MaxJSON  = 16 << 20 // bytes
)

// looksJSON reports whether text can only be meant as a JSON object or array.
func looksJSON(s string) bool {
	s = strings.TrimLeft(s, " \t\r\n")
	return s != "" && (s[0] == '{' || s[0] == '[')
}

// json reads t as a JSON document and reports whether it is one.
func (r *reader) json(t text) bool {
	if !looksJSON(t.s) || len(t.s) > MaxJSON || tooDeep(t.s) || !gjson.Valid(t.s) {
		return false
	}
	root := gjson.Parse(t.s)
	begin := strings.IndexAny(t.s, "{[")
	r.container(jsonNode{text: &t, value: root, at: begin, path: t.path, shape: t.shape})
	return true
}

// tooDeep reports whether brackets outside strings nest deeper than MaxDepth.
func tooDeep(s string) bool {
	depth, inString := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// jsonNode is one value of a document on the walk.
type jsonNode struct {
	text  *text
	value gjson.Result
	at    int // offset of value.Raw in text.s
	key   string
	name  string // the "name" beside a "value"
	path  string
	shape string
}

// container walks the members of an object or array.
func (r *reader) container(n jsonNode) {
	raw := n.value.Raw
	if !hasMembers(n.value) {
		r.value(n, raw, Empty)
		return
	}
	var names pairNames
	if n.value.IsObject() && mayPair(raw) {
		names = namesIn(n.value)
	}
	i := 0
	n.value.ForEach(func(key, v gjson.Result) bool {
		// ForEach gives v.Index relative to where n.value.Index says it lies.
		child := jsonNode{text: n.text, value: v, at: n.at + v.Index - n.value.Index}
		if n.value.IsArray() {
			child.key, child.shape = n.key, n.shape
			child.path = n.path + "[" + strconv.Itoa(i) + "]"
		} else {
			child.key = key.String()
			child.path = join(n.path, child.key)
			child.shape = join(n.shape, child.key)
			child.name = names.of(child.key)
		}
		i++
		r.node(child)
		return true
	})
}

func (r *reader) node(n jsonNode) {
	switch n.value.Type {
	case gjson.JSON:
		r.container(n)
	case gjson.String:
		r.value(n, n.value.Raw[1:len(n.value.Raw)-1], String)
	case gjson.Number:
		r.value(n, n.value.Raw, Number)
	case gjson.Null:
		r.value(n, n.value.Raw, Null)
	default:
		r.value(n, n.value.Raw, Bool)
	}
}

func (r *reader) value(n jsonNode, raw string, kind Kind) {
	at, c := n.at, plain
	if kind == String {
		at, c = at+1, jsonString
	}
	l := Leaf{
		Place: n.text.place, Kind: kind, Key: n.key, Name: n.name, Path: n.path, Shape: n.shape,
		start: n.text.at(at), end: n.text.at(at + len(raw)),
		codings: append(slices.Clip(n.text.codings), c), in: n.text.in,
	}
	if kind == String {
		r.scalar(l, *n.text, raw, at)
		return
	}
	if kind == Empty {
		raw = raw[:1] + raw[len(raw)-1:]
	}
	l.Value = raw
	r.leaves = append(r.leaves, l)
}

// hasMembers reports whether a container holds anything.
func hasMembers(v gjson.Result) bool {
	return len(strings.TrimSpace(v.Raw[1:len(v.Raw)-1])) > 0
}

// join adds a member to a path; a dot inside a key is escaped.
func join(path, key string) string {
	key = strings.ReplaceAll(key, ".", `\.`)
	if path == "" || strings.HasSuffix(path, ">") {
		return path + key
	}
	return path + "." + key
}
