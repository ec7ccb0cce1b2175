package leaf

import (
	"slices"
	"strings"
)

// room estimates how many leaves a message has, so that they are laid out once and no larger
// than they are: most messages have a dozen. A wrong estimate costs time and nothing else.
func room(m *Message) int {
	const most = 256 // what looks like thousands may be one text with commas
	n := strings.Count(m.Target, "/") + strings.Count(m.Target, "&") + 1
	n += strings.Count(m.Body, "&") + strings.Count(m.Body, ",") + 1
	if !m.Headless {
		n += len(m.Header)
	}
	return min(n, most)
}

// single holds every coding by itself, for the leaves that lie under one coding alone, which
// are nearly all. It is never written to.
var single = [...]coding{plain, percent, segment, jsonString, entity, bare, verbatim, quoted}

// under returns the codings of a leaf that lies under others and one more.
func under(others []coding, c coding) []coding {
	if len(others) == 0 && int(c) < len(single) {
		return single[c : c+1 : c+1]
	}
	return append(slices.Clip(others), c)
}
