package leaf

import (
	"strings"

	"github.com/tidwall/gjson"
)

// jsonNode is one value of a document on the walk. The document was read by documentEnd, so the walk
// does not ask whether it is well formed.
type jsonNode struct {
	text  *text
	at    int // where it begins in text.s
	key   string
	name  string // the "name" beside a "value"
	path  string
	shape string
	// nameless says that no object in it can have a name beside a value.
	nameless bool
}

// node lists the leaves of a value and returns where the value ends. Where that is more than anybody
// wants, it ends early.
func (r *reader) node(n jsonNode) int {
	s := n.text.s
	var kind Kind
	end := n.at
	switch s[n.at] {
	case '{':
		return r.object(&n)
	case '[':
		return r.array(&n)
	case '"':
		end = stringEnd(s, n.at)
		r.value(&n, s[n.at+1:end-1], String)
		return end
	case 't':
		kind, end = Bool, end+len("true")
	case 'f':
		kind, end = Bool, end+len("false")
	case 'n':
		kind, end = Null, end+len("null")
	default:
		kind, end = Number, numberEnd(s, n.at)
	}
	r.value(&n, s[n.at:end], kind)
	return end
}

// object walks the members of an object.
func (r *reader) object(n *jsonNode) int {
	s := n.text.s
	i := skip(s, n.at+1)
	if s[i] == '}' {
		r.value(n, s[n.at:i+1], Empty)
		return i + 1
	}
	var names pairNames
	if !n.nameless {
		raw := s[n.at:documentEnd(s, n.at)]
		if n.nameless = !mayPair(raw); !n.nameless {
			names = namesIn(gjson.Parse(raw))
		}
	}
	for {
		key := span{i, stringEnd(s, i)}
		i = skip(s, skip(s, key.to)+1) // behind the colon
		child := jsonNode{
			text: n.text, at: i, key: memberKey(s[key.from:key.to]), nameless: n.nameless,
		}
		child.path = join(n.path, child.key)
		if child.shape = child.path; n.shape != n.path {
			child.shape = join(n.shape, child.key)
		}
		child.name = names.of(child.key)
		if r.keys {
			r.key(n.text, child.key, span{key.from + 1, key.to - 1}, jsonString)
		}
		if i = r.node(child); r.full() {
			return i
		}
		if i = skip(s, i); s[i] == '}' {
			return i + 1
		}
		i = skip(s, i+1)
	}
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
	at := skip(s, n.at+1)
	if s[at] == ']' {
		r.value(n, s[n.at:at+1], Empty)
		return at + 1
	}
	for i := 0; ; i++ {
		at = r.node(jsonNode{
			text: n.text, at: at, key: n.key, shape: n.shape, nameless: n.nameless,
			path: indexed(n.path, i),
		})
		if r.full() {
			return at
		}
		if at = skip(s, at); s[at] == ']' {
			return at + 1
		}
		at = skip(s, at+1)
	}
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
