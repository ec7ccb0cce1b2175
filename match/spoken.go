package match

import (
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
	Call   profile.Call
	layout *layout
	said   []said       // by the parameters of the layout
	names  []tape.Named // of all parameters, one parameter after the other
	// subjects are what the request names, by role.
	subjects []subject
	on       string // asking.Host
	address  string
	host     string
	reads    bool
	told     atomic.Pointer[asking] // what was asked, once somebody wants to know
}

// said is what a trace keeps of one parameter.
type said struct {
	text  string
	names int32 // how many names are in it
	place leaf.Place
	kind  leaf.Kind
	class request.Class
	// from is where the value comes from, as the names in it tell beside what is known of its place.
	from   profile.Provenance
	unborn bool
	tied   bool
}

// keep notes what a query asks, whose entities are known.
func (s *spoken) keep(q *query) {
	s.Call, s.layout, s.on, s.address, s.host = q.Call, q.layout, q.Host, q.address, q.host
	s.reads = q.reads
	s.said = make([]said, len(q.Asked))
	for i := range q.Asked {
		a := &q.Asked[i]
		s.said[i] = said{
			text: a.Text, names: int32(len(a.Names)), place: a.Place, kind: a.Kind, class: a.Class,
			from: a.Field.From, unborn: a.Unborn, tied: a.Tied,
		}
		s.names = append(s.names, a.Names...)
	}
}

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
			Call: s.Call, Op: s.op(), Host: s.on, Asked: s.unfold(), Config: config,
		},
		reads: s.reads, address: s.address, host: s.host,
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
	for i := range s.said {
		x, of := &s.said[i], &s.layout.params[i]
		p := request.Param{Text: x.text, Field: of.meaning()}
		all[i] = tape.Asked{Argument: tape.Argument{
			Path: of.path, Label: of.label, Place: x.place, Kind: x.kind, Known: of.known,
			Unborn: x.unborn, Tied: x.tied, Class: x.class, Text: x.text, Field: x.fieldOf(p.Field),
			Deciding: p.Deciding(),
		}}
		if n := int(x.names); n > 0 {
			all[i].Names, names = names[:n:n], names[n:]
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
