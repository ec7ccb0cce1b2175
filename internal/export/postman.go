package export

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/curl"
	"github.com/paytape/paytape/internal/leaf"
)

// postmanSchema is the format of the collection, version 2.1.
const postmanSchema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"

// collection is a collection of Postman.
type collection struct {
	Info     info            `json:"info"`
	Item     []any           `json:"item"` // folders, or requests
	Variable []variableValue `json:"variable"`
}

type info struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Schema      string `json:"schema"`
}

type variableValue struct {
	Key         string `json:"key"`
	Value       string `json:"value"`
	Type        string `json:"type"`
	Description string `json:"description,omitempty"`
}

type folder struct {
	Name string `json:"name"`
	Item []item `json:"item"`
}

type item struct {
	Name     string            `json:"name"`
	Request  postmanRequest    `json:"request"`
	Response []postmanResponse `json:"response"`
}

type postmanRequest struct {
	Method      string       `json:"method"`
	Header      []keyValue   `json:"header"`
	Body        *postmanBody `json:"body,omitempty"`
	URL         postmanURL   `json:"url"`
	Description string       `json:"description,omitempty"`
}

type postmanURL struct {
	Raw   string     `json:"raw"`
	Host  []string   `json:"host"`
	Path  []string   `json:"path"`
	Query []keyValue `json:"query,omitempty"`
}

// keyValue is a header, or a parameter. A parameter without a sign has no value.
type keyValue struct {
	Key   string  `json:"key"`
	Value *string `json:"value"`
}

type postmanBody struct {
	Mode       string         `json:"mode"` // raw or urlencoded
	Raw        string         `json:"raw,omitempty"`
	URLEncoded []keyValue     `json:"urlencoded,omitempty"`
	Options    *postmanOption `json:"options,omitempty"`
}

type postmanOption struct {
	Raw struct {
		Language string `json:"language"`
	} `json:"raw"`
}

type postmanResponse struct {
	Name            string         `json:"name"`
	OriginalRequest postmanRequest `json:"originalRequest"`
	Status          string         `json:"status"`
	Code            int            `json:"code"`
	Language        string         `json:"_postman_previewlanguage"`
	Header          []keyValue     `json:"header"`
	Cookie          []any          `json:"cookie"`
	Body            string         `json:"body"`
}

// Postman returns a collection of Postman, format 2.1. A secret is a variable of the collection, whose
// value is empty.
func Postman(t Tape) ([]byte, error) {
	p := postman{Tape: t, variables: curl.Variables{}}
	c := collection{
		Info: info{Name: line(t.Name), Schema: postmanSchema, Description: "The calls of a cassette. In " +
			"the place of secrets stand variables of the collection."},
		Item: []any{}, Variable: []variableValue{},
	}
	for _, f := range t.Flows {
		folder := folder{Name: line(f.Title), Item: []item{}}
		for _, call := range f.Calls {
			if !call.isCallback() {
				folder.Item = append(folder.Item, p.item(call))
			}
		}
		if f.Title != "" {
			c.Item = append(c.Item, folder)
			continue
		}
		for _, i := range folder.Item {
			c.Item = append(c.Item, i)
		}
	}
	for _, o := range p.origins {
		c.Variable = append(c.Variable, variableValue{Key: o.variable, Value: o.origin, Type: "string"})
	}
	for _, name := range slices.Sorted(maps.Keys(p.variables)) {
		c.Variable = append(c.Variable, variableValue{
			Key: name, Type: "string", Description: "on tape it is " + p.variables[name],
		})
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(c)
	return []byte(b.String()), err
}

// postman is a collection while it is made.
type postman struct {
	Tape
	variables curl.Variables
	origins   origins
}

func (p *postman) item(c Call) item {
	x := c.Exchange.Exchange()
	r := p.request(x)
	r.Description = line(c.Outcome)
	asked := r
	asked.Description = ""
	return item{Name: line(c.Name), Request: r, Response: []postmanResponse{{
		Name: line(strings.TrimSpace(x.Response.Status + " " + c.Outcome)), OriginalRequest: asked,
		Status: statusText(x), Code: x.Response.Code, Header: headersOf(x.Response.Headers),
		Language: language(x.Response.Headers.Get("Content-Type")), Cookie: []any{}, Body: x.Response.Body,
	}}}
}

// statusText returns the words of a status line.
func statusText(x *leaf.Exchange) string {
	_, text, _ := strings.Cut(x.Response.Status, " ")
	return text
}

func (p *postman) request(x *leaf.Exchange) postmanRequest {
	filled := curl.Fill(x, curl.Options{Profiles: p.Profiles, Variables: p.variables},
		func(variable string) string { return "{{" + variable + "}}" }, escapeFor(x))
	base := "{{" + p.origins.variable(origin(x)) + "}}"
	r := postmanRequest{
		Method: x.Request.Method, Header: headersOf(filled.Header),
		URL: postmanURL{Raw: base + filled.Target, Host: []string{base}, Path: []string{}},
	}
	path, query, hasQuery := strings.Cut(filled.Target, "?")
	for i, segment := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		if strings.HasPrefix(segment, ":") { // Postman would take it for a variable
			segment = "%3A" + segment[1:]
		}
		if i > 0 || segment != "" {
			r.URL.Path = append(r.URL.Path, segment)
		}
	}
	if hasQuery {
		for parameter := range strings.SplitSeq(query, "&") {
			r.URL.Query = append(r.URL.Query, keyValueOf(parameter, func(s string) string { return s }))
		}
	}
	r.Body = bodyOf(x, filled.Body)
	return r
}

