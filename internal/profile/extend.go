package profile

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A profile may lie on top of another: "extends: gateway", or "extends: ./bank.yaml". Then the text
// of the other, its base, is what the profile says of everything that it leaves out. The two texts
// become one before anything is read, key by key:
//
//	gateway.yaml                        mine.yaml: extends: gateway
//	  refund.do:                          refund.do:
//	    writes: true                        request:
//	    request:                              amount: client shared     in place of exact
//	      amount: exact                       comment: ignored          one more
//	      language: exact                     language: remove          none any more
//
// A mapping is merged with the mapping of the same key, a list "include" of sets is added to that
// of the base, and everything else stands in place of what the base has. Each node knows its file,
// so a row of the base is written in the file of the base, for errors and for people.

// Open returns the text of a file that a profile extends, by its path. Errors name the file.
type Open func(file string) ([]byte, error)

// maxBases is how many files may extend one another. Names of files may differ without an end where
// folders are links.
const maxBases = 16

// extendsKey is the key that names the base of a profile.
const extendsKey = "extends"

// removeWord takes out what the base has under a key. In quotes it is a text.
const removeWord = "remove"

// merger puts a profile on top of its base.
type merger struct {
	base  string   // name of the base's file, for errors
	gone  removals // of rows
	place place
	// operations are those that are removed. What the base says of them elsewhere, such as which
	// callbacks they cause, says nothing any more.
	operations []string
}

// removals are the places of rows that are removed, each with whether the base has the row there;
// if it has not, a set has to.
type removals map[*yaml.Node]bool

// extended returns the text of a profile with that of its base. A profile that extends nothing
// stays as it is. chain has the files that led here.
func (r *reader) extended(p place, root *yaml.Node, chain []string) (*yaml.Node, error) {
	at := valueOfKey(root, extendsKey)
	if at == nil {
		return root, nil
	}
	p = p.in(extendsKey)
	file, data, err := r.baseOf(p, at)
	if err != nil {
		return nil, err
	}
	if slices.Contains(chain, file) || len(chain) == maxBases {
		return nil, p.fail(at, fmt.Errorf("expected a profile that does not extend itself, found %s",
			strings.Join(append(chain, file), " extends ")))
	}
	chain = append(chain, file)
	below := &reader{profile: &Profile{}, spelling: map[string]string{}, open: r.open}
	if _, err := below.parse(file, data, chain); err != nil {
		return nil, p.fail(at, err)
	}
	maps.Copy(p.bases, below.bases)
	mark(below.root, file, p.bases)
	maps.Copy(r.gone, below.gone)
	r.profile.Bases = append([]Base{{below.profile.Name, file, below.profile.Digest}},
		below.profile.Bases...)
	m := merger{base: file, gone: r.gone, place: p}
	m.place.path = ""
	merged, err := m.merge(below.root, root, nil)
	r.removed = append(below.removed, m.operations...)
	return merged, err
}

// baseOf returns the file that a profile extends, and its text.
func (r *reader) baseOf(p place, at *yaml.Node) (file string, data []byte, err error) {
	name := text(at)
	switch {
	case name == "":
		return "", nil, p.expected(at, "the name of a profile of ours, or a file such as ./bank.yaml")
	case strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".yaml") ||
		strings.HasSuffix(name, ".yml"):
		if file = filepath.FromSlash(name); !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(p.fileOf(at)), file)
		}
		if r.open == nil {
			return "", nil, p.expected(at, "a profile of ours: "+strings.Join(embedded, ", "))
		}
		if data, err = r.open(file); err != nil {
			err = p.fail(at, err)
		}
		return file, data, err
	}
	if data, err = Source(name); err != nil {
		return "", nil, p.noneOf(at, listOf(embedded, func(s string) string { return s })+
			", or a file such as ./bank.yaml", embedded)
	}
	return name + ".yaml", data, nil
}

// mark notes the file of a node and of all below it.
func mark(n *yaml.Node, file string, in files) {
	if in[n] == "" {
		in[n] = file
	}
	for _, c := range n.Content {
		mark(c, file, in)
	}
}

