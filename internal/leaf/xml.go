package leaf

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
)

// BrokenXML reports whether a body is meant as XML and is not well-formed (XML 1.0, section 2.1): an
// element has no end, an attribute no quotes. Its leaves are read all the same, but a server that takes
// XML refuses it. A page of HTML is no XML, and neither is what is no markup.
//
// The body is read once more for that, which takes longer than to make leaves of it. To ask it of a
// body without leaves in Markup is for nothing.
func BrokenXML(body string) bool {
	if !looksMarkup(body) || len(body) > MaxMarkup || isHTML(body) {
		return false
	}
	d := xml.NewDecoder(strings.NewReader(strings.TrimPrefix(body, mark)))
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) {
		return r, nil // whatever the declaration says, a body is text in UTF-8 by now
	}
	var open []xml.Name // Token would know these, and takes half as long again
	for {
		token, err := d.RawToken()
		if err != nil {
			return !errors.Is(err, io.EOF) || len(open) > 0
		}
		switch t := token.(type) {
		case xml.StartElement:
			open = append(open, t.Name)
		case xml.EndElement:
			if len(open) == 0 || open[len(open)-1] != t.Name {
				return true
			}
			open = open[:len(open)-1]
		}
	}
}
