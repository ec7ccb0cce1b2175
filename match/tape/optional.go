package tape

import "github.com/paytape/paytape/match/request"

// At some places any value will do: a name that the client makes up, a nonce, what cleaning left of a
// secret. No value is another thing, which an API refuses that wants one:
//
//	#1 POST /register  code=TX-7731 amount=10   OK, id=...
//	#2 POST /register  code=        amount=10   INVALID, the code is missing
//
// So a live request with an empty code is that of #2, and without #2 a miss. But if #2 was answered as #1
// was, the field is optional, and a request may have nothing there wherever it may have anything.

// nothingSent is a parameter of a recorded request in which nothing stands.
type nothingSent struct {
	rec *Recording
	at  position
}

// Apart reports whether a value of a class is another kind of value than all others at a place where any
// value will do.
func (p *Place) Apart(c request.Class) bool {
	return (p.Free || p.Chosen) && !p.Optional && c.Nothing()
}

// settleOptional finds the places at which the tape shows that nothing need be there: some call with
// nothing was answered as some call with a value was. Classes of answers must be known.
func (t *Tape) settleOptional() {
	type answered struct {
		code  int
		class uint64
	}
	doubtful := map[position]map[answered]bool{}
	ops := map[string]bool{}
	for _, n := range t.nothing {
		if place := t.places[n.at]; place == nil || !place.Free && !place.Chosen {
			continue
		}
		if doubtful[n.at] == nil {
			doubtful[n.at] = map[answered]bool{}
		}
		doubtful[n.at][answered{n.rec.Code, n.rec.Class}] = true
		ops[n.at.op] = true
	}
	if len(doubtful) == 0 {
		return
	}
	for _, r := range t.Recordings {
		if !ops[r.Op] {
			continue
		}
		for _, p := range r.Request.All() {
			at := position{r.Op, p.Path}
			if !p.Class.Nothing() && doubtful[at][answered{r.Code, r.Class}] {
				t.places[at].Optional = true
			}
		}
	}
}
