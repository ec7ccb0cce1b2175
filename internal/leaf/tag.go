package leaf

import "strings"

// tag is a start tag or an end tag, as far as it goes: what a text that was cut still holds
// of one is read too.
type tag struct {
	name  string // without its name space
	end   bool   // </name>
	empty bool   // <name/>
	attrs []attribute
	to    int // behind it
}

// attribute is one of a tag. What has no value is not listed.
type attribute struct {
	name     string // without its name space
	from, to int    // of the value, without quotes
	coding   coding
}

// startsTag reports whether the '<' at the beginning of s begins something. In text it may
// stand for itself.
func startsTag(s string) bool {
	return len(s) > 1 && (letter(s[1]) || s[1] == '!' || s[1] == '?' || s[1] == '_' ||
		s[1] == '/' && len(s) > 2 && letter(s[2]))
}

// readTag reads the tag that begins at s[at]. Its attributes lie in room as far as that goes.
func readTag(s string, at int, room []attribute) tag {
	t := tag{attrs: room}
	at++
	if s[at] == '/' {
		t.end, at = true, at+1
	}
	from := at
	for at < len(s) && !space(s[at]) && s[at] != '>' && s[at] != '/' {
		at++
	}
	t.name = local(s[from:at])
	for at < len(s) && s[at] != '>' {
		if space(s[at]) || s[at] == '/' || s[at] == '=' {
			t.empty = s[at] == '/'
			at++
			continue
		}
		t.empty = false
		at = t.attribute(s, at)
	}
	t.to = min(at+1, len(s))
	return t
}

// attribute reads the attribute that begins at s[at] and returns where it ends.
func (t *tag) attribute(s string, at int) int {
	from := at
	for at < len(s) && !space(s[at]) && strings.IndexByte("=>/", s[at]) < 0 {
		at++
	}
	name, equals := s[from:at], skip(s, at)
	if equals == len(s) || s[equals] != '=' {
		return at
	}
	if at = skip(s, equals+1); at == len(s) {
		return at
	}
	a := attribute{name: local(name), from: at, coding: bare}
	if q := s[at]; q == '"' || q == '\'' {
		a.coding, a.from = entity, at+1
		a.to = until(s, a.from, string(q))
		at = min(a.to+1, len(s))
	} else {
		for at < len(s) && !space(s[at]) && s[at] != '>' {
			at++
		}
		a.to = at
	}
	t.attrs = append(t.attrs, a)
	return at
}

// value returns the text of the first attribute of a name, "" if there is none.
func (t *tag) value(s, name string) string {
	for _, a := range t.attrs {
		if strings.EqualFold(a.name, name) {
			text, _ := a.coding.decode(s[a.from:a.to])
			return text
		}
	}
	return ""
}

// local returns a name without its name space.
func local(name string) string { return name[strings.LastIndexByte(name, ':')+1:] }

// skip returns where the white space at s[at] ends.
func skip(s string, at int) int {
	for at < len(s) && space(s[at]) {
		at++
	}
	return at
}

// until returns the offset of an end in s, from an offset on; of the end of s if there is
// none.
func until(s string, from int, end string) int {
	if from < len(s) {
		if i := strings.Index(s[from:], end); i >= 0 {
			return from + i
		}
	}
	return len(s)
}
