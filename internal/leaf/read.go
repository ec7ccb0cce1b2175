package leaf

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// MaxNesting is how many documents inside text inside documents are opened.
const MaxNesting = 4

// Read takes a message apart. Its target, header and body must be set and stay unchanged.
func Read(m Message) *Message { return ReadInto(nil, m) }

// ReadInto is Read for those who read one message after the other: the leaves lie where those of
// an earlier message did, which is read no more, as far as there is room.
func ReadInto(earlier []Leaf, m Message) *Message {
	m.read(earlier)
	return &m
}

// read makes the leaves of a message, in the place of earlier ones.
func (m *Message) read(earlier []Leaf) {
	if earlier == nil {
		earlier = make([]Leaf, 0, room(m))
	}
	r := readers.Get().(*reader)
	defer r.end()
	r.leaves, r.keys, r.most = earlier[:0], m.Keys, m.Most
	r.message(*m)
	m.Leaves, m.More = r.leaves, r.full()
}

// Append appends the leaves of a message to others, for those who need nothing else of it.
func Append(leaves []Leaf, m Message) []Leaf {
	r := readers.Get().(*reader)
	defer r.end()
	r.leaves, r.keys, r.most = leaves, m.Keys, m.Most
	r.message(m)
	return r.leaves
}

// readers lends the memory of readers: what is read is often a small request, many times a second.
var readers = sync.Pool{New: func() any { return &reader{} }}

// end lets go of a reader and of all that it has read.
func (r *reader) end() {
	*r = reader{}
	readers.Put(r)
}

// Count returns of how much a message is made, or of a little more than m.Most. It keeps no leaf:
// where a message is large, a reader who knows the number makes room for that many at once.
func Count(m Message) Size {
	r := &reader{keys: m.Keys, most: m.Most, counts: true}
	r.message(m)
	return r.size
}

// Size is of how much a message is made.
type Size struct {
	Leaves    int
	Documents int // that lie in values
}

// Weight returns of how many leaves a message would be made that takes as much memory. A document
// has a Holder, and its paths are longer.
func (s Size) Weight() int {
	const document = 2
	return s.Leaves + document*s.Documents
}

// message reads all of a message.
func (r *reader) message(m Message) {
	contentType := ""
	if declares := m.Header["Content-Type"]; len(declares) > 0 {
		contentType = declares[0]
	}
	r.label = declared(contentType)
	r.target(m.Target, max(m.Skip, PathStart(m.Target)))
	if !m.Headless {
		r.headers(m.Header)
	}
	r.body(contentType, m.Body)
}

// mostLeaves is for how many leaves of a document room is made at once.
const mostLeaves = 1 << 14

// reader collects leaves.
type reader struct {
	leaves   []Leaf
	label    string // of the charset that values are in which are no UTF-8
	inflated int    // bytes of all compressed documents so far
	size     Size   // of what was listed
	most     int    // weight after which reading ends; 0 if it does not
	keys     bool   // keys are leaves too
	counts   bool   // leaves are counted and not kept
	whole    text   // the body
}

// list lists a leaf.
func (r *reader) list(l *Leaf) {
	r.size.Leaves++
	if !r.counts {
		r.leaves = append(r.leaves, *l)
	}
}

// full reports whether there is more than anybody wants.
func (r *reader) full() bool { return r.most > 0 && r.size.Weight() > r.most }

// text is a stretch of decoded text on its way to becoming leaves: where it lies, and what
// has been undone to read it.
type text struct {
	place   Place
	s       string
	at      func(int) int // offset in s to offset in the part
	codings *stack
	path    string // of the leaf that holds the text, with '>' at its end; empty at the top
	shape   string
	depth   int
	in      *Holder // the value whose text it is; nil at the top
}

// PathStart returns where the path of a request target or a URL begins: behind scheme and
// host, where it has them.
func PathStart(target string) int {
	end := pathOrQuery(target) // of the scheme, with its colon
	if !strings.HasPrefix(target[end:], "//") || !strings.HasSuffix(target[:end], ":") {
		return 0
	}
	begin := end + len("//")
	return begin + pathOrQuery(target[begin:])
}

