package leaf

import (
	"strconv"
	"strings"
)

const eventsType = "text/event-stream"

// events reads t as a stream of server-sent events (HTML, section 9.2) and reports whether it is
// declared one. Each line is a value under the name of its field; comments have the empty name.
func (r *reader) events(t text, contentType string) bool {
	if mediaType(contentType) != eventsType {
		return false
	}
	n := 0 // of the event at hand
	for from := 0; from < len(t.s) && !r.full(); {
		line, _, _ := strings.Cut(t.s[from:], "\n")
		next := from + len(line) + 1
		if line = strings.TrimRight(line, "\r"); line == "" {
			n++
		} else {
			r.event(t, eventLine{line, from, n})
		}
		from = next
	}
	return true
}

// eventLine is one line of an event: where it begins, and which event it is of.
type eventLine struct {
	s     string
	from  int
	event int
}

func (r *reader) event(t text, line eventLine) {
	key, value, found := strings.Cut(line.s, ":")
	if !found {
		key, value = "", line.s
	}
	value = strings.TrimPrefix(value, " ")
	from := line.from + len(line.s) - len(value)
	r.scalar(&Leaf{
		Place: t.place, Key: key, Path: t.path + key + "[" + strconv.Itoa(line.event) + "]",
		Shape: t.shape + key, in: t.in, start: offset(t.at(from)),
		end: offset(t.at(from + len(value))), codings: t.codings.under(plain),
	}, &t, value, from)
}
