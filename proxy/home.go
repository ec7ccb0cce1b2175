package proxy

import (
	"slices"

	"github.com/paytape/paytape/match"
)

// Where clients find the hosts on a tape.

// Named reports whether there are hosts with a name.
func (u *Upstreams) Named() bool {
	return slices.ContainsFunc(u.all, func(up *Upstream) bool { return up.Name != "" })
}

// Has reports whether there is a host with a name.
func (u *Upstreams) Has(name string) bool {
	_, ok := u.named(name)
	return ok
}

// AddRecorded adds the hosts with a name that are on tape, unless there is one of the name.
func (u *Upstreams) AddRecorded(hosts []match.Host) {
	for _, h := range hosts {
		up, err := parseUpstream(h.Address)
		if err != nil || u.checkHost(h.Name) != nil {
			continue // somebody wrote the tape by hand
		}
		up.Name = h.Name
		u.all = append(u.all, up)
	}
}

// guise returns the deck as a browser sees it that came this way for an upstream. One that uses
// the deck as a proxy finds the others at their own addresses.
func (w way) guise(all *Upstreams, at entrance, up *Upstream) guise {
	if w.forward {
		all = &Upstreams{all: []*Upstream{up}}
	}
	origin := w.origin(entrance{origin: at.origin, known: true})
	return guise{all, origin, at.base + w.prefix(), up.Base}
}

// recordedAt returns the sandbox that an answer is from.
func recordedAt(a *match.Answer) *Upstream {
	up, err := parseUpstream(a.Address)
	if err != nil {
		return &Upstream{} // a tape of another program
	}
	return up
}

// home returns what finds hosts on tape for a client that came this way; nil if all of them are
// at the deck.
func (w way) home(at entrance) func(match.Host) string {
	if w.all == nil {
		return nil
	}
	return func(h match.Host) string {
		up := w.all.recorded(h)
		if up == nil || h.Name == "" && w.standsForAll() {
			return w.deck(at)
		}
		return w.address(w.origin(at), at.base, up)
	}
}

// standsForAll reports whether the client named a host that is not on tape: it stands for the
// APIs that are.
func (w way) standsForAll() bool {
	return w.alias != "" && w.all.recorded(match.Host{Address: w.up.Origin + w.up.Base}) == nil
}

// recorded returns the upstream that stands for a host on tape; nil if none does.
func (u *Upstreams) recorded(h match.Host) *Upstream {
	if up, ok := u.named(h.Name); ok {
		return up
	}
	i := slices.IndexFunc(u.all, func(up *Upstream) bool {
		return up.Name == "" && up.Origin+up.Base == h.Address
	})
	if i < 0 {
		return nil
	}
	return u.all[i]
}
