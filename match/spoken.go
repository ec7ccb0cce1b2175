package match

import (
	"math"
	"sync/atomic"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// spoken is what a trace keeps of what a request asks: the layout, which many requests share, and what
// was said in it. There are many traces, and nobody looks at most of them.
type spoken struct {
	layout *layout
	said   []said       // by the parameters of the layout
	names  []spokenName // of all parameters, one parameter after the other
	// subjects are what the request names, by role.
	subjects []subject
	where    *whereabouts // nil where the path says which host it is
	reads    bool
	broken   bool                   // see request.Request.Broken
	told     atomic.Pointer[asking] // what was asked, once somebody wants to know
}

// whereabouts are those of the host that a request is for, as asking has them.
type whereabouts struct{ on, address, host string }

// said is what a trace keeps of one parameter.
type said struct {
	text  string
	names uint16 // how many names are in it that are kept
	place leaf.Place
	kind  leaf.Kind
	class request.Class
	// from is where the value comes from, as the names in it tell beside what is known of its place.
	from   profile.Provenance
	unborn bool
	tied   bool
}

// spokenName is what a trace keeps of a name in a parameter.
type spokenName struct {
	noun                   string
	from, to, role, behind int32
	written                *tape.Rendering // nil for the zero one, as of nearly all names
}

func spokenNameOf(n *tape.Named) spokenName {
	x := spokenName{
		noun: n.Noun, from: int32(n.From), to: int32(n.To), role: int32(n.Role), behind: int32(n.Behind),
	}
	if n.Rendering != (tape.Rendering{}) {
		written := n.Rendering
		x.written = &written
	}
	return x
}

// named returns the name that was kept.
func (x *spokenName) named() tape.Named {
	n := tape.Named{
		Noun: x.noun, From: int(x.from), To: int(x.to), Role: int(x.role), Behind: int(x.behind),
	}
	if x.written != nil {
		n.Rendering = *x.written
	}
	return n
}

// keep notes what a query asks, whose entities are known.
func (s *spoken) keep(q *query) {
	s.layout, s.reads, s.broken = q.layout, q.reads, q.Broken
	if q.Host != "" || q.address != "" || q.host != "" {
		s.where = &whereabouts{q.Host, q.address, q.host}
	}
	for i := range q.Asked {
		a := &q.Asked[i]
		names := a.Names[:min(len(a.Names), math.MaxUint16)]
		s.said = append(s.said, said{
			text: a.Text, names: uint16(len(names)), place: a.Place, kind: a.Kind, class: a.Class,
			from: a.Field.From, unborn: a.Unborn, tied: a.Tied,
		})
		for j := range names {
			s.names = append(s.names, spokenNameOf(&names[j]))
		}
	}
}

// call is what the profiles recognise of the request.
func (s *spoken) call() profile.Call { return s.layout.call }

// op names the operation.
func (s *spoken) op() string { return s.layout.op }

// asking returns what the request asked.
func (s *spoken) asking() *asking {
	if q := s.told.Load(); q != nil {
		return q
	}
	config := make([]string, len(s.subjects))
	for i := range s.subjects {
		config[i] = s.subjects[i].literal
	}
	q := &asking{
		Question: machine.Question{
			Call: s.layout.call, Op: s.op(), Broken: s.broken, Asked: s.unfold(), Config: config,
		},
		reads: s.reads,
	}
	if at := s.where; at != nil {
		q.Host, q.address, q.host = at.on, at.address, at.host
	}
	s.told.Store(q)
	return q
}

// asked returns the parameters of the request, and what the tape knows of them.
func (s *spoken) asked() []tape.Asked { return s.asking().Asked }

// param returns a parameter by its path, or nil.
func (s *spoken) param(path string) *tape.Asked { return s.asking().param(path) }

// unfold puts the parameters together of the layout and of what was said.
func (s *spoken) unfold() []tape.Asked {
	all, names := make([]tape.Asked, len(s.said)), s.names
	places := make([]tape.Parameter, len(s.said))
	for i := range s.said {
		x, of := &s.said[i], &s.layout.params[i]
		p := request.Param{Text: x.text, Field: of.meaning(x.text)}
		places[i] = tape.Parameter{
			Path: of.path, Label: of.label, Place: x.place, Kind: x.kind, Known: of.known,
			Field: x.fieldOf(p.Field),
		}
		all[i] = tape.Asked{Argument: tape.Argument{
			Parameter: &places[i], Unborn: x.unborn, Tied: x.tied, Class: x.class, Text: x.text,
			Deciding: p.Deciding(),
		}}
		for range x.names {
			all[i].Names, names = append(all[i].Names, names[0].named()), names[1:]
		}
	}
	return all
}

// fieldOf returns what is known of the value, whose place means a field: a value that the client has
// made up is nothing but that.
func (x *said) fieldOf(f profile.Field) profile.Field {
	if x.from != f.From && x.from == profile.Unique {
		return profile.Field{From: profile.Unique}
	}
	f.From = x.from
	return f
}
