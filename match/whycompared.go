package match

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// Compared is a parameter of a request as replay looks at it.
type Compared struct {
	Place leaf.Place
	Path  string
	Field profile.Field
	Sent  Live
	// Role says in words what part the parameter has: "must be equal", "names the order".
	Role string
	// Row is what a profile says of it, and where: "exact (gateway.yaml:753)". Empty: nothing.
	Row string
	// Differs says that the parameter kept the nearest recording from serving.
	Differs bool
}

// compareAll tells the part that each parameter has.
func (t *Trace) compareAll() []Compared {
	differs := map[string]bool{}
	if near := t.missNear(); near != nil {
		for _, d := range near.Diffs {
			differs[d.Path] = true
		}
	}
	asked := t.asked()
	all := make([]Compared, 0, len(asked))
	for i := range asked {
		a := &asked[i]
		all = append(all, Compared{
			Place: a.Place, Path: a.Path, Field: a.Field, Sent: Live(a.Text), Role: t.role(a),
			Row: rowOf(t.tape.opts.Profiles, t.call(), a), Differs: differs[a.Path],
		})
	}
	return all
}

// role says what part a parameter has in a look-up. It follows machine.Key.
func (t *Trace) role(a *tape.Asked) string {
	place := t.tape.machine.Tape.Place(t.op(), a.Path)
	switch {
	case place != nil && place.Apart(a.Class):
		return classRole(a.Class)
	case place != nil && place.Free:
		return "anything will do"
	case a.Whole():
		return "names " + t.named(&a.Names[0])
	case len(a.Names) > 0:
		return "must be equal but for the name of " + t.named(&a.Names[0])
	case a.Field.Secret == profile.Token && a.Field.From == profile.Shared:
		return "not compared: secrets are not on tape"
	case a.Unborn, place != nil && place.Chosen:
		return "a new name, which the client chooses"
	case a.Deciding != "":
		return "decides which recording answers"
	case a.Class != request.There:
		return classRole(a.Class)
	}
	switch a.Field.From {
	case profile.Exact:
		if place != nil && place.Embeds {
			return "must be equal but for the new name, which the client chooses"
		}
		if a.Place == leaf.Path && t.call().Operation == nil {
			return "part of the name of the call"
		}
		return "must be equal"
	case profile.Minted:
		if a.Field.Secret != profile.PAN {
			return "must be equal: it names nothing that was issued in this run"
		}
	case profile.Rendering:
		return "must be equal: it shows a part of no known value"
	case profile.Ignored:
		return "ignored"
	case profile.Date:
		return "a date, which may be another"
	}
	return "follows the client"
}

// named says what a name in a parameter names.
func (t *Trace) named(n *tape.Named) string {
	if n.Role >= len(t.subjects) {
		return "something"
	}
	s := &t.subjects[n.Role]
	if s.typ != nil {
		return "the " + s.typ.Name
	}
	if n.Noun != "" {
		return "what its " + n.Noun + " tells"
	}
	return "what an answer has brought"
}

// classRole says what a parameter has to agree in that is not as good ones are.
func classRole(c request.Class) string {
	switch c {
	case request.Empty:
		return "must be empty, too"
	case request.Blank:
		return "must be blank, too"
	case request.Malformed:
		return "must be malformed, too"
	case request.Long:
		return "must be too long, too"
	case request.Grouped:
		return "must be written in groups, too"
	case request.Expired:
		return "must be past, too"
	case request.Unpadded:
		return "must be of one digit, too"
	}
	return "follows the client"
}

// follows reports whether answers follow the value of a parameter that may be any.
func (t *Trace) follows(a *tape.Asked) bool {
	role := t.role(a)
	return role == "follows the client" || strings.HasPrefix(role, "a new name") || a.Deciding != ""
}
