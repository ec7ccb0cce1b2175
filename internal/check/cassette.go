package check

import (
	"bytes"
	"slices"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/redact"
	"github.com/paytape/paytape/redact/audit"
	"go.yaml.in/yaml/v3"
)

// tapeMark is in every cassette, ours or another program's.
const tapeMark = "interactions:"

// cassette adds to what was found in the lines of a cassette what its exchanges show: YAML may
// break a value over lines, escape it, or write it in base64. False means that data is none.
func (d *document) cassette(found []Finding) ([]Finding, bool) {
	if !bytes.Contains(d.data, []byte(tapeMark)) {
		return found, false
	}
	var doc yaml.Node
	if yaml.Unmarshal(d.data, &doc) != nil || cassettes.Expands(&doc, int64(len(d.data))) {
		return found, false // as text it has been looked into all the same
	}
	items, ok := cassettes.Interactions(&doc)
	if !ok {
		return found, false
	}
	t := tapeOutline{document: d, cleaner: redact.New(d.options), ours: cassettes.IsOurs(d.data)}
	for i, item := range items {
		s := section{number: i + 1, from: d.offsetOf(item.Line), to: len(d.data)}
		if i+1 < len(items) {
			s.to = d.offsetOf(items[i+1].Line)
		}
		t.item(item, s, slices.ContainsFunc(found, s.holds))
	}
	return joinSections(found, t.sections, t.partAt), true
}

// tapeOutline is where the parts of a cassette are and what they expose.
type tapeOutline struct {
	*document
	cleaner  *redact.Redactor
	ours     bool // laid out by us: no value is broken in the middle of anything
	sections []section
	parts    []part // in the order of the file
}

// part is where a part of an exchange begins: "request body".
type part struct {
	line int
	name string
}

// item reads an exchange, of which something was found in the lines or not. One of another
// program has only its place for a number.
func (t *tapeOutline) item(n *yaml.Node, s section, found bool) {
	number := 0
	if m := child(child(n, "paytape"), "number"); m != nil && m.Decode(&number) == nil && number > 0 {
		s.number = number
	}
	from := len(t.parts)
	t.outline(n)
	parts := t.parts[from:]
	x, ok := cassettes.ReadInteraction(n)
	if !ok {
		t.sections = append(t.sections, t.values(n, s))
		return
	}
	exposed := audit.Fields(t.cleaner, x)
	if found || !t.ours {
		exposed = t.search.Exchange(t.cleaner, x)
	}
	for _, e := range exposed {
		line, at := n.Line, partOf(e.Field)
		if i := slices.IndexFunc(parts, func(p part) bool { return p.name == at }); i >= 0 {
			line = parts[i].line
		}
		s.exposed = append(s.exposed, exposure{e.Field, e.Kind, line})
	}
	// The copy of a form, and what is not known of the format, are values of no field.
	s = t.values(child(child(n, "request"), "form"), s)
	s = t.values(child(n, "paytape"), s)
	t.sections = append(t.sections, s)
}

// outline notes where the parts of an exchange begin.
func (t *tapeOutline) outline(n *yaml.Node) {
	for i := 0; n.Kind == yaml.MappingNode && i+1 < len(n.Content); i += 2 {
		half, value := n.Content[i], n.Content[i+1]
		t.parts = append(t.parts, part{half.Line, half.Value})
		for k := 0; value.Kind == yaml.MappingNode && k+1 < len(value.Content); k += 2 {
			key := value.Content[k]
			name := half.Value + " " + key.Value
			if key.Value == "trailer" || key.Value == "trailers" {
				name = "trailers"
			}
			t.parts = append(t.parts, part{key.Line, name})
		}
	}
}

// partNames are the parts that a find can be in; other keys are data and not repeated.
var partNames = []string{
	"request body", "request form", "request headers", "request url", "request method",
	"response body", "response headers", "response status", "trailers", "paytape",
}

// partAt returns the part of an exchange that a line is in.
func (t *tapeOutline) partAt(line int) string {
	i, there := slices.BinarySearchFunc(t.parts, line, func(p part, line int) int {
		return p.line - line
	})
	if there { // several parts may begin in one line: the last tells most
		for i+1 < len(t.parts) && t.parts[i+1].line == line {
			i++
		}
		i++
	}
	if i == 0 || !slices.Contains(partNames, t.parts[i-1].name) {
		return ""
	}
	return t.parts[i-1].name
}

// values finds what stands in the scalars below a node and not in one line of the file as it is.
// What an alias stands for is where its anchor is.
func (t *tapeOutline) values(n *yaml.Node, s section) section {
	if n == nil {
		return s
	}
	if n.Kind == yaml.ScalarNode && !t.ours && !t.verbatim(n) {
		for _, f := range t.search.Find(scalarValue(n)) {
			s.exposed = append(s.exposed, exposure{t.partAt(n.Line), f.Kind, n.Line})
		}
	}
	for _, c := range n.Content {
		s = t.values(c, s)
	}
	return s
}

// verbatim reports whether a scalar is of one line and without escapes: short plain values, of
// which a file is full.
func (d *document) verbatim(n *yaml.Node) bool {
	return bytes.Contains(d.line(n.Line), []byte(n.Value)) && n.ShortTag() != "!!binary"
}

// scalarValue returns the value of a scalar, decoded where it is binary.
func scalarValue(n *yaml.Node) string {
	var value string
	if n.Decode(&value) != nil {
		return n.Value
	}
	return value
}

// child returns the value of a key of a mapping, or nil.
func child(n *yaml.Node, key string) *yaml.Node {
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}
