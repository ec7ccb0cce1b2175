package proxy

import (
	"bytes"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// maxRewritten is how large a body may be, coded and decoded, to have addresses turned in it.
const maxRewritten = 1 << 20

// prefixRewrite replaces the beginning of a value: it returns how many bytes of it go and what
// comes in their place, or false for a value that stays.
type prefixRewrite func(value string) (n int, prefix string, ok bool)

// toDeck leads addresses of a sandbox to the deck, and paths to where the deck has them.
func (r *Route) toDeck(v *outbound) prefixRewrite {
	return func(value string) (int, string, bool) {
		if n, up, ok := r.Upstreams.lead(value, v.up.scheme); ok {
			to := v.addressing.address(v.deck, v.base, up)
			return n, to, to != ""
		}
		return v.pathAtDeck(value)
	}
}

// pathAtDeck leads an address that is a path alone to where the deck has it: below the
// session and the name of its host, and not below the upstream's base path. A client of the
// forward door that uses the sandbox's own address needs nothing of that.
func (v *outbound) pathAtDeck(value string) (int, string, bool) {
	if !strings.HasPrefix(value, "/") || strings.HasPrefix(value, "//") {
		return 0, "", false
	}
	base, at := v.up.Base, v.base+v.addressing.prefix()
	if base+at == "" || v.addressing.own() || !underBase(value, base) {
		return 0, "", false
	}
	if strings.HasPrefix(value[len(base):], "/") {
		return len(base), at, true
	}
	return len(base), at + "/", true // the base path alone
}

// toSandbox leads addresses of the deck to the sandbox that owns their path.
func (r *Route) toSandbox(v *outbound) prefixRewrite {
	return func(value string) (int, string, bool) {
		origin, n := originOf(value)
		if origin == "" || origin != v.deck {
			return 0, "", false
		}
		if v.base != "" && underBase(value[n:], v.base) {
			n += len(v.base)
		}
		if rest := value[n:]; strings.HasPrefix(rest, "/") {
			up, skip := r.owner(v, rest)
			return n + skip, up.Origin + up.Base, true
		}
		return n, r.page(v).Origin, true // an Origin header has no path
	}
}

// owner returns the upstream to which a path below the deck's address, or below that of the
// session, leads, and how many bytes of the path only the deck knows.
func (r *Route) owner(v *outbound, path string) (up *Upstream, skip int) {
	if v.addressing.forward {
		return v.up, 0
	}
	if name, _, ok := inHost(path); ok {
		if host, known := r.Upstreams.named(strings.ToLower(name)); known {
			return host, len(hostPrefix) + len(name)
		}
	}
	if up, ok := r.Upstreams.of(r.Upstreams.find(v.out.Method, pathOf(path)).Profile); ok {
		return up, 0
	}
	return v.up, 0
}

// page returns the upstream whose page made a browser send a request, as far as it tells. All
// pages have the deck's origin, so it is the Referer that tells.
func (r *Route) page(v *outbound) *Upstream {
	from := v.out.Header.Get("Referer")
	origin, n := originOf(from)
	if origin != v.deck || !underBase(from[n:], v.base) {
		return v.up
	}
	up, _ := r.owner(v, from[n+len(v.base):])
	return up
}

// edits turns the addresses of the leaves that pick finds.
func edits(m *leaf.Message, pick func(*leaf.Leaf) []leaf.Link, t prefixRewrite) []leaf.Edit {
	var list []leaf.Edit
	for i := range m.Leaves {
		l := &m.Leaves[i]
		for _, link := range pick(l) {
			if n, prefix, ok := t(link.Address(l.Value)); ok {
				list = append(list, leaf.Edit{
					Leaf: l, From: link.From, To: link.End(l.Value, n), Value: prefix,
				})
			}
		}
	}
	return list
}

// all is a value that is an address as a whole.
func all(value string) []leaf.Link { return []leaf.Link{{To: len(value)}} }

// rewriteRequest maps the deck's addresses in a request to the sandbox's. Only a value that begins
// with the deck's address changes; without one the request goes out byte for byte.
func (r *Route) rewriteRequest(v *outbound) error {
	body, err := r.bodyAhead(v)
	if err != nil {
		return err
	}
	h := v.out.Header
	text, charset := plain(h, body)
	if !mayHold(v.deck, v.target) && !mayHold(v.deck, text) &&
		!mentions(v.deck, h.Get("Referer")) && !mentions(v.deck, h.Get("Origin")) {
		return nil
	}
	m := leaf.Read(leaf.Message{Target: absolute(v.deck, v.target), Header: h, Body: text})
	list := edits(m, func(l *leaf.Leaf) []leaf.Link {
		switch l.Place {
		case leaf.Query, leaf.Form, leaf.JSON, leaf.Markup:
			return all(l.Value)
		case leaf.Header:
			if l.Key == "Referer" || l.Key == "Origin" {
				return all(l.Value)
			}
		}
		return nil
	}, r.toSandbox(v))
	if len(list) == 0 {
		return nil
	}
	turned := m.Splice(list)
	v.out.Header = turned.Header
	if strings.HasPrefix(v.target, "/") {
		v.target = strings.TrimPrefix(turned.Target, v.deck)
	}
	if turned.Body == text {
		return nil
	}
	coded, err := leaf.EncodeText(charset, turned.Body)
	if err != nil {
		return problemRequest
	}
	return r.replaceRequest(v, coded)
}

// bodyAhead returns the decoded body of a request in which addresses may be turned, and
// leaves the request with all of its body to be sent. It returns nil for other requests. Those
// are calls that a profile knows, and forms: the page of an issuer is told where to lead to.
func (r *Route) bodyAhead(v *outbound) ([]byte, error) {
	known := v.call.Operation != nil && v.call.Profile.Addresses()
	if !known && !isForm(v.out.Header) || v.deck == "" ||
		v.out.Body == nil || v.out.Body == http.NoBody {
		return nil, nil
	}
	ahead, whole, err := r.ahead(v)
	if !whole || err != nil {
		return nil, err
	}
	return r.decoded(v, v.out.Header, ahead), nil
}

// ahead reads the body of a request to its end and leaves all of it to be sent. Of a body that is
// too large whole is false.
func (r *Route) ahead(v *outbound) (body []byte, whole bool, err error) {
	ahead, whole, rest := readAhead(v.out.Body, maxRewritten)
	v.out.Body = rest
	switch {
	case whole:
		return ahead, true, nil
	case int64(len(ahead)) > maxRewritten:
		r.warn(v, NoteAddressTooLarge)
		return nil, false, nil
	case v.out.Context().Err() != nil:
		return nil, false, ErrAbort
	}
	return nil, false, problemRequest
}

// decoded undoes the content coding of a body; nil for one that cannot be undone.
func (r *Route) decoded(v *outbound, h http.Header, body []byte) []byte {
	text, err := leaf.Decode(coding(h), body, maxRewritten)
	if err != nil {
		r.warn(v, NoteAddressUndecoded)
		return nil
	}
	return text
}

// plain returns a body in UTF-8, and the charset that it was in; a body of which that cannot be
// told as it is.
func plain(h http.Header, body []byte) (text, charset string) {
	text, charset, err := leaf.DecodeText(h.Get("Content-Type"), string(body))
	if err != nil {
		return string(body), ""
	}
	return text, charset
}

// replaceRequest gives the request another body, in its old content coding and framing.
func (r *Route) replaceRequest(v *outbound, text string) error {
	body, err := leaf.Encode(coding(v.out.Header), []byte(text))
	if err != nil {
		return problemRequest
	}
	v.out.Body = prefixedBody{bytes.NewReader(body), v.out.Body}
	if v.out.ContentLength >= 0 {
		v.out.ContentLength = int64(len(body))
		v.out.Header = v.out.Header.Clone() // it may be that of the request as it came
		v.out.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	return nil
}

// mayHold reports whether a text may hold an address of an origin, as it is or in a packed
// message.
func mayHold(origin, text string) bool { return mentions(origin, text) || leaf.MayPack(text) }

// mentions reports whether a text may hold an address of an origin at all, so that most
// messages are not taken apart. In a form the port is escaped, a host name never is.
func mentions(origin, text string) bool {
	_, host, _ := strings.Cut(origin, "://")
	if strings.HasPrefix(host, "[") {
		return true // an IPv6 address is escaped in many ways
	}
	host, _, _ = strings.Cut(host, ":")
	return host != "" && containsFold(text, host)
}

// containsFold is strings.Contains without regard to ASCII case.
func containsFold(text, word string) bool {
	for i := 0; i+len(word) <= len(text); i++ {
		if text[i]|0x20 == word[0]|0x20 && strings.EqualFold(text[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

func (r *Route) warn(v *outbound, n Note) {
	e := Event{Kind: Warning, Note: n}
	e.identify(v.call)
	tell(r.Observe, e)
}

// coding returns the content codings of a body, as one list.
func coding(h http.Header) string { return strings.Join(h["Content-Encoding"], ", ") }

// isForm reports whether a request is a form of a page.
func isForm(h http.Header) bool {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return media == "application/x-www-form-urlencoded"
}

// isPage reports whether an answer is a page.
func isPage(h http.Header) bool {
	return h.Get("Content-Type") != "" && (&leaf.Message{Header: h}).HTML()
}

// streams reports whether an answer is a stream of events, which has no natural end.
func streams(h http.Header) bool {
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	return media == "text/event-stream"
}
