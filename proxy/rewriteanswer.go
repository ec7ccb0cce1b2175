package proxy

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// rewriteAnswer leads the sandbox's addresses in an answer to the deck. What it reads ahead has
// been through the capture, so nothing of it goes out before the exchange is on tape.
func (r *Route) rewriteAnswer(v *outbound, res *http.Response) {
	if res.StatusCode == http.StatusSwitchingProtocols {
		return
	}
	if r.Callbacks != nil && v.call.Operation != nil {
		r.editAnswer(v, res, r.Callbacks.namesShops)
	}
	if v.addressing.own() {
		return
	}
	r.rewriteHeader(v, res.Header)
	if known := v.call.Operation != nil && v.call.Profile.Addresses(); known || isPage(res.Header) {
		r.editAnswer(v, res, func(h http.Header, text string) (string, bool) {
			return r.rewriteText(v, h, text)
		})
	}
}

// textEdit changes a decoded body in UTF-8, and reports whether it did.
type textEdit func(h http.Header, text string) (string, bool)

// editAnswer changes the body of an answer, which keeps its content coding, charset and framing.
func (r *Route) editAnswer(v *outbound, res *http.Response, edit textEdit) {
	if v.out.Method == http.MethodHead || !holdsText(res) {
		return
	}
	ahead, whole, rest := readAhead(res.Body, maxRewritten)
	res.Body = rest
	if !whole {
		if int64(len(ahead)) > maxRewritten {
			r.warn(v, NoteAddressTooLarge)
		}
		return
	}
	text, charset := plain(res.Header, r.decoded(v, res.Header, ahead))
	turned, changed := edit(res.Header, text)
	if !changed {
		return
	}
	turned, err := leaf.EncodeText(charset, turned)
	if err != nil {
		return
	}
	body, err := leaf.Encode(coding(res.Header), []byte(turned))
	if err != nil {
		return
	}
	res.Body = prefixedBody{bytes.NewReader(body), rest}
	if res.ContentLength >= 0 {
		res.ContentLength = int64(len(body))
		res.Header.Set("Content-Length", strconv.Itoa(len(body)))
	}
}

// holdsText reports whether an answer has a body that is whole and no stream.
func holdsText(res *http.Response) bool {
	return res.Body != http.NoBody && res.ContentLength != 0 && !streams(res.Header) &&
		res.Header.Get("Content-Range") == ""
}

// rewriteHeader turns the headers that hold addresses: the profile names them. What browsers are
// told of the sandbox's origin is made to hold at the deck.
func (r *Route) rewriteHeader(v *outbound, h http.Header) {
	t := r.toDeck(v)
	for name, values := range h {
		f, known := r.Upstreams.set.HeaderField(v.call, profile.Response, name)
		if !leaf.LeadsOn(name) && (!known || !f.Address) {
			continue
		}
		for i, value := range values {
			for _, link := range slices.Backward(leaf.HeaderLinks(name, value)) {
				if n, prefix, ok := t(link.Of(value)); ok {
					values[i] = values[i][:link.From] + prefix + values[i][link.From+n:]
				}
			}
		}
	}
	if v.deck != "" && concerns(h) {
		at := inbound{origin: v.deck, entrance: entrance{base: v.base}}
		v.addressing.rewriterFor(r.Upstreams, at, v.up).rewrite(h)
	}
}

// rewriteText turns the addresses in a decoded body that the profile knows, and those by which a
// page leads on.
func (r *Route) rewriteText(v *outbound, h http.Header, text string) (string, bool) {
	if !r.mayHoldAddress(v, text) {
		return text, false
	}
	m := leaf.Read(leaf.Message{
		Header: http.Header{"Content-Type": h.Values("Content-Type")}, Body: text,
	})
	page := m.HTML()
	hidden := r.hiddenLinks(v, m, page)
	list := edits(m, func(l *leaf.Leaf) []leaf.Link {
		at := profile.At{Key: l.Key, Name: l.Name, Shape: l.Shape}
		f, known := r.Upstreams.set.Field(v.call, profile.Response, at)
		switch {
		case known && f.Address:
			return all(l.Value)
		case hidden[l]:
			return all(l.Value)
		case page:
			return l.Links()
		}
		return nil
	}, r.toDeck(v))
	return m.Splice(list).Body, len(list) > 0
}

// hiddenLinks returns the hidden fields of a page that hold an address, and that the browser posts
// through the deck, which turns it back: so the sandbox gets what it has written, and may have signed. What
// is posted to others stays, because the shop may look at a signature too.
func (r *Route) hiddenLinks(v *outbound, m *leaf.Message, page bool) map[*leaf.Leaf]bool {
	if !page {
		return nil
	}
	var hidden map[*leaf.Leaf]bool
	for i, action := range m.HiddenLinks() {
		_, _, ours := r.Upstreams.lead(action, v.up.scheme)
		if !ours && !leaf.PathAlone(action) {
			continue
		}
		if hidden == nil {
			hidden = map[*leaf.Leaf]bool{}
		}
		hidden[&m.Leaves[i]] = true
	}
	return hidden
}

// mayHoldAddress reports whether a text may hold an address to be turned at all.
func (r *Route) mayHoldAddress(v *outbound, text string) bool {
	return r.Upstreams.mentioned(text) || leaf.MayPack(text) || v.base+v.addressing.prefix() != "" ||
		v.up.Base != "" && strings.Contains(text, v.up.Base)
}

// mentioned reports whether a text may hold an address of any upstream.
func (u *Upstreams) mentioned(text string) bool {
	return slices.ContainsFunc(u.all, func(up *Upstream) bool {
		return mentions(up.Origin, text)
	})
}
