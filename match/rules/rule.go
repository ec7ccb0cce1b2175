package rules

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/internal/profile"
)

// Rule says what a run should do with some calls.
type Rule struct {
	Name string
	File string // that it stands in
	Line int    // from 1, at which it begins

	ops       []opPattern
	callbacks bool        // the rule is on callbacks, and on nothing else
	where     []fieldTest // on the request
	answer    []fieldTest // on the answer; some: the rule waits for the answer
	when      []condition
	// skipped is how many attempts go by before the conditions count.
	skipped int
	// sessions are patterns of the names of sessions; nil: any session.
	sessions []string
	per      per
	then     effects
	text     string // of all of it, in one form: equal texts are the same rule
}

// fieldTest is a test on a field.
type fieldTest struct {
	text string // "amount: >= 100"
	at   place
	test test
}

// per says what is counted together.
type per struct {
	what  counted
	field place // of byField
}

type counted uint8

const (
	byEntity  counted = iota // the entity that the request names; the session where it names none
	bySession                // the session that the request came in
	byDeck                   // everything
	byField                  // the value of a field of the request
)

// File is a rules file that was read.
type File struct {
	Name  string
	Rules []*Rule
	// Rewrite are rows on top of those of all profiles.
	Rewrite []profile.Override
	// Warnings are what may be a mistake, in the order of the file.
	Warnings []*Error
}

// Doubts returns the warnings as texts with their places.
func (f *File) Doubts() []string {
	var all []string
	for _, w := range f.Warnings {
		all = append(all, w.Error())
	}
	return all
}

// heading is how a rules file begins that says which form it has.
const heading = "# paytape rules "

// version is the form that is read here.
const version = "1"

// Source is what a rules file is read with.
type Source struct {
	Profiles *profile.Set // nil: nothing is known of any API
	// Open reads the file that an answer is in, by the name that the rules file has of it. Nil:
	// rules cannot name files.
	Open func(name string) ([]byte, error)
}

// Parse reads a rules file; name is its name for errors. An error is one *Error, or several that
// are joined, in the order of the file. It repeats no card number, CVC or password.
func Parse(name string, data []byte, s Source) (*File, error) {
	r := &reader{file: name, set: s.Profiles, open: s.Open}
	if r.set == nil {
		r.set = &profile.Set{}
	}
	f := &File{Name: name}
	if line, _, _ := strings.Cut(string(data), "\n"); strings.HasPrefix(line, heading) &&
		strings.TrimSpace(line[len(heading):]) != version {
		r.wrong(&yaml.Node{}, "expected %q, found another version", heading+version)
		return nil, r.failed()
	}
	root := r.load(data)
	if root != nil {
		r.noCards(root)
	}
	if root != nil && (root.Kind != yaml.ScalarNode || root.Tag != "!!null") && len(r.errs) == 0 {
		var list *yaml.Node
		r.mapping(root, "a mapping with rules or rewrite", keys{
			"rules":   func(n *yaml.Node) { list = n },
			"rewrite": func(n *yaml.Node) { f.Rewrite = r.rewrite(n) },
		})
		if list != nil { // behind the rows, which make names known
			f.Rules = r.rules(list)
		}
	}
	if err := r.failed(); err != nil {
		return nil, err
	}
	f.Warnings = inOrder(r.warnings)
	return f, nil
}

// rules reads the list of rules.
func (r *reader) rules(n *yaml.Node) []*Rule {
	if n.Kind != yaml.SequenceNode {
		r.expected(n, "a list of rules")
		return nil
	}
	var all []*Rule
	lines := map[string]int{}
	for _, item := range n.Content {
		rule := r.rule(item)
		if first := lines[rule.Name]; first != 0 && rule.Name != "" {
			r.wrong(item, "expected each name once, found %q again after line %d", rule.Name, first)
		}
		lines[rule.Name] = item.Line
		all = append(all, rule)
	}
	return all
}

