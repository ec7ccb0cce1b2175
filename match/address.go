package match

import (
	"cmp"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// A tape holds the addresses of the sandboxes, and live requests those by which the client
// reached the deck. Requests are compared with a mark in the place of both; in answers the one
// takes the place of the other.

// deckMark stands for the deck in addresses. No address begins so.
const deckMark = "deck:"

// settle prepares a live request to be compared with those on tape.
func (t *Tape) settle(r *Request) {
	r.atDeck(r.Bases, []string{r.Deck}, t.origins)
	t.hosts.locate(r)
	r.identify()
}

// know notes the hosts of a cassette, and sorts them: one may lie below another, so the longest
// addresses come first.
func (t *Tape) know(hosts []Host) {
	for _, h := range hosts {
		if h.Name != "" {
			t.named = slices.DeleteFunc(t.named, func(o Host) bool { return o.Name == h.Name })
			t.named = append(t.named, h)
		}
	}
	slices.SortStableFunc(hosts, func(a, b Host) int {
		return cmp.Compare(len(b.Address), len(a.Address))
	})
	t.origins = append(t.origins, addresses(hosts)...)
	slices.SortFunc(t.origins, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	t.origins = slices.Compact(t.origins)
}

func addresses(hosts []Host) []string {
	var all []string
	for _, h := range hosts {
		all = append(all, h.Address)
	}
	return all
}

// atDeck replaces base addresses by the deck's mark, in parameters that hold addresses and in
// those of which no profile knows what they hold.
func (r *Request) atDeck(bases ...[]string) {
	for i := range r.params {
		p := &r.params[i]
		if p.known && !p.field.Address || !strings.Contains(p.text, "://") {
			continue
		}
		for _, list := range bases {
			if base := baseOf(p.text, list); base != "" {
				p.text = deckMark + p.text[len(base):]
				break
			}
		}
	}
}

// baseOf returns the first of some base addresses with which a text begins, "" if none is.
func baseOf(text string, bases []string) string {
	i := slices.IndexFunc(bases, func(b string) bool { return b != "" && strings.HasPrefix(text, b) })
	if i < 0 {
		return ""
	}
	return bases[i]
}

// destination is where an address in an answer leads: to a host on tape, or by its path alone
// to the host that it is from.
type destination struct {
	host Host
	path bool
	// bare is set for a path that is the upstream's base path and nothing else.
	bare bool
}

// addresses makes holes of the addresses of sandboxes in a leaf: in the fields that the profile
// names, and wherever a page leads on.
func (a *answerCompiler) addresses(l *leaf.Leaf, f profile.Field) {
	switch {
	case l.Place == leaf.Header && l.Key == "Refresh":
		if link, ok := leaf.Refresh(l.Value); ok {
			a.address(l, link)
		}
	case f.Address || l.Place == leaf.Header && l.Key == "Location":
		a.address(l, leaf.Link{To: len(l.Value)})
	case a.page:
		for _, link := range l.Links() {
			a.address(l, link)
		}
	}
}

// address makes a hole of the beginning of an address.
func (a *answerCompiler) address(l *leaf.Leaf, link leaf.Link) {
	text := link.Address(l.Value)
	for _, h := range a.origins {
		if n := leadsTo(text, h.Address); n > 0 {
			a.lead(l, leaf.Link{From: link.From, To: link.End(l.Value, n)}, destination{host: h})
			return
		}
	}
	base := pathIn(a.e.address)
	if !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") || !beginsWith(text, base) {
		return
	}
	rest := text[len(base):]
	at := destination{path: true, bare: base != "" && !strings.HasPrefix(rest, "/")}
	a.lead(l, leaf.Link{From: link.From, To: link.End(l.Value, len(base))}, at)
}

func (a *answerCompiler) lead(l *leaf.Leaf, at leaf.Link, to destination) {
	a.add(l, at.From, at.To, &hole{
		rendering: rendering{how: origins, like: at.Of(l.Value)}, at: &to,
	})
}

// leadsTo returns how many bytes at the beginning of an address are a base address, with its
// scheme or without; 0 if it leads elsewhere.
func leadsTo(text, address string) int {
	if strings.HasPrefix(text, "//") {
		_, address, _ = strings.Cut(address, ":")
	}
	n := len(address)
	if n == 0 || n > len(text) || !strings.EqualFold(text[:n], address) ||
		!beginsWith(text, text[:n]) {
		return 0
	}
	return n
}

// address returns what stands for the beginning of an address in an answer to a request.
func (r *Request) address(h *hole) string {
	switch {
	case r.Deck == "":
		return h.like
	case h.at.bare:
		return pathIn(r.Deck) + r.Prefix + "/"
	case h.at.path:
		return pathIn(r.Deck) + r.Prefix
	case r.Home == nil:
		return r.Deck
	}
	return cmp.Or(r.Home(h.at.host), h.like)
}

// pathIn returns the path of a base URL; "" if it has none.
func pathIn(base string) string {
	_, rest, _ := strings.Cut(base, "://")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return ""
}

// givenAddress makes a hole of an address the client gave, such as the returnUrl to which
// the sandbox only appends.
func (a *answerCompiler) givenAddress(l *leaf.Leaf) {
	var longest *variable
	for _, t := range a.e.threads {
		for _, v := range a.scopes[t].urls {
			base, _, _ := strings.Cut(v.text, "#")
			if beginsWith(l.Value, base) && (longest == nil || len(v.text) > len(longest.text)) {
				longest = v
			}
		}
	}
	if longest == nil {
		return
	}
	base, fragment, _ := strings.Cut(longest.text, "#")
	opening, closing := len(base), len(l.Value)
	if opening < closing && strings.IndexByte("?&", l.Value[opening]) >= 0 {
		opening++ // the separator depends on what the client's address has
	}
	if fragment != "" && strings.HasSuffix(l.Value, "#"+fragment) {
		closing -= len(fragment) + 1
	}
	vars := []*variable{longest}
	front := rendering{how: appended, like: l.Value[:opening]}
	a.add(l, 0, opening, &hole{vars: vars, rendering: front})
	if closing >= opening {
		a.add(l, closing, len(l.Value), &hole{vars: vars, rendering: rendering{how: anchor}})
	}
}

// beginsWith reports whether an address is another with something appended to it.
func beginsWith(address, base string) bool {
	rest, ok := strings.CutPrefix(address, base)
	return ok && (rest == "" || strings.IndexByte("/?#&", rest[0]) >= 0 ||
		strings.HasSuffix(base, "/") || strings.HasSuffix(base, "="))
}
