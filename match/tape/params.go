package tape

import (
	"encoding/binary"
	"iter"
	"slices"
)

// Params are the parameters of a recorded request, in their order. What thousands of requests have alike
// is all but a few texts, so Params are a form, which they share with others, and what the request has for
// itself, as a Template is a layout and values:
//
//	userName=shop&orderId=<a>&language=en   the form: whole parameters, and what is alike of the others
//	0190-aa                                 the values that the request has for the others, in order
//
// The zero Params are none. While a tape is compiled its Params are open, and share nothing.
type Params struct {
	*form
	values packed // see appendParam
}

// form is what Params have in common.
type form struct {
	parts []formPart
	of    *Tape    // whose sources parameters are tied to; nil while it is compiled
	open  []*Asked // what open Params are; else nil
}

// formPart is a parameter of all requests of a form, or what is alike of one which each request has for
// itself.
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

// All yields the parameters with their indexes. They must not be changed.
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
		if len(p.parts) == 0 {
			return
		}
		asked := p.Append(make([]Asked, 0, len(p.parts)))
		for i := range asked {
			if !yield(i, &asked[i]) {
				return
			}
		}
	}
}

// Alike reports whether some parameter has a property that it has in all requests of the form: its Text
// and what depends on that (Deciding, TiedTo, and where Names stand) may be missing. It costs less than to
// read All.
func (p Params) Alike(property func(*Asked) bool) bool {
	if p.form == nil {
		return false
	}
	return slices.ContainsFunc(p.open, property) ||
		slices.ContainsFunc(p.parts, func(part formPart) bool { return property(part.Asked) })
}

// Append appends copies of the parameters. The Parameter of each is the tape's, and so may its Names be:
// they must not be changed.
func (p Params) Append(asked []Asked) []Asked {
	asked, _ = p.AppendIn(asked, nil)
	return asked
}

// AppendIn is Append that lays the Names of parameters into room, behind what is there. They are good until
// the room is used again.
func (p Params) AppendIn(asked []Asked, room []Named) ([]Asked, []Named) {
	if p.form == nil {
		return asked, room
	}
	for _, a := range p.open {
		asked = append(asked, *a)
	}
	values := p.values
	for _, part := range p.parts {
		asked = append(asked, *part.Asked)
		if part.own {
			own := &asked[len(asked)-1]
			from := len(room)
			room = append(room, own.Names...)
			own.Names = room[from:len(room):len(room)]
			own.take(&values, p.of)
		}
	}
	return asked, room
}

// At returns the parameter of a path, or nil. It must not be changed.
func (p Params) At(path string) *Asked {
	if p.form == nil {
		return nil
	}
	for _, a := range p.open {
		if a.Path == path {
			return a
		}
	}
	values := p.values
	for _, part := range p.parts {
		switch found := part.Path == path; {
		case found && !part.own:
			return part.Asked
		case found:
			own := *part.Asked
			own.Names = slices.Clone(own.Names)
			own.take(&values, p.of)
			return &own
		case part.own:
			part.pass(&values)
		}
	}
	return nil
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

// alike returns a parameter without what appendParam appends.
func (a *Asked) alike() Asked {
	left := *a
	left.Text, left.Deciding, left.tie, left.Names = "", "", nil, slices.Clone(a.Names)
	for i := range left.Names {
		n := &left.Names[i]
		n.From, n.To, n.Like = 0, 0, ""
	}
	return left
}

// take completes what alike has left by what comes first in values. The caller has copied the Names: take writes to
// them.
func (a *Asked) take(values *packed, of *Tape) {
	a.Text, a.Deciding = values.text(), values.text()
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

// pass passes over what take would take.
func (a *Asked) pass(values *packed) {
	values.text()
	values.text()
	for range a.Names {
		values.number()
		values.number()
		values.text()
	}
	values.number()
}
