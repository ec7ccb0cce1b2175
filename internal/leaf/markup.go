package leaf

import (
	"slices"
	"strconv"
	"strings"
)

// MaxMarkup is the size up to which markup is read as such, in bytes.
const MaxMarkup = 1 << 20

// Bounds of the names of elements and attributes. Markup with longer ones is read as text;
// paths that are longer do not grow: both keep the time in proportion to the size.
const (
	longestName = 128
	longestPath = 256
	longestText = 40 // of a label
)

// usualDepth is how deep elements lie in each other in most pages.
const usualDepth = 16

// looksMarkup reports whether text can only be meant as HTML or XML.
func looksMarkup(s string) bool {
	s = strings.TrimPrefix(s, mark)
	i := skip(s, 0)
	if i+3 > len(s) || s[i] != '<' || !startsTag(s[i:]) || s[i+1] == '/' {
		return false
	}
	return strings.IndexByte(s[i:], '>') > 0
}

// markup reads t as HTML or XML and reports whether it is. It takes what real pages are made
// of: attributes without quotes, elements that nobody closes, names in capitals. Nothing
// between two tags is left out: comments, declarations and scripts are texts.
func (r *reader) markup(t text) bool {
	if !looksMarkup(t.s) || len(t.s) > MaxMarkup {
		return false
	}
	before, listed := len(r.leaves), r.size
	w := &walk{reader: r, text: t, s: t.s, html: isHTML(t.s), open: make([]element, 0, usualDepth)}
	w.open = append(w.open, element{path: t.path, shape: t.shape})
	if !w.run() || r.size.Leaves == listed.Leaves {
		r.leaves, r.size = r.leaves[:before], listed
		return false
	}
	return true
}

// element is one whose end has not come yet.
type element struct {
	name  string
	path  string
	shape string
	field string         // the name under which a form posts what is in it
	label string         // its attribute name, which may say what its text is
	count map[string]int // of its children, by name
	heads []string       // of a table: the headings of its columns
	cells int            // of a row: how many have begun
}

// walk goes through markup from one tag to the next.
type walk struct {
	*reader
	text  text
	s     string
	html  bool
	open  []element   // the last is the innermost; the first is the document
	label string      // the text before, if it may say what comes next is
	in    string      // the element of that text
	attrs []attribute // room for those of the next tag
}

func (w *walk) top() *element { return &w.open[len(w.open)-1] }

// run reads all of the text; false says that it is no markup.
func (w *walk) run() bool {
	from := 0
	for at := 0; at < len(w.s); {
		next := strings.IndexByte(w.s[at:], '<')
		if next < 0 {
			break
		}
		if at += next; !startsTag(w.s[at:]) {
			at++
			continue
		}
		w.characters(from, at, entity)
		if w.s[at+1] == '!' || w.s[at+1] == '?' {
			at = w.declaration(at)
		} else {
			t := readTag(w.s, at, w.attrs[:0])
			w.attrs = t.attrs
			if !w.tag(&t) {
				return false
			}
			at = w.content(&t)
		}
		from = at
	}
	w.characters(from, len(w.s), entity)
	return true
}

// declaration reads what begins with <! or <?, and returns where it ends.
func (w *walk) declaration(at int) int {
	for _, d := range declarations {
		if !strings.HasPrefix(w.s[at:], d.open) {
			continue
		}
		from := at + len(d.open)
		to := until(w.s, from, d.shut)
		if d.key == "" {
			w.characters(from, to, d.coding)
		} else {
			w.leaf(d.key, span{from, from + len(strings.TrimSuffix(w.s[from:to], "?"))}, d.coding)
		}
		return min(to+len(d.shut), len(w.s))
	}
	return at + 1
}

// declarations are what is no element. CDATA is text of the element around it.
var declarations = []struct {
	open, shut, key string
	coding          coding
}{
	{"<!--", "-->", "!--", verbatim},
	{"<![CDATA[", "]]>", "", verbatim},
	{"<!", ">", "!", entity},
	{"<?", ">", "?", entity},
}

// tag enters or leaves an element; false says that its name is none.
func (w *walk) tag(t *tag) bool {
	if w.html {
		t.name = strings.ToLower(t.name)
	}
	for _, a := range t.attrs {
		if len(a.name) > longestName {
			return false
		}
	}
	if len(t.name) > longestName {
		return false
	}
	if t.end {
		w.attributes(t, w.top())
		w.close(t.name)
		return true
	}
	if w.html {
		w.imply(t.name)
		w.cell(t.name)
	}
	e := w.child(t)
	w.attributes(t, &e)
	if control(t.name) {
		w.label = ""
	}
	if !t.empty && !(w.html && slices.Contains(voids, t.name)) && len(w.open) <= MaxDepth {
		w.open = append(w.open, e)
	}
	return true
}