// pathOrQuery returns where the first slash or question mark stands; the length of the text if it has none.
func pathOrQuery(s string) int {
	for i := range len(s) {
		if s[i] == '/' || s[i] == '?' {
			return i
		}
	}
	return len(s)
}

// target reads path segments and query parameters from offset begin on. A fragment ends the path
// (RFC 3986, section 3.3), and is read like the path: what is found in the fragment leaves the
// segment before it alone.
func (r *reader) target(target string, begin int) {
	resource, query, found := strings.Cut(target[begin:], "?")
	path, fragment, _ := strings.Cut(resource, "#")
	end := begin + len(resource)
	n := r.segments(target[:begin+len(path)], begin, 0)
	r.segments(target[:end], end-len(fragment), n)
	if found {
		r.pairs(&text{place: Query, s: query, at: shift(end + 1)})
	}
}

// segments reads the segments of a target from an offset on, of which the first is the nth of all.
// It returns the number of the next.
func (r *reader) segments(target string, at, n int) int {
	for at < len(target) && !r.full() {
		end := len(target)
		if i := strings.IndexByte(target[at:], '/'); i >= 0 {
			end = at + i
		}
		if end > at {
			r.segment(target[at:end], at, n)
			n++
		}
		at = end + 1
	}
	return n
}

func (r *reader) segment(raw string, at, n int) {
	value, _ := segment.decode(raw)
	key := strconv.Itoa(n)
	r.list(&Leaf{
		Place: Path, Key: key, Path: key, Shape: key, Value: value,
		start: offset(at), end: offset(at + len(raw)), codings: (*stack)(nil).under(segment),
	})
}

// shift is the offset function of text that lies in its part as it is.
func shift(start int) func(int) int {
	if start == 0 {
		return unshifted
	}
	return func(i int) int { return start + i }
}

func unshifted(i int) int { return i }

