package rules

import (
	"bytes"
	"encoding/json"

	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/internal/profile"
)

// ParseSome reads rules that come from elsewhere than a file: one rule, a list of rules, or what a
// rules file holds but for "rewrite". A single rule that has no name gets the name alone; "" gives
// it none. JSON is YAML too. Errors are as those of Parse.
func ParseSome(name string, data []byte, alone string, s Source) (*File, error) {
	r := &reader{file: name, set: s.Profiles, open: s.Open}
	if r.set == nil {
		r.set = &profile.Set{}
	}
	f := &File{Name: name}
	if json.Valid(data) {
		data = bytes.ReplaceAll(data, []byte("\t"), []byte(" ")) // between values, where YAML has none
	}
	root := r.load(data)
	if root != nil {
		r.noCards(root)
	}
	switch {
	case len(r.errs) > 0:
	case root == nil, root.Kind == yaml.ScalarNode:
		r.wrong(&yaml.Node{}, "expected a rule, found none")
	case root.Kind == yaml.SequenceNode:
		f.Rules = r.rules(root)
	case memberOf(root, "rules") != nil || memberOf(root, "rewrite") != nil:
		r.mapping(root, "a mapping with rules", keys{
			"rules": func(n *yaml.Node) { f.Rules = r.rules(n) },
			"rewrite": func(n *yaml.Node) {
				r.wrong(n, "expected rules alone: what fields are is compiled with the tape, "+
					"from files")
			},
		})
	default:
		if alone != "" && memberOf(root, "name") == nil {
			root.Content = append(root.Content, text("name"), text(alone))
		}
		f.Rules = []*Rule{r.rule(root)}
	}
	if err := r.failed(); err != nil {
		return nil, err
	}
	f.Warnings = inOrder(r.warnings)
	return f, nil
}

// memberOf returns the value of a key of a mapping; nil if there is none.
func memberOf(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content) && n.Kind == yaml.MappingNode; i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func text(s string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
}
