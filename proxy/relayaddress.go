package proxy

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// CallbackAddresses are the addresses of a deck that stand in requests in place of those of shops.
type CallbackAddresses interface {
	// Public returns what all of them begin with.
	Public() string
	// Relay returns the one that stands for a shop's, for callbacks of an API. False: none does.
	Relay(profile, shop string) (address string, ok bool)
	// Shop returns the shop's address for which the first n bytes of a text stand.
	Shop(text string) (n int, shop string, ok bool)
	// Reaches reports whether a sandbox on this machine, or elsewhere, can reach them.
	Reaches(here bool) bool
}

// CallbackRoute has callbacks come through the deck. In the request field in which a client tells
// the sandbox where it wants to be called, as the profile of the API names it, an address of the
// deck stands in place of the shop's:
//
//	shop                                    deck                              sandbox
//	POST /payment/rest/register.do
//	  dynamicCallbackUrl=http://shop/paid   --> http://deck:9/pt1.Wm9v... -->
//
// Everything else of the request keeps its bytes. What a sandbox echoes of the address is the
// shop's again, for the client and on tape, where Meta.Relayed names the field. It is the second
// exception to unaltered bytes, beside the addresses of the sandbox in answers.
//
// A request that is signed over what it says stays as it is, because the sandbox would refuse it;
// so does one to a sandbox that cannot reach the deck.
type CallbackRoute struct {
	Addresses CallbackAddresses

	told sync.Map // of Note: each is told once
}

// The notes on callbacks that do not come through the deck.
const (
	NoteCallbackSigned Note = "a request that names the shop's address is signed and stays as it " +
		"is: its callbacks go to the shop and are not recorded"
	NoteCallbackUnreachable Note = "the sandbox is not on this machine and cannot reach the deck: " +
		"callbacks go to the shop and are not recorded; --public-url says where the deck is reached"
	NoteCallbackTooLong Note = "the address of the deck is longer than the sandbox takes: " +
		"callbacks go to the shop and are not recorded"
)

// relayedRequest is a request of which the sandbox gets an address of the deck, and the tape the
// shop's.
type relayedRequest struct {
	leaf.Unprinted
	field  string      // that holds the address
	target string      // as it goes upstream
	header http.Header // as the client has sent it
	body   []byte      // the same, in its content coding
}

// header returns the header of the request as a tape holds it.
func (v *outbound) header() http.Header {
	if v.relayed != nil {
		return v.relayed.header
	}
	return v.out.Header
}

// sent returns what is known of the request now: its target, and what was sent of its body.
func (v *outbound) sent() string {
	v.upload.mu.Lock()
	defer v.upload.mu.Unlock()
	if v.upload.stored != "" {
		return v.target + "\n" + v.upload.stored
	}
	return v.target + "\n" + v.upload.sent.text()
}

// relayCallbacks puts an address of the deck in place of the shop's.
func (r *Route) relayCallbacks(v *outbound) error {
	if r.Callbacks == nil || v.call.Operation == nil || v.call.Profile.Callbacks == nil {
		return nil
	}
	fields := v.call.Profile.Callbacks.Address
	var ahead []byte
	if v.out.Body != nil && v.out.Body != http.NoBody {
		body, whole, err := r.ahead(v)
		if !whole || err != nil {
			return err
		}
		ahead = body
	}
	h := v.out.Header
	text, charset := plain(h, r.decoded(v, h, ahead))
	if !mentionsAny(fields, v.target) && !mentionsAny(fields, text) && !leaf.MayPack(text) {
		return nil
	}
	m := leaf.Read(leaf.Message{Target: v.target, Header: h, Body: text})
	list := r.relayEdits(v, m, fields)
	if len(list) == 0 {
		return nil
	}
	turned := m.Splice(list)
	v.relayed = &relayedRequest{
		field: list[0].Leaf.Path, target: turned.Target, header: h.Clone(), body: ahead,
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

// mentionsAny reports whether a text has one of some words in it. Words of fields need no escape.
func mentionsAny(words []string, text string) bool {
	for _, word := range words {
		if containsFold(text, word) {
			return true
		}
	}
	return false
}

// relayEdits returns the edits that put addresses of the deck into a request; none where its
// callbacks cannot come through the deck.
func (r *Route) relayEdits(v *outbound, m *leaf.Message, fields []string) []leaf.Edit {
	var list []leaf.Edit
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Kind != leaf.String || !namesField(l, fields) {
			continue
		}
		address, ok := r.Callbacks.Addresses.Relay(v.call.Profile.Name, l.Value)
		if !ok {
			continue
		}
		at := profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape}
		f, _ := r.Upstreams.set.Field(v.call, profile.Request, at)
		if f.Max > 0 && utf8.RuneCountInString(address) > int(f.Max) {
			r.tellOnce(v, NoteCallbackTooLong)
			continue
		}
		list = append(list, leaf.Whole(l, address))
	}
	switch {
	case len(list) == 0:
		return nil
	case r.signed(v, m):
		r.tellOnce(v, NoteCallbackSigned)
		return nil
	case !r.Callbacks.Addresses.Reaches(isHere(v.up)):
		r.tellOnce(v, NoteCallbackUnreachable)
		return nil
	}
	return list
}

