package tape

import (
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/redact/surrogate"
)

// fielded is a leaf and what is known of it.
type fielded struct {
	leaf *leaf.Leaf
	note *leafNote
	turn int // when it is looked at
}

// turns is how many turns there are.
const turns = 3

// turn returns when a leaf is looked at. Dates belong to what stands beside them, renderings too;
// an address, or a header, may show an id that is born behind it, and a date far off may have been reckoned
// from one behind it.
func (a *answerReader) turn(l *leaf.Leaf, n *leafNote) int {
	switch from := n.field.From; {
	case from == profile.Rendering, from == profile.Exact && a.unsent(l):
		return 0
	case n.lettered, l.Place == leaf.Header && a.unsaid(l), a.isTerm(l, n):
		return 2
	}
	return 1
}

// fieldOf returns what is known of a leaf of an answer, or of a callback, and whether a row says so.
// infers says that what no row says of the operation is inferred.
func fieldOf(
	set *profile.Set, call profile.Call, half profile.Direction, infers bool, l *leaf.Leaf,
) (profile.Field, bool) {
	if ownHeader(l) {
		return set.HeaderField(call, half, l.Key)
	}
	f, known := set.Meaning(call, half, request.At(l))
	if f.Secret == profile.PAN && pan.IsMask(l.Value) {
		// A field for a number that holds a mask (documents 1 and 2 allow both).
		f.From, f.Form = profile.Rendering, profile.Mask
	}
	if infers && f == (profile.Field{From: profile.Shared}) && !set.Said(call, half, request.At(l)) {
		return profile.Field{From: profile.Exact}, false // a nonce that the API makes, perhaps
	}
	if f.From == profile.Exact && surrogate.IsCard(l.Value) {
		f = profile.Field{From: profile.Shared, Of: "card", Secret: profile.PAN}
	}
	return f, known
}

// unsaid reports whether it may be inferred what a leaf is: its profile has no row for it.
func (a *answerReader) unsaid(l *leaf.Leaf) bool {
	call := a.req.Call
	switch {
	case !a.rec.Infers || call.Profile == nil:
		return a.rec.Infers
	case ownHeader(l):
		return !a.opts.Profiles.SaidHeader(call, a.half(), l.Key)
	}
	return !a.opts.Profiles.Said(call, a.half(), request.At(l))
}

// half is the half of exchanges whose rows tell what the leaves mean.
func (a *answerReader) half() profile.Direction {
	if a.callback != nil {
		return profile.Request
	}
	return profile.Response
}

// sends returns the parameters of the request from which holes are filled. A callback may go out when
// the request that caused it is long gone: it shows what has stayed with the entities.
func (a *answerReader) sends() []*Asked {
	if a.callback != nil {
		return nil
	}
	return a.rec.Request.open
}
