package redact_test

import (
	"bufio"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

// call is a field of an operation of the profiles.
type call struct {
	method, path, carrier string
	direction             string
	key                   string // "a.b", "parameters(surname)"
}

// readTable reads the rows of one of the tables of the profiles' tests.
func readTable(t testing.TB, name string) [][]string {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "internal", "profile", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows [][]string
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if row := strings.Split(lines.Text(), "\t"); len(row) > 1 {
			rows = append(rows, row)
		}
	}
	if err := lines.Err(); err != nil || len(rows) < 10 {
		t.Fatalf("%d rows in %s, error %v", len(rows), name, err)
	}
	return rows
}

// calls returns every field that the documents name, in every operation.
func calls(t testing.TB) []call {
	t.Helper()
	operations := map[string]call{}
	for _, row := range readTable(t, "operations.txt") {
		method, _, _ := strings.Cut(row[2], ",")
		path := strings.NewReplacer("{id}", "7", "{cardId}", "8").Replace(row[3])
		operations[row[0]+" "+row[1]] = call{method: method, path: path, carrier: row[4]}
	}
	var list []call
	for _, row := range readTable(t, "fields.txt") {
		o, known := operations[row[0]+" "+row[1]]
		if !known || strings.Contains(row[3], " ") {
			continue // headers, segments and calls from others have places of their own
		}
		o.direction, o.key = row[2], row[3]
		list = append(list, o)
	}
	return list
}

// sort is what may stand in a place, and how it can be taken out.
type sort uint8

const (
	anywhere sort = iota
	asName        // what stands in a name cannot be spliced: the exchange is withheld
	asDigits      // a number alone may stand there
)

// place puts a text somewhere into an exchange.
type place struct {
	name string
	put  func(x *leaf.Exchange, c call, text string)
	sort sort
}

// places are where messages carry values.
var places = []place{
	{"path", func(x *leaf.Exchange, _ call, s string) {
		x.URL = "https://h/a/" + url.PathEscape(s)
	}, anywhere},
	{"query", func(x *leaf.Exchange, _ call, s string) {
		x.URL += "?text=" + url.QueryEscape(s) + "&a=1"
	}, anywhere},
	{"query of the field", func(x *leaf.Exchange, c call, s string) {
		x.URL += "?" + url.QueryEscape(c.last()) + "=" + url.QueryEscape(s)
	}, anywhere},
	{"query key", func(x *leaf.Exchange, _ call, s string) {
		x.URL += "?" + url.QueryEscape(s) + "=1"
	}, anywhere},
	{"fragment", func(x *leaf.Exchange, _ call, s string) {
		x.URL += "#" + url.PathEscape(s)
	}, anywhere},
	{"userinfo", func(x *leaf.Exchange, _ call, s string) {
		x.URL = "https://u:" + url.PathEscape(s) + "@h/x"
	}, anywhere},
	{"user", func(x *leaf.Exchange, _ call, s string) {
		x.URL = "https://" + url.PathEscape(s) + "@h/x"
	}, anywhere},
	{"header", func(x *leaf.Exchange, _ call, s string) {
		x.Request.Headers["X-Note"] = []string{"n " + oneLine(s)}
	}, anywhere},
	{"header of an answer", func(x *leaf.Exchange, _ call, s string) {
		x.Response.Headers.Set("Refresh", "0; url=https://h/?x="+oneLine(s))
	}, anywhere},
	{"location", func(x *leaf.Exchange, _ call, s string) {
		x.Response.Headers.Set("Location", "https://h/?a=b#"+url.QueryEscape(s))
	}, anywhere},
	{"header name", func(x *leaf.Exchange, _ call, s string) {
		x.Response.Headers["X-"+http.CanonicalHeaderKey(url.PathEscape(s))] = []string{"a"}
	}, asName},
	{"cookie", func(x *leaf.Exchange, _ call, s string) {
		x.Request.Headers.Set("Cookie", "a="+oneLine(s)+"; b=c")
	}, anywhere},
	{"cookie attribute", func(x *leaf.Exchange, _ call, s string) {
		x.Response.Headers.Set("Set-Cookie", "a=b; Path=/"+url.PathEscape(s))
	}, anywhere},
	{"entity-tag", func(x *leaf.Exchange, _ call, s string) {
		x.Response.Headers.Set("Etag", `W/"`+oneLine(s)+`"`)
	}, anywhere},
	{"trailer", func(x *leaf.Exchange, _ call, s string) {
		x.Meta.Trailers = http.Header{"X-T": {oneLine(s)}}
	}, anywhere},
	{"form", formOf, anywhere},
	{"form key", func(x *leaf.Exchange, _ call, s string) {
		formed(x, url.QueryEscape(s)+"=1&kept=1")
	}, anywhere},
	{"JSON", func(x *leaf.Exchange, c call, s string) { c.body(x, c.json(jsonOf(s))) }, anywhere},
	{"JSON number", func(x *leaf.Exchange, c call, s string) { c.body(x, c.json(s)) }, asDigits},
	{"JSON key", func(x *leaf.Exchange, c call, s string) {
		c.body(x, `{"a":{`+jsonOf(s)+`:1}}`)
	}, anywhere},
	{"JSON in JSON", func(x *leaf.Exchange, c call, s string) {
		c.body(x, jsonOf(map[string]string{"in": c.json(jsonOf(s))}))
	}, anywhere},
	{"lines of JSON", func(x *leaf.Exchange, c call, s string) {
		c.body(x, "{}\n"+c.json(jsonOf(s)))
	}, anywhere},
	{"JSON in UTF-16", func(x *leaf.Exchange, c call, s string) {
		c.body(x, wideOf(c.json(jsonOf(s))))
	}, anywhere},
	{"JSON that is cut", func(x *leaf.Exchange, c call, s string) {
		c.body(x, `{"a":1,"note":`+jsonOf(s)+`,"b":"x`)
	}, anywhere},
	{"multipart", func(x *leaf.Exchange, c call, s string) {
		parted(x, `name="`+c.last()+`"`, s)
	}, anywhere},
	{"file name", func(x *leaf.Exchange, _ call, s string) {
		parted(x, `name="f"; filename="`+url.PathEscape(s)+`.pdf"`, "a")
	}, anywhere},
	{"part header", func(x *leaf.Exchange, _ call, s string) {
		parted(x, "name=f\r\nX-Note: "+oneLine(s), "a")
	}, anywhere},
	{"part in base64", func(x *leaf.Exchange, _ call, s string) {
		parted(x, "name=f\r\nContent-Transfer-Encoding: base64", base64Of(s))
	}, anywhere},
	{"XML text", func(x *leaf.Exchange, c call, s string) {
		c.body(x, "<a><b>"+escapeXML(s)+"</b></a>")
	}, anywhere},
	{"XML attribute", func(x *leaf.Exchange, c call, s string) {
		c.body(x, `<a b="`+escapeXML(s)+`"/>`)
	}, anywhere},
	{"XML comment", func(x *leaf.Exchange, c call, s string) {
		c.body(x, `<a><!-- `+strings.ReplaceAll(s, "--", "- -")+` -->x</a>`)
	}, anywhere},
	{"HTML field", func(x *leaf.Exchange, c call, s string) {
		c.body(x, `<html><form><input type=hidden name="`+c.last()+`" value="`+escapeXML(s)+
			`"></form></html>`)
	}, anywhere},
	{"HTML text", func(x *leaf.Exchange, c call, s string) {
		c.body(x, "<p>Your card <b>"+escapeXML(s)+"</b>")
	}, anywhere},
	{"script", func(x *leaf.Exchange, c call, s string) {
		c.body(x, "<html><script>var a = "+jsonOf(s)+"</script></html>")
	}, anywhere},
	{"text", func(x *leaf.Exchange, c call, s string) { c.body(x, "see "+s+" there") }, anywhere},
	{"failure", func(x *leaf.Exchange, _ call, s string) { x.Meta.Failure = "reading " + s },
		anywhere},
	{"status", func(x *leaf.Exchange, _ call, s string) {
		x.Response.Status = "400 bad " + oneLine(s)
	}, anywhere},
}

