package stable

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// texts are values that are known by their text alone, and what stands in their place, in each way in
// which ids are written. They are by their first characters, as many as the shortest value has.
type texts map[string][]replaced

type replaced struct{ text, by string }

const known = 8 // characters

// add adds a value. A number is looked for if it is long: a short one stands anywhere by chance.
func (t texts) add(text, by string) {
	const longNumber = 10
	if len(text) < known ||
		len(text) < longNumber && strings.Trim(text, "0123456789") == "" {
		return
	}
	for _, write := range []func(string) string{
		func(s string) string { return s }, strings.ToUpper, strings.ToLower,
		func(s string) string { return strings.ReplaceAll(s, "-", "") },
	} {
		old := write(text)
		if len(old) < known {
			continue
		}
		t[old[:known]] = append(t[old[:known]], replaced{old, write(by)})
	}
}

// in returns a text in which the values are replaced that stand there for themselves: no letter and no
// digit is beside them.
func (t texts) in(s string) string {
	text, _ := t.find(s)
	return text
}

// holds reports whether a value stands in a text, be it one that stays.
func (t texts) holds(s string) bool {
	_, found := t.find(s)
	return found
}

func (t texts) find(s string) (replaced string, found bool) {
	var b strings.Builder
	last := 0
	for i := 0; i+known <= len(s); i++ {
		if i > 0 && isWord(s[i-1]) {
			continue
		}
		for _, r := range t[s[i:i+known]] {
			if end := i + len(r.text); end <= len(s) && s[i:end] == r.text &&
				(end == len(s) || !isWord(s[end])) {
				b.WriteString(s[last:i] + r.by)
				last = end
				i = end - 1
				break
			}
		}
	}
	if last == 0 {
		return s, false
	}
	return b.String() + s[last:], true
}

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// hosts are the addresses on this machine of which the system has chosen the port.
type hosts struct {
	ports map[string]string // by host and port
	taken map[string]bool
}

func newHosts() *hosts { return &hosts{map[string]string{}, map[string]bool{}} }

const (
	// chosenPort is from where on systems choose ports (Linux: 32768; others: 49152).
	chosenPort = 32768
	// firstPort is where the ports on a stable tape begin. No system chooses them.
	firstPort = 20001
)

var local = regexp.MustCompile(`(127\.0\.0\.1|localhost|\[::1\]):([0-9]{4,5})\b`)

// in returns a text with the ports of a stable tape.
func (h *hosts) in(s string) string {
	if !strings.Contains(s, ":") {
		return s
	}
	return local.ReplaceAllStringFunc(s, h.address)
}

func (h *hosts) address(at string) string {
	port := at[strings.LastIndexByte(at, ':')+1:]
	if n, err := strconv.Atoi(port); err != nil || n < chosenPort {
		return at
	}
	made := h.ports[at]
	for next := firstPort; made == ""; next++ {
		p := strconv.Itoa(next)
		if !h.taken[p] {
			h.taken[p] = true
			made = strings.TrimSuffix(at, port) + p
			h.ports[at] = made
		}
	}
	return made
}

// sweep replaces what is left of a recorded exchange in the exchange that stands for it, and reports whether
// that was anything in the answer.
func (r *rewriter) sweep(y *leaf.Exchange, x *exchange) bool {
	y.URL = r.hosts.in(y.URL)
	asked := leaf.Read(y.Asked())
	sent := func(l *leaf.Leaf) string { return r.clock.sentBack(l.Value, x) }
	if m, changed := r.swept(asked, sent); changed {
		spliced(y, m)
	}
	answered := func(l *leaf.Leaf) string {
		if made := r.looseIn(l, x); made != l.Value {
			return made
		}
		return r.clock.answeredDates(l.Value, x)
	}
	m, reworded := r.swept(leaf.Read(y.Answered()), answered)
	if reworded {
		y.Response.Headers, y.Response.Body = m.Header, m.Body
	}
	y.Meta.Failure = r.hosts.in(y.Meta.Failure)
	(&writer{rewriter: r, x: x, y: y}).lengths()
	return reworded
}

// swept replaces the values in a message that are known by their text, behind another replacement.
func (r *rewriter) swept(m *leaf.Message, first func(*leaf.Leaf) string) (leaf.Message, bool) {
	var edits []leaf.Edit
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if text := r.hosts.in(r.names.long.in(first(l))); text != l.Value {
			edits = append(edits, leaf.Whole(l, text))
		}
	}
	return m.Splice(edits), len(edits) > 0
}