// namesField reports whether a leaf goes by one of some names. The names of a profile have no case.
func namesField(l *leaf.Leaf, fields []string) bool {
	switch l.Place {
	case leaf.Query, leaf.Form, leaf.JSON, leaf.Markup:
	default:
		return false
	}
	for _, field := range fields {
		if strings.EqualFold(l.Key, field) || l.Name != "" && strings.EqualFold(l.Name, field) {
			return true
		}
	}
	return false
}

// signed reports whether a request holds a signature or a digest of itself, as the rows of the
// profiles tell.
func (r *Route) signed(v *outbound, m *leaf.Message) bool {
	set := r.Upstreams.set
	for name := range m.Header {
		if f, known := set.HeaderField(v.call, profile.Request, name); known && f.Signs {
			return true
		}
	}
	for i := range m.Leaves {
		l := &m.Leaves[i]
		at := profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape}
		if l.Place == leaf.Header || l.Value == "" {
			continue
		}
		if f, known := set.Field(v.call, profile.Request, at); known && f.Signs {
			return true
		}
	}
	return false
}

// isHere reports whether an upstream is on this machine.
func isHere(up *Upstream) bool {
	host := up.host
	if end := strings.LastIndexByte(host, ':'); end > strings.LastIndexByte(host, ']') {
		host = host[:end]
	}
	host = strings.Trim(host, "[]")
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback() || host == "localhost"
}

// tellOnce tells of what concerns callbacks as a whole.
func (r *Route) tellOnce(v *outbound, n Note) {
	if _, again := r.Callbacks.told.LoadOrStore(n, true); !again {
		r.warn(v, n)
	}
}

// namesShops puts the shops' addresses back in place of the deck's in a decoded body.
func (c *CallbackRoute) namesShops(h http.Header, text string) (string, bool) {
	if !mayHold(c.Addresses.Public(), text) {
		return text, false
	}
	m := leaf.Read(leaf.Message{
		Header: http.Header{"Content-Type": h.Values("Content-Type")}, Body: text,
	})
	list := edits(m, func(l *leaf.Leaf) []leaf.Link {
		if l.Place == leaf.Header {
			return nil
		}
		return all(l.Value)
	}, c.Addresses.Shop)
	return m.Splice(list).Body, len(list) > 0
}

// noteCallbacks notes on an exchange how callbacks concern it: that it is one, or that its request
// was to bring some through the deck. What the answer echoes of the deck's address is the shop's
// again.
func (c *wireCopy) noteCallbacks(x *leaf.Exchange) {
	switch {
	case c.callback != nil:
		mark := c.callback.Mark()
		x.Meta.Operation, x.Meta.Callback = profile.CallbackOperation, &mark
		x.Meta.Rules = c.callback.Rules
	case c.route.Callbacks == nil || c.outbound.call.Operation == nil:
	default:
		if c.outbound.relayed != nil {
			x.Meta.Relayed = c.outbound.relayed.field
		}
		x.Response.Body = c.namesShops(x.Response.Headers, x.Response.Body)
	}
}

// namesShops is that of CallbackRoute for the body of an answer as it was on the wire.
func (c *wireCopy) namesShops(h http.Header, body string) string {
	if body == "" || len(body) > maxRewritten {
		return body
	}
	decoded, err := leaf.Decode(coding(h), []byte(body), maxRewritten)
	if err != nil {
		return body
	}
	text, charset := plain(h, decoded)
	text, changed := c.route.Callbacks.namesShops(h, text)
	if !changed {
		return body
	}
	if text, err = leaf.EncodeText(charset, text); err != nil {
		return body
	}
	coded, err := leaf.Encode(coding(h), []byte(text))
	if err != nil {
		return body
	}
	return string(coded)
}
