package tape

import (
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// A tape holds the addresses of the sandboxes; in answers those of the deck take their place.

// addresses makes holes of the addresses of sandboxes in a leaf: in the fields that the profile
// names, wherever a page leads on, and in all that no profile knows.
func (a *answerReader) addresses(l *leaf.Leaf, f profile.Field, n *leafNote) {
	switch {
	case l.Place == leaf.Header && (f.Address || leaf.LeadsOn(l.Key)):
		for _, link := range leaf.HeaderLinks(l.Key, l.Value) {
			a.address(l, link, true)
		}
	case f.Address:
		a.address(l, leaf.Link{To: len(l.Value)}, true)
	case a.page && n.hidden && a.posts(n.action):
		a.address(l, leaf.Link{To: len(l.Value)}, false)
	case a.page:
		for _, link := range n.links {
			a.address(l, link, true)
		}
	case !n.known && a.unsaid(l) && strings.Contains(l.Value, "://") &&
		(l.Place == leaf.JSON || l.Place == leaf.Form):
		a.address(l, leaf.Link{To: len(l.Value)}, false)
	}
}

// posts reports whether a form with an action posts to a sandbox.
func (a *answerReader) posts(action string) bool {
	return leaf.PathAlone(action) || slices.ContainsFunc(a.origins, func(h request.Host) bool {
		return leadsTo(action, h.Address) > 0
	})
}

// address makes a hole of the beginning of an address. paths says that one which is a path alone
// leads to the sandbox too.
func (a *answerReader) address(l *leaf.Leaf, link leaf.Link, paths bool) {
	text := link.Address(l.Value)
	for _, h := range a.origins {
		if n := leadsTo(text, h.Address); n > 0 {
			to := leaf.Link{From: link.From, To: link.End(l.Value, n)}
			a.lead(l, to, request.Destination{Host: h})
			return
		}
	}
	base := request.PathIn(a.rec.Address)
	if !paths || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "//") ||
		!beginsWith(text, base) {
		return
	}
	rest := text[len(base):]
	at := request.Destination{Path: true, Bare: base != "" && !strings.HasPrefix(rest, "/")}
	a.lead(l, leaf.Link{From: link.From, To: link.End(l.Value, len(base))}, at)
}

func (a *answerReader) lead(l *leaf.Leaf, at leaf.Link, to request.Destination) {
	home := to.Host == (request.Host{Name: a.rec.Host, Address: a.rec.Address})
	s := a.source(Filling{What: Leads, Home: home}, "", time.Time{})
	a.hole(l, at.From, at.To, a.written(s, Writing{
		Rendering: Rendering{Like: a.tape.words.word(at.Of(l.Value))},
		To:        &to,
	}))
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

// given makes a hole of an address the client gave, such as the returnUrl to which the sandbox
// only appends.
func (a *answerReader) given(l *leaf.Leaf) {
	length := -1 // of the longest so far
	longer := func(text string) bool {
		base, _, _ := strings.Cut(text, "#")
		if !beginsWith(l.Value, base) || len(text) <= length {
			return false
		}
		length = len(text)
		return true
	}
	var sent *Asked
	var known *value
	for _, p := range a.sends() {
		if strings.Contains(p.Text, "://") && p.Field.From == profile.Shared && longer(p.Text) {
			sent = p
		}
	}
	for _, e := range a.near(l) {
		for to := len(l.Value); to > 0 && len(e.addresses) > 0; to-- {
			if !mayEnd(l.Value, to) {
				continue
			}
			if v := e.addresses[l.Value[:to]]; v != nil && longer(v.text) {
				known = v
			}
		}
	}
	var longest *Source
	switch {
	case known != nil:
		longest = a.ofValues(l, 0, append([]*value{known}, slices.Collect(known.entity.sentAs(known.text))...))
	case sent != nil:
		longest = a.ofSent(l, 0, a.equalTo(sent))
	default:
		return
	}
	base, fragment, _ := strings.Cut(longest.Text, "#")
	opening, closing := len(base), len(l.Value)
	if opening < closing && strings.IndexByte("?&", l.Value[opening]) >= 0 {
		opening++ // the separator depends on what the client's address has
	}
	if fragment != "" && strings.HasSuffix(l.Value, "#"+fragment) {
		closing -= len(fragment) + 1
	}
	front := Rendering{How: Appended, Like: a.tape.slabs.drafts.Clone(l.Value[:opening])}
	a.hole(l, 0, opening, a.filled(longest, front))
	if closing >= opening && (fragment != "" || closing < len(l.Value)) {
		a.hole(l, closing, len(l.Value), a.filled(longest, Rendering{How: Anchor}))
	} else if closing >= opening {
		a.hole(l, len(l.Value), len(l.Value), a.filled(longest, Rendering{How: Anchor}))
	}
}

// equalTo returns a parameter that the client has chosen, and those of the same text behind it.
func (a *answerReader) equalTo(sent *Asked) []*Asked {
	var equal []*Asked
	for _, p := range a.sends() {
		if p.Text == sent.Text && p.Field.From == profile.Shared {
			equal = append(equal, p)
		}
	}
	return equal
}

// beginsWith reports whether an address is another with something appended to it.
func beginsWith(address, base string) bool {
	return strings.HasPrefix(address, base) && mayEnd(address, len(base))
}

// mayEnd reports whether an address may end at an offset in another.
func mayEnd(address string, at int) bool {
	return at == len(address) || strings.IndexByte("/?#&", address[at]) >= 0 ||
		at > 0 && (address[at-1] == '/' || address[at-1] == '=')
}
