package request

import (
	"cmp"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// Host is a host beside the APIs on a tape, as recording knew it by name.
type Host struct{ Name, Address string }

// deckMark stands for the deck in addresses. No address begins so.
const deckMark = "deck:"

// AtDeck replaces base addresses by one mark, in parameters that hold addresses, in those of which
// no profile knows what they hold, and in those that are compared as they are: a tape has the
// sandbox's address there, a live client the deck's, and they are compared without either.
func (r *Request) AtDeck(bases ...[]string) {
	for i := range r.Params {
		p := &r.Params[i]
		exact := p.Field.From == profile.Exact
		if p.Known && !p.Field.Address && !exact || !strings.Contains(p.Text, "://") {
			continue
		}
		for _, list := range bases {
			if base := baseOf(p.Text, list); base != "" {
				r.atDeck = append(r.atDeck, *p)
				p.Text = deckMark + p.Text[len(base):]
				break
			}
		}
	}
}

// AsSent returns the text of a parameter with the address that was sent, whatever AtDeck has made of it.
func (r *Request) AsSent(p *Param) string {
	for i := range r.atDeck {
		if r.atDeck[i].Path == p.Path {
			return r.atDeck[i].Text
		}
	}
	return p.Text
}

// baseOf returns the first of some base addresses with which a text begins, "" if none is.
func baseOf(text string, bases []string) string {
	i := slices.IndexFunc(bases, func(b string) bool {
		rest, found := strings.CutPrefix(text, b)
		whole := strings.HasSuffix(b, "/") || rest == "" || strings.IndexByte("/?#", rest[0]) >= 0
		return b != "" && found && whole // and not http://127.0.0.1:80 of a port 8080
	})
	if i < 0 {
		return ""
	}
	return bases[i]
}

// Leads returns what stands for the beginning of an address in an answer to the request: like is
// what stands on tape there, and at tells where it leads.
func (r *Request) Leads(like string, at Destination) string {
	switch {
	case r.Deck == "":
		return like
	case at.Bare:
		return PathIn(r.Deck) + r.Prefix + "/"
	case at.Path:
		return PathIn(r.Deck) + r.Prefix
	case r.Home == nil:
		return r.Deck
	}
	return cmp.Or(r.Home(at.Host), like)
}

// Destination is where an address in an answer leads: to a host on tape, or by its path alone to
// the host that it is from.
type Destination struct {
	Host Host
	Path bool
	// Bare is set for a path that is the upstream's base path and nothing else.
	Bare bool
}

// PathIn returns the path of a base URL; "" if it has none.
func PathIn(base string) string {
	_, rest, _ := strings.Cut(base, "://")
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		return rest[i:]
	}
	return ""
}
