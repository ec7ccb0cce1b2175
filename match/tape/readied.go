package tape

import (
	"iter"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/request"
)

// readied is an exchange whose messages were taken apart, for which none before need be known.
type readied struct {
	x      *leaf.Exchange
	place  int // in the order of requests, from 1
	req    *request.Request
	answer leaf.Message
	room   []leaf.Leaf // where the leaves of the answer lie; the next in its place takes it over
	notes  leafNotes   // of these leaves
}

// ready takes an exchange apart.
func (a *readied) ready(x *leaf.Exchange, set *profile.Set) {
	if cap(a.room) > mostRoom {
		a.room, a.notes = nil, leafNotes{}
	}
	if a.req != nil {
		a.req.Release() // the compiler has read it
		a.req = nil
	}
	a.x = x
	if x.Meta.Callback != nil {
		return // the sandbox has sent the request: it is read like an answer
	}
	a.req = request.New(set, x.Method, x.Target(), x.Request.Headers, x.Request.Body)
	a.answer = *leaf.ReadInto(a.room, x.Answered())
	a.room = a.answer.Leaves
	a.notes.make(set, noting{
		call: a.req.Call, half: profile.Response, infers: a.req.Call.Infers(), header: a.req.Header,
	}, &a.answer)
}

// mostRoom is for how many leaves room is kept: larger answers are rare.
const mostRoom = 1 << 10

// readyAhead yields the exchanges that are compiled, ahead of the compiler: to take them apart costs
// as much as half of the rest.
func (c *compiler) readyAhead(xs iter.Seq[*leaf.Exchange]) iter.Seq[*readied] {
	bases := addresses(c.origins)
	return ahead(xs, func(a *readied, x *leaf.Exchange, place int) bool {
		if !c.kept(x) {
			return false
		}
		a.ready(x, c.opts.Profiles)
		a.place = place
		if x.Meta.Callback == nil {
			a.req.AtDeck(bases)
		}
		return true
	})
}

// surveyed is an exchange that was taken apart for the survey; a callback was not.
type surveyed struct {
	x       *leaf.Exchange
	reading infer.Reading
}

// surveyAhead yields all exchanges, ahead of the survey.
func (c *compiler) surveyAhead(xs iter.Seq[*leaf.Exchange]) iter.Seq[*surveyed] {
	reader := infer.NewReader(c.opts.Profiles)
	return ahead(xs, func(a *surveyed, x *leaf.Exchange, _ int) bool {
		a.x = x
		if x.Meta.Callback == nil {
			reader.Read(&a.reading, x)
		}
		return true
	})
}
