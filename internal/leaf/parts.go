package leaf

import (
	"fmt"
	"strings"
)

// DecodeRequest is DecodeText for a body that need not be encoded again: requests are compared
// and not sent. Of a multipart body the parts are decoded each for itself, and a part that is no
// text, such as a picture, becomes a marker with its length.
func DecodeRequest(contentType, body string) (text, charset string, err error) {
	text, charset, err = DecodeText(contentType, body)
	if err == nil {
		return text, charset, nil
	}
	delimiter := boundary(contentType, body)
	if delimiter == "" {
		return "", "", err
	}
	var b strings.Builder
	last := 0
	for _, p := range splitParts(body, delimiter) {
		b.WriteString(body[last:p.head.from])
		head := body[p.head.from:p.head.to]
		h := headerOf(head)
		b.WriteString(anyText(head, declared(contentType)))
		b.WriteString(body[p.head.to:p.content.from])
		b.WriteString(partText(h, body[p.content.from:p.content.to]))
		last = p.content.to
	}
	b.WriteString(body[last:])
	if text = b.String(); !isText(text) {
		return "", "", ErrCharset
	}
	return text, "", nil
}

// headerOf reads the header of a part.
func headerOf(head string) partHeader {
	r := &reader{}
	return r.partHeader(text{s: head, at: shift(0)}, part{head: span{0, len(head)}})
}

// maxPart is the size up to which a compressed part is decoded, in bytes.
const maxPart = 16 << 20

// partText returns the content of a part as text, without its content coding.
func partText(h partHeader, content string) string {
	if isText(content) {
		return content
	}
	coding := h.coding
	if coding == "" && strings.HasPrefix(content, "\x1f\x8b\x08") {
		coding = "gzip"
	}
	if plain, err := Decode(coding, []byte(content), maxPart); err == nil {
		if text, _, err := DecodeText(h.contentType, string(plain)); err == nil {
			return text
		}
	}
	return fmt.Sprintf("[paytape: part of %d bytes withheld: not UTF-8 text]", len(content))
}

// anyText returns the header of a part as text: file names are in the charset of the client.
func anyText(head, label string) string {
	if isText(head) {
		return head
	}
	if text, c := decodeCharset(head, label); c != plain {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(head, "\ufffd"), "\x00", "\ufffd")
}
