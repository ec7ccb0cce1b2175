package stable

import (
	"fmt"
	"slices"

	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// compare says where a stable tape is another machine than the recording; empty if it is the same.
// places are where the exchanges of the recording are on the stable tape.
func compare(recorded, stable *machine.Machine, places []int) string {
	if len(recorded.All) != len(stable.All) {
		return fmt.Sprintf("%d exchanges would be replayed in place of %d", len(stable.All),
			len(recorded.All))
	}
	by := map[int]*machine.Recording{}
	for _, r := range stable.All {
		by[r.Surveyed()-1] = r
	}
	for _, r := range recorded.All {
		s := by[places[r.Surveyed()-1]]
		if s == nil {
			return fmt.Sprintf("exchange %d (%s) would not be replayed", r.Number, r.Operation)
		}
		if what := differs(r, s); what != "" {
			return fmt.Sprintf("exchange %d (%s) would have %s", r.Number, r.Operation, what)
		}
	}
	return ""
}

// differs says in what two recordings of one exchange differ; empty if they do not.
func differs(r, s *machine.Recording) string {
	for _, c := range []struct {
		same bool
		what string
	}{
		{r.Class == s.Class, "another answer"},
		{r.Key == s.Key, "another key"},
		{slices.Equal(r.Owns, s.Owns), "other states before"},
		{slices.Equal(r.Moves, s.Moves), "other states afterwards"},
		{slices.EqualFunc(r.Births, s.Births, sameBirth), "other births"},
		{r.Session == s.Session, "another state of the session"},
		{r.View == s.View, "another view"},
		{r.Overlapped == s.Overlapped && r.Missed == s.Missed, "another doubt"},
		{r.Reads == s.Reads && r.Failed == s.Failed && r.Denied == s.Denied && r.Lost == s.Lost,
			"another effect"},
		{slices.EqualFunc(r.Callbacks, s.Callbacks, sameCallback), "other callbacks"},
	} {
		if !c.same {
			return c.what
		}
	}
	return ""
}

func sameBirth(a, b machine.Birth) bool {
	return a.Kind == b.Kind && a.Own == b.Own && a.Hidden == b.Hidden && a.Scope == b.Scope
}

func sameCallback(a, b *tape.Callback) bool {
	return a.Class == b.Class && a.Operation == b.Operation && len(a.Attempts) == len(b.Attempts)
}
