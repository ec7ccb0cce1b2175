package rules

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// opPattern says which calls are meant: operations of profiles by name, or any calls by method and
// path.
type opPattern struct {
	profile string // of the operation; "" for any
	name    string // of the operation, in which a star stands for any text
	method  string // in capitals; "" for any. Only with a path
	path    string // in which {id} stands for a segment and a star for any text; "" for none
	head    string // of the path, before the first {id} or star
	// callback says that what the sandbox says to the shop is meant, and no call.
	callback bool
}

// matches reports whether a call is meant.
func (p *opPattern) matches(o *profile.Operation, method, path string) bool {
	if p.path != "" {
		return (p.method == "" || p.method == method) && strings.HasPrefix(path, p.head) &&
			matchesPath(p.path, path)
	}
	if p.anything() {
		return true // calls that no profile knows too
	}
	return o != nil && p.means(o)
}

// means reports whether an operation of a profile is meant by its name.
func (p *opPattern) means(o *profile.Operation) bool {
	return p.path == "" && (p.profile == "" || p.profile == o.Profile.Name) && Glob(p.name, o.Name)
}

// anything reports whether every call is meant.
func (p *opPattern) anything() bool { return p.path == "" && p.profile == "" && p.name == "*" }

// matchesPath reports whether a raw path is as a pattern. In a pattern with a {name} a star does
// not go beyond its segment.
func matchesPath(pattern, path string) bool {
	if !strings.Contains(pattern, "{") {
		return Glob(pattern, path)
	}
	for {
		name, names, more := strings.Cut(pattern, "/")
		segment, segments, further := strings.Cut(path, "/")
		hole := strings.HasPrefix(name, "{") && strings.HasSuffix(name, "}") && segment != ""
		if more != further || !hole && !Glob(name, segment) {
			return false
		}
		if !more {
			return true
		}
		pattern, path = names, segments
	}
}

// meansAny reports whether one of several patterns means a call.
func meansAny(ps []opPattern, o *profile.Operation, method, path string) bool {
	for i := range ps {
		if ps[i].matches(o, method, path) {
			return true
		}
	}
	return false
}

// pathOf returns the raw path of a request.
func pathOf(r *request.Request) string { return request.PathOf(r.Target) }

// operations reads what "op", "seen" and "unseen" name: one operation or a list.
func (r *reader) operations(n *yaml.Node) []opPattern {
	var ps []opPattern
	for _, item := range items(n) {
		if item.Kind == yaml.MappingNode {
			ps = append(ps, r.anyCall(item))
			continue
		}
		if p, ok := r.operation(item); ok {
			ps = append(ps, p)
		}
	}
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		r.wrong(n, "expected operations, found an empty list")
	}
	return ps
}

// operation reads the name of an operation, with or without its profile.
func (r *reader) operation(n *yaml.Node) (opPattern, bool) {
	name, ok := r.text(n, "the name of an operation")
	if !ok {
		return opPattern{}, false
	}
	p := opPattern{name: name}
	if first, rest, found := strings.Cut(name, "/"); found && r.profile(first) != nil {
		p.profile, p.name = first, rest
	}
	if p.name == profile.CallbackOperation {
		return r.callback(n, p)
	}
	if p.anything() {
		return p, true
	}
	known := map[string]bool{}
	for _, api := range r.set.Profiles() {
		if api.Callbacks != nil && (p.profile == "" || p.profile == api.Name) {
			known[profile.CallbackOperation] = true
		}
		for _, o := range api.Operations {
			if p.means(o) {
				return p, true
			}
			known[o.Name] = known[o.Name] || p.profile == "" || p.profile == api.Name
		}
	}
	r.unknown(n, p.name, "operation", known)
	return p, false
}

func (r *reader) profile(name string) *profile.Profile {
	for _, p := range r.set.Profiles() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// anyCall reads {method, path}.
func (r *reader) anyCall(n *yaml.Node) opPattern {
	var p opPattern
	r.mapping(n, "{method: ..., path: ...}", keys{
		"method": func(n *yaml.Node) {
			p.method, _ = r.text(n, "a method such as POST")
			if p.method != strings.ToUpper(p.method) {
				r.wrong(n, "expected a method in capitals, found %s", quote(p.method))
			}
		},
		"path": func(n *yaml.Node) {
			p.path, _ = r.text(n, "a path such as /orders/{id}")
			if p.path != "" && !strings.HasPrefix(p.path, "/") && !strings.HasPrefix(p.path, "*") {
				r.wrong(n, `expected a path that begins with "/", found %s`, quote(p.path))
			}
		},
	})
	p.head = p.path
	if i := strings.IndexAny(p.path, "{*"); i >= 0 {
		p.head = p.path[:i]
	}
	if p.path == "" && n.Kind == yaml.MappingNode {
		r.wrong(n, "expected a path beside the method")
	}
	return p
}
