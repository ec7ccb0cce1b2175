package match

import (
	"strings"

	"github.com/paytape/paytape/internal/similar"
)

// meant returns the path that a client may have meant whose path nobody knows: one that the tape or a
// profile has and that is spelled almost so, else one that ends alike, below another base. It is
// empty if there is none. It is written as the profile has it, with parameters for their values.
func (t *Tape) meant(path string) string {
	asked := strings.Split(path, "/")
	spelled, ends := map[string]string{}, map[string]string{}
	known := func(pattern string) {
		segments := strings.Split(pattern, "/")
		if last := segments[len(segments)-1]; last != "" && !isParam(last) {
			ends[last] = pattern
		}
		if len(segments) == len(asked) {
			spelled[filled(segments, asked)] = pattern
		}
	}
	for _, p := range t.opts.Profiles.Profiles() {
		for _, op := range p.Operations {
			known(op.Path)
		}
	}
	for _, r := range t.machine.All {
		if r.Call().Operation == nil {
			known(r.Target)
		}
	}
	if like := similar.Most(path, keysOf(spelled)); like != "" {
		return spelled[like]
	}
	return ends[asked[len(asked)-1]]
}

// filled puts the segments of a path in the place of the parameters of a pattern.
func filled(pattern, path []string) string {
	segments := make([]string, len(pattern))
	for i, s := range pattern {
		if segments[i] = s; isParam(s) {
			segments[i] = path[i]
		}
	}
	return strings.Join(segments, "/")
}

func isParam(segment string) bool { return strings.HasPrefix(segment, "{") }

func keysOf(m map[string]string) map[string]bool {
	keys := make(map[string]bool, len(m))
	for k := range m {
		keys[k] = true
	}
	return keys
}