// headers reads every value of every header, in the order of the names.
func (r *reader) headers(h http.Header) {
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for i, v := range h[name] {
			l := Leaf{
				Place: Header, Key: name, Path: name, Shape: name, Value: v,
				index: uint32(i), end: offset(len(v)),
			}
			r.list(&l)
			r.passages(&l, &text{place: Header, at: unshifted}, 0, nil)
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
	r.whole = text{place: JSON, s: s, at: unshifted}
	doc := &r.whole
	if r.json(doc) || r.guarded(doc) {
		return
	}
	doc.place = Markup
	if r.markup(*doc) {
		return
	}
	doc.place = Form
	if r.multipart(*doc, contentType) || r.events(*doc, contentType) {
		return
	}
	if isForm(contentType, s) {
		r.pairs(doc)
		return
	}
	l := Leaf{Place: Text, Value: s, end: offset(len(s))}
	r.list(&l)
	r.passages(&l, &text{place: Text, at: unshifted}, 0, nil)
}

const formType = "application/x-www-form-urlencoded"

// isForm reports whether a body is a form: because it is declared one, or because it is one
// line of key=value pairs in a body that declares nothing better.
func isForm(contentType, s string) bool {
	switch mediaType(contentType) {
	case formType:
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
func (r *reader) pairs(t *text) {
	first := len(r.leaves)
	for from, to := 0, 0; from <= len(t.s) && !r.full(); from = to + 1 {
		to = len(t.s)
		if i := strings.IndexByte(t.s[from:], '&'); i >= 0 {
			to = from + i
		}
		if to > from {
			r.pair(t, from, to)
		}
	}
	pairForm(r.leaves[first:], t.in)
}

func (r *reader) pair(t *text, from, to int) {
	rawKey, rawValue, found := strings.Cut(t.s[from:to], "=")
	start := from + len(rawKey) + 1
	if !found {
		rawKey, rawValue, start = "", rawKey, from
	}
	key, _ := percent.decode(rawKey)
	if r.keys && found {
		r.key(t, key, span{from, from + len(rawKey)}, percent)
	}
	l := Leaf{
		Place: t.place, Key: key, Path: key, Shape: key,
		start: offset(t.at(start)), end: offset(t.at(to)),
		codings: t.codings.under(percent), in: t.in,
	}
	if t.path != "" { // it lies in a value
		l.Path, l.Shape = t.path+key, t.shape+key
	}
	r.scalar(&l, t, rawValue, start)
}

// key lists the key of a member or a parameter, which lies in t as a coding writes it.
func (r *reader) key(t *text, key string, in span, c coding) {
	r.list(&Leaf{
		Place: t.place, Named: true, Path: t.path, Shape: t.shape, Value: key,
		start: offset(t.at(in.from)), end: offset(t.at(in.to)),
		codings: t.codings.under(c), in: t.in,
	})
}

// scalar appends a leaf, or in its place the leaves of the document that its text is or packs.
// raw is the text the leaf is written as in t, beginning at offset from.
func (r *reader) scalar(l *Leaf, t *text, raw string, from int) {
	last := l.codings.last()
	value, offs := last.decode(raw)
	if (last == percent || last == quoted) && !isText(value) {
		if _, c := decodeCharset(value, r.label); c != plain {
			n := markLength(c, value, offs) // the byte order mark stays where it is
			from += n
			l.start = offset(t.at(from))
			value, offs = last.decode(raw[n:])
			value, offs = inCharset(c, value, offs)
			l.codings = l.codings.under(c)
		}
	}
	l.Value = value
	if mayHold(value) && r.held(l, holding{*t, from, offs}) {
		return
	}
	r.list(l)
	r.passages(l, t, from, offs)
}

// markLength returns how many bytes of what a value was decoded from are a byte order mark.
func markLength(c coding, value string, offs []int) int {
	if marked(value) == nil {
		return 0
	}
	n := c.charset().width
	if offs != nil {
		n = offs[n]
	}
	return n
}

// inCharset decodes a value that has offsets in the bytes that it was decoded from.
func inCharset(c coding, value string, offs []int) (string, []int) {
	text, inner := c.decode(value)
	if offs != nil {
		for i, at := range inner {
			inner[i] = offs[at]
		}
	}
	return text, inner
}

// mayHold looks at the first characters of a value, which tell nearly every one that holds no
// document.
func mayHold(value string) bool {
	if value == "" {
		return false
	}
	if c := value[0]; c == '{' || c == '[' || c == '<' || c == mark[0] || space(c) {
		return looksJSON(value) || looksMarkup(value)
	}
	return len(value) >= shortestPacked && maybePacked(value)
}

// holding is where a value lies: in a text from an offset on, and the offsets of its own in
// the bytes there.
type holding struct {
	text
	from int
	offs []int
}

// inValue is the offset function of text that is the value itself.
func (h holding) inValue(i int) int {
	if h.offs != nil {
		i = h.offs[i]
	}
	return h.text.at(h.from + i)
}

// held lists the leaves of the document that the value of l is or packs, and reports whether
// there is one. What is packed but out of bounds closes l.
func (r *reader) held(l *Leaf, h holding) bool {
	holder := *l // so that the leaf itself is not kept
	inner := text{
		place: h.place, s: l.Value, path: l.Path + ">", shape: l.Shape + ">", depth: h.depth + 1,
		in: &Holder{Leaf: holder},
	}
	if looksJSON(l.Value) || looksMarkup(l.Value) {
		inner.at, inner.codings = h.inValue, l.codings
		return h.depth < MaxNesting && r.document(inner, packing{})
	}
	p, doc, fits := unpack(l.Value, unpacking{r.label, maxInflated - r.inflated, false})
	l.Closed = !fits || p.chars != nothing && h.depth == MaxNesting
	if l.Closed || p.chars == nothing {
		return false
	}
	if p.stream != stored {
		r.inflated += len(doc)
	}
	inner.s, inner.at = doc, shift(0)
	return r.document(inner, p)
}

// document reads the text of a value and reports whether it is a document.
func (r *reader) document(t text, p packing) bool {
	t.in.text, t.in.how = t.s, p
	if !r.json(&t) && !r.markup(t) {
		return false
	}
	r.size.Documents++
	return true
}
