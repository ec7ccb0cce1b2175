package tape

import (
	"iter"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// readied is an exchange whose messages were taken apart, for which none before need be known.
type readied struct {
	x      *leaf.Exchange
	place  int // in the order of requests, from 1
	req    *request.Request
	answer *leaf.Message
	room   []leaf.Leaf // where the leaves of the answer lie; the next in its place takes it over
}

// ready takes an exchange apart.
func (a *readied) ready(x *leaf.Exchange, set *profile.Set) {
	if cap(a.room) > mostRoom {
		a.room = nil
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
	a.answer = leaf.ReadInto(a.room, x.Answered())
	a.room = a.answer.Leaves
}

// Exchanges are taken apart ahead of the compiler, in rows.
const (
	rowLength = 8
	rowsAhead = 3
	mostRoom  = 1 << 10 // leaves for which room is kept: larger answers are rare
)

// readyAhead yields the exchanges that are compiled. Each is good until the next is asked for.
// A goroutine of its own takes them apart, which costs as much as half of the rest; it has ended
// when the last was yielded.
func (c *compiler) readyAhead(xs iter.Seq[*leaf.Exchange]) iter.Seq[*readied] {
	return func(yield func(*readied) bool) {
		full, free := make(chan []readied, rowsAhead), make(chan []readied, rowsAhead)
		for range rowsAhead {
			free <- make([]readied, 0, rowLength)
		}
		go c.readyAll(xs, full, free)
		more := true
		for row := range full { // until it is closed, in any case
			for i := 0; i < len(row) && more; i++ {
				more = yield(&row[i])
			}
			free <- row[:0]
		}
	}
}

// readyAll sends full rows, each made of a free one, and the last as full as it gets.
func (c *compiler) readyAll(
	xs iter.Seq[*leaf.Exchange], full chan<- []readied, free <-chan []readied,
) {
	defer close(full)
	bases := addresses(c.origins)
	place, row := 0, <-free
	for x := range xs {
		if place++; !c.kept(x) {
			continue
		}
		row = row[:len(row)+1]
		a := &row[len(row)-1]
		a.ready(x, c.opts.Profiles)
		a.place = place
		if x.Meta.Callback == nil {
			a.req.AtDeck(bases)
		}
		if len(row) == rowLength {
			full <- row
			row = <-free
		}
	}
	full <- row
}
