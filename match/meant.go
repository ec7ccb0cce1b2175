package match

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/similar"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
)

// paths are the paths that the profiles and the tape know, for a request whose path nobody knows. They
// are made when the first such request comes.
type paths struct {
	recorded postings             // of all recordings
	spelled  map[int][]pathLike   // by the number of segments
	ends     map[string]*pathLike // by the last segment
	first    []*machine.Recording // of each operation, no more than maxSpelled
}

// pathLike is a path with parameters in the place of values that are known to change.
type pathLike struct {
	text     string // "/payments/{id}/refunds"
	segments []string
	literal  bool // it has no parameters
}

// maxSpelled bounds the paths of a tape that a path is compared with. An API has tens of operations; a
// tape on which no pattern was found may have a path for each exchange.
const maxSpelled = 1_000

func (t *Tape) makePaths() *paths {
	ps := &paths{
		recorded: pathsOf(t.machine.All),
		spelled:  map[int][]pathLike{}, ends: map[string]*pathLike{},
	}
	for _, p := range t.opts.Profiles.Profiles() {
		for _, op := range p.Operations {
			ps.add(op.Path)
		}
	}
	known := map[string]bool{}
	for _, r := range t.machine.All {
		if known[r.Op] {
			continue
		}
		known[r.Op] = true
		ps.first = append(ps.first, r)
		if r.Call().Operation == nil {
			ps.add(patternOf(r))
		}
		if len(known) == maxSpelled {
			break
		}
	}
	return ps
}

func (ps *paths) add(text string) {
	p := pathLike{text: text, segments: strings.Split(text, "/")}
	p.literal = !slices.ContainsFunc(p.segments, isParam)
	if last := p.segments[len(p.segments)-1]; last != "" && !isParam(last) {
		ps.ends[last] = &p
	}
	n := len(p.segments)
	ps.spelled[n] = append(ps.spelled[n], p)
}

// patternOf returns the path of a recording of an unknown operation, with "{}" in the place of names.
func patternOf(r *machine.Recording) string {
	_, op, _ := strings.Cut(r.Op, " ")
	segments, patterns := strings.Split(r.Target, "/"), strings.Split(op, "/")
	if len(segments) != len(patterns) {
		return r.Target
	}
	for i, p := range patterns {
		if p == "{}" || strings.HasPrefix(p, "{} ") { // the name of a call may follow
			segments[i] = "{}"
		}
	}
	return strings.Join(segments, "/")
}

// otherMethod returns the first recording of a path under another method, or nil.
func (t *Tape) otherMethod(path, method string) *machine.Recording {
	at := t.paths().recorded.of(request.Digest(path))
	for i := range at {
		if r := t.machine.All[at.place(i)]; r.Target == path && r.Method != method {
			return r
		}
	}
	return nil
}

// meant returns the path that a client may have meant whose path nobody knows: one that the tape or a
// profile has and that is spelled almost so, else one that ends alike, below another base. It is
// empty if there is none. It is written as the profile has it, with parameters for their values.
func (t *Tape) meant(path string) string {
	ps := t.paths()
	asked := strings.Split(path, "/")
	like, search := "", similar.To(path)
	for i := range ps.spelled[len(asked)] {
		p := &ps.spelled[len(asked)][i]
		if search.Try(p.filled(asked)) {
			like = p.text
		}
	}
	if like != "" {
		return like
	}
	if p := ps.ends[asked[len(asked)-1]]; p != nil {
		return p.text
	}
	return ""
}

// filled puts the segments of a path in the place of the parameters.
func (p *pathLike) filled(path []string) string {
	if p.literal {
		return p.text
	}
	segments := slices.Clone(p.segments)
	for i, s := range segments {
		if isParam(s) {
			segments[i] = path[i]
		}
	}
	return strings.Join(segments, "/")
}

func isParam(segment string) bool { return strings.HasPrefix(segment, "{") }
