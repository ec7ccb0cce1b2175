package rules

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/similar"
)

// Error is a mistake in a rules file.
type Error struct {
	File         string
	Line, Column int // from 1
	Text         string
}

// Error says "retries.yaml:12:5: expected ..., found ...". It repeats no secret.
func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text)
}

// mostErrors is how many mistakes of one file are told; what follows is often of their making.
const mostErrors = 20

// reader reads one file, and goes on after a mistake.
type reader struct {
	file     string
	set      *profile.Set
	open     func(name string) ([]byte, error) // what "file:" names; nil: nothing may be read
	errs     []*Error
	warnings []*Error
	// rewritten are the fields that rows under "rewrite" name, in small letters.
	rewritten map[string]bool
	// Of the rule that is read:
	ops       []opPattern           // nil before they are known
	callbacks bool                  // they are callbacks
	waits     bool                  // it waits for the answer
	nodes     map[string]*yaml.Node // of its keys and effects
}

// wrong notes a mistake.
func (r *reader) wrong(n *yaml.Node, format string, args ...any) {
	r.errs = append(r.errs, r.at(n, format, args...))
}

// warn notes what may be a mistake.
func (r *reader) warn(n *yaml.Node, format string, args ...any) {
	r.warnings = append(r.warnings, r.at(n, format, args...))
}

func (r *reader) at(n *yaml.Node, format string, args ...any) *Error {
	return &Error{r.file, max(n.Line, 1), max(n.Column, 1), fmt.Sprintf(format, args...)}
}

// inOrder sorts mistakes as they stand in the file.
func inOrder(all []*Error) []*Error {
	slices.SortStableFunc(all, func(a, b *Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return all
}

// failed returns what is wrong with a file; nil for nothing.
func (r *reader) failed() error {
	var errs []error
	for _, e := range inOrder(r.errs) {
		if len(errs) < mostErrors {
			errs = append(errs, e)
		}
	}
	return errors.Join(errs...)
}

// expected notes that something else was expected of a node.
func (r *reader) expected(n *yaml.Node, what string) {
	r.wrong(n, "expected %s, found %s", what, show(n))
}

// show tells what a node is, without what no rules file should hold.
func show(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.Value == "" || n.Tag == "!!null" {
		return "nothing"
	}
	return quote(n.Value)
}

// quote quotes a text of the file for an error, unless a text so long or of so many digits may be
// something else than was meant.
func quote(text string) string {
	const longest, cardDigits = 60, 12
	if len(text) > longest || len(pan.Digits(text)) >= cardDigits {
		return fmt.Sprintf("a text of %d characters", len(text))
	}
	return strconv.Quote(text)
}

// load reads the one document of a file; nil for an empty one.
func (r *reader) load(data []byte) *yaml.Node {
	d := yaml.NewDecoder(bytes.NewReader(data))
	var doc, second yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil
	} else if err != nil {
		r.notYAML(err)
		return nil
	}
	if err := d.Decode(&second); err == nil {
		r.wrong(&second, "expected one document, found a second")
	} else if !errors.Is(err, io.EOF) {
		r.notYAML(err)
	}
	return doc.Content[0]
}

// countedFromZero are the mistakes of which the parser of go.yaml.in/yaml tells the line before
// (decode.go, parser.fail): those of its grammar, and not those of its words.
var countedFromZero = map[string]bool{
	"did not find expected <document start>": true, "did not find expected node content": true,
	"did not find expected '-' indicator": true, "did not find expected key": true,
	"did not find expected ',' or ']'": true, "did not find expected ',' or '}'": true,
}

// notYAML notes a mistake of syntax. The parser tells the line, and no column.
func (r *reader) notYAML(err error) {
	line, what := 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if rest, found := strings.CutPrefix(what, "line "); found {
		if n, after, ok := strings.Cut(rest, ": "); ok {
			if number, err := strconv.Atoi(n); err == nil {
				line, what = number, after
			}
			if countedFromZero[what] {
				line++
			}
		}
	}
	if len(pan.Digits(what)) > 0 || strings.HasPrefix(what, "unknown anchor") {
		what = "the syntax is wrong" // the parser repeats the text
	}
	r.wrong(&yaml.Node{Line: line}, "expected YAML: %s", what)
}

// keys are what a mapping may have, and who reads each.
type keys map[string]func(*yaml.Node)

// mapping reads a mapping, each key once, in the order of the file.
func (r *reader) mapping(n *yaml.Node, what string, ks keys) {
	r.pairs(n, what, func(key, value *yaml.Node) {
		read := ks[key.Value]
		if read == nil {
			known := map[string]bool{}
			for k := range ks {
				known[k] = true
			}
			r.unknown(key, key.Value, "key", known)
			return
		}
		read(value)
	})
}

// pairs calls f for every pair of a mapping.
func (r *reader) pairs(n *yaml.Node, what string, f func(key, value *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		r.expected(n, what)
		return
	}
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch first := lines[key.Value]; {
		case key.Kind != yaml.ScalarNode || key.Value == "":
			r.expected(key, "a name")
		case first != 0:
			r.wrong(key, "expected each name once, found %s again after line %d", quote(key.Value), first)
		default:
			lines[key.Value] = key.Line
			f(key, value)
		}
	}
}

// unknown notes a name that is none of several, and which may have been meant.
func (r *reader) unknown(n *yaml.Node, name, what string, known map[string]bool) {
	if near := similar.Most(name, known); near != "" {
		r.wrong(n, "unknown %s %s: did you mean %q?", what, quote(name), near)
		return
	}
	maps.DeleteFunc(known, func(_ string, is bool) bool { return !is })
	const few = 24
	if len(known) > few {
		r.wrong(n, "unknown %s %s", what, quote(name))
		return
	}
	all := slices.Sorted(maps.Keys(known))
	r.wrong(n, "unknown %s %s: known are %s", what, quote(name), strings.Join(all, ", "))
}

// text returns the text of a scalar; it notes a mistake and returns false for what is none.
func (r *reader) text(n *yaml.Node, what string) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Value == "" {
		r.expected(n, what)
		return "", false
	}
	return n.Value, true
}

// items returns the items of a list, or the node itself where one item stands in place of the list.
func items(n *yaml.Node) []*yaml.Node {
	if n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*yaml.Node{n}
}

// count reads a number from 1 on.
func (r *reader) count(n *yaml.Node, text string) int {
	i, err := strconv.Atoi(text)
	if err != nil || i < 1 {
		r.wrong(n, "expected a number from 1 on, found %s", quote(text))
	}
	return i
}

// longestWait bounds what a rule may have a client wait.
const longestWait = time.Hour

// duration reads a time such as 250ms or 20s.
func (r *reader) duration(n *yaml.Node, text string) time.Duration {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > longestWait {
		r.wrong(n, "expected a time such as 250ms or 20s, an hour at most, found %s", quote(text))
	}
	return d
}
