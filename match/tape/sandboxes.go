package tape

import (
	"slices"

	"github.com/paytape/paytape/internal/profile"
)

// A cassette to which recordings were appended may be of several sandboxes, one after the other: the
// built-in one begins anew each time. A list of the second shows nothing of what the first made, and
// does not say that such things are left out of lists.

// sandboxes are the places of the exchanges of a cassette, by the API and the address of its sandbox.
type sandboxes map[sandboxAt]reach

type sandboxAt struct{ api, address string }

// reach is from the first exchange to the last.
type reach struct{ first, last int }

// note enters the place of an exchange. An API that no profile knows tells nothing: it may have several
// hosts.
func (s sandboxes) note(api *profile.Profile, address string, place int) {
	if api == nil || address == "" {
		return
	}
	at := sandboxAt{api.Name, address}
	r, known := s[at]
	if !known {
		r.first = place
	}
	r.last = place
	s[at] = r
}

// switches returns the places at which all APIs that go on do so at another sandbox, ascending: none has
// calls before and behind at one address, and one has calls before and behind at two.
func (s sandboxes) switches() []int {
	var switches []int
	for at, r := range s {
		moved := false
		whole := true
		for other, o := range s {
			whole = whole && (o.last < r.first || o.first >= r.first)
			moved = moved || other.api == at.api && o.last < r.first
		}
		if moved && whole {
			switches = append(switches, r.first)
		}
	}
	slices.Sort(switches)
	return slices.Compact(switches)
}
