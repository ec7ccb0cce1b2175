package leaf

import (
	"mime"
	"net/textproto"
	"strconv"
	"strings"
)

// part is one part of a multipart body, as spans of the text.
type part struct {
	head    span // the header, without the empty line behind it
	content span
}

// boundary returns the delimiter of a multipart body: the declared one, or, because the header
// may be lost or wrong, the first line. It is empty for other bodies.
func boundary(contentType, s string) string {
	if strings.Contains(contentType, "=") {
		media, params, _ := mime.ParseMediaType(contentType)
		d := "--" + params["boundary"]
		if strings.HasPrefix(media, "multipart/") && d != "--" && strings.Contains(s, d) {
			return d
		}
	}
	if !strings.HasPrefix(s, "--") {
		return ""
	}
	first, rest, found := strings.Cut(s, "\n")
	first = strings.TrimRight(first, " \t\r")
	line, _, _ := strings.Cut(rest, "\n")
	if !found || len(first) < len("--x") || !headerLine(line) {
		return ""
	}
	return first
}

// headerLine reports whether a line begins the header of a part.
func headerLine(line string) bool {
	const prefix = "content-"
	return len(line) > len(prefix) && strings.EqualFold(line[:len(prefix)], prefix) &&
		strings.IndexByte(line, ':') > 0
}

// splitParts takes a multipart body apart. It is lenient: lines may end without a carriage
// return, the last delimiter may be missing, and a part may have no header. What stands before
// the first delimiter and behind the last is a part, too, with no header.
func splitParts(s, delimiter string) []part {
	var parts []part
	from, inside := 0, false
	for from <= len(s) {
		at, next := findDelimiter(s, from, delimiter)
		end := at
		if inside {
			end = lineStart(s, from, at)
		}
		parts = append(parts, readPart(s, span{from, end}, inside))
		if next < 0 {
			break
		}
		inside = !strings.HasPrefix(s[at+len(delimiter):], "--")
		from = next
	}
	return parts
}

// findDelimiter returns where the next line of a delimiter begins and where the one behind it
// does; -1 if there is none.
func findDelimiter(s string, from int, delimiter string) (at, next int) {
	for at = from; ; at += len(delimiter) {
		n := strings.Index(s[at:], delimiter)
		if n < 0 {
			return len(s), -1
		}
		at += n
		if at > 0 && s[at-1] != '\n' {
			continue
		}
		line, _, _ := strings.Cut(s[at:], "\n")
		rest := strings.TrimPrefix(line[len(delimiter):], "--")
		if strings.Trim(rest, " \t\r") == "" {
			return at, min(at+len(line)+1, len(s)+1)
		}
	}
}

// lineStart returns the end of what stands before the line that begins at s[at:].
func lineStart(s string, from, at int) int {
	if at > from && at <= len(s) && s[at-1] == '\n' {
		at--
	}
	if at > from && s[at-1] == '\r' {
		at--
	}
	return at
}

// readPart finds the header of what stands between two delimiters.
func readPart(s string, at span, inside bool) part {
	at.from = min(at.from, at.to)
	p := part{head: span{at.from, at.from}, content: at}
	if !inside {
		return p
	}
	for i := at.from; i < at.to; {
		line, _, _ := strings.Cut(s[i:at.to], "\n")
		next := min(i+len(line)+1, at.to)
		if strings.TrimRight(line, "\r") == "" {
			p.head.to, p.content.from = i, next
			break
		}
		if i = next; i == at.to && headerLine(s[at.from:at.to]) {
			p.head.to, p.content.from = at.to, at.to // nothing but a header
		}
	}
	return p
}

// partHeader is what the header of a part says.
type partHeader struct {
	name, contentType, transfer, coding string
}

// multipart reads t as a multipart body and reports whether it is one. Every part is a value
// under its name, as in a form; so are the values of its header, which belong to no name, and
// what stands outside all parts.
func (r *reader) multipart(t text, contentType string) bool {
	delimiter := boundary(contentType, t.s)
	if delimiter == "" {
		return false
	}
	label := r.label
	for i, p := range splitParts(t.s, delimiter) {
		if r.full() {
			break
		}
		r.label = label
		h := r.partHeader(t, p)
		r.part(t, h, numbered{p, i})
	}
	r.label = label
	return true
}

// numbered is a part and which one it is.
type numbered struct {
	part
	n int
}

// partHeader lists the values in the header of a part.
func (r *reader) partHeader(t text, p part) partHeader {
	h := partHeader{}
	first := len(r.leaves)
	for at := p.head.from; at < p.head.to; {
		end := at + headerLength(t.s[at:p.head.to])
		line := t.s[at:end]
		key, _, found := strings.Cut(line, ":")
		from := at + len(key) + 1
		if !found {
			key, from = "", at
		}
		from = skip(t.s[:end], from)
		to := from + len(strings.TrimRight(t.s[from:end], " \t\r\n"))
		h.set(key, t.s[from:to])
		if to > from {
			key = textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(key))
			r.list(&Leaf{
				Place: Part, Key: key, Value: t.s[from:to], in: t.in,
				start: offset(t.at(from)), end: offset(t.at(to)), codings: t.codings,
			})
		}
		at = end
	}
	for i := first; i < len(r.leaves); i++ {
		l := &r.leaves[i]
		l.Path = t.path + h.name + "@" + l.Key
		l.Shape = t.shape + h.name + "@" + l.Key
	}
	return h
}

