package tour

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"github.com/tidwall/gjson"
)

// page is what a story's browser sees of an HTML page.
type page struct {
	Form   *form             `json:"form,omitempty"` // nil if there is none; the first of several
	Frames []string          `json:"frames,omitempty"`
	Texts  map[string]string `json:"texts,omitempty"` // of elements that have an id, by it
	Links  []string          `json:"links,omitempty"`
}

// form is a form of a page.
type form struct {
	Action  string            `json:"action"`
	Fields  map[string]string `json:"fields"`  // by name
	Buttons map[string]string `json:"buttons"` // names by value
}

// pageReader reads a page from its beginning to its end.
type pageReader struct {
	page page
	in   *form  // the form that is open; nil outside
	id   string // of the element that is open; "" for none
}

// readPage reads HTML as a tolerant XML decoder sees it. That is less than a browser takes,
// and enough for pages that are written with some care.
func readPage(html string) (page, error) {
	d := xml.NewDecoder(strings.NewReader(html))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	r := pageReader{page: page{Texts: map[string]string{}}}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return r.page, nil
		}
		if err != nil {
			return page{}, errors.New("this is no HTML")
		}
		switch t := token.(type) {
		case xml.StartElement:
			r.open(t.Name.Local, attributes(t))
		case xml.EndElement:
			r.close(t.Name.Local)
		case xml.CharData:
			if r.id != "" {
				r.page.Texts[r.id] += string(t)
			}
		}
	}
}

func attributes(e xml.StartElement) map[string]string {
	all := map[string]string{}
	for _, a := range e.Attr {
		all[a.Name.Local] = a.Value
	}
	return all
}

func (r *pageReader) open(element string, attr map[string]string) {
	if id := attr["id"]; id != "" {
		r.id = id
	}
	switch element {
	case "form":
		r.in = &form{attr["action"], map[string]string{}, map[string]string{}}
		if r.page.Form == nil {
			r.page.Form = r.in
		}
	case "iframe":
		r.page.Frames = append(r.page.Frames, attr["src"])
	case "a":
		r.page.Links = append(r.page.Links, attr["href"])
	}
	if r.in == nil || attr["name"] == "" {
		return
	}
	switch element {
	case "input":
		r.in.Fields[attr["name"]] = attr["value"]
	case "button":
		r.in.Buttons[attr["value"]] = attr["name"]
	}
}

func (r *pageReader) close(element string) {
	r.id = ""
	if element == "form" {
		r.in = nil
	}
}

// asJSON writes a value as JSON without escapes that JSON does not need, and reads it again.
func asJSON(v any) gjson.Result {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(v) != nil {
		return gjson.Result{} // what stories pass can always be written
	}
	return gjson.Parse(strings.TrimSuffix(text.String(), "\n"))
}
