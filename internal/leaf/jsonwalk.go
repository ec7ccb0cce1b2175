package leaf

import (
	"strings"

	"github.com/tidwall/gjson"
)

// jsonNode is one value of a document on the walk.
type jsonNode struct {
	text  *text
	at    int // where it begins in text.s
	depth int // containers that it lies in, itself included if it is a container
	key   string
	name  string // the "name" beside a "value"
	path  string
	shape string
}

// node lists the leaves of a value and returns where the value ends; -1 if it is not well formed (see
// documentEnd). Where that is more than anybody wants, it ends early.
func (r *reader) node(n jsonNode) int {
	s := n.text.s
	kind := Number
	switch s[n.at] {
	case '{':
		return r.object(&n)
	case '[':
		return r.array(&n)
	case '"':
		end := stringEnd(s, n.at)
		if end >= 0 {
			r.value(&n, s[n.at+1:end-1], String)
		}
		return end
	case 't', 'f':
		kind = Bool
	case 'n':
		kind = Null
	}
	end := scalarEnd(s, n.at)
	if end >= 0 {
		r.value(&n, s[n.at:end], kind)
	}
	return end
}

// object walks the members of an object.
func (r *reader) object(n *jsonNode) int {
	s := n.text.s
	if n.depth > MaxDepth {
		return -1
	}
	at := skip(s, n.at+1)
	if at < len(s) && s[at] == '}' {
		r.value(n, s[n.at:at+1], Empty)
		return at + 1
	}
	var names *pairNames // made for the first member that may have one
	for at < len(s) {
		key := span{at, keyEnd(s, at)}
		if at = valueStart(s, key.to); at < 0 {
			return -1
		}
		child := jsonNode{
			text: n.text, at: at, depth: n.depth + 1, key: memberKey(s[key.from:key.to]),
		}
		child.path = join(n.path, child.key)
		if child.shape = child.path; n.shape != n.path {
			child.shape = join(n.shape, child.key)
		}
		if mayEndValue(child.key) {
			if names == nil {
				names = namesAt(s, n)
			}
			child.name = names.of(child.key)
		}
		if r.keys {
			r.key(n.text, child.key, span{key.from + 1, key.to - 1}, jsonString)
		}
		if at = r.node(child); at < 0 || r.full() {
			return at
		}
		if at = skip(s, at); at == len(s) || s[at] != ',' {
			break
		}
		at = skip(s, at+1)
	}
	return closed(s, at, '}')
}

// namesAt returns what the members of the object that n is call its value.
func namesAt(s string, n *jsonNode) *pairNames {
	var names pairNames
	if end := containerEnd(s, n.at, n.depth); end >= 0 {
		names = namesIn(gjson.Parse(s[n.at:end]))
	}
	return &names
}

// memberKey returns the key that a JSON string is.
func memberKey(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1] // nearly always
	}
	return gjson.Parse(raw).Str
}

// array walks the elements of an array.
func (r *reader) array(n *jsonNode) int {
	s := n.text.s
	if n.depth > MaxDepth {
		return -1
	}
	at := skip(s, n.at+1)
	if at < len(s) && s[at] == ']' {
		r.value(n, s[n.at:at+1], Empty)
		return at + 1
	}
	for i := 0; at < len(s); i++ {
		at = r.node(jsonNode{
			text: n.text, at: at, depth: n.depth + 1, key: n.key, shape: n.shape,
			path: indexed(n.path, i),
		})
		if at < 0 || r.full() {
			return at
		}
		if at = skip(s, at); at == len(s) || s[at] != ',' {
			break
		}
		at = skip(s, at+1)
	}
	return closed(s, at, ']')
}

func (r *reader) value(n *jsonNode, raw string, kind Kind) {
	at, c := n.at, plain
	if kind == String {
		at, c = at+1, jsonString
	}
	l := Leaf{
		Place: n.text.place, Kind: kind, Key: n.key, Name: n.name, Path: n.path, Shape: n.shape,
		start: offset(n.text.at(at)), end: offset(n.text.at(at + len(raw))),
		codings: n.text.codings.under(c), in: n.text.in,
	}
	switch {
	case kind == String:
		r.scalar(&l, n.text, raw, at)
		return
	case kind == Empty && raw[0] == '{':
		l.Value = "{}"
	case kind == Empty:
		l.Value = "[]"
	default:
		l.Value = raw
	}
	r.list(&l)
}
