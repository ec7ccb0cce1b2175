package leaf

import "strings"

// room estimates how many leaves a message has, so that they are laid out once and no larger
// than they are: most messages have a dozen. A wrong estimate costs time and nothing else.
func room(m *Message) int {
	const most = 256 // what looks like thousands may be one text with commas
	target := m.Target[PathStart(m.Target):]
	n := strings.Count(target, "/") + strings.Count(target, "&")
	n += strings.Count(m.Body, "&") + strings.Count(m.Body, ",") + 1
	if !m.Headless {
		n += len(m.Header)
	}
	return min(n, most)
}
