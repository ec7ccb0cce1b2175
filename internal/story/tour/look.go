package tour

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/xml"
	"io"
	"net/url"
	"strings"

	"github.com/tidwall/gjson"
)

// look finds a value in an answer by its path: a gjson path, and on from the value that it
// leads to, after ">" in the message that is packed there, after "?" in the query of the
// address: "packedCReq>acsTransID", "redirect?orderId". Paths with a gjson query go no further.
func look(doc gjson.Result, path string) gjson.Result {
	end := strings.IndexAny(path, ">?")
	if end < 0 || strings.Contains(path, "#(") {
		return doc.Get(path)
	}
	value := doc.Get(path[:end]).String()
	if path[end] == '?' {
		return look(query(value), path[end+1:])
	}
	return look(unpack(value), path[end+1:])
}

// query is the query of an address as a JSON object; nothing if the text is none.
func query(address string) gjson.Result {
	u, err := url.Parse(address)
	if err != nil {
		return gjson.Result{}
	}
	first := map[string]string{}
	for name, values := range u.Query() {
		first[name] = values[0]
	}
	return asJSON(first)
}

// unpack opens a message of 3-D Secure: base64 in either alphabet, padded or not, of JSON or
// of a deflated XML document. What is neither is nothing.
func unpack(packed string) gjson.Result {
	bare := strings.NewReplacer("+", "-", "/", "_", "=", "").Replace(packed)
	raw, err := base64.RawURLEncoding.DecodeString(bare)
	if err != nil {
		return gjson.Result{}
	}
	if gjson.ValidBytes(raw) {
		return gjson.ParseBytes(raw)
	}
	inflated, err := zlib.NewReader(bytes.NewReader(raw))
	if err != nil {
		return gjson.Result{}
	}
	d := xml.NewDecoder(inflated)
	tree := map[string]any{}
	if err := readXML(d, tree); err != nil && err != io.EOF {
		return gjson.Result{}
	}
	return asJSON(tree)
}

// readXML reads elements up to the end of the one that they are in: an element that has others
// or attributes inside is an object, another one its text.
func readXML(d *xml.Decoder, into map[string]any) error {
	for {
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			inner := map[string]any{}
			for name, value := range attributes(t) {
				inner[name] = value
			}
			into[t.Name.Local] = inner
			if err := readXML(d, inner); err != nil {
				return err
			}
			if text, alone := inner[""]; alone && len(inner) == 1 {
				into[t.Name.Local] = text
			}
		case xml.CharData:
			into[""] = string(t)
		case xml.EndElement:
			return nil
		}
	}
}
