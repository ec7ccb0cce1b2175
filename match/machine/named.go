package machine

import (
	"slices"

	"github.com/paytape/paytape/match/tape"
)

// An id of an API that no profile knows is a name only where a client on tape has sent it:
//
//	#2 account.open    account 74309
//	#3 account.get     account 74309
//	#5 account.open    account 74310
//
// #2 and #5 say the same. But what a live client opens by #5 has no name, and it could ask for nothing. So
// accounts are opened as in #2.

// Named returns those of interchangeable recordings whose answers bring the most names, or all recordings
// if these are not interchangeable.
func (g *Group) Named() []*Recording {
	if g.named > 0 {
		return g.Recordings[:g.named:g.named]
	}
	return g.Recordings
}

// Unnamed reports whether recordings of another view of the case, which say the same, bring more names.
func (g *Group) Unnamed() bool { return g.named == 0 && g.Recordings[0].Unnamed }

// findNamed finds the recordings of which Named tells.
func (c *Case) findNamed(s *slabs) {
	if c.All.Alike {
		c.All.compareNames(s)
		for _, v := range c.views {
			v.group.keepNamed(s)
		}
		return
	}
	for _, v := range c.views {
		if v.group.Alike {
			v.group.compareNames(s)
		}
	}
}

// compareNames notes which of interchangeable recordings bring fewer names than others.
func (g *Group) compareNames(s *slabs) {
	bears := func(r *Recording) bool { return len(r.Births) > 0 }
	if len(g.Recordings) < 2 || !slices.ContainsFunc(g.Recordings, bears) {
		return
	}
	most, brings := 0, make([]int, len(g.Recordings))
	for i, r := range g.Recordings {
		r.Holes(func(h *tape.Hole) {
			if h.Source.Name {
				brings[i]++
			}
		})
		most = max(most, brings[i])
	}
	for i, r := range g.Recordings {
		r.Unnamed = brings[i] < most
	}
	g.keepNamed(s)
}

// keepNamed puts the recordings that bring fewer names than others behind these.
func (g *Group) keepNamed(s *slabs) {
	unnamed := func(r *Recording) bool { return r.Unnamed }
	if !slices.ContainsFunc(g.Recordings, unnamed) {
		return
	}
	if len(g.Recordings) > few && g.of == nil {
		g.index(s) // of what they are about they stay in their order
	}
	less := slices.DeleteFunc(slices.Clone(g.Recordings), func(r *Recording) bool { return !r.Unnamed })
	named := slices.DeleteFunc(slices.Clone(g.Recordings), unnamed)
	g.named = int32(len(named))
	copy(g.Recordings[copy(g.Recordings, named):], less)
}
