package match

import (
	"fmt"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/tape"
)

// strangers finds profiles of the user's that do not meet the tape: none of its exchanges is
// theirs, or some path of theirs is on tape under another spelling. Operations that are merely not
// on tape are no mistake: a suite of many tapes has one profile. Where calls below the paths of a
// profile have no operation, though, one of its paths may be misspelt.
func (t *Tape) strangers() (Hint, bool) {
	var all []string
	warning := false
	for _, p := range t.opts.Profiles.GivenProfiles() {
		if len(p.Paths) == 0 {
			continue // the rows for all APIs
		}
		used := map[*profile.Operation]bool{}
		var unknown []tape.Recorded
		found := false
		for _, r := range t.machine.All {
			if r.Call().Profile != p {
				continue
			}
			found, used[r.Call().Operation] = true, true
			if r.Call().Operation == nil {
				unknown = append(unknown, r.Reference())
			}
		}
		unused := slices.DeleteFunc(slices.Clone(p.Operations), func(o *profile.Operation) bool {
			return used[o] || !p.Wrote(o.Origin)
		})
		switch {
		case !found:
			all = append(all, fmt.Sprintf("no exchange is below the paths of profile %q (%s): %s", p.Name,
				p.Origin.File, strings.Join(p.Paths, ", ")))
		case len(unknown) > 0 && len(unused) > 0:
			warning = true
			all = append(all, fmt.Sprintf("profile %q has no operation for %s, and no exchange has %s",
				p.Name, t.places(unknown), patternsOf(unused)))
		}
	}
	return Hint{Warning: warning, Text: strings.Join(all, "; ") +
		"; paytape profile check FILE --tape NAME tells what of a profile the tape does not use"}, len(all) > 0
}

// patternsOf names operations by their paths, a few.
func patternsOf(os []*profile.Operation) string {
	var names []string
	for _, o := range os[:min(maxPlaces, len(os))] {
		names = append(names, fmt.Sprintf("%s (%s)", o.Path, o.Origin.Position()))
	}
	if more := len(os) - maxPlaces; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
