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
		name := c.Operation.Segment(i)
		return set.OriginOf(c, dir, profile.At{Key: name, Shape: "{" + name + "}"})
	}
	return set.OriginOf(c, dir, request.At(l))
}
