package cassettes

import (
	"bytes"
	"net/http"
	"net/url"

	"github.com/dnaeon/go-vcr/v2/cassette"
	"github.com/paytape/paytape/internal/leaf"
	"go.yaml.in/yaml/v3"
)

// vcrItem is an interaction as any go-vcr writes it: v1, whose duration may be empty, v2, and v3
// and v4, whose format calls itself version 2. Of what those add, the transfer encoding, content
// length and protocol of a connection that is gone mean nothing to replay, and "uncompressed"
// says what the headers say too: the transport took the coding off both.
type vcrItem struct {
	Request struct {
		Body    string
		Form    url.Values
		Headers http.Header
		URL     string
		Method  string
	}
	Response struct {
		Body     string
		Headers  http.Header
		Trailer  http.Header
		Status   string
		Code     int
		Duration string
	}
	Paytape leaf.Meta
}

// exchange returns the interaction as what it is everywhere else.
func (v *vcrItem) exchange() *leaf.Exchange {
	x := &leaf.Exchange{Meta: v.Paytape}
	x.Request = cassette.Request{
		Body: v.Request.Body, Form: v.Request.Form, Headers: v.Request.Headers,
		URL: v.Request.URL, Method: v.Request.Method,
	}
	x.Response = cassette.Response{
		Body: v.Response.Body, Headers: v.Response.Headers,
		Status: v.Response.Status, Code: v.Response.Code,
	}
	// A duration that cannot be read is one that nobody measured.
	x.Response.Duration, _ = parseDuration(v.Response.Duration)
	if len(v.Response.Trailer) > 0 {
		x.Meta.Trailers = v.Response.Trailer
	}
	return x
}

// Interactions returns the interactions of a cassette of any go-vcr; false for a document that is no
// cassette.
func Interactions(doc *yaml.Node) ([]*yaml.Node, bool) {
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return nil, false
	}
	root := doc.Content[0]
	for i := 0; i+1 < len(root.Content); i += 2 {
		if root.Content[i].Value == "interactions" {
			items := root.Content[i+1]
			return items.Content, items.Kind == yaml.SequenceNode
		}
	}
	return nil, false
}

// IsOurs reports whether a cassette begins as those of ours do.
func IsOurs(data []byte) bool { return bytes.HasPrefix(data, []byte(headStart)) }

// ReadInteraction reads an interaction of a cassette of any go-vcr; false for what is none. Nothing of
// it was cleaned.
func ReadInteraction(n *yaml.Node) (*leaf.Exchange, bool) {
	var item vcrItem
	if n.Kind != yaml.MappingNode || n.Decode(&item) != nil {
		return nil, false
	}
	return item.exchange(), true
}
