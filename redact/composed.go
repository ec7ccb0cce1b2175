package redact

import (
	"strings"
	"unicode"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/surrogate"
)

// maxJoined bounds the words of a name that may be made of several names.
const maxJoined = 6

// composedName returns the fake of a name that is made of names which have fakes, such as the name
// on a card, of first and last name: it is made of the fakes of these names, so that a tape still
// shows what the name is made of. "" for any other name.
func (t *tape) composedName(name string) string {
	if !strings.ContainsFunc(name, unicode.IsSpace) {
		return "" // as most
	}
	words := strings.Fields(name)
	if len(words) < 2 || len(words) > maxJoined {
		return ""
	}
	var fakes []string
	for len(words) > 0 {
		n := len(words)
		for ; n > 0; n-- {
			if fake := t.partFake(words[:n], len(fakes) == 0 && n == len(words)); fake != "" {
				fakes = append(fakes, fake)
				break
			}
		}
		if n == 0 {
			return ""
		}
		words = words[n:]
	}
	return strings.Join(fakes, " ")
}

// partFake returns the fake of a part of a name; "" if it has none, or is all of the name.
func (t *tape) partFake(words []string, all bool) string {
	part := strings.Join(words, " ")
	bare := strings.TrimSuffix(part, ",")
	n, known := t.numberOf(profile.Name, strings.ToLower(bare))
	if !known || all {
		return ""
	}
	return surrogate.FakeName(bare, n) + part[len(bare):]
}
