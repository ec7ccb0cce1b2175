package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/similar"
	"go.yaml.in/yaml/v3"
)

// place is where in a profile file the parser is, for its errors.
type place struct {
	file  string
	path  string // `operation "register.do": request: `; empty at the top
	bases files  // of nodes that lie in other files
}

// files tells in which file a node lies that a profile has from another file. Nodes of the profile's
// own file are not there.
type files map[*yaml.Node]string

// fileOf returns the file in which a node lies.
func (p place) fileOf(n *yaml.Node) string {
	if base := p.bases[n]; base != "" {
		return base
	}
	return p.file
}

// origin returns where a node lies that has a key.
func (p place) origin(n *yaml.Node, key string) Origin {
	return Origin{File: p.fileOf(n), Line: n.Line, Column: n.Column, Key: key}
}

// in returns the place one step further in.
func (p place) in(step string) place {
	p.path += step + ": "
	return p
}

// named returns the place inside a named thing.
func (p place) named(kind, name string) place {
	return p.in(fmt.Sprintf("%s %q", kind, shorten(name)))
}

// fail puts file, line, column and place before a complaint.
func (p place) fail(n *yaml.Node, complaint error) error {
	at := p.origin(n, "")
	return &mistake{fmt.Errorf("%s: %s%w", at.Position(), p.path, complaint), at}
}

// expected complains about a node.
func (p place) expected(n *yaml.Node, what string) error {
	if found := text(n); found != "" {
		return p.fail(n, expected(what, found))
	}
	return p.fail(n, fmt.Errorf("expected %s, found %s", what, kind(n)))
}

// noneOf complains about a node that is none of some names, and says which of them may be meant.
func (p place) noneOf(n *yaml.Node, what string, names []string) error {
	if text(n) == "" {
		return p.expected(n, what)
	}
	return p.fail(n, suggest(expected(what, text(n)), text(n), names))
}

// suggest adds to a complaint about a word which of some others may be meant, if one may.
func suggest(complaint error, word string, others []string) error {
	s := similar.To(strings.ToLower(word))
	spelled := map[string]string{}
	for _, other := range others {
		s.Try(strings.ToLower(other))
		spelled[strings.ToLower(other)] = other
	}
	if near := s.Best(); near != "" {
		return fmt.Errorf("%w: did you mean %q?", complaint, spelled[near])
	}
	return complaint
}

// text is what a scalar says; empty for every other node, and for null.
func text(n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return ""
	}
	return n.Value
}

func kind(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias" // sets are the way to write rows once
	}
	return "nothing"
}

// load reads the one document of a file.
func (p place) load(data []byte) (*yaml.Node, error) {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return &yaml.Node{Line: 1, Column: 1}, nil // which is neither mapping nor text
	} else if err != nil {
		return nil, p.notYAML(err)
	}
	if err := d.Decode(&second); err == nil {
		return nil, p.fail(&second, errors.New("expected one document, found a second"))
	} else if !errors.Is(err, io.EOF) {
		return nil, p.notYAML(err)
	}
	return doc.Content[0], nil
}

// notYAML turns the YAML package's "yaml: line 3: ..." into our form. An error that names
// no line is reported on the first.
func (p place) notYAML(err error) error {
	line, what := "1", strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, found := strings.CutPrefix(what, "line "); found {
		if n, after, ok := strings.Cut(rest, ": "); ok && isNumber(n) {
			line, what = n, after
		}
	}
	return fmt.Errorf("%s:%s:1: expected YAML: %s", p.file, line, what)
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// pair is one line of a mapping.
type pair struct {
	key   string
	at    *yaml.Node // the key
	value *yaml.Node
}

// mapping returns the pairs of a mapping whose keys are texts, each there once.
func (p place) mapping(n *yaml.Node, what string) ([]pair, error) {
	if n.Kind != yaml.MappingNode {
		return nil, p.expected(n, what)
	}
	pairs := make([]pair, 0, len(n.Content)/2)
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		at := n.Content[i]
		key := text(at)
		if key == "" {
			return nil, p.expected(at, "a name")
		}
		if first, again := lines[key]; again {
			return nil, p.fail(at, twice(key, first))
		}
		lines[key] = at.Line
		pairs = append(pairs, pair{key, at, n.Content[i+1]})
	}
	return pairs, nil
}

func twice(key string, first int) error {
	return fmt.Errorf("expected each name once, found %q again after line %d",
		shorten(key), first)
}

// member is one key that a mapping may have.
type member struct {
	name     string
	required bool
	read     func(place, *yaml.Node) error
}

// members reads a mapping of known keys, in the order of the table and not of the file: what
// comes later in a table may refer to what came before. One that cannot be read does not hide
// what is wrong in another.
func (p place) members(n *yaml.Node, table []member) error {
	names := func(m member) string { return m.name }
	pairs, err := p.mapping(n, "a mapping with "+listOf(table, names))
	if err != nil {
		return err
	}
	var wrong mistakes
	values := map[string]*yaml.Node{}
	for _, e := range pairs {
		values[e.key] = e.value
		if !hasMember(table, e.key) {
			var known []string
			for _, m := range table {
				known = append(known, m.name)
			}
			wrong.add(p.noneOf(e.at, listOf(table, names), known))
		}
	}
	misspelt := len(wrong) > 0 // and so what is missing may be there
	for _, m := range table {
		value := values[m.name]
		switch {
		case value == nil && m.required && !misspelt:
			wrong.add(p.fail(n, fmt.Errorf("expected the key %q, found none", m.name)))
		case value != nil:
			wrong.add(m.read(p.in(m.name), value))
		}
	}
	return wrong.err()
}

func hasMember(table []member, name string) bool {
	for _, m := range table {
		if m.name == name {
			return true
		}
	}
	return false
}

// items returns the texts of a list.
func (p place) items(n *yaml.Node, what string) ([]*yaml.Node, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, p.expected(n, "a list of "+what)
	}
	for _, item := range n.Content {
		if text(item) == "" {
			return nil, p.expected(item, "a text")
		}
	}
	return n.Content, nil
}

// listed returns the items of a list, or the one item that stands in its place.
func listed(n *yaml.Node) []*yaml.Node {
	if n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*yaml.Node{n}
}

// textsInto returns a reader that stores different texts: a list of them, or one.
func textsInto(out *[]string, what string) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		if n.Kind == yaml.MappingNode || len(listed(n)) == 0 {
			return p.expected(n, "a text or a list of "+what)
		}
		for _, item := range listed(n) {
			s := text(item)
			if s == "" {
				return p.expected(item, "a text")
			}
			if slices.Contains(*out, s) {
				return p.expected(item, "each of the "+what+" once")
			}
			*out = append(*out, s)
		}
		return nil
	}
}

// textInto returns a reader that stores a text.
func textInto(s *string) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		if *s = text(n); *s == "" {
			return p.expected(n, "a text")
		}
		return nil
	}
}

// wordInto returns a reader that stores a name or noun.
func wordInto(s *string) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		if *s = text(n); !isWord(*s) {
			return p.expected(n, "a word of small letters, digits and dashes")
		}
		return nil
	}
}