// keyValueOf reads a parameter.
func keyValueOf(parameter string, decode func(string) string) keyValue {
	key, value, found := strings.Cut(parameter, "=")
	kv := keyValue{Key: decode(key)}
	if found {
		value = decode(value)
		kv.Value = &value
	}
	return kv
}

// bodyOf returns a body. A form is a list of parameters if Postman, which escapes them itself, comes to
// the same bytes, or to bytes that mean the same.
func bodyOf(x *leaf.Exchange, body string) *postmanBody {
	if body == "" {
		return nil
	}
	contentType := strings.ToLower(x.Request.Headers.Get("Content-Type"))
	isForm := strings.HasPrefix(contentType, "application/x-www-form-urlencoded")
	if isForm && !strings.Contains(strings.ToUpper(body), "%7B") { // decoded, it might be a variable
		if form, ok := formOf(body); ok {
			return &postmanBody{Mode: "urlencoded", URLEncoded: form}
		}
	}
	b := &postmanBody{Mode: "raw", Raw: body}
	if l := language(contentType); l != "text" {
		b.Options = &postmanOption{}
		b.Options.Raw.Language = l
	}
	return b
}

// formOf reads a form; false if a parameter is none.
func formOf(body string) ([]keyValue, bool) {
	form := []keyValue{}
	ok := true
	decode := func(s string) string {
		plain, err := url.QueryUnescape(s)
		ok = ok && err == nil
		return plain
	}
	for parameter := range strings.SplitSeq(body, "&") {
		kv := keyValueOf(parameter, decode)
		ok = ok && kv.Value != nil && !strings.Contains(*kv.Value, "\x00")
		form = append(form, kv)
	}
	return form, ok
}

// language is what Postman calls a media type.
func language(contentType string) string {
	for _, l := range []string{"json", "xml", "html", "javascript"} {
		if strings.Contains(strings.ToLower(contentType), l) {
			return l
		}
	}
	return "text"
}

func headersOf(h http.Header) []keyValue {
	list := []keyValue{}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			list = append(list, keyValue{Key: name, Value: &value})
		}
	}
	return list
}

// escapeFor returns what writes text of a request so that Postman takes nothing in it for a variable.
func escapeFor(x *leaf.Exchange) func(in leaf.Place, text string) string {
	contentType := x.Request.Headers.Get("Content-Type")
	inBody := "{ {"
	switch media := strings.ToLower(contentType); {
	case strings.HasPrefix(media, "application/x-www-form-urlencoded"):
		inBody = "%7B%7B"
	case strings.Contains(media, "json"):
		inBody = `{\u007b` // two braces in a row stand in strings alone
	case strings.Contains(media, "xml"), strings.Contains(media, "html"):
		inBody = "&#123;&#123;"
	}
	return func(in leaf.Place, text string) string {
		escape := inBody
		switch in {
		case leaf.Path:
			escape = "%7B%7B"
		case leaf.Header:
			escape = "{ {"
		}
		for strings.Contains(text, "{{") {
			text = strings.ReplaceAll(text, "{{", escape)
		}
		return text
	}
}
