package rules

import (
	"net/http"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/internal/profile"
)

// instead is an answer in place of that of the mode.
type instead struct {
	status int
	header []headerLine
	body   value
}

type headerLine struct {
	name  string
	value value
}

// redirect sends the client to another address.
type redirect struct {
	status int
	to     value
}

// instead reads a whole answer.
func (r *reader) instead(n *yaml.Node) *instead {
	a := &instead{status: http.StatusOK}
	var body, file *yaml.Node
	r.mapping(n, "{status: ..., headers: ..., body: ...}", keys{
		"status": func(n *yaml.Node) { a.status = r.status(n) },
		"headers": func(n *yaml.Node) {
			r.pairs(n, "headers", func(key, value *yaml.Node) { r.header(a, key, value) })
		},
		"body": func(n *yaml.Node) { body = n },
		"file": func(n *yaml.Node) { file = n },
	})
	switch {
	case body != nil && file != nil:
		r.wrong(file, "expected a body or a file, found both")
	case file != nil:
		a.body = r.content(file)
	case body != nil && body.Kind != yaml.ScalarNode:
		r.expected(body, "a text: JSON is written in quotes or behind |")
	case body != nil && body.Tag != "!!null":
		a.body = r.value(body, profile.Request)
		r.noSecretBody(body, a.body)
	}
	return a
}

// header reads a header of an answer.
func (r *reader) header(a *instead, key, value *yaml.Node) {
	for _, item := range items(value) {
		text, ok := r.text(item, "a text")
		switch {
		case !ok:
		case !isToken(key.Value):
			r.expected(key, "the name of a header")
			return
		case strings.ContainsAny(text, "\r\n\x00"):
			r.wrong(item, "expected a text of one line")
		default:
			name := http.CanonicalHeaderKey(key.Value)
			if computed[name] {
				r.wrong(key, "expected another header: %s is computed when a message is sent", name)
			}
			if !r.noSecret(item, text, place{text: key.Value, in: aHeader, key: name}, profile.Response) {
				a.header = append(a.header, headerLine{name, r.value(item, profile.Request)})
			}
		}
	}
}

// isToken reports whether a text can be the name of a header (RFC 9110, section 5.6.2).
func isToken(s string) bool {
	for _, c := range []byte(s) {
		letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", rune(c)) {
			return false
		}
	}
	return s != ""
}

// largestFile bounds a body that lies in a file, in bytes.
const largestFile = 16 << 20

// content reads a body that lies in a file.
func (r *reader) content(n *yaml.Node) value {
	name, ok := r.text(n, "the name of a file")
	if !ok {
		return nil
	}
	if r.open == nil {
		r.wrong(n, "expected a body: rules from here cannot read files")
		return nil
	}
	data, err := r.open(name)
	switch {
	case err != nil:
		r.wrong(n, "reading the body: %v", err)
	case len(data) > largestFile:
		r.wrong(n, "expected a file of %d bytes at most, found %d", largestFile, len(data))
	case !utf8.Valid(data):
		r.wrong(n, "expected a file in UTF-8")
	case holdsCard(string(data)):
		r.wrong(n, "expected no card number in the file of a body")
	}
	if len(data) == 0 || err != nil {
		return nil
	}
	v := value{{literal: string(data)}}
	r.noSecretBody(n, v)
	return v
}

// redirect reads an address, or {to: ADDRESS, status: 307}.
func (r *reader) redirect(n *yaml.Node) *redirect {
	to := &redirect{status: http.StatusFound}
	address := n
	if n.Kind == yaml.MappingNode {
		address = nil
		r.mapping(n, "{to: ..., status: ...}", keys{
			"to":     func(n *yaml.Node) { address = n },
			"status": func(n *yaml.Node) { to.status = r.status(n) },
		})
	}
	if address == nil {
		r.wrong(n, "expected the key \"to\", found none")
		return to
	}
	if text, ok := r.text(address, "an address"); ok {
		if strings.ContainsAny(text, "\r\n\x00") {
			r.wrong(address, "expected an address on one line")
		}
		to.to = r.value(address, profile.Request)
	}
	if to.status < 300 || to.status > 399 {
		r.wrong(n, "expected a status from 300 to 399, found %d", to.status)
	}
	return to
}
