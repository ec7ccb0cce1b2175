package rules

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Draft is a rule to begin with, which somebody changes before it is used. Its Text is a rules file.
type Draft struct {
	Name string
	// Op is an operation of a profile; Method and Path stand for a call that no profile knows.
	Op, Method, Path string
	// Where are fields of the request with the values that they have.
	Where map[string]string
	// Take names the recording that answers: "checkout#4". Empty: the answer is Status, Media and
	// Body.
	Take   string
	Status int
	Media  string
	Body   string
}

// Text writes the draft as a rules file.
func (d Draft) Text() string {
	rule := &yaml.Node{Kind: yaml.MappingNode}
	add(rule, "name", scalar(d.Name))
	switch {
	case d.Op != "":
		add(rule, "op", scalar(d.Op))
	case d.Path != "":
		op := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		if d.Method != "" {
			add(op, "method", scalar(d.Method))
		}
		add(op, "path", scalar(d.Path))
		add(rule, "op", op)
	}
	if len(d.Where) > 0 {
		where := &yaml.Node{Kind: yaml.MappingNode}
		for _, key := range slices.Sorted(maps.Keys(d.Where)) {
			add(where, key, scalar(testOf(d.Where[key])))
		}
		add(rule, "where", where)
	}
	effect := &yaml.Node{Kind: yaml.MappingNode}
	if d.Take != "" {
		add(effect, "take", scalar(d.Take))
	} else {
		answer := &yaml.Node{Kind: yaml.MappingNode}
		add(answer, "status", number(d.Status))
		if d.Media != "" {
			headers := &yaml.Node{Kind: yaml.MappingNode}
			add(headers, "Content-Type", scalar(d.Media))
			add(answer, "headers", headers)
		}
		if d.Body != "" {
			add(answer, "body", scalar(d.Body))
		}
		add(effect, "answer", answer)
	}
	add(rule, "then", effect)
	list := &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{rule}}
	root := &yaml.Node{Kind: yaml.MappingNode}
	add(root, "rules", list)
	text, err := yaml.Marshal(root)
	if err != nil {
		return "" // nodes of texts always marshal
	}
	return heading + version + "\n" + string(text)
}

// testOf returns the test that holds for a text alone.
func testOf(text string) string {
	c, err := parseComparison(text)
	if err == nil && c.how == equal && !c.star && text != "" {
		return text
	}
	return "= " + text
}

func add(to *yaml.Node, key string, value *yaml.Node) {
	to.Content = append(to.Content, scalar(key), value)
}

func scalar(text string) *yaml.Node {
	n := &yaml.Node{}
	n.SetString(strings.ToValidUTF8(text, "\ufffd"))
	return n
}

func number(n int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.Itoa(n)}
}