// valueOfKey returns what a mapping has under a key; nil for none.
func valueOfKey(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if text(n.Content[i]) == key {
			return n.Content[i+1]
		}
	}
	return nil
}

// removes reports whether a value takes out what the base has.
func removes(n *yaml.Node) bool { return n.Style == 0 && text(n) == removeWord }

// merge returns a mapping of the base with that of a profile on top, both at a path of keys.
func (m *merger) merge(base, top *yaml.Node, path []string) (*yaml.Node, error) {
	ours, err := m.place.mapping(base, "a mapping")
	if err != nil {
		return nil, err
	}
	theirs, err := m.place.mapping(top, "a mapping")
	if err != nil {
		return nil, err
	}
	rows := areRows(path)
	key := func(p pair) string {
		if rows {
			return string(fold(nil, p.key)) // case does not count
		}
		return p.key
	}
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: top.Tag, Line: top.Line, Column: top.Column}
	onTop := map[string]pair{}
	for _, p := range theirs {
		if first, again := onTop[key(p)]; again {
			return nil, m.place.fail(p.at, twice(p.key, first.at.Line))
		}
		onTop[key(p)] = p
	}
	var wrong mistakes
	known := map[string]bool{}
	for _, p := range ours {
		known[key(p)] = true
		over, found := onTop[key(p)]
		if !found {
			if p.key != extendsKey || len(path) > 0 {
				out.Content = append(out.Content, p.at, p.value)
			}
			continue
		}
		wrong.add(m.put(out, p, over, append(path, p.key)))
	}
	for _, p := range theirs {
		if known[key(p)] {
			continue
		}
		wrong.add(m.fresh(p, ours, path))
		out.Content = append(out.Content, p.at, p.value)
	}
	return out, wrong.err()
}

// put puts what a profile has under a key on top of what its base has there.
func (m *merger) put(out *yaml.Node, base, top pair, path []string) error {
	rows := areRows(path[:len(path)-1])
	value := top.value
	switch {
	case removes(top.value) && !rows:
		if len(path) == 2 && path[0] == "operations" {
			m.operations = append(m.operations, base.key)
		}
		return nil
	case removes(top.value):
		m.gone[top.value] = true // a set may have the row as well
	case rows && top.key == "include" && base.value.Kind == yaml.SequenceNode &&
		top.value.Kind == yaml.SequenceNode:
		value = &yaml.Node{Kind: yaml.SequenceNode, Line: top.value.Line, Column: top.value.Column}
		value.Content = slices.Concat(base.value.Content, top.value.Content)
	case base.value.Kind == yaml.MappingNode && top.value.Kind == yaml.MappingNode:
		merged, err := m.merge(base.value, top.value, path)
		if err != nil {
			return err
		}
		value = merged
	}
	out.Content = append(out.Content, top.at, value)
	return nil
}

// fresh looks at a key that the base does not have.
func (m *merger) fresh(p pair, base []pair, path []string) error {
	names := make([]string, 0, len(base))
	for _, b := range base {
		names = append(names, b.key)
	}
	if removes(p.value) && !areRows(path) {
		return m.place.noneOf(p.at, "something of "+m.base+" to remove", names)
	}
	whole := valueOfKey(p.value, "methods") != nil || valueOfKey(p.value, "path") != nil
	if len(path) == 1 && path[0] == "operations" && !whole {
		return m.place.noneOf(p.at, "an operation of "+m.base+
			", or one more with methods, path and carrier", names)
	}
	return nil
}

// areRows reports whether a mapping at a path of keys has rows, whose keys have no case.
func areRows(path []string) bool {
	n := len(path)
	return n == 2 && (path[0] == "sets" || path[0] == "common" || path[0] == "callbacks" && isHalf(path[1])) ||
		n == 3 && path[0] == "operations" && isHalf(path[2])
}

// isHalf reports whether a key is one under which an operation has rows.
func isHalf(key string) bool { return slices.Contains(halves, key) }

// halves are the keys under which an operation has rows.
var halves = []string{"request", "response", "requestHeaders", "responseHeaders"}

// errNothingToRemove is what is wrong with a row that is removed and was not there.
var errNothingToRemove = errors.New("expected a row that the base or a set has, found none to remove")
