package tape

import (
	"encoding/binary"
	"iter"
	"slices"
)

// Params are the parameters of a recorded request, in their order. Requests that differ in a few texts
// alone share the rest in a form, as answers share a layout (see Template):
//
//	userName=shop&orderId=<a>&language=en   the form: parameters, and what is alike of others
//	0190-aa                                 the texts of the others, of one behind the other
//
// The zero Params are none. While a tape is compiled its Params are open.
type Params struct {
	*form
	values packed // see appendParam
}

// form is what Params have in common that differ in texts alone.
type form struct {
	parts []formPart
	of    *Tape    // whose sources parameters are tied to; nil while it is compiled
	open  []*Asked // what open Params are; else nil
}

// formPart is a parameter of all requests of a form, or what is alike of a parameter which each of them
// has for itself.
type formPart struct {
	*Asked
	own bool
}

// Len returns how many parameters there are.
func (p Params) Len() int {
	if p.form == nil {
		return 0
	}
	return max(len(p.parts), len(p.open))
}

// All yields the parameters with their indexes. They may be the tape's own, and must not be changed.
func (p Params) All() iter.Seq2[int, *Asked] {
	return func(yield func(int, *Asked) bool) {
		if p.form == nil {
			return
		}
		for i, a := range p.open {
			if !yield(i, a) {
				return
			}
		}
		values := p.values
		for i, part := range p.parts {
			a := part.Asked
			if part.own {
				own := *a
				own.take(&values, p.of)
				a = &own
			}
			if !yield(i, a) {
				return
			}
		}
	}
}

// Alike yields what is alike of each parameter in all requests of the form: all but the texts of those
// that requests have for themselves. It costs less than All.
func (p Params) Alike() iter.Seq[*Asked] {
	return func(yield func(*Asked) bool) {
		if p.form == nil {
			return
		}
		for _, a := range p.open {
			if !yield(a) {
				return
			}
		}
		for _, part := range p.parts {
			if !yield(part.Asked) {
				return
			}
		}
	}
}

// Has reports whether some parameter has a property.
func (p Params) Has(property func(*Asked) bool) bool {
	for _, a := range p.All() {
		if property(a) {
			return true
		}
	}
	return false
}

// Append appends copies of the parameters. The Parameter of each is the tape's, and must not be changed.
func (p Params) Append(asked []Asked) []Asked {
	if p.form == nil {
		return asked
	}
	for _, a := range p.open {
		asked = append(asked, *a)
	}
	values := p.values
	for _, part := range p.parts {
		asked = append(asked, *part.Asked)
		if part.own {
			asked[len(asked)-1].take(&values, p.of)
		}
	}
	return asked
}

// appendParam appends what a request has of a parameter for itself: the text, what decides of it, where
// names stand in it and what these are like, and the number of the source that it is tied to, from 1.
func appendParam(b []byte, a *Asked, tie int) []byte {
	b = appendText(appendText(b, a.Text), a.Deciding)
	for _, n := range a.Names {
		b = binary.AppendUvarint(b, uint64(n.From))
		b = binary.AppendUvarint(b, uint64(n.To))
		b = appendText(b, n.Like)
	}
	return binary.AppendUvarint(b, uint64(tie))
}

// alike returns what is left of a parameter without what appendParam appends.
func (a *Asked) alike() Asked {
	rest := *a
	rest.Text, rest.Deciding, rest.tie, rest.Names = "", "", nil, slices.Clone(a.Names)
	for i := range rest.Names {
		n := &rest.Names[i]
		n.From, n.To, n.Like = 0, 0, ""
	}
	return rest
}

// take completes what alike has left by what comes first in values.
func (a *Asked) take(values *packed, of *Tape) {
	a.Text, a.Deciding = values.text(), values.text()
	a.Names = slices.Clone(a.Names)
	for i := range a.Names {
		n, length := &a.Names[i], uint64(len(a.Text))
		from, to := values.number(), values.number()
		n.To = int(min(to, length))
		n.From = min(int(min(from, length)), n.To)
		n.Like = values.text()
	}
	if tie := values.number(); tie > 0 && tie <= uint64(len(of.tied)) {
		a.tie = of.tied[tie-1]
	}
}
