package explain

import (
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/curl"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pretty"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// Exchange shows an exchange in full. x is the zero Clean where the exchange is held no longer, and t is
// nil where no tape was asked.
func Exchange(o Options, row view.Row, x redact.Clean, t *match.Trace) view.Exchange {
	v := view.Exchange{
		Row: row, RequestFields: []view.Field{}, ResponseFields: []view.Field{},
		Timing: view.Timing{Took: row.Took}, Before: row.State,
	}
	v.Request.Header, v.Response.Header = []view.HeaderField{}, []view.HeaderField{}
	clean := x.Exchange()
	if clean == nil {
		v.Gone = true
		return v
	}
	e := newExplainer(o, row, x)
	v.Request, v.Response = e.messages(x)
	var request, answer []match.TapeField
	var differ map[string]bool
	mends := []match.Mend(nil)
	if t != nil {
		found := t.Explain()
		request, answer = t.FieldsOnTape()
		differ, mends = differing(found), found.Mends
		v.Before, v.After, v.Timing.OnTape = found.Before, found.After, t.Took()
		if found.Reason != "" {
			answer = nil // what the client got is no answer of the tape
		}
	}
	more := 0
	v.RequestFields, more = e.requestFields(t, request, differ)
	v.ResponseFields, v.More = e.answerFields(answer)
	v.More += more
	if rec, found := e.recorded(); found && proxy.Kind(row.Kind) == proxy.Served {
		request, response := e.messages(rec)
		v.RecordedRequest, v.RecordedResponse = &request, &response
	}
	v.Curl = x.Derive(func(x *leaf.Exchange) string {
		return curl.Command(x, curl.Options{Base: o.Base, Profiles: o.Profiles})
	})
	v.Rule = e.rule(mends)
	return v
}

// differing are the paths of the parameters that kept the nearest recording from serving.
func differing(found *match.Explanation) map[string]bool {
	paths := map[string]bool{}
	if found.Reason == "" || len(found.Candidates) == 0 {
		return paths
	}
	for _, c := range found.Compared {
		if c.Differs {
			paths[c.Path] = true
		}
	}
	for _, d := range found.Candidates[0].Diffs {
		paths[d.Path] = true
	}
	return paths
}

// recorded returns the exchange on tape from which the answer was served.
func (e *explainer) recorded() (redact.Clean, bool) {
	if e.Recorded == nil || e.row.Cassette == "" {
		return redact.Clean{}, false
	}
	return e.Recorded(e.row.Cassette, e.row.Number)
}

// messages shows the two messages of an exchange.
func (e *explainer) messages(x redact.Clean) (request, response view.Message) {
	request, response = requestOf(x), responseOf(x)
	request.Pretty = prettier(&request, x.Derive(func(x *leaf.Exchange) string {
		return pretty.Request(e.Profiles, x)
	}))
	response.Pretty = prettier(&response, x.Derive(func(x *leaf.Exchange) string {
		return pretty.Response(e.Profiles, x)
	}))
	return request, response
}

// prettier returns a body as it is laid out, cut as a body is; nothing if the layout adds nothing.
func prettier(m *view.Message, laidOut redact.Safe) redact.Safe {
	if laidOut == m.Body {
		return redact.Safe{}
	}
	return laidOut.Clip(MaxBody)
}

// requestOf shows the request of an exchange.
func requestOf(x redact.Clean) view.Message {
	m := x.Exchange()
	v := body(x, m.Request.Headers, func(x *leaf.Exchange) string { return x.Request.Body })
	v.Line = x.Derive(func(x *leaf.Exchange) string {
		return x.Request.Method + " " + x.Target()
	}).Clip(MaxText)
	v.Header = headerOf(x, m.Request.Headers)
	return v
}

// responseOf shows the answer of an exchange.
func responseOf(x redact.Clean) view.Message {
	m := x.Exchange()
	v := body(x, m.Response.Headers, func(x *leaf.Exchange) string { return x.Response.Body })
	v.Line = x.Derive(func(x *leaf.Exchange) string {
		if x.Response.Status == "" && x.Code != 0 {
			return http.StatusText(x.Code)
		}
		return x.Response.Status
	}).Clip(MaxText)
	v.Header = headerOf(x, m.Response.Headers)
	if len(m.Meta.Trailers) > 0 {
		v.Trailer = headerOf(x, m.Meta.Trailers)
	}
	return v
}

// body shows a body, and says what it is.
func body(x redact.Clean, h http.Header, of func(*leaf.Exchange) string) view.Message {
	text := of(x.Exchange())
	v := view.Message{Size: len(text), Cut: len(text) > MaxBody, Media: mediaOf(h)}
	v.Body = x.Derive(func(*leaf.Exchange) string {
		return strings.ToValidUTF8(text[:min(MaxBody, len(text))], "")
	})
	return v
}

// mediaOf names what a body is, as people say it.
func mediaOf(h http.Header) string {
	media, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil {
		return ""
	}
	for _, m := range medias {
		if m.media == media || strings.HasPrefix(m.media, "+") && strings.HasSuffix(media, m.media) {
			return m.name
		}
	}
	return strings.TrimPrefix(media, "application/")
}

// medias are the names of media types.
var medias = []struct{ media, name string }{
	{"application/json", "JSON"}, {"+json", "JSON"}, {"text/html", "HTML"},
	{"application/xhtml+xml", "HTML"}, {"application/xml", "XML"}, {"text/xml", "XML"}, {"+xml", "XML"},
	{"application/x-www-form-urlencoded", "form"}, {"multipart/form-data", "multipart form"},
	{"text/plain", "text"},
}

// maxLines bounds the lines of a header.
const maxLines = 200

// headerOf shows a header, by its names.
func headerOf(x redact.Clean, h http.Header) []view.HeaderField {
	lines := []view.HeaderField{}
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, v := range h[name] {
			if len(lines) == maxLines {
				return lines
			}
			lines = append(lines, view.HeaderField{
				Name:  x.Derive(func(*leaf.Exchange) string { return name }).Clip(MaxText),
				Value: x.Derive(func(*leaf.Exchange) string { return v }).Clip(MaxText),
			})
		}
	}
	return lines
}