// headerLength returns the length of the header line that s begins with, and of those that go
// on with it.
func headerLength(s string) int {
	for at := 0; ; {
		n := strings.IndexByte(s[at:], '\n')
		if n < 0 {
			return len(s)
		}
		if at += n + 1; at == len(s) || s[at] != ' ' && s[at] != '\t' {
			return at
		}
	}
}

func (h *partHeader) set(key, value string) {
	switch strings.ToLower(strings.TrimSpace(key)) {
	case "content-disposition":
		h.name = partName(value)
	case "content-type":
		h.contentType = value
	case "content-transfer-encoding":
		h.transfer = strings.ToLower(value)
	case "content-encoding":
		h.coding = value
	}
}

// partName returns the name that a Content-Disposition gives, as far as it can be read.
func partName(value string) string {
	_, params, _ := mime.ParseMediaType(value)
	if params["name"] != "" {
		return params["name"]
	}
	for _, before := range []string{";", " ", "\t"} {
		if at := indexFold(value, before+"name="); at >= 0 {
			name := value[at+len(before+"name="):]
			if rest, quoted := strings.CutPrefix(name, `"`); quoted {
				name, _, _ = strings.Cut(rest, `"`)
				return name
			}
			name, _, _ = strings.Cut(name, ";")
			return strings.TrimSpace(name)
		}
	}
	return ""
}

// indexFold is strings.Index without regard to ASCII case. Lower case of a whole text can be of
// another length.
func indexFold(s, word string) int {
	for i := 0; i+len(word) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}

// part lists the content of a part.
func (r *reader) part(t text, h partHeader, p numbered) {
	from, to := p.content.from, p.content.to
	if h.name == "" && skip(t.s[:to], from) == to {
		return // what is empty and has no name says nothing
	}
	if label := declared(h.contentType); label != "" {
		r.label = label
	}
	l := Leaf{
		Place: t.place, Key: h.name, Path: t.path + h.name, Shape: t.shape + h.name, in: t.in,
		start: offset(t.at(from)), end: offset(t.at(to)),
	}
	if h.name == "" {
		l.Path = t.path + "[" + strconv.Itoa(p.n) + "]"
	}
	c := plain
	switch h.transfer {
	case "quoted-printable":
		c = quoted
	case "base64":
		r.transferred(l, t, t.s[from:to])
		return
	}
	l.codings = t.codings.under(c)
	value, offs := c.decode(t.s[from:to])
	l.Value = value
	hold := holding{t, from, offs}
	if r.typed(&l, hold, h.contentType) {
		return
	}
	r.scalar(&l, &t, t.s[from:to], from)
}

// typed lists the leaves of a value that is a form or a multipart body by its declaration.
func (r *reader) typed(l *Leaf, h holding, contentType string) bool {
	if h.depth >= MaxNesting || contentType == "" {
		return false
	}
	inner := text{
		place: h.place, s: l.Value, at: h.inValue, codings: l.codings, path: l.Path + ">",
		shape: l.Shape + ">", depth: h.depth + 1, in: &Holder{Leaf: *l},
	}
	inner.in.text = l.Value
	if !r.declaredAs(inner, contentType) {
		return false
	}
	r.size.Documents++
	return true
}

// declaredAs reads t as the form or the multipart body that it is declared to be.
func (r *reader) declaredAs(t text, contentType string) bool {
	media, _, _ := mime.ParseMediaType(contentType)
	switch {
	case strings.HasPrefix(media, "multipart/"):
		return r.multipart(t, contentType)
	case media == formType:
		r.pairs(&t)
		return true
	}
	return false
}

// transferred lists the content of a part that travels in base64. What cannot be read as text
// is closed.
func (r *reader) transferred(l Leaf, t text, raw string) {
	l.codings, l.Value = t.codings, raw
	p, doc, fits := unpack(raw, unpacking{r.label, maxInflated - r.inflated, true})
	if l.Closed = !fits || p.chars == nothing; l.Closed || t.depth >= MaxNesting {
		l.Closed = raw != ""
		r.list(&l)
		return
	}
	if p.stream != stored {
		r.inflated += len(doc)
	}
	r.size.Documents++
	in := &Holder{Leaf: l, text: doc, how: p}
	inner := text{
		place: t.place, s: doc, at: shift(0), path: l.Path + ">", shape: l.Shape + ">",
		depth: t.depth + 1, in: in,
	}
	if r.json(&inner) || r.markup(inner) {
		return
	}
	r.list(&Leaf{
		Place: l.Place, Key: l.Key, Path: l.Path, Shape: l.Shape, Value: doc, in: in,
		end: offset(len(doc)),
	})
}
