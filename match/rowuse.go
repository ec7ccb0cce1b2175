package match

import (
	"strconv"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// RowAt is a row of a profile in one half of exchanges: a row of a set may hold in both.
type RowAt struct {
	Origin profile.Origin
	Dir    profile.Direction
}

// RowUses counts, for every row that says what a value of a tape means, at how many places it does
// so, by operation. Exchanges that no profile knows follow no row but those of HTTP.
func RowUses(set *profile.Set, cs ...Cassette) map[RowAt]map[string]int {
	uses := map[RowAt]map[string]int{}
	for _, c := range cs {
		for x := range c.All() {
			call := callOf(set, x)
			count := func(m *leaf.Message, dir profile.Direction) {
				for i := range m.Leaves {
					origin, known := originOf(set, call, dir, &m.Leaves[i])
					if !known {
						continue
					}
					at := RowAt{origin, dir}
					if uses[at] == nil {
						uses[at] = map[string]int{}
					}
					uses[at][nameOfCall(call, x)]++
				}
			}
			count(x.RequestMessage(), profile.Request)
			if x.Meta.Callback == nil { // what the shop answers has no rows
				count(x.ResponseMessage(), profile.Response)
			}
		}
	}
	return uses
}

// callOf returns what the profiles recognise of an exchange.
func callOf(set *profile.Set, x *leaf.Exchange) profile.Call {
	if x.Meta.Callback != nil {
		return set.FindCallback(x.Meta.Profile)
	}
	return set.Find(x.Request.Method, request.PathOf(x.Target()))
}

// nameOfCall names the call of an exchange.
func nameOfCall(c profile.Call, x *leaf.Exchange) string {
	switch {
	case c.Operation != nil:
		return c.Operation.Name
	case x.Meta.Callback != nil:
		return profile.CallbackOperation
	}
	return x.Request.Method + " " + request.PathOf(x.Target())
}

// RowOf says what a profile says of a leaf, and where: "minted order (gateway.yaml:138)". It is empty
// for a leaf of which no profile says anything.
func RowOf(set *profile.Set, c profile.Call, dir profile.Direction, l *leaf.Leaf) string {
	origin, known := originOf(set, c, dir, l)
	if !known {
		return ""
	}
	return wordRow(FieldOf(set, c, dir, l), origin)
}

// wordRow words a row and its place.
func wordRow(f profile.Field, at profile.Origin) string {
	return f.Says() + " (" + at.String() + ")"
}

// FieldOf returns what the profiles say of a leaf.
func FieldOf(set *profile.Set, c profile.Call, dir profile.Direction, l *leaf.Leaf) profile.Field {
	if l.Place == leaf.Header {
		f, _ := set.HeaderField(c, dir, l.Key)
		return f
	}
	at := request.At(l)
	if l.Place == leaf.Path && c.Operation != nil {
		if i, err := strconv.Atoi(l.Key); err == nil && c.Operation.Segment(i) != "" {
			at = segmentAt(c.Operation.Segment(i))
		}
	}
	f, _ := set.Meaning(c, dir, at)
	return f
}

// segmentAt says where a segment of a path sits that has a name.
func segmentAt(name string) profile.At { return profile.At{Key: name, Shape: "{" + name + "}"} }

// originOf returns the row that says what a leaf means, and whether there is one.
func originOf(set *profile.Set, c profile.Call, dir profile.Direction, l *leaf.Leaf,
) (profile.Origin, bool) {
	switch l.Place {
	case leaf.Header:
		return set.OriginOfHeader(c, dir, l.Key)
	case leaf.Path:
		i, _ := strconv.Atoi(l.Key)
		if c.Operation == nil || c.Operation.Segment(i) == "" {
			return profile.Origin{}, false
		}
		return set.OriginOf(c, dir, segmentAt(c.Operation.Segment(i)))
	}
	return set.OriginOf(c, dir, request.At(l))
}
