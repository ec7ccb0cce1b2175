package leaf

import (
	"net/http"
	"slices"
	"strings"
)

// Place says which part of a message a leaf sits in.
type Place uint8

// The places of a message, in the order in which its leaves are listed.
const (
	Path   Place = iota // one segment of the request path, or of a fragment behind the path
	Query               // one parameter of the query
	Header              // one value of a header
	Form                // one parameter of a form body, or part of a multipart one
	Part                // one value in the header of a part
	JSON                // one scalar, or empty container, of a JSON body
	Markup              // one attribute or text of an HTML or XML body
	Text                // a body of any other kind, whole
)

// String names the place as reports and miss answers print it.
func (p Place) String() string {
	return [...]string{"path", "query", "header", "form", "part", "json", "markup", "text"}[p]
}

// Kind is the JSON type of a value; everything outside JSON is a String.
type Kind uint8

// The kinds of value. Empty is an empty object or array, whose Value is its text.
const (
	String Kind = iota
	Number
	Bool
	Null
	Empty
)

// Leaf is one value of a message.
type Leaf struct {
	Unprinted
	Place Place
	Kind  Kind
	// Named says that the value is a key: of a member of JSON, or of a parameter. Such leaves are
	// listed where Message.Keys asks for them.
	Named bool
	// Closed says that the value packs a document that was not opened, because it is over a
	// bound.
	Closed bool
	index  uint32 // which value of a header
	// Key is the last name: parameter, canonical header name, JSON member, attribute, or the
	// element of a text. A path segment has its index from 0. What a form would post goes by
	// the name under which it does.
	Key string
	// Name is the text of the member "name" beside a member "value", as name/value lists
	// have it, or in markup the label before a text; empty elsewhere. Whether the list is one
	// of names and values is for the profile to say.
	Name string
	// Path is where the leaf sits, with array indexes: "transactions[0].rrn", in markup
	// "html.body.p[2]". A document inside a text continues after '>': "jsonParams>installments".
	Path string
	// Shape is Path without the indexes: "transactions.rrn".
	Shape string
	// Value is the decoded text; a number's text is exactly as it was sent.
	Value string

	start, end offset // span of the raw value in its part, without quotes
	codings    *stack
	in         *Holder     // nil for a leaf that lies in the message itself
	part       *partOfLeaf // of a passage: of which leaf; nil for leaves
}

// offset is a place in a part of a message. Lists have leaves by the hundred thousand, so a leaf is
// kept small; no part is larger than 4 GB.
type offset uint32

// Message is one direction of an exchange and its leaves. It is not changed after Read and
// may be used by many goroutines.
type Message struct {
	Unprinted
	// Target is the raw request target or the whole URL, as it was sent; empty in answers.
	Target string
	// Skip is how many bytes of Target come before the path that is read. Scheme and host
	// are skipped without being told.
	Skip int
	// Header may be nil.
	Header http.Header
	// Headless says that the header tells what the body is, and that its values are no leaves.
	Headless bool
	// Keys says that the keys of JSON and of parameters are listed too, each before its value.
	Keys bool
	// Body is the body without its content coding.
	Body string
	// Most is the number of leaves after which reading ends, for messages of which more cannot
	// be used; documents in values count as leaves too (Size). 0: all are read.
	Most int

	Leaves []Leaf
	// More says that reading ended because of Most.
	More bool
}

// Edit replaces the text [From, To) of a leaf's Value by Value.
type Edit struct {
	Unprinted
	Leaf     *Leaf
	From, To int
	Value    string
}

// Whole returns the edit that replaces a leaf's whole value.
func Whole(l *Leaf, value string) Edit { return Edit{Leaf: l, To: len(l.Value), Value: value} }

// part returns the text that holds the leaf.
func (m *Message) part(l *Leaf) string {
	if h := l.Packed(); h != nil {
		return h.text
	}
	switch l.Place {
	case Path, Query:
		return m.Target
	case Header:
		v := m.listed(l)
		return m.Header[v.Key][v.index]
	default:
		return m.Body
	}
}

// Raw returns the bytes that hold the leaf, undecoded, without quotes.
func (m *Message) Raw(l *Leaf) string { return m.part(l)[l.start:l.end] }

