package leaf

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// partKey names one text of a message: the target, one header value, the body, or a packed
// document.
type partKey struct {
	place  Place // Path for the target, Header, or Text for the body
	key    string
	index  int
	holder *Holder // of a packed document; the other fields are then empty
}

func (m *Message) partOf(l *Leaf) partKey {
	if h := l.Packed(); h != nil {
		return partKey{holder: h}
	}
	switch l.Place {
	case Path, Query:
		return partKey{place: Path}
	case Header:
		v := m.listed(l)
		return partKey{place: Header, key: v.Key, index: int(v.index)}
	default:
		return partKey{place: Text}
	}
}

// replacement is an edit in terms of the bytes of a part. It is kept small, as a leaf is.
type replacement struct {
	start, end offset
	text       string
}

func (m *Message) replacement(e Edit) replacement {
	start, end := m.Span(e.Leaf, e.From, e.To)
	if e.From == 0 && e.To == len(e.Leaf.Value) {
		return replacement{offset(start), offset(end), e.Leaf.Encoder().EncodeWhole(e.Value)}
	}
	return replacement{offset(start), offset(end), e.Leaf.Encode(e.Value)}
}

// repack turns the edits of packed documents into edits of the values that hold them, the
// innermost first.
func (m *Message) repack(parts map[partKey][]replacement) {
	for depth := MaxNesting; depth > 0; depth-- {
		for k, rs := range parts {
			if k.holder == nil || k.holder.Depth() != depth {
				continue
			}
			outer := m.partOf(&k.holder.Leaf)
			text := k.holder.Pack(replaceAll(k.holder.text, rs))
			parts[outer] = append(parts[outer], m.replacement(Whole(&k.holder.Leaf, text)))
			delete(parts, k)
		}
	}
}

// replaceAll makes all replacements in one pass over s. Of two that overlap one is of a value
// and the other of what it holds: the one that begins first stays, of two that begin alike the
// longer.
func replaceAll(s string, rs []replacement) string {
	slices.SortFunc(rs, func(a, b replacement) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	size := len(s)
	for _, r := range rs {
		size += len(r.text)
	}
	var b strings.Builder
	b.Grow(size)
	last := offset(0)
	for _, r := range rs {
		if r.start < last {
			continue
		}
		b.WriteString(s[last:r.start])
		b.WriteString(r.text)
		last = r.end
	}
	b.WriteString(s[last:])
	return b.String()
}

// SameHeader reports whether two headers are one map, so that it is copied once and only when
// a header is edited.
func SameHeader(a, b http.Header) bool {
	return reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer()
}

// scalar reports whether s is the text of a JSON number, boolean or null, or of an empty
// container, and so can stand in JSON without quotes.
func scalar(s string) bool {
	if s == "" || s[0] == '"' || !gjson.Valid(s) {
		return false
	}
	return s[0] != '{' && s[0] != '[' || s == "{}" || s == "[]"
}
