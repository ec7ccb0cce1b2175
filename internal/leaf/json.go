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
	i := skip(s, 0)
	if strings.HasPrefix(s[i:], mark) {
		i = skip(s, i+len(mark))
	}
	if i < len(s) && s[i] == recordMark {
		i = skip(s, i+1)
	}
	return i < len(s) && (s[i] == '{' || s[i] == '[')
}

// json reads t as a JSON document, or as several one behind the other, and reports whether that
// is what it is.
func (r *reader) json(t text) bool {
	if len(t.s) > MaxJSON || !looksJSON(t.s) {
		return false
	}
	return r.documents(t, span{0, len(t.s)})
}

// documents reads a stretch of t as JSON documents: lines of them (NDJSON), sequences (RFC 7464),
// or with nothing between. Several are listed as those of one array would be.
func (r *reader) documents(t text, in span) bool {
	found := split(t.s[:in.to], in.from)
	if len(found) > 0 && !r.counts {
		r.leaves = slices.Grow(r.leaves, min(strings.Count(t.s[in.from:in.to], ",")+1, mostLeaves))
	}
	for i, at := range found {
		if r.full() {
			break
		}
		n := jsonNode{
			text: &t, value: gjson.Parse(t.s[at.from:at.to]), at: at.from,
			path: t.path, shape: t.shape,
		}
		if len(found) > 1 {
			n.path += "[" + strconv.Itoa(i) + "]"
		}
		r.container(n)
	}
	return len(found) > 0
}

// split returns where the documents lie that s holds from an offset on, nil if it holds anything
// else.
func split(s string, at int) []span {
	var found []span
	for {
		for at < len(s) && (space(s[at]) || s[at] == recordMark || strings.HasPrefix(s[at:], mark)) {
			if s[at] == mark[0] {
				at += len(mark) - 1
			}
			at++
		}
		if at == len(s) {
			return found
		}
		end := documentEnd(s, at)
		if end < 0 || !gjson.Valid(s[at:end]) {
			return nil
		}
		found = append(found, span{at, end})
		at = end
	}
}

// recordMark stands before each document of a sequence.
const recordMark = 0x1e

// documentEnd returns where the object or array ends that begins at s[at]; -1 if nothing does, or
// if brackets outside strings nest deeper than MaxDepth.
func documentEnd(s string, at int) int {
	depth, inString := 0, false
	for i := at; i < len(s); i++ {
		switch c := s[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > MaxDepth {
				return -1
			}
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		if depth == 0 {
			return -1
		}
	}
	return -1
}

// guards stand before JSON so that no page can run it as a script.
var guards = []string{")]}'", "while(1);", "for(;;);", "while (1);", "for (;;);", "{}&&"}

// guarded reads a body as JSON that comes behind a guard, as the argument of a call (JSONP), or
// as a string of its own.
func (r *reader) guarded(t text) bool {
	if len(t.s) > MaxJSON {
		return false
	}
	at := skip(t.s, 0)
	if strings.HasPrefix(t.s[at:], mark) {
		at = skip(t.s, at+len(mark))
	}
	for _, g := range guards {
		if !strings.HasPrefix(t.s[at:], g) {
			continue
		}
		from := at + len(g)
		if strings.HasPrefix(t.s[from:], ",") {
			from++
		}
		return r.documents(t, span{from, len(t.s)})
	}
	if at < len(t.s) && t.s[at] == '"' {
		return r.jsonText(t, at)
	}
	in, ok := argument(t.s, at)
	return ok && r.documents(t, in)
}

// jsonText reads a body that is one JSON string: a document may be in it.
func (r *reader) jsonText(t text, at int) bool {
	raw := strings.TrimRight(t.s[at:], " \t\r\n")
	if len(raw) < 2 || !gjson.Valid(raw) {
		return false
	}
	n := jsonNode{text: &t, at: at, path: t.path, shape: t.shape}
	r.value(n, raw[1:len(raw)-1], String)
	return true
}

// argument returns where the argument lies of a call that begins at s[at]: call({"a":1});
func argument(s string, at int) (span, bool) {
	if strings.HasPrefix(s[at:], "/**/") {
		at = skip(s, at+len("/**/"))
	}
	open := at
	for open < len(s) && (letter(s[open]) || s[open] >= '0' && s[open] <= '9' ||
		strings.IndexByte("_$.[]", s[open]) >= 0) {
		open++
	}
	if open == at || open == len(s) || s[open] != '(' || !looksJSON(s[open+1:]) {
		return span{}, false
	}
	rest := strings.TrimRight(s, " \t\r\n;")
	if !strings.HasSuffix(rest, ")") {
		return span{}, false
	}
	return span{open + 1, len(rest) - 1}, true
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
	// nameless says that no object in it can have a name beside a value.
	nameless bool
}

// container walks the members of an object or array.
func (r *reader) container(n jsonNode) {
	raw := n.value.Raw
	if !hasMembers(n.value) {
		r.value(n, raw, Empty)
		return
	}
	var names pairNames
	if n.nameless = n.nameless || !mayPair(raw); !n.nameless && n.value.IsObject() {
		names = namesIn(n.value)
	}
	i := 0
	n.value.ForEach(func(key, v gjson.Result) bool {
		// ForEach gives v.Index relative to where n.value.Index says it lies.
		child := jsonNode{
			text: n.text, value: v, at: n.at + v.Index - n.value.Index, nameless: n.nameless,
		}
		if n.value.IsArray() {
			child.key, child.shape = n.key, n.shape
			child.path = n.path + "[" + strconv.Itoa(i) + "]"
		} else {
			child.key = key.String()
			child.path = join(n.path, child.key)
			if child.shape = child.path; n.shape != n.path {
				child.shape = join(n.shape, child.key)
			}
			child.name = names.of(child.key)
			if r.keys {
				end := keyEnd(n.text.s, child.at)
				in := span{end - len(key.Raw) + 1, end - 1} // without the quotes
				r.key(*n.text, child.key, in, jsonString)
			}
		}
		i++
		r.node(child)
		return !r.full()
	})
}

// keyEnd returns where the key ends of the member whose value begins at s[at].
func keyEnd(s string, at int) int {
	before := strings.TrimRight(s[:at], " \t\r\n")
	return len(strings.TrimRight(strings.TrimSuffix(before, ":"), " \t\r\n"))
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
		start: offset(n.text.at(at)), end: offset(n.text.at(at + len(raw))),
		codings: n.text.codings.under(c), in: n.text.in,
	}
	if kind == String {
		r.scalar(l, *n.text, raw, at)
		return
	}
	if kind == Empty {
		raw = raw[:1] + raw[len(raw)-1:]
	}
	l.Value = raw
	r.list(l)
}

// hasMembers reports whether a container holds anything.
func hasMembers(v gjson.Result) bool {
	return len(strings.TrimSpace(v.Raw[1:len(v.Raw)-1])) > 0
}
