package profile

import (
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

func (r *reader) operations(p place, n *yaml.Node) error {
	p.path = "" // `operation "x"` says enough
	pairs, err := p.mapping(n, "operations by name")
	if err != nil {
		return err
	}
	var wrong mistakes
	for _, e := range pairs {
		wrong.add(r.operation(p.named("operation", e.key), e))
	}
	return wrong.err()
}

func (r *reader) operation(p place, e pair) error {
	o := &Operation{
		Profile: r.profile, Name: e.key, Origin: p.origin(e.at, e.key),
		hash: maphash.String(meaningSeed, e.key),
	}
	document := r.document
	table := []member{
		{"methods", true, func(p place, n *yaml.Node) error {
			err := methodsInto(&o.Methods)(p, n)
			o.Asks = !r.profile.closed && changes(o.Methods)
			o.Writes = o.Asks || err != nil // until the file says what holds
			return err
		}},
		{"path", true, r.pathInto(&o.Path)},
		{"carrier", true, carrierInto(&o.Carrier)},
		{"writes", false, func(p place, n *yaml.Node) error {
			o.Asks = false
			return boolInto(&o.Writes)(p, n)
		}},
		{"opens", false, func(p place, n *yaml.Node) error {
			r.later(p, n, "a noun that some row has", r.nouns)
			return wordInto(&o.Opens)(p, n)
		}},
		{"uses", false, r.writing(o, r.entitiesInto(&o.Uses))},
		{"reads", false, r.writing(o, r.readsInto(o))},
		{"failed", false, conditionsInto(&o.Failed, failedKeys)},
		{"list", false, r.listInto(o)},
		{"document", false, documentInto(&document)},
		{"doc", false, textInto(&o.Doc)},
	}
	table = append(table, r.fieldKeys(&o.request, &o.response)...)
	if err := p.members(e.value, table); err != nil {
		return err
	}
	if document != "" && o.Doc != "" {
		o.Doc = document + ", " + o.Doc
	}
	r.profile.Operations = append(r.profile.Operations, o)
	r.nodes = append(r.nodes, e.at)
	return nil
}

// writing wraps what only an operation that writes may have.
func (r *reader) writing(o *Operation, read func(place, *yaml.Node) error,
) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		if !o.Writes {
			return p.fail(n, errors.New("expected an operation that writes, found one that reads"))
		}
		return read(p, n)
	}
}

// readsInto reads the variants that only look.
func (r *reader) readsInto(o *Operation) func(place, *yaml.Node) error {
	return r.variantsInto(&o.Reads, func() []*Operation { return []*Operation{o} })
}

func methodsInto(methods *[]string) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		items, err := p.items(n, "methods")
		if err == nil && len(items) == 0 {
			err = p.fail(n, errors.New("expected a list of methods, found an empty one"))
		}
		for _, item := range items {
			m := text(item)
			if strings.Trim(m, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
				return p.expected(item, "a method in capitals")
			}
			if slices.Contains(*methods, m) {
				return p.expected(item, "each method once")
			}
			*methods = append(*methods, m)
		}
		return err
	}
}

func carrierInto(c *Carrier) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		*c = Carrier(text(n))
		known := []string{
			string(CarrierForm), string(CarrierJSON), string(CarrierXML), string(CarrierQuery),
			string(CarrierNone),
		}
		if !slices.Contains(known, string(*c)) {
			return p.noneOf(n, "form, json, xml, query or none", known)
		}
		return nil
	}
}

func boolInto(b *bool) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		*b = text(n) == "true"
		if !*b && text(n) != "false" {
			return p.expected(n, "true or false")
		}
		return nil
	}
}

// pathInto reads a path pattern. It must lie below one of the profile's prefixes: they
// choose the upstream, so an operation elsewhere would never be asked for.
func (r *reader) pathInto(path *string) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		*path = text(n)
		if !validPath(*path) {
			return p.expected(n, `a path such as "/v2/cards/{id}"`)
		}
		if !slices.ContainsFunc(r.profile.Paths, func(prefix string) bool {
			return under(prefix, *path)
		}) {
			return p.expected(n, "a path below one of the profile's paths")
		}
		return nil
	}
}

// validPath reports whether a pattern has only whole segments, each a constant or a
// {parameter} of another name.
func validPath(path string) bool {
	if path == "" || path[0] != '/' || strings.ContainsAny(path, "?#% \t\r\n") {
		return false
	}
	seen := map[string]bool{}
	for segment := range strings.SplitSeq(path[1:], "/") {
		name := parameter(segment)
		if segment == "" || seen[name] {
			return false
		}
		if name == "" && strings.ContainsAny(segment, "{}") || strings.ContainsAny(name, "{}") {
			return false
		}
		seen[name] = name != ""
	}
	return true
}

// connect builds the routes and looks at what refers to other parts of the file, after
// everything has been read.
func (r *reader) connect(p place) error {
	operations := r.profile.Operations
	r.profile.routes = &route{}
	var wrong mistakes
	for i, o := range operations {
		for _, earlier := range operations[:i] {
			if clash(earlier, o) {
				wrong.add(p.named("operation", o.Name).in("path").fail(r.nodes[i], fmt.Errorf(
					"expected a path that no other operation answers, found that of %q",
					earlier.Name)))
				break
			}
		}
		r.profile.routes.add(o.Path, o)
	}
	for _, check := range r.checks {
		wrong.add(check())
	}
	return wrong.err()
}

// later asks, when all has been read, whether a text is one of the names that there are then.
func (r *reader) later(p place, n *yaml.Node, what string, names func() []string) {
	r.checks = append(r.checks, func() error {
		known := names()
		if slices.Contains(known, text(n)) {
			return nil
		}
		return p.noneOf(n, what, known)
	})
}

// changes reports whether one of some methods changes state (RFC 9110, section 9.2.1).
func changes(methods []string) bool {
	return slices.ContainsFunc(methods, func(m string) bool {
		return m != http.MethodGet && m != http.MethodHead && m != http.MethodOptions
	})
}

// operationNames are the names of the operations; with writing of those alone that may write.
func (r *reader) operationNames(writing bool) func() []string {
	return func() []string {
		names := slices.Clone(r.removed)
		for _, o := range r.profile.Operations {
			if o.Writes || !writing {
				names = append(names, o.Name)
			}
		}
		return names
	}
}

// Uses reports whether the call names an entity of a type without changing it. A nil type is of an
// API that no profile knows, and is used by no call.
func (c Call) Uses(e *Entity) bool {
	return c.Operation != nil && e != nil && slices.Contains(c.Operation.Uses, e.Name)
}
