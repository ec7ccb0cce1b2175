package profile

import (
	"fmt"
	"slices"
	"strings"
)

// Change is what has become of a profile since a tape was recorded with it.
type Change struct {
	// Warning says that answers and cleaning may be others than when the tape was recorded. A
	// profile of ours that has changed with a newer paytape is none.
	Warning bool
	Text    string // with what to do about it
}

// Changes compares the profiles of the set with those that a tape was recorded with, by the
// editions that it has in its order: a sentence for each cause. A tape without editions tells
// nothing.
func (s *Set) Changes(tape []string) []Change {
	var all []Change
	var ours, lying []string
	for _, then := range LatestEditions(tape) {
		now := s.lookUp(then.Name)
		same := now != nil && s.EditionOf(now).Digest == then.Digest
		mine := now != nil && slices.Contains(s.GivenProfiles(), now)
		switch {
		case same:
		case then.File != "" && !mine:
			all = append(all, Change{true, fmt.Sprintf("the tape was recorded with profile %q (%s), which this "+
				"run does not have: --profile %s", then.Name, then.File, then.File)})
		case then.File != "" && now.basesChanged(then):
			lying = append(lying, fmt.Sprintf("%q (%s)", then.Name, then.File))
		case then.File != "":
			all = append(all, Change{true, fmt.Sprintf("profile %q (%s) has changed since the tape was "+
				"recorded: record the tape again where answers differ", then.Name, now.Origin.File)})
		case mine:
			all = append(all, Change{false, fmt.Sprintf("the tape was recorded with our profile %q, and %s "+
				"stands in its place now", then.Name, now.Origin.File)})
		case now != nil:
			ours = append(ours, then.Name)
		}
	}
	if len(lying) > 0 {
		all = append(all, Change{false, "what these profiles extend has changed since the tape was recorded: " +
			strings.Join(lying, ", ")})
	}
	if len(ours) > 0 {
		all = append(all, Change{false, "this paytape knows more, or other things, of an API than the one that " +
			"recorded the tape: " + strings.Join(ours, ", ") + "; nothing has to be done unless answers differ"})
	}
	return all
}

// lookUp returns the profile of a name, or the rows for all APIs; nil for none.
func (s *Set) lookUp(name string) *Profile {
	if name == httpName {
		return s.http
	}
	i := slices.IndexFunc(s.profiles, func(p *Profile) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return s.profiles[i]
}

// basesChanged reports whether the bases of a profile are others than those that a tape tells.
func (p *Profile) basesChanged(then Edition) bool {
	return !slices.EqualFunc(p.Bases, then.Bases, func(now, then Base) bool {
		return now.Name == then.Name && short(now.Digest) == then.Digest
	}) && len(then.Bases) > 0
}