// rule reads one rule. What a rule names of an operation is read when its operations are known.
func (r *reader) rule(n *yaml.Node) *Rule {
	rule := &Rule{File: r.file, Line: n.Line}
	if text, err := yaml.Marshal(n); err == nil {
		rule.text = string(text)
	}
	at := map[string]*yaml.Node{}
	r.nodes, r.ops, r.callbacks, r.waits = at, nil, false, false
	keep := func(name string) func(*yaml.Node) {
		return func(n *yaml.Node) { at[name] = n }
	}
	r.mapping(n, "a rule", keys{
		"name": func(n *yaml.Node) { rule.Name = r.name(n) },
		"op":   keep("op"), "where": keep("where"), "answer": keep("answer"), "when": keep("when"),
		"session": func(n *yaml.Node) { rule.sessions = r.sessions(n) },
		"per":     keep("per"), "then": keep("then"),
	})
	if n.Kind != yaml.MappingNode {
		return rule
	}
	if rule.Name == "" {
		r.wrong(n, "expected a name")
	}
	rule.ops = []opPattern{{name: "*"}}
	if op := at["op"]; op != nil {
		rule.ops = r.operations(op)
		rule.callbacks = r.areCallbacks(op, rule.ops)
	}
	r.ops, r.callbacks = rule.ops, rule.callbacks
	if where := at["where"]; where != nil {
		rule.where = r.tests(where, profile.Request)
	}
	if answer := at["answer"]; answer != nil {
		r.waits = true
		rule.answer = r.tests(answer, profile.Response)
	}
	if when := at["when"]; when != nil {
		rule.when = r.conditions(when)
		for _, c := range rule.when {
			if c.word == skip {
				rule.skipped = c.counts[0]
			}
		}
	}
	if per := at["per"]; per != nil {
		rule.per = r.per(per)
	}
	if then := at["then"]; then != nil {
		rule.then = r.effects(then)
		r.check(rule)
	} else {
		r.wrong(n, "expected the key \"then\", found none")
	}
	return rule
}

// longestName bounds the name of a rule, which stands in headers.
const longestName = 64

// name reads the name of a rule.
func (r *reader) name(n *yaml.Node) string {
	name, ok := r.text(n, "a name")
	if ok && (!isToken(name) || len(name) > longestName) {
		r.expected(n, "a name of letters, digits, dashes, dots and underscores, 64 at most")
	}
	return name
}

// sessions reads the names of sessions: one or a list, with stars.
func (r *reader) sessions(n *yaml.Node) []string {
	all := []string{}
	for _, item := range items(n) {
		if text, ok := r.text(item, "the name of a session"); ok {
			all = append(all, text)
		}
	}
	if len(items(n)) == 0 {
		r.wrong(n, "expected sessions, found an empty list")
	}
	return all
}

func (r *reader) per(n *yaml.Node) per {
	text, ok := r.text(n, "entity, session, deck or a field")
	switch {
	case !ok, text == "entity":
		return per{}
	case text == "session":
		return per{what: bySession}
	case text == "deck":
		return per{what: byDeck}
	}
	p := per{what: byField, field: r.place(n)}
	if p.field.in == aStatus {
		r.wrong(n, "expected a field of the request: it has no status")
	}
	return p
}

// tests reads tests on fields.
func (r *reader) tests(n *yaml.Node, dir profile.Direction) []fieldTest {
	var all []fieldTest
	r.pairs(n, "fields and tests", func(key, value *yaml.Node) {
		f := fieldTest{at: r.place(key)}
		if f.at.in == aStatus && dir == profile.Request {
			r.wrong(key, "expected a field of the request: it has no status")
		}
		var texts []string
		for _, item := range items(value) {
			text, ok := item.Value, item.Kind == yaml.ScalarNode && item.Tag != "!!null"
			if !ok {
				r.expected(item, `a text, a number, or a test such as ">= 100"`)
				continue
			}
			c, err := parseComparison(text)
			if c.how != present && c.how != absent && r.noSecret(item, c.text, f.at, dir) {
				continue // the mistake may repeat the text
			}
			if err != nil {
				r.wrong(item, "%v", err)
				continue
			}
			texts, f.test = append(texts, text), append(f.test, c)
		}
		if len(items(value)) == 0 {
			r.wrong(value, "expected tests, found an empty list")
		}
		f.text = key.Value + ": " + strings.Join(texts, ", ")
		all = append(all, f)
	})
	return all
}

// calls returns the calls that the rule which is read may be about, and one that no profile knows.
func (r *reader) calls() []profile.Call {
	calls := []profile.Call{{}}
	if r.callbacks {
		return append(calls, r.callbackCalls()...)
	}
	for _, p := range r.set.Profiles() {
		for _, o := range p.Operations {
			if meansOperation(r.ops, o) {
				calls = append(calls, profile.Call{Profile: p, Operation: o})
			}
		}
	}
	return calls
}

// meansOperation reports whether one of several patterns may mean calls of an operation.
func meansOperation(ps []opPattern, o *profile.Operation) bool {
	for i := range ps {
		if ps[i].path != "" || ps[i].means(o) {
			return true
		}
	}
	return false
}
