package tape

import (
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/request"
)

// seen is what is known of the values of a series that were looked at one after another.
type seen struct {
	values      int
	first, last string
	prefix      string // with which all begin
	// grows says that all are numbers of one length, each greater than the number before.
	grows      bool
	structured bool // a value looks as fresh.Structured has it
	apart      bool // UUIDs end in different digits
	sample     profile.Sample
}

// add looks at another value.
func (s *seen) add(text string) {
	numeric := text != "" && len(text) <= len("123456789012345678") && request.IsDigits(text)
	if s.values == 0 {
		s.first, s.prefix, s.grows = text, text, numeric
	} else {
		s.apart = s.apart || fresh.IsUUID(text) && !fresh.EndAlike(text, s.first)
		s.grows = s.grows && numeric && len(text) == len(s.last) && text > s.last
	}
	for !strings.HasPrefix(text, s.prefix) {
		s.prefix = s.prefix[:len(s.prefix)-1]
	}
	s.values++
	s.last = text
	if s.structured = s.structured || fresh.Structured(text); !s.structured {
		s.sample.Add(text)
	}
}
