package request

import (
	"cmp"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Layout is what the requests of a call have in common whose leaves stand in the same places: their
// parameters but for the texts. Clients send a few layouts again and again, so what a parameter is, and
// where it comes among the others, is worked out once. A Layout keeps nothing of the requests.
type Layout struct {
	call      profile.CallKey
	hash      uint64
	multipart bool
	leaves    []placed
	params    []Param // without kinds and texts
	from      []int   // of each parameter the leaf that it is
}

// placed is where a leaf stands.
type placed struct {
	place                  leaf.Place
	empty                  bool // of the kind leaf.Empty
	key, name, path, shape string
}

// Bounds of a layout that is remembered.
const (
	mostLaidOut    = 64  // leaves
	longestLaidOut = 512 // bytes of what tells where a leaf stands
)

// Hash is equal for equal layouts, and differs for most others.
func (l *Layout) Hash() uint64 { return l.hash }

// Field returns what is known of the i-th parameter.
func (l *Layout) Field(i int) profile.Field { return l.params[i].Field }

// layoutOf returns the layout of leaves of a request; nil if it is not to be remembered. What a leaf with
// passages is, their texts tell.
func layoutOf(set *profile.Set, c profile.Call, leaves []leaf.Leaf, multipart bool) *Layout {
	if len(leaves) > mostLaidOut {
		return nil
	}
	hash := uint64(len(leaves))
	for i := range leaves {
		l := &leaves[i]
		if n := len(l.Path); n > 0 {
			hash = hash*31 + uint64(n)<<8 + uint64(l.Path[0]) + uint64(l.Path[n-1])*7
		}
	}
	hash ^= hash >> 17
	call := c.Key()
	notes := set.Notes()
	places := notes.Of(hash)
	for i := range places {
		l, ok := places[i].Load().(*Layout)
		if ok && l.hash == hash && l.call == call && l.multipart == multipart && l.has(leaves) {
			return l
		}
	}
	l := makeLayout(set, c, leaves, multipart)
	if l != nil {
		l.hash = hash
		notes.Note(hash, l)
	}
	return l
}

// has reports whether leaves stand in the places of the layout.
func (l *Layout) has(leaves []leaf.Leaf) bool {
	if len(l.leaves) != len(leaves) {
		return false
	}
	for i := range leaves {
		x, at := &leaves[i], &l.leaves[i]
		if x.Path != at.path || x.Place != at.place || x.Shape != at.shape || x.Key != at.key ||
			x.Name != at.name || (x.Kind == leaf.Empty) != at.empty || x.Passage() != nil {
			return false
		}
	}
	return true
}

// makeLayout works out the layout of leaves; nil if it is not to be remembered.
func makeLayout(set *profile.Set, c profile.Call, leaves []leaf.Leaf, multipart bool) *Layout {
	type laid struct {
		Param
		from int
	}
	size := 0
	for i := range leaves {
		x := &leaves[i]
		n := len(x.Key) + len(x.Name) + len(x.Path) + len(x.Shape)
		if x.Passage() != nil || n > longestLaidOut {
			return nil
		}
		size += n
	}
	l := &Layout{call: c.Key(), multipart: multipart, leaves: make([]placed, len(leaves))}
	var texts strings.Builder // one piece of memory, which each request looks through
	texts.Grow(size)
	keep := func(text string) string {
		from := texts.Len()
		texts.WriteString(text)
		return texts.String()[from:]
	}
	var all []laid
	for i := range leaves {
		x := leaves[i]
		x.Value = ""
		path := keep(x.Path)
		if x.Shape == x.Path {
			x.Shape = path
		} else {
			x.Shape = keep(x.Shape)
		}
		if strings.HasSuffix(path, x.Key) {
			x.Key = path[len(path)-len(x.Key):]
		} else {
			x.Key = keep(x.Key)
		}
		x.Path, x.Name = path, keep(x.Name)
		l.leaves[i] = placed{x.Place, x.Kind == leaf.Empty, x.Key, x.Name, x.Path, x.Shape}
		p, ok := Parameter(set, c, &x)
		if multipart && x.Place == leaf.Form {
			p.Place = leaf.Part
		}
		if ok {
			all = append(all, laid{p, i})
		}
	}
	slices.SortStableFunc(all, func(x, y laid) int { return cmp.Compare(x.Path, y.Path) })
	for _, x := range all {
		l.params, l.from = append(l.params, x.Param), append(l.from, x.from)
	}
	numberRepeats(l.params)
	return l
}

// appendParams appends the parameters that leaves of the layout are.
func (l *Layout) appendParams(to []Param, leaves []leaf.Leaf) []Param {
	first := len(to)
	to = append(to, l.params...)
	for i, from := range l.from {
		to[first+i].Text, to[first+i].Kind = leaves[from].Value, leaves[from].Kind
	}
	return to
}