// child returns the element that a start tag begins.
func (w *walk) child(t *tag) element {
	parent := w.top()
	if parent.count == nil {
		parent.count = map[string]int{}
	}
	parent.count[t.name]++
	e := element{name: t.name, path: parent.path, shape: parent.shape, label: t.value(w.s, "name")}
	if len(parent.path) <= longestPath {
		e.path, e.shape = join(parent.path, t.name), join(parent.shape, t.name)
		if n := parent.count[t.name]; n > 1 {
			e.path += "[" + strconv.Itoa(n) + "]"
		}
	}
	if len(e.label) > longestName {
		e.label = ""
	}
	switch t.name {
	case "select", "textarea":
		e.field = e.label
	case "option", "optgroup":
		e.field = parent.field
	}
	return e
}

// close ends the innermost element of a name, and those inside it. An end of nothing is
// passed over.
func (w *walk) close(name string) {
	for i := len(w.open) - 1; i > 0; i-- {
		if w.open[i].name == name {
			w.open = w.open[:i]
			return
		}
	}
}

// content returns where to read on behind a tag. What is no markup ends at its own end tag.
func (w *walk) content(t *tag) int {
	if !w.html || t.end || t.empty {
		return t.to
	}
	c := verbatim
	switch t.name {
	case "script", "style":
	case "textarea", "title":
		c = entity
	default:
		return t.to
	}
	to := t.to
	for to < len(w.s) && !endsWith(w.s[to:], t.name) {
		to = until(w.s, to+1, "<")
	}
	w.characters(t.to, to, c)
	return to
}

// endsWith reports whether s begins with the end tag of a name, in any case.
func endsWith(s, name string) bool {
	n := len("</") + len(name)
	return len(s) >= n && s[:2] == "</" && strings.EqualFold(s[2:n], name)
}

// span is a stretch of the text.
type span struct{ from, to int }

// attributes lists the values of the attributes of an element.
func (w *walk) attributes(t *tag, e *element) {
	for _, a := range t.attrs {
		name := a.name
		if w.html {
			name = strings.ToLower(name)
		}
		key, path := name, "@"+name
		field := e.label
		if e.name == "option" {
			field = e.field
		}
		switch {
		case (name == "value" || name == "content") && field != "":
			key, path = field, field
		case w.html && slices.Contains(looks, name):
			key = path
		}
		l := Leaf{Key: key, Path: e.path, Shape: e.shape}
		if name == "value" && field == "" {
			l.Name = w.labelOf(w.s[a.from:a.to], e.name)
		}
		if len(e.path) <= longestPath {
			l.Path, l.Shape = join(e.path, path), join(e.shape, path)
		}
		w.add(l, span{a.from, a.to}, a.coding)
	}
}

// characters lists the text between two tags, without the white space around it.
func (w *walk) characters(from, to int, c coding) {
	from = skip(w.s[:to], from)
	for to > from && space(w.s[to-1]) {
		to--
	}
	if from == to {
		return
	}
	e := w.top()
	l := Leaf{Key: e.name, Name: e.label, Path: e.path, Shape: e.shape}
	if e.field != "" {
		l.Key, l.Name = e.field, ""
		l.Path, l.Shape = join(e.path, e.field), join(e.shape, e.field)
	} else if l.Name == "" {
		if l.Name = w.heading(from, to); l.Name == "" {
			l.Name = w.labelOf(w.s[from:to], e.name)
		}
	}
	w.remember(from, to)
	w.add(l, span{from, to}, c)
}

// leaf lists what is neither text nor attribute.
func (w *walk) leaf(key string, at span, c coding) {
	e := w.top()
	w.add(Leaf{Key: key, Path: join(e.path, key), Shape: join(e.shape, key)}, at, c)
}

// add completes a leaf and lists it.
func (w *walk) add(l Leaf, at span, c coding) {
	t := &w.text
	l.Place, l.in = t.place, t.in
	l.start, l.end = offset(t.at(at.from)), offset(t.at(at.to))
	l.codings = t.codings.under(c)
	w.scalar(&l, t, w.s[at.from:at.to], at.from)
}
