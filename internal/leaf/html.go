package leaf

import (
	"slices"
	"strings"
)

// roots are the elements with which pages, and parts of them, begin.
var roots = []string{
	"html", "head", "body", "form", "div", "p", "a", "table", "tr", "td", "input", "script",
	"style", "title", "meta", "link", "span", "center", "br", "hr", "h1", "h2", "h3", "h4", "b",
	"i", "ul", "ol", "dl", "li", "iframe", "img", "label", "noscript", "main", "section",
	"article", "header", "footer", "nav", "pre", "select", "button", "fieldset", "strong",
}

// voids are the elements of HTML that never have an end.
var voids = []string{
	"input", "br", "meta", "link", "img", "hr", "param", "base", "area", "col", "embed",
	"source", "track", "wbr",
}

// looks are the attributes that say how a page looks and works. Their names are those of
// fields by chance, so in HTML their keys begin with '@'.
var looks = []string{
	"id", "class", "style", "type", "method", "lang", "title", "rel", "for", "role", "charset",
	"width", "height", "border", "align", "target", "language", "enctype", "size", "name",
}

// implied are the elements that the beginning of one ends, where nobody wrote the end.
var implied = map[string][]string{
	"p": {"p"}, "li": {"li"}, "option": {"option"}, "td": {"td", "th"}, "th": {"td", "th"},
	"tr": {"td", "th", "tr"}, "dt": {"dt", "dd"}, "dd": {"dt", "dd"},
}

// labels are the elements of XML whose text says what comes next. In others it is a value of
// its own.
var labels = []string{"name", "Name", "key", "Key", "label", "Label", "field", "Field"}

// control reports whether an element takes input: a text before it says what to enter, and
// nothing of the text behind it.
func control(name string) bool {
	switch name {
	case "input", "select", "textarea", "button":
		return true
	}
	return false
}

// isHTML reports whether markup is HTML, which closes elements by rules of its own, rather
// than XML: by its document type or its first element.
func isHTML(s string) bool {
	for at := until(s, 0, "<"); at < len(s); at = until(s, at+1, "<") {
		if !startsTag(s[at:]) {
			continue
		}
		if s[at+1] != '!' && s[at+1] != '?' {
			return slices.Contains(roots, strings.ToLower(readName(s[at+1:])))
		}
		const doctype = "<!doctype html"
		if len(s) >= at+len(doctype) && strings.EqualFold(s[at:at+len(doctype)], doctype) {
			return true
		}
		if strings.HasPrefix(s[at:], "<!--") {
			at = until(s, at, "-->")
		}
	}
	return false
}

// readName returns the name that s begins with.
func readName(s string) string {
	if end := strings.IndexAny(s, " \t\r\n/>"); end >= 0 {
		s = s[:end]
	}
	return s
}

// imply ends the elements that the beginning of one of a name ends.
func (w *walk) imply(name string) {
	for slices.Contains(implied[name], w.top().name) {
		w.open = w.open[:len(w.open)-1]
	}
}

// remember notes a text that may be a label: a short one, or the end of one before a colon.
func (w *walk) remember(from, to int) {
	text, _ := entity.decode(w.s[from:to])
	w.in, w.label = w.top().name, strings.TrimRight(text, ": \t\r\n")
	if len(w.label) > longestText {
		if w.label == text {
			w.label = ""
			return
		}
		w.label = w.label[len(w.label)-longestText:]
	}
}

// labelOf returns the label of a text in an element: the text before it. The cells of a table
// and the entries of a list label any single word, but for headings of columns; elsewhere
// only what has a digit is taken for the value of a label, because most texts follow another.
func (w *walk) labelOf(text, name string) string {
	if w.label == "" || len(text) > longestName || !w.html && !slices.Contains(labels, w.in) {
		return ""
	}
	word := !strings.ContainsAny(text, " \t\r\n")
	if name == "td" && (w.in == "td" || w.in == "th") || name == "dd" && w.in == "dt" {
		if word {
			return w.label
		}
	}
	if i := strings.IndexAny(text, "0123456789"); i < 0 {
		return ""
	}
	if word || strings.Trim(text, "0123456789 -") == "" {
		return w.label
	}
	return ""
}
