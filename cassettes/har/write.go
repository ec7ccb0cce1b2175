package har

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/leaf"
)

// Creator is the program that an archive names as its writer.
type Creator struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Write returns an archive of exchanges. They must have been cleaned. What HAR has no place for stands
// under "_paytape", so Read reads from an archive of OwnCreator what was written, but for headers that
// speak of a connection.
//
// The bodies of a tape are without their content coding, and an archive has them so; its headers tell
// the coding all the same, as those of browsers do. What an archive asks for and nobody knows is -1,
// as the standard says.
func Write(by Creator, exchanges ...*leaf.Exchange) ([]byte, error) {
	var a written
	a.Log.Version, a.Log.Creator = "1.2", by
	a.Log.Entries = make([]writtenEntry, 0, len(exchanges))
	for _, x := range exchanges {
		a.Log.Entries = append(a.Log.Entries, write(x))
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(a)
	return []byte(b.String()), err
}

// written is an archive as it is written, with all that the standard wants.
type written struct {
	Log struct {
		Version string         `json:"version"`
		Creator Creator        `json:"creator"`
		Entries []writtenEntry `json:"entries"`
	} `json:"log"`
}

type writtenEntry struct {
	StartedDateTime string          `json:"startedDateTime"`
	Time            float64         `json:"time"` // in milliseconds
	Request         writtenRequest  `json:"request"`
	Response        writtenResponse `json:"response"`
	Cache           struct{}        `json:"cache"`
	Timings         timings         `json:"timings"`
	Comment         string          `json:"comment,omitempty"`
	Meta            *note           `json:"_paytape,omitempty"`
}

type writtenRequest struct {
	Method      string         `json:"method"`
	URL         string         `json:"url"`
	HTTPVersion string         `json:"httpVersion"`
	Cookies     []writtenPair  `json:"cookies"`
	Headers     []writtenPair  `json:"headers"`
	QueryString []writtenPair  `json:"queryString"`
	PostData    *writtenPosted `json:"postData,omitempty"`
	HeadersSize int            `json:"headersSize"`
	BodySize    int            `json:"bodySize"`
}

type writtenResponse struct {
	Status      int            `json:"status"`
	StatusText  string         `json:"statusText"`
	HTTPVersion string         `json:"httpVersion"`
	Cookies     []writtenPair  `json:"cookies"`
	Headers     []writtenPair  `json:"headers"`
	Content     writtenContent `json:"content"`
	RedirectURL string         `json:"redirectURL"`
	HeadersSize int            `json:"headersSize"`
	BodySize    int            `json:"bodySize"`
	Error       string         `json:"_error,omitempty"`
}

type writtenPair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type writtenPosted struct {
	MIMEType string        `json:"mimeType"`
	Params   []writtenPair `json:"params"`
	Text     string        `json:"text"`
	Encoding string        `json:"encoding,omitempty"` // base64, as Read and other readers know it
}

type writtenContent struct {
	Size     int    `json:"size"`
	MIMEType string `json:"mimeType"`
	Text     string `json:"text,omitempty"`
	Encoding string `json:"encoding,omitempty"`
}

// unknown is a size or a time that nobody knows.
const unknown = -1

func write(x *leaf.Exchange) writtenEntry {
	ms := float64(x.Response.Duration) / float64(time.Millisecond)
	e := writtenEntry{
		StartedDateTime: x.Meta.At.Format(time.RFC3339Nano),
		Time:            ms,
		Timings:         timings{Send: 0, Wait: ms, Receive: 0},
		Request: writtenRequest{
			Method: x.Request.Method, URL: x.Request.URL, HTTPVersion: "HTTP/1.1",
			Cookies: []writtenPair{}, Headers: pairsOf(x.Request.Headers, x.Meta.RequestCoding),
			QueryString: queryOf(x.Request.URL), HeadersSize: unknown, BodySize: len(x.Request.Body),
		},
		Response: writtenResponse{
			Status: x.Response.Code, StatusText: textOf(x.Response.Status), HTTPVersion: "HTTP/1.1",
			Cookies: []writtenPair{}, Headers: pairsOf(x.Response.Headers, x.Meta.Coding),
			RedirectURL: x.Response.Headers.Get("Location"), HeadersSize: unknown, BodySize: unknown,
			Content: writtenContent{
				Size: len(x.Response.Body), MIMEType: x.Response.Headers.Get("Content-Type"),
			},
			Error: x.Meta.Failure,
		},
	}
	if body := x.Request.Body; body != "" {
		e.Request.PostData = &writtenPosted{
			MIMEType: x.Request.Headers.Get("Content-Type"), Params: []writtenPair{},
		}
		e.Request.PostData.Text, e.Request.PostData.Encoding = encoded(body)
	}
	e.Response.Content.Text, e.Response.Content.Encoding = encoded(x.Response.Body)
	e.Meta = noted(x)
	if x.Meta.Callback != nil {
		e.Comment = "a callback: the sandbox has sent the request to the shop"
	}
	return e
}

// encoded returns a body as text, or in base64 where it is no text.
func encoded(body string) (text, encoding string) {
	if utf8.ValidString(body) {
		return body, ""
	}
	return base64.StdEncoding.EncodeToString([]byte(body)), "base64"
}

// pairsOf lists a header by name, with the content coding that the body had on the wire.
func pairsOf(h http.Header, coding string) []writtenPair {
	pairs := []writtenPair{}
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, value := range h[name] {
			pairs = append(pairs, writtenPair{name, value})
		}
	}
	if coding != "" && coding != leaf.Unlabelled && h.Get("Content-Encoding") == "" {
		pairs = append(pairs, writtenPair{"Content-Encoding", coding})
	}
	return pairs
}

// queryOf lists the parameters of a query as a form has them. One that cannot be decoded stands as it
// is.
func queryOf(target string) []writtenPair {
	pairs := []writtenPair{}
	target, _, _ = strings.Cut(target, "#")
	_, query, _ := strings.Cut(target, "?")
	for parameter := range strings.SplitSeq(query, "&") {
		if parameter == "" {
			continue
		}
		name, value, _ := strings.Cut(parameter, "=")
		pairs = append(pairs, writtenPair{decoded(name), decoded(value)})
	}
	return pairs
}

func decoded(s string) string {
	plain, err := url.QueryUnescape(s)
	if err != nil {
		return s
	}
	return plain
}

// textOf returns the text of a status line: "Not Found" of "404 Not Found".
func textOf(status string) string {
	code, text, found := strings.Cut(status, " ")
	if !found || strings.Trim(code, "0123456789") != "" {
		return status
	}
	return text
}
