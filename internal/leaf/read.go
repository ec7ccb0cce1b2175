package leaf

import (
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// MaxNesting is how many documents inside text inside documents are opened.
const MaxNesting = 4

// Read takes a message apart. Its target, header and body must be set and stay unchanged.
func Read(m Message) *Message {
	r := &reader{leaves: make([]Leaf, 0, 32)}
	r.target(m.Target, max(m.Skip, PathStart(m.Target)))
	r.headers(m.Header)
	r.body(m.Header.Get("Content-Type"), m.Body)
	m.Leaves = r.leaves
	return &m
}

// reader collects leaves.
type reader struct {
	leaves []Leaf
}

// text is a stretch of decoded text on its way to becoming leaves: where it lies, and what
// has been undone to read it.
type text struct {
	place   Place
	s       string
	at      func(int) int // offset in s to offset in the part
	codings []coding
	path    string // of the leaf that holds the text, with '>' at its end; empty at the top
	shape   string
	depth   int
}

// PathStart returns where the path of a request target or a URL begins: behind scheme and
// host, where it has them.
func PathStart(target string) int {
	i := strings.Index(target, "://")
	if i < 0 || strings.ContainsAny(target[:i], "/?") {
		return 0
	}
	begin := i + len("://")
	if slash := strings.IndexAny(target[begin:], "/?"); slash >= 0 {
		return begin + slash
	}
	return len(target)
}

// target reads path segments and query parameters from offset begin on.
func (r *reader) target(target string, begin int) {
	path, query, found := strings.Cut(target[begin:], "?")
	n := 0
	for at, end := begin, 0; at < begin+len(path); at = end + 1 {
		end = begin + len(path)
		if i := strings.IndexByte(target[at:end], '/'); i >= 0 {
			end = at + i
		}
		if end > at {
			r.segment(target[at:end], at, n)
			n++
		}
	}
	if found {
		start := begin + len(path) + 1
		r.pairs(text{place: Query, s: query, at: shift(start)})
	}
}

func (r *reader) segment(raw string, at, n int) {
	value, _ := segment.decode(raw)
	key := strconv.Itoa(n)
	r.leaves = append(r.leaves, Leaf{
		Place: Path, Key: key, Path: key, Shape: key, Value: value,
		start: at, end: at + len(raw), codings: []coding{segment},
	})
}

// shift is the offset function of text that lies in its part as it is.
func shift(start int) func(int) int { return func(i int) int { return start + i } }

// headers reads every value of every header, in the order of the names.
func (r *reader) headers(h http.Header) {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for i, v := range h[name] {
			r.leaves = append(r.leaves, Leaf{
				Place: Header, Key: name, Path: name, Shape: name, Value: v,
				index: i, end: len(v),
			})
		}
	}
}

// body reads a body by what it is rather than by what it is called: gateways of this family
// send JSON as text/plain, and clients send forms with a JSON content type (domain facts,
// On the wire).
func (r *reader) body(contentType, s string) {
	if s == "" {
		return
	}
	doc := text{place: JSON, s: s, at: shift(0)}
	if r.json(doc) {
		return
	}
	doc.place = Form
	if isForm(contentType, s) {
		r.pairs(doc)
		return
	}
	r.leaves = append(r.leaves, Leaf{Place: Text, Value: s, end: len(s)})
}

// isForm reports whether a body is a form: because it is declared one, or because it is one
// line of key=value pairs in a body that declares nothing better.
func isForm(contentType, s string) bool {
	media, _, _ := mime.ParseMediaType(contentType)
	switch media {
	case "application/x-www-form-urlencoded":
		return true
	case "", "text/plain", "application/json":
		eq := strings.IndexByte(s, '=')
		return eq > 0 && !strings.ContainsAny(s, " \t\r\n<>{}\"") &&
			!strings.Contains(s[:eq], "&")
	}
	return false
}

// pairs reads key=value&key=value. A word without '=' is the value of an empty key, so that
// what stands there is seen and can be replaced like any other value.
func (r *reader) pairs(t text) {
	for from, to := 0, 0; from <= len(t.s); from = to + 1 {
		to = len(t.s)
		if i := strings.IndexByte(t.s[from:], '&'); i >= 0 {
			to = from + i
		}
		if to > from {
			r.pair(t, from, to)
		}
	}
}

func (r *reader) pair(t text, from, to int) {
	rawKey, rawValue, found := strings.Cut(t.s[from:to], "=")
	start := from + len(rawKey) + 1
	if !found {
		rawKey, rawValue, start = "", rawKey, from
	}
	key, _ := percent.decode(rawKey)
	l := Leaf{
		Place: t.place, Key: key, Path: t.path + key, Shape: t.shape + key,
		start: t.at(start), end: t.at(to), codings: append(slices.Clip(t.codings), percent),
	}
	r.scalar(l, t, rawValue, start)
}

// scalar appends a leaf, or in its place the leaves of the JSON document that its text is.
// raw is the text the leaf is written as in t, beginning at offset from.
func (r *reader) scalar(l Leaf, t text, raw string, from int) {
	last := l.codings[len(l.codings)-1]
	value, offs := last.decode(raw)
	l.Value = value
	if looksJSON(value) && t.depth < MaxNesting {
		inner := text{
			place: t.place, s: value, codings: l.codings,
			path: l.Path + ">", shape: l.Shape + ">", depth: t.depth + 1,
			at: func(i int) int {
				if offs != nil {
					i = offs[i]
				}
				return t.at(from + i)
			},
		}
		if r.json(inner) {
			return
		}
	}
	r.leaves = append(r.leaves, l)
}
