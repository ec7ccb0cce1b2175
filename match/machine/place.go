package machine

import (
	"slices"

	"github.com/paytape/paytape/match/tape"
)

// walkedTogether is how many recordings are put into their rows at once, and walkedAhead how many times
// as many the walk may be ahead.
const walkedTogether, walkedAhead = 1 << 8, 4

// placed is a recording that the walk has come to, and its row.
type placed struct {
	*Recording // nil for one that is excluded: see builder.reusesKey
	row        Row
	none       bool // it stands in no row: it refuses credentials, or is lost
}

// place adds a recording to its operation and key, and to its row, case and view.
func (b *builder) place(p *placed) {
	r := p.Recording
	if r == nil {
		return
	}
	b.m.byOp[r.Op] = append(b.m.byOp[r.Op], r)
	known := b.m.keys[r.Key]
	if known == nil {
		known = b.slabs.known.Put(Known{})
		b.m.keys[r.Key] = known
	}
	if p.none {
		return
	}
	known.decide(r.Deciding)
	known.Succeeded = known.Succeeded || !r.Failed
	cases := b.m.rows[p.row]
	if cases == nil {
		cases = b.slabs.rows.Put(Cases{})
		b.m.rows[p.row] = cases
		if len(known.Sample) < 64 {
			known.Sample = append(known.Sample, r)
		}
	}
	c := cases.Case(r.Deciding)
	if c == nil {
		c = cases.add(r.Deciding, &b.slabs)
	}
	c.hides(r)
	if r.Doubtful() || disturbance(r) && r.Fault == "" {
		c.rarely().loose = append(c.loose, r)
		return
	}
	cases.addToView(c, r, &b.slabs)
}

// addToView adds a recording to a case of the row, under its view.
func (c *Cases) addToView(one *Case, r *Recording, s *slabs) {
	c.kept = c.kept || !r.Failed
	g := one.In(r.View)
	if g == nil {
		g = one.addView(r.View, s)
	}
	one.All.add(r, s)
	if g != &one.All {
		g.add(r, s)
	}
	one.strict++
	one.parts = one.parts || r.hasParts
}

// contradicted returns the first recording behind a missing call that says what no sure one does, or
// nil. The change between them may be that of the missing call, or one that comes by itself.
func (c *Case) contradicted() *Recording {
	for _, r := range c.loose {
		if r.Missed && !slices.ContainsFunc(c.All.Recordings, func(sure *Recording) bool {
			return sure.Class == r.Class
		}) {
			return r
		}
	}
	return nil
}

// hides notes the answer to a request with the secrets that cleaning took out of it. Two secrets with
// two answers decide what is answered, as far as anybody can know.
func (c *Case) hides(r *Recording) {
	if !r.Request.Alike(func(a *tape.Asked) bool { return a.Secret }) {
		return
	}
	secrets := ""
	for _, p := range r.Request.All() {
		if p.Secret {
			secrets += p.Path + "=" + p.Text + "\x00"
		}
	}
	sum := digest(secrets)
	if c.secret == 0 {
		c.secret, c.said = sum, r.Class
	}
	// As long as nothing is hidden, the first answers to all secrets are of one class.
	c.hidden = c.hidden || (c.several || sum != c.secret) && c.said != r.Class
	c.several = c.several || sum != c.secret
}