// oneLine is for headers, which have no lines: the client folds them.
func oneLine(s string) string { return strings.NewReplacer("\r", "", "\n", "").Replace(s) }

func escapeXML(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

func formed(x *leaf.Exchange, body string) {
	x.Method, x.Request.Body = "POST", body
	x.Request.Headers.Set("Content-Type", formType)
}

func formOf(x *leaf.Exchange, c call, s string) {
	formed(x, url.Values{c.last(): {s}, "kept": {"1"}}.Encode())
}

func parted(x *leaf.Exchange, head, content string) {
	x.Method = "POST"
	x.Request.Headers.Set("Content-Type", "multipart/form-data; boundary=Bnd")
	x.Request.Body = "--Bnd\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + content +
		"\r\n--Bnd--\r\n"
}

// last returns the name under which a client sends the field as a parameter.
func (c call) last() string {
	key := c.key[strings.LastIndexAny(c.key, ".(")+1:]
	return strings.TrimSuffix(key, ")")
}

// json returns a document with the field in it.
func (c call) json(raw string) string {
	names := strings.Split(c.key, ".")
	for i := len(names) - 1; i >= 0; i-- {
		if list, name, ok := strings.Cut(strings.TrimSuffix(names[i], ")"), "("); ok {
			raw = `{"` + list + `":[{"name":"` + name + `","value":` + raw + `}]}`
			continue
		}
		raw = `{"` + names[i] + `":` + raw + `}`
	}
	return raw[:len(raw)-1] + `,"kept":1.00}`
}

// body puts a body on the side that the field is on.
func (c call) body(x *leaf.Exchange, body string) {
	if c.direction == "response" {
		x.Response.Body = body
		return
	}
	x.Method, x.Request.Body = "POST", body
	if len(x.Request.Headers["Content-Type"]) == 0 {
		x.Request.Headers.Set("Content-Type", "text/plain")
	}
}
