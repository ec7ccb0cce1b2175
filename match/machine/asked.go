package machine

import (
	"github.com/paytape/paytape/internal/parallel"
	"github.com/paytape/paytape/match/tape"
)

// asked is what a recorded request asks, whatever came before it on tape.
type asked struct {
	key, anywhere Key
	deciding      string
	card          uint64 // digest of the card that the request brings; 0 for none
}

// askedTogether is how many recordings a goroutine takes at once.
const askedTogether = 1 << 10

// askedOn returns what the recordings of a tape ask. It runs on all processors: no recording has to know
// of others, as those do that the walk comes to.
func askedOn(t *tape.Tape) []asked {
	all := make([]asked, len(t.Recordings))
	m := &Machine{Tape: t}
	parallel.Stretches(len(all), askedTogether, func(from, to int) {
		var room askedRoom
		for i := from; i < to; i++ {
			all[i] = m.asked(t.Recordings[i], &room)
		}
	})
	return all
}

// askedRoom is where a question lies until what it asks is known.
type askedRoom struct {
	question Question
	names    []tape.Named
}

// asked returns what a recording asks.
func (m *Machine) asked(r *tape.Recording, room *askedRoom) asked {
	q := &room.question
	*q = Question{
		Call: r.Call(), Op: r.Op, Host: r.Host, Broken: r.Broken, Asked: q.Asked, Config: q.Config[:0],
	}
	q.Asked, room.names = r.Request.AppendIn(q.Asked[:0], room.names[:0])
	for _, e := range r.Roles {
		q.Config = append(q.Config, e.Config)
	}
	a := asked{key: m.Key(q), deciding: Deciding(q.Asked), card: CardOf(q.Asked)}
	a.anywhere = a.key
	if q.Host != "" {
		q.Host = ""
		a.anywhere = m.Key(q)
	}
	return a
}
