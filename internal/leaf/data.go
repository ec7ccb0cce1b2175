package leaf

import (
	"fmt"
	"strings"
)

// Encoders and packers as texts, from which the same program makes them again.

// Data returns a text from which EncoderOf makes the encoder again.
func (e Encoder) Data() string {
	b := make([]byte, 0, 1+len(e.codings))
	b = append(b, byte(e.kind))
	for _, c := range e.codings {
		b = append(b, byte(c))
	}
	return string(b)
}

// EncoderOf makes an encoder of its Data. It returns false for any other text.
func EncoderOf(data string) (Encoder, bool) {
	if data == "" || Kind(data[0]) > Empty {
		return Encoder{}, false
	}
	e := Encoder{kind: Kind(data[0])}
	for i := 1; i < len(data); i++ {
		c := coding(data[i])
		if !c.exists() {
			return Encoder{}, false
		}
		e.codings = append(e.codings, c)
	}
	return e, true
}

// exists reports whether there is such a coding.
func (c coding) exists() bool {
	return c <= quoted || c >= firstCharset && int(c-firstCharset) < len(charsets)
}

// packerData is how a packing stands in a text. The end of a line comes last, as it is.
const packerData = "%d %d %d %d %t %d "

// Data returns a text from which PackerOf makes the packer again.
func (p *Packer) Data() string {
	h := &p.how
	return fmt.Sprintf(packerData, h.chars, h.stream, h.level, h.width, h.ended, h.charset) + h.eol
}

// PackerOf makes a packer of its Data. It returns false for any other text.
func PackerOf(data string) (*Packer, bool) {
	const words = 6
	parts := strings.SplitN(data, " ", words+1)
	if len(parts) != words+1 {
		return nil, false
	}
	var h packing
	_, err := fmt.Sscanf(data, packerData,
		&h.chars, &h.stream, &h.level, &h.width, &h.ended, &h.charset)
	h.eol = parts[words]
	fits := h.chars <= hexUpper && h.stream <= deflated && h.charset.exists() &&
		(h.width == 0) == (h.eol == "") && h.width >= 0
	p := &Packer{h}
	return p, err == nil && fits && p.Data() == data
}
