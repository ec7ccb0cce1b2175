package redact

import (
	"mime"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// part is one part of a multipart body: its name and where its content lies.
type part struct {
	name     string
	from, to int
}

// parts takes a multipart body apart, leniently: what stands between two delimiters is a
// part, and lines may end without a carriage return. Other bodies have none.
func parts(contentType, body string) []part {
	media, params, _ := mime.ParseMediaType(contentType)
	delimiter := "--" + params["boundary"]
	if !strings.HasPrefix(media, "multipart/") {
		// The header may be lost or wrong; the first line tells the delimiter too.
		first, _, _ := strings.Cut(body, "\n")
		delimiter = strings.TrimRight(first, "\r")
	}
	if len(delimiter) < len("--")+1 || !strings.HasPrefix(delimiter, "--") {
		return nil
	}
	var found []part
	for from := strings.Index(body, delimiter); from >= 0; {
		from += len(delimiter)
		to := len(body)
		next := strings.Index(body[from:], delimiter)
		if next >= 0 {
			to = from + next
		}
		if p, ok := readPart(body[from:to], from); ok {
			found = append(found, p)
		}
		if from = to; next < 0 {
			break
		}
	}
	return found
}

// readPart reads what stands between two delimiters and begins at offset start of the body.
// A part without a name is none.
func readPart(s string, start int) (part, bool) {
	end, size := strings.Index(s, "\n\r\n"), len("\n\r\n")
	if bare := strings.Index(s, "\n\n"); bare >= 0 && (end < 0 || bare < end) {
		end, size = bare, len("\n\n")
	}
	if end < 0 {
		return part{}, false
	}
	content := s[end+size:]
	content = strings.TrimSuffix(strings.TrimSuffix(content, "\n"), "\r")
	for line := range strings.SplitSeq(s[:end], "\n") {
		key, value, _ := strings.Cut(line, ":")
		if !strings.EqualFold(strings.TrimSpace(key), "Content-Disposition") {
			continue
		}
		if _, params, _ := mime.ParseMediaType(strings.TrimSpace(value)); params["name"] != "" {
			from := start + end + size
			return part{params["name"], from, from + len(content)}, true
		}
	}
	return part{}, false
}

// multipart plans a multipart body as what its parts are named. Others stay as they are.
func (c *cleaning) multipart(m *message, p *plan) {
	_, types := header(m.Header, "Content-Type")
	var found []span
	for _, part := range parts(strings.Join(types, ""), p.leaf.Value) {
		value := p.leaf.Value[part.from:part.to]
		l := leaf.Leaf{Place: leaf.Form, Key: part.name, Shape: part.name, Value: value}
		f, _ := c.field(m, &l)
		if !c.secret(f) || f.Secret == profile.NotSecret || isSetting(l.Key, value) {
			continue
		}
		if got := c.replace(f.Secret, fieldValue{text: value}); got.note != "" {
			found = append(found, span{
				from: part.from, to: part.to, text: got.text, note: got.note,
			})
			p.notes = append(p.notes, got.note)
			c.fire(f.Rule)
		}
	}
	p.text = splice(p.leaf.Value, found)
}
