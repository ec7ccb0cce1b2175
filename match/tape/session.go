package tape

import (
	"slices"

	"github.com/paytape/paytape/internal/profile"
)

// A cassette to which recordings were appended may be of several sandboxes, one after the other: the
// built-in sandbox begins anew with each recording. A list of the second sandbox shows nothing of what
// the first sandbox made. That does not mean that lists leave such entities out. So each sandbox is a
// session of its own.

// sandboxes are the places of the exchanges of a cassette, by the API and the address of its sandbox.
type sandboxes map[sandboxAddress]sandboxSpan

type sandboxAddress struct{ api, address string }

// sandboxSpan is the places of the first and the last exchange with a sandbox.
type sandboxSpan struct{ first, last int }

// note notes the place of an exchange. An API that no profile knows tells nothing, because it may have
// several hosts.
func (s sandboxes) note(api *profile.Profile, address string, place int) {
	if api == nil || address == "" {
		return
	}
	at := sandboxAddress{api.Name, address}
	r, known := s[at]
	if !known {
		r.first = place
	}
	r.last = place
	s[at] = r
}

// switches returns the places, ascending, at which all APIs that go on do so at another sandbox: no API
// has calls before and behind the place at the same address, and some API has calls before the place
// at one address and behind it at another.
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

// nextSession returns a compiler for what follows at another sandbox, which knows nothing of what the
// sandbox before it made.
func (c *compiler) nextSession() *compiler {
	next := newCompiler(c.tape, c.opts, c.name)
	next.survey, next.calls, next.origins = c.survey, c.calls, c.origins
	next.session = c.session + "+"
	return next
}

// knownCalls are the numbers, ascending, of the exchanges of a cassette of which the tape knows what
// they did. A number that is missing between two known numbers stands for a call that was made, and
// nobody knows what the call did: a full disk or kill -9 lost it, somebody cut it out, or its secrets
// could not be taken out. A call that failed is a known call, for example a call whose client left
// before it had sent the body.
type knownCalls []int

// missingBefore returns how many unknown calls came before the exchange with a number. Numbers begin
// at 1.
func (k knownCalls) missingBefore(number int) int {
	known, _ := slices.BinarySearch(k, number)
	return number - 1 - known
}
