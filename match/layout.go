package match

import (
	"hash/maphash"
	"strings"
	"sync/atomic"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// layout is what all requests have in common that have the same parameters of one operation: what the
// tape knows of the place of each parameter, and the label of each. Clients send a few layouts again and
// again.
type layout struct {
	op     string
	call   profile.Call
	layout *request.Layout // of its requests; nil if they tell none
	params []layoutParam
	// doubtful are the parameters by whose values an answer may be doubtful; see Player.doubt.
	doubtful []int
	places   machine.Places
	denied   []*machine.Recording // in which the credentials of the operation were refused
}

// layoutParam is a parameter of a layout. The first fields tell the layout from other layouts.
type layoutParam struct {
	path  string
	known bool // a profile has a row for it
	field profile.Field

	place *tape.Place // nil for nothing
	// names says that on tape, too, something is found by the parameter.
	names bool
	label string
	// kind is of what its noun is the name, and kindName the name of that; nil and "" if that is inferred.
	kind     *profile.Entity
	kindName string
	// login says that a value is the name of an account at the sandbox, unless it names something else.
	login bool
}

// layouts remember the layouts of requests. There are places for each hash, for the layouts that were
// asked for last of those that have the hash: clients that send other parameters each time take no more
// memory, and no request waits for another.
type layouts [1 << 8][4]atomic.Pointer[layout]

// Bounds of a layout that is remembered.
const (
	mostLaidOut    = 64  // parameters
	longestLaidOut = 128 // bytes of the operation, and of each path
)

var layoutSeed = maphash.MakeSeed()

// at returns the places in which the layout of a request is remembered; nil if it is too large to be.
func (s *layouts) at(r *Request, op string) *[4]atomic.Pointer[layout] {
	if len(r.Params) > mostLaidOut || len(op) > longestLaidOut {
		return nil
	}
	if r.Layout != nil {
		return &s[r.Layout.Hash()%uint64(len(s))]
	}
	hash := maphash.String(layoutSeed, op)
	for i := range r.Params {
		if len(r.Params[i].Path) > longestLaidOut {
			return nil
		}
		hash = hash*31 + maphash.String(layoutSeed, r.Params[i].Path)
	}
	return &s[hash%uint64(len(s))]
}

// is reports whether a request of an operation has the layout.
func (l *layout) is(r *Request, op string) bool {
	params := r.Params
	if l == nil || l.op != op || l.layout != r.Layout || l.call.Profile != r.Call.Profile ||
		len(l.params) != len(params) {
		return false
	}
	if l.layout != nil {
		return true
	}
	if l.call.Key() != r.Call.Key() {
		return false
	}
	for i := range params {
		p, of := &params[i], &l.params[i]
		if p.Path != of.path || p.Known != of.known || p.Field != of.field {
			return false
		}
	}
	return true
}

// layoutOf returns the layout of a request of an operation.
func (t *Tape) layoutOf(r *Request, op string) *layout {
	places := t.layouts.at(r, op)
	if places == nil {
		return t.makeLayout(r, op)
	}
	for i := range places {
		if l := places[i].Load(); l.is(r, op) {
			return l
		}
	}
	l := t.makeLayout(r, op)
	for i := len(places) - 1; i > 0; i-- {
		places[i].Store(places[i-1].Load())
	}
	places[0].Store(l)
	return l
}

// makeLayout works a layout out. It keeps nothing of the request.
func (t *Tape) makeLayout(r *Request, op string) *layout {
	l := &layout{
		op: strings.Clone(op), call: r.Call, layout: r.Layout,
		params: make([]layoutParam, len(r.Params)), denied: t.machine.DeniedBy(op),
	}
	asked := make([]tape.Asked, len(r.Params))
	for i := range r.Params {
		p, of := &r.Params[i], &l.params[i]
		of.path, of.known, of.field = strings.Clone(p.Path), p.Known, p.Field
		if r.Layout != nil {
			of.field = r.Layout.Field(i) // the request may have been served from another tape
		}
		of.place, of.names = t.machine.Tape.Place(op, of.path), t.machine.Tape.NamedBy(op, of.path)
		field := of.field
		if of.holdsCards() {
			field = cardField
		}
		asked[i].Parameter = &tape.Parameter{Path: of.path, Label: of.path, Field: field}
	}
	tape.SetLabels(r.Call.Profile, asked)
	l.places = t.machine.PlacesOf(l.op, asked)
	for i := range asked {
		of := &l.params[i]
		of.label, of.kind = asked[i].Label, l.call.Profile.Entity(asked[i].Field.Of)
		of.kindName = tape.KindOf(l.call.Profile, asked[i].Field.Of)
		of.login = isLogin(r.Call, asked[i].Field, of.kind)
		if finds := of.label != of.path && !of.names; finds || of.login || asked[i].Field.Decides {
			l.doubtful = append(l.doubtful, i)
		}
	}
	return l
}

// isLogin reports whether the values of a field are names of accounts at the sandbox; kind is of what its
// noun is the name.
func isLogin(c profile.Call, f profile.Field, kind *profile.Entity) bool {
	return f.From == profile.Shared && f.Of != "" && f.Secret == profile.NotSecret && kind == nil &&
		!c.InfersNoun(f.Of)
}

// meaning returns what a parameter with a text means, as the tape tells where no profile does. In a place of
// card numbers the last four digits or a mask stands on tape as it was sent, and is any text.
func (p *layoutParam) meaning(text string) profile.Field {
	if p.holdsCards() && request.HasCardLength(text) {
		return cardField
	}
	return p.field
}

// holdsCards reports whether the numbers of cards stand on tape in the place of a parameter of which no
// profile knows anything.
func (p *layoutParam) holdsCards() bool { return !p.known && p.place != nil && p.place.Card }

// cardField is what is known of a parameter that is the number of a card on tape, and of which no profile
// knows anything.
var cardField = profile.Field{From: profile.Shared, Of: "card", Secret: profile.PAN}
