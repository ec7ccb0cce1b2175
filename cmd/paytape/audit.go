package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/paytape/paytape/redact"
	"go.yaml.in/yaml/v3"
)

// finding is a place that looks like a secret.
type finding struct {
	File string `json:"file"`
	Line int    `json:"line"` // from 1
	// Exchange is the number of the exchange in a cassette; 0 in other files.
	Exchange int    `json:"exchange,omitempty"`
	Kind     string `json:"kind"`
}

func (f finding) String() string {
	if f.Exchange > 0 {
		return fmt.Sprintf("%s:%d: exchange %d: %s", f.File, f.Line, f.Exchange, f.Kind)
	}
	return fmt.Sprintf("%s:%d: %s", f.File, f.Line, f.Kind)
}

// binary reports whether data is no text, by the rule of git: a NUL near the beginning.
func binary(data []byte) bool {
	const near = 8000
	return bytes.IndexByte(data[:min(near, len(data))], 0) >= 0
}

// audit looks into a file. A cassette is looked into twice: as the text it is, and as the
// values that it holds, because YAML may break a value over lines, escape it, or write it in
// base64.
func audit(file string, data []byte) []finding {
	found := scanLines(string(data))
	if tape, ok := outline(data); ok {
		found = tape.merge(found)
	}
	for i := range found {
		found[i].File = file
	}
	return slices.Compact(found)
}

// scanLines looks into text and says in which lines something is.
func scanLines(text string) []finding {
	var found []finding
	line, at := 1, 0
	for _, f := range redact.Find(text) { // by offset
		line += strings.Count(text[at:f.Offset], "\n")
		at = f.Offset
		found = append(found, finding{Line: line, Kind: f.Kind})
	}
	return found
}

// tapeOutline is where the parts of a cassette are.
type tapeOutline struct {
	exchanges []begin
	scalars   []scalar // keys and values, in the order of the file
}

// begin is where an exchange begins.
type begin struct{ line, number int }

// scalar is a value of the file, decoded.
type scalar struct {
	value string
	line  int
}

// outline reads a cassette, ours or another program's; false means that data is none.
func outline(data []byte) (*tapeOutline, bool) {
	const mark = "interactions:"
	if !bytes.Contains(data, []byte(mark)) {
		return nil, false
	}
	var doc yaml.Node
	if yaml.Unmarshal(data, &doc) != nil || len(doc.Content) == 0 {
		return nil, false // as text it has been looked into all the same
	}
	items := child(doc.Content[0], "interactions")
	if items == nil || items.Kind != yaml.SequenceNode {
		return nil, false
	}
	o := &tapeOutline{}
	for i, item := range items.Content {
		o.exchanges = append(o.exchanges, begin{item.Line, numberIn(item, i+1)})
	}
	o.add(&doc)
	return o, true
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

// numberIn returns the number of an exchange; one of another program has only its place.
func numberIn(item *yaml.Node, place int) int {
	number := 0
	if n := child(child(item, "paytape"), "number"); n != nil && n.Decode(&number) == nil {
		return number
	}
	return place
}

// add collects the scalars below a node. What an alias stands for is where its anchor is.
func (o *tapeOutline) add(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode {
		s := scalar{n.Value, n.Line}
		if n.ShortTag() == "!!binary" {
			packed := strings.Join(strings.Fields(n.Value), "")
			if raw, err := base64.StdEncoding.DecodeString(packed); err == nil {
				s.value = string(raw)
			}
		}
		o.scalars = append(o.scalars, s)
	}
	for _, c := range n.Content {
		o.add(c)
	}
}

// merge adds what is in the values but was not seen in their lines, and says in which
// exchange each finding is.
func (o *tapeOutline) merge(found []finding) []finding {
	seen := found
	for i, s := range o.scalars {
		to := math.MaxInt
		if i+1 < len(o.scalars) {
			to = max(o.scalars[i+1].line, s.line+1)
		}
		for _, f := range redact.Find(s.value) {
			known := func(k finding) bool { return k.Kind == f.Kind && k.Line >= s.line && k.Line < to }
			if !slices.ContainsFunc(seen, known) {
				found = append(found, finding{Line: s.line, Kind: f.Kind})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b finding) int { return a.Line - b.Line })
	for i := range found {
		found[i].Exchange = o.exchangeAt(found[i].Line)
	}
	return found
}

// exchangeAt returns the number of the exchange that a line is in, 0 for none.
func (o *tapeOutline) exchangeAt(line int) int {
	i, there := slices.BinarySearchFunc(o.exchanges, line, func(b begin, line int) int {
		return b.line - line
	})
	switch {
	case there:
		return o.exchanges[i].number
	case i == 0:
		return 0
	}
	return o.exchanges[i-1].number
}
