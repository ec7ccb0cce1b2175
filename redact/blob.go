package redact

import (
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
)

// readings is about how many times the text of an exchange is read.
const readings = 4

// setBudget bounds what the cleaning of a text or an exchange of n bytes may decode, so that many
// small values that each unfold into much cost no more than one large value. All who clean the
// exchange share the budget.
func (c *cleaning) setBudget(n int) {
	left := scan.DecodeBudget(readings * n)
	c.budget = &left
}

// decode visits what some reader could decode in a text: base64, hex, UTF-16, compressed data and
// card data in TLV, escaped or not. It returns false if there was more of it than the bounds
// allow: closed is called for each stretch that was not read to its end, and in the end nothing
// is known of the text as a whole.
func (c *cleaning) decode(
	s string, visit func(*scan.View), closed func(v *scan.View, from, to int),
) bool {
	if c.budget == nil {
		c.setBudget(len(s))
	}
	d, _ := c.decoders.Get().(*scan.Decoder)
	if d == nil {
		d = &scan.Decoder{}
	}
	defer func() {
		d.Visit, d.Closed = nil, nil // they know the exchange
		c.decoders.Put(d)
	}()
	d.Visit = func(v *scan.View) {
		if v.Decoded() {
			visit(v)
		}
	}
	d.Closed = closed
	before := min(scan.DecodeBudget(len(s)), *c.budget)
	d.Budget = before
	d.Decode(s)
	*c.budget -= before - d.Budget
	return d.Budget > 0
}

// blobs finds the stretches of a text, of which look is the look, that hold a secret under an encoding.
// They go whole: what is encoded cannot be cut.
func (c *cleaning) blobs(s string, look scan.Look) []span {
	if !look.MayDecode(s, c.runs) {
		return nil
	}
	var found []span
	w, last := scan.Widener{}, span{}
	whole := c.decode(s, func(v *scan.View) {
		for _, f := range c.layer(v.Text, asText, scan.LookAt(v.Text)) {
			from, to, jwt := w.Around(v, f.from, f.to)
			if from != last.from || to != last.to {
				last = span{from: from, to: to, rule: f.rule}
				found = append(found, c.blobSpan(s, last, jwt))
			}
		}
	}, func(v *scan.View, from, to int) {
		start, end := v.Origin(from, to)
		found = append(found, c.blobSpan(s, span{from: start, to: end, rule: rulePacked}, false))
	})
	if !whole {
		return []span{c.blobSpan(s, span{to: len(s), rule: rulePacked}, false)}
	}
	return found
}

// blobSpan names what takes the place of a stretch of s. The rule is that of what was found inside,
// or that for what is over the bounds.
func (c *cleaning) blobSpan(s string, at span, jwt bool) span {
	kind := profile.Blob
	if jwt {
		kind = profile.Token
	}
	at.Value = c.tape.marker(kind, s[at.from:at.to])
	if jwt {
		c.tape.learn(s[at.from:at.to], at.Value)
	}
	return at
}

// learnInside learns the secrets inside a value that is replaced whole, under whatever encoding:
// what a token carries may stand in clear elsewhere.
func (c *cleaning) learnInside(s string) {
	c.learnNumbers(s)
	if c.inside || !scan.LookAt(s).MayDecode(s, c.runs) {
		return // the views of a value hold the views of what is in it
	}
	c.inside = true
	defer func() { c.inside = false }()
	c.decode(s, func(v *scan.View) { c.layer(v.Text, asText, scan.LookAt(v.Text)) }, func(*scan.View, int, int) {})
}

// holdsEncodedSecret is holdsSecret for what is under an encoding. What is over the bounds may hold
// anything.
func (c *cleaning) holdsEncodedSecret(s string) bool {
	bad := false
	whole := c.decode(s, func(v *scan.View) {
		bad = bad || c.layerHoldsSecret(v.Text, asText, scan.LookAt(v.Text))
	}, func(*scan.View, int, int) { bad = true })
	return bad || !whole
}