// Spans tells where the text [from, to) of a leaf's value lies in the bytes of its part: the
// target, a header value, the body, or the document of the holder that packs it.
type Spans func(from, to int) (start, end int)

// Spans returns the spans of a leaf. Its text is decoded once at most.
func (m *Message) Spans(l *Leaf) Spans {
	var at func(int) int
	return func(from, to int) (start, end int) {
		if from == 0 && to == len(l.Value) {
			return int(l.start), int(l.end)
		}
		if at == nil {
			at = m.offsets(l)
		}
		return int(l.start) + at(from), int(l.start) + at(to)
	}
}

// Span returns one of the spans of a leaf.
func (m *Message) Span(l *Leaf, from, to int) (start, end int) { return m.Spans(l)(from, to) }

// offsets returns the function from an offset in the leaf's value to one in its raw bytes.
func (m *Message) offsets(l *Leaf) func(int) int {
	maps := make([][]int, 0, len(l.codings.list()))
	text := m.Raw(l)
	for _, c := range l.codings.list() {
		decoded, offs := c.decode(text)
		maps = append(maps, offs)
		text = decoded
	}
	return func(i int) int {
		for n := len(maps) - 1; n >= 0; n-- {
			if maps[n] != nil {
				i = maps[n][i]
			}
		}
		return i
	}
}

// Encode returns the bytes that stand for value in the place of part of the leaf's value.
func (l *Leaf) Encode(value string) string { return l.Encoder().Encode(value) }

// Splice returns the message with the edits made. Edits must not overlap; their order does
// not matter. The message itself stays as it was; the result has no leaves until it is read.
func (m *Message) Splice(edits []Edit) Message {
	out := Message{Target: m.Target, Skip: m.Skip, Header: m.Header, Body: m.Body}
	if len(edits) == 0 {
		return out
	}
	parts := map[partKey][]replacement{}
	for len(edits) > 0 { // nearly all edits of a part follow one another
		k, n := m.partOf(edits[0].Leaf), 1
		for n < len(edits) && m.partOf(edits[n].Leaf) == k {
			n++
		}
		rs := slices.Grow(parts[k], n)
		for _, e := range edits[:n] {
			rs = append(rs, m.replacement(e))
		}
		parts[k], edits = rs, edits[n:]
	}
	m.repack(parts)
	for k, rs := range parts {
		switch k.place {
		case Path:
			out.Target = replaceAll(m.Target, rs)
		case Header:
			if SameHeader(out.Header, m.Header) {
				out.Header = m.Header.Clone()
			}
			out.Header[k.key][k.index] = replaceAll(m.Header[k.key][k.index], rs)
		default:
			out.Body = replaceAll(m.Body, rs)
		}
	}
	return out
}

// Find returns the first leaf at a place with a key, compared without regard to case, or nil.
func (m *Message) Find(place Place, key string) *Leaf {
	for i := range m.Leaves {
		if l := &m.Leaves[i]; l.Place == place && strings.EqualFold(l.Key, key) {
			return l
		}
	}
	return nil
}

// Encoder writes text the way a leaf's value is written in its message. It outlives the
// message: templates keep it and nothing else of the leaf.
type Encoder struct {
	codings []coding
	kind    Kind
}

// Encoder returns the encoder of the leaf.
func (l *Leaf) Encoder() Encoder { return Encoder{l.codings.list(), l.Kind} }

// Equal reports whether two encoders write everything alike.
func (e Encoder) Equal(o Encoder) bool {
	return e.kind == o.kind && slices.Equal(e.codings, o.codings)
}

// Encode returns the bytes that stand for text.
func (e Encoder) Encode(text string) string {
	for n := len(e.codings) - 1; n >= 0; n-- {
		text = e.codings[n].encode(text)
	}
	return text
}

// EncodeWhole is Encode for a leaf's whole value: where text that is no JSON scalar takes the
// place of a number, a boolean or null, it becomes a JSON string.
func (e Encoder) EncodeWhole(text string) string {
	if e.kind == String || scalar(text) {
		if n := len(e.codings); text == "" && n > 0 && e.codings[n-1] == bare {
			text, e.codings = `""`, e.codings[:n-1] // or the next attribute becomes its value
		}
		return e.Encode(text)
	}
	return e.Encode(`"` + jsonString.encode(text) + `"`)
}
