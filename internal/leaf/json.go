package leaf

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Bounds of a JSON document that is read as one. What reads it recurses.
const (
	MaxDepth = 64
	MaxJSON  = 16 << 20 // bytes
)

// looksJSON reports whether text can only be meant as a JSON object or array.
func looksJSON(s string) bool {
	i := skip(s, 0)
	if strings.HasPrefix(s[i:], mark) {
		i = skip(s, i+len(mark))
	}
	if i < len(s) && s[i] == recordMark {
		i = skip(s, i+1)
	}
	return i < len(s) && (s[i] == '{' || s[i] == '[')
}

// json reads t as a JSON document, or as several one behind the other, and reports whether that
// is what it is.
func (r *reader) json(t *text) bool {
	if len(t.s) > MaxJSON || !looksJSON(t.s) {
		return false
	}
	return r.documents(t, span{0, len(t.s)})
}

// documents reads a stretch of t as JSON documents: lines of them (NDJSON), sequences (RFC 7464),
// or with nothing between. Several are listed as those of one array would be.
func (r *reader) documents(t *text, in span) bool {
	s := t.s[:in.to]
	const perLeaf = 16 // bytes, as a member with a short value has: a lent room is nearly always large enough
	if !r.counts && cap(r.leaves)-len(r.leaves) < (in.to-in.from)/perLeaf {
		r.leaves = slices.Grow(r.leaves, min(strings.Count(s[in.from:], ",")+1, mostLeaves))
	}
	listed, size, inflated := len(r.leaves), r.size, r.inflated
	if r.oneDocument(t, s, documentStart(s, in.from)) { // as most texts are
		return true
	}
	clear(r.leaves[listed:])
	r.leaves, r.size, r.inflated = r.leaves[:listed], size, inflated
	found := split(nil, s, in.from)
	for i, at := range found {
		if r.full() {
			break
		}
		n := jsonNode{text: t, at: at.from, path: t.path, shape: t.shape, depth: 1}
		if len(found) > 1 {
			n.path = indexed(n.path, i)
		}
		r.node(n)
	}
	return len(found) > 0
}

// oneDocument lists the leaves of the document that begins at s[at]. It reports whether s, a stretch of
// t, holds that document and nothing behind it, and all leaves were wanted: else what it has listed counts
// for nothing.
func (r *reader) oneDocument(t *text, s string, at int) bool {
	if at == len(s) || s[at] != '{' && s[at] != '[' {
		return false
	}
	end := r.node(jsonNode{text: t, at: at, path: t.path, shape: t.shape, depth: 1})
	return end >= 0 && !r.full() && documentStart(s, end) == len(s)
}

// documentStart returns where the next document begins that s holds from an offset on.
func documentStart(s string, at int) int {
	for at < len(s) && (space(s[at]) || s[at] == recordMark || strings.HasPrefix(s[at:], mark)) {
		if s[at] == mark[0] {
			at += len(mark) - 1
		}
		at++
	}
	return at
}

// split appends where the documents lie that s holds from an offset on; it returns nil if s holds
// anything else.
func split(found []span, s string, at int) []span {
	for {
		if at = documentStart(s, at); at == len(s) {
			return found
		}
		end := documentEnd(s, at)
		if end < 0 {
			return nil
		}
		found = append(found, span{at, end})
		at = end
	}
}

// recordMark stands before each document of a sequence.
const recordMark = 0x1e

// guards stand before JSON so that no page can run it as a script.
var guards = []string{")]}'", "while(1);", "for(;;);", "while (1);", "for (;;);", "{}&&"}

// guardStarts is what a body behind a guard that has no bracket begins with, and a string.
const guardStarts = `){"`

// guarded reads a body as JSON that comes behind a guard, as the argument of a call (JSONP), or
// as a string of its own.
func (r *reader) guarded(t *text) bool {
	if len(t.s) > MaxJSON {
		return false
	}
	at := skip(t.s, 0)
	if strings.HasPrefix(t.s[at:], mark) {
		at = skip(t.s, at+len(mark))
	}
	if at < len(t.s) && strings.IndexByte(guardStarts, t.s[at]) < 0 &&
		strings.IndexByte(t.s[at:], '(') < 0 {
		return false // as nearly all forms
	}
	for _, g := range guards {
		if !strings.HasPrefix(t.s[at:], g) {
			continue
		}
		from := at + len(g)
		if strings.HasPrefix(t.s[from:], ",") {
			from++
		}
		return r.documents(t, span{from, len(t.s)})
	}
	if at < len(t.s) && t.s[at] == '"' {
		return r.jsonText(t, at)
	}
	in, ok := argument(t.s, at)
	return ok && r.documents(t, in)
}

// jsonText reads a body that is one JSON string: a document may be in it.
func (r *reader) jsonText(t *text, at int) bool {
	raw := strings.TrimRight(t.s[at:], " \t\r\n")
	if len(raw) < 2 || !gjson.Valid(raw) {
		return false
	}
	n := jsonNode{text: t, at: at, path: t.path, shape: t.shape}
	r.value(&n, raw[1:len(raw)-1], String)
	return true
}

// argument returns where the argument lies of a call that begins at s[at]: call({"a":1});
func argument(s string, at int) (span, bool) {
	if strings.HasPrefix(s[at:], "/**/") {
		at = skip(s, at+len("/**/"))
	}
	open := at
	for open < len(s) && (letter(s[open]) || s[open] >= '0' && s[open] <= '9' ||
		strings.IndexByte("_$.[]", s[open]) >= 0) {
		open++
	}
	if open == at || open == len(s) || s[open] != '(' || !looksJSON(s[open+1:]) {
		return span{}, false
	}
	rest := strings.TrimRight(s, " \t\r\n;")
	if !strings.HasSuffix(rest, ")") {
		return span{}, false
	}
	return span{open + 1, len(rest) - 1}, true
}
