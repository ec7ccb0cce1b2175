package cassettes

import (
	"bytes"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"
)

// plain reads a scalar without quotes to the end of its line.
func (r *itemReader) plain() []byte {
	r.expect(" ")
	return r.until('\n')
}

func (r *itemReader) integer() int {
	n, err := strconv.Atoi(string(r.plain()))
	r.bad = r.bad || err != nil
	return n
}

func (r *itemReader) duration() time.Duration {
	d, err := time.ParseDuration(string(r.plain()))
	r.bad = r.bad || err != nil
	return d
}

// text reads a quoted scalar to the end of its line.
func (r *itemReader) text() string {
	r.expect(" ")
	s := r.quoted()
	r.expect("\n")
	return s
}

// body is text that is as a rule of one exchange alone.
func (r *itemReader) body() string {
	r.expect(" ")
	r.unquote()
	r.expect("\n")
	return string(r.room)
}

// section reads a header or a form as text: an empty one, or what lies further right than its key.
func (r *itemReader) section() []byte {
	all := r.s
	if r.accept(" {}\n") {
		return all[:len(all)-len(r.s)]
	}
	r.expect("\n")
	for !r.bad && bytes.HasPrefix(r.s, []byte("      ")) {
		r.until('\n')
	}
	return all[:len(all)-len(r.s)]
}

// header reads a header. Most are like others on the tape, and nobody changes what is on a tape:
// exchanges share a header that is written alike.
func (r *itemReader) header() http.Header {
	written := r.section()
	if r.shared == nil || len(written) > longestHeader {
		return r.values(written)
	}
	place := r.shared.header(written)
	if place.written != string(written) {
		h := r.values(written)
		if r.bad {
			return nil
		}
		*place = sharedHeader{string(written), h}
	}
	return place.header
}

// values reads a section.
func (r *itemReader) values(section []byte) map[string][]string {
	after := r.s
	r.s = section
	m := map[string][]string{}
	if !r.accept(" {}\n") {
		r.expect("\n")
	}
	for !r.bad && r.accept("      ") {
		long := r.accept("? ")
		key := r.quoted()
		if long {
			r.expect("\n      ")
		}
		r.expect(": [")
		m[key] = r.row()
		r.expect("]\n")
	}
	r.bad = r.bad || len(r.s) > 0
	r.s = after
	return m
}

// row reads the values of a key.
func (r *itemReader) row() []string {
	row := make([]string, 0, 1) // as nearly all have
	for !r.bad && bytes.HasPrefix(r.s, []byte(`"`)) {
		row = append(row, r.quoted())
		if !r.accept(", ") {
			break
		}
	}
	return row
}

func (r *itemReader) list() []string {
	r.lines = r.lines[:0]
	r.expect("\n")
	for !r.bad && r.accept("      - ") {
		r.lines = append(r.lines, r.quoted())
		r.expect("\n")
	}
	return append([]string(nil), r.lines...)
}

// quoted reads a double-quoted scalar.
func (r *itemReader) quoted() string {
	r.unquote()
	return r.shared.text(r.room)
}

// unquote reads a double-quoted scalar into the room.
func (r *itemReader) unquote() {
	r.room = r.room[:0]
	r.expect(`"`)
	s, room := r.s, r.room
	for at := 0; !r.bad; {
		n := special(s[at:])
		room = append(room, s[at:at+n]...)
		switch at += n; {
		case at == len(s):
			r.bad = true
		case s[at] == '"':
			r.s, r.room = s[at+1:], room
			return
		default:
			room, n = appendUnescaped(room, s[at:])
			at += n
			r.bad = n == 0
		}
	}
}

// special returns how many bytes stand for themselves at the beginning of a quoted text.
func special(s []byte) int {
	for i, c := range s {
		if c == '"' || c == '\\' {
			return i
		}
	}
	return len(s)
}

// appendUnescaped appends what the escape stands for that s begins with, and returns the length of
// the escape; 0 for an escape that emit does not write.
func appendUnescaped(b, s []byte) ([]byte, int) {
	if len(s) < 2 {
		return b, 0
	}
	switch c := s[1]; c {
	case '"', '\\', ' ':
		return append(b, c), 2
	case 'n':
		return append(b, '\n'), 2
	case 'r':
		return append(b, '\r'), 2
	case 't':
		return append(b, '\t'), 2
	case '\n': // a continuation: the indentation is none of the value
		n := 2
		for n < len(s) && s[n] == ' ' {
			n++
		}
		return b, n
	case 'x':
		return appendRune(b, s, 2)
	case 'u':
		return appendRune(b, s, 4)
	case 'U':
		return appendRune(b, s, 8)
	}
	return b, 0
}

// appendRune appends the character of an escape of so many hex digits.
func appendRune(b, s []byte, digits int) ([]byte, int) {
	n := 2 + digits
	if len(s) < n {
		return b, 0
	}
	v, err := strconv.ParseUint(string(s[2:n]), 16, 32)
	if err != nil || !utf8.ValidRune(rune(v)) {
		return b, 0
	}
	return utf8.AppendRune(b, rune(v)), n
}
