package profile

import (
	"errors"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Parse reads a profile; file is its name for errors, which all read
//
//	mybank.yaml:12:9: operation "pay": request: field "pan": expected ..., found ...
//
// gateway.yaml among the embedded profiles explains the format at its head. The profile may extend
// an embedded one; ParseWith is for those that extend files.
func Parse(file string, data []byte) (*Profile, error) { return ParseWith(file, data, nil) }

// ParseWith reads a profile that may extend files, which open returns: their paths are relative to the
// folder of the file that extends them.
func ParseWith(file string, data []byte, open Open) (*Profile, error) {
	r := &reader{profile: &Profile{}, spelling: map[string]string{}, open: open}
	return r.parse(file, data, []string{file})
}

// parse reads a profile. chain has the files that led to it, with its own.
func (r *reader) parse(file string, data []byte, chain []string) (*Profile, error) {
	r.bases, r.gone = files{}, removals{}
	p := place{file: file, bases: r.bases}
	root, err := p.load(data)
	if err != nil {
		return nil, err
	}
	if root, err = r.extended(p, root, chain); err != nil {
		return nil, err
	}
	r.root = root
	if err := p.members(root, r.profileKeys()); err != nil {
		return nil, err
	}
	if err := r.connect(p); err != nil {
		return nil, err
	}
	if err := r.reachable(p); err != nil {
		return nil, err
	}
	r.profile.Origin = p.origin(root, r.profile.Name)
	r.profile.Origin.File = file
	r.profile.Digest = digestOf(root)
	r.nameRules()
	r.profile.boundTexts()
	r.profile.addresses, r.profile.compares = r.profile.findAddresses(), r.profile.findCompared()
	r.profile.carryOver()
	r.profile.names = names(r.spelling)
	return r.profile, nil
}

// reachable refuses a profile of which nothing could ever hold: it has no operation, and no paths below
// which its rows for all operations would hold.
func (r *reader) reachable(p place) error {
	if r.profile.Name == httpName || len(r.profile.Operations) > 0 || len(r.profile.Paths) > 0 {
		return nil
	}
	return p.fail(r.root, errors.New("expected operations, or paths below which the common rows hold, "+
		"found neither: nothing would follow this profile"))
}

// reader makes one profile.
type reader struct {
	profile  *Profile
	document string // "document 3", put before the doc of each operation
	sets     map[string]rowGroup
	nameless bool              // a set has a name that is none, and may be meant where none is found
	nodes    []*yaml.Node      // of the operations, beside profile.Operations
	root     *yaml.Node        // the profile with what it extends
	open     Open              // returns what it extends; nil: an embedded profile alone
	bases    files             // of the nodes that it has from others
	gone     removals          // rows that it takes out
	removed  []string          // operations that it takes out
	bound    map[string]bool   // nouns that some row mints, or that a client brings
	checks   []func() error    // of what refers to other parts of the file
	spelling map[string]string // of keys in lower case, as they were written first
}

func (r *reader) profileKeys() []member {
	return []member{
		{extendsKey, false, func(place, *yaml.Node) error { return nil }}, // extended has read it
		{"profile", true, wordInto(&r.profile.Name)},
		{"title", false, textInto(&r.profile.Title)},
		{"document", false, documentInto(&r.document)},
		{"paths", false, r.paths},
		{"lists", false, r.lists},
		{"maxText", false, r.maxText},
		{"unsaid", false, r.unsaid},
		{"denied", false, conditionsInto(&r.profile.Denied, deniedKeys)},
		{"failed", false, conditionsInto(&r.profile.Failed, failedKeys)},
		{"entities", false, r.entities},
		{"declines", false, r.declines},
		{"sets", false, r.readSets},
		{"common", false, func(p place, n *yaml.Node) error {
			return p.members(n, r.fieldKeys(&r.profile.request, &r.profile.response))
		}},
		{"operations", false, r.operations},
		{"callbacks", false, r.callbacks},
		{"outcome", false, r.outcome},
	}
}

// fieldKeys are the four kinds of rows.
func (r *reader) fieldKeys(request, response *fields) []member {
	return []member{
		{"request", false, r.rowsInto(&request.rows, &request.rowsAt)},
		{"response", false, r.rowsInto(&response.rows, &response.rowsAt)},
		{"requestHeaders", false, r.rowsInto(&request.headers, &request.headersAt)},
		{"responseHeaders", false, r.rowsInto(&response.headers, &response.headersAt)},
	}
}

// documentInto reads where operations are described: a number is one of the numbered API
// documents, anything else is a text that names its source itself.
func documentInto(s *string) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		if err := textInto(s)(p, n); err != nil {
			return err
		}
		if isNumber(*s) {
			*s = "document " + *s
		}
		return nil
	}
}

// Words of "unsaid".
const (
	unsaidExact    = "exact"
	unsaidInferred = "inferred"
)

// unsaid reads what holds of that of which the profile says nothing.
func (r *reader) unsaid(p place, n *yaml.Node) error {
	var word string
	err := wordOf(&word, unsaidExact, unsaidInferred)(p, n)
	r.profile.closed = word == unsaidExact
	return err
}

func (r *reader) paths(p place, n *yaml.Node) error {
	items, err := p.items(n, "path prefixes")
	var wrong mistakes
	wrong.add(err)
	for _, item := range items {
		prefix := text(item)
		if prefix[0] != '/' || prefix[len(prefix)-1] != '/' || strings.Contains(prefix, "//") {
			wrong.add(p.expected(item, `a prefix that begins and ends with "/"`))
			prefix = "/" // below which all paths of operations lie
		}
		r.profile.Paths = append(r.profile.Paths, prefix)
	}
	return wrong.err()
}

func (r *reader) lists(p place, n *yaml.Node) error {
	items, err := p.items(n, "keys of name/value lists")
	r.profile.Lists = map[string]bool{}
	for _, item := range items {
		r.profile.Lists[text(item)] = true
	}
	return err
}

func (r *reader) maxText(p place, n *yaml.Node) error {
	limit, err := strconv.Atoi(text(n))
	if err != nil || limit < 1 {
		return p.expected(n, "a number of characters")
	}
	r.profile.MaxText = limit
	return nil
}

// boundTexts gives the rows of requests without a bound of their own that of the profile. An
// encrypted value may be longer.
func (p *Profile) boundTexts() {
	for _, o := range p.Operations {
		for key, f := range o.request.rows {
			chosen := f.From == Unique || f.From == Shared || f.From == Ignored
			if f.Max == 0 && chosen && (f.Secret == NotSecret || f.Secret.Personal()) {
				f.Max = bound(p.MaxText)
				o.request.rows[key] = f
			}
		}
	}
}

func (r *reader) readSets(p place, n *yaml.Node) error {
	pairs, err := p.mapping(n, "named groups of rows")
	r.sets = map[string]rowGroup{}
	if err != nil {
		return err
	}
	var wrong mistakes
	for _, e := range pairs {
		if !isWord(e.key) {
			wrong.add(p.expected(e.at, "a set name of small letters, digits and dashes"))
			r.nameless = true
		}
		rows, err := r.rows(p.named("set", e.key), e.value)
		wrong.add(err)
		r.sets[e.key] = rows // a set may include those above it
	}
	return wrong.err()
}
