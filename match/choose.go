package match

import "github.com/paytape/paytape/internal/profile"

// choose picks among options that can all answer: not a refused login unless the
// credential is another than one that succeeded; the recorded card most like the live one;
// then the order of the readings.
func (p *Player) choose(q *query, options []option) (option, bool) {
	var best option
	top := -1
	for _, o := range options {
		if o.e.denied && p.knows(o.delta) {
			continue
		}
		rank := likeness(o.e, q.r)
		if o.e.denied == p.doubts(o.delta) {
			rank += 100
		}
		if rank > top {
			best, top = o, rank
		}
	}
	return best, top >= 0
}

// knows reports whether a request carries a credential that a success was served to.
func (p *Player) knows(delta []binding) bool {
	for _, b := range delta {
		if b.v.secret == profile.Token && p.trusted[b.value] {
			return true
		}
	}
	return false
}

// doubts reports whether a request carries a credential unlike those that succeeded.
func (p *Player) doubts(delta []binding) bool {
	for _, b := range delta {
		if b.v.secret == profile.Token {
			return len(p.trusted) > 0 && !p.trusted[b.value]
		}
	}
	return false
}

// likeness compares the cards of a live request with the recorded ones: two points for the
// same first six and last four digits, one for the same issuer.
func likeness(e *exchange, r *Request) int {
	points := 0
	for i := range e.request {
		w := &e.request[i]
		if w.field.Secret != profile.PAN {
			continue
		}
		for _, p := range r.params {
			if p.path == w.path {
				points += alike(canonical(w.field, w.text), canonical(p.field, p.text))
			}
		}
	}
	return points
}

func alike(a, b string) int {
	if len(a) < 10 || len(b) < 10 || a[:6] != b[:6] {
		return 0
	}
	if a[len(a)-4:] != b[len(b)-4:] {
		return 1
	}
	return 2
}
