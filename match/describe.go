package match

import (
	"cmp"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
)

// Description says what replay understands of a cassette. It holds values of the tape alone.
type Description struct {
	Cassette  string    `json:"cassette"`
	Exchanges int       `json:"exchanges"` // those that can be replayed
	LeftOut   []LeftOut `json:"leftOut"`
	Flows     []Flow    `json:"flows"`
}

// LeftOut is an exchange that is not replayed.
type LeftOut struct {
	Exchange int    `json:"exchange"` // its number
	Why      string `json:"why"`
}

// Flow is threads that are connected on tape, and so in replay.
type Flow struct {
	Threads   []Thread   `json:"threads"`
	Variables []Variable `json:"variables"`
}

// Thread is what one request started.
type Thread struct {
	Number int `json:"number"` // from 1, in the order in which threads begin on tape
	// Opener is the number of the exchange that starts it: a request like that one opens the
	// thread in replay.
	Opener    int    `json:"opener"`
	Operation string `json:"operation"` // of the opener
	// Silent says that it holds all exchanges without any value to tell them apart.
	Silent bool     `json:"silent,omitempty"`
	Steps  []Step   `json:"steps"`
	Hidden []Change `json:"changes"` // that no write explains
}

// Step is an exchange in a thread.
type Step struct {
	Exchange  int    `json:"exchange"`
	Operation string `json:"operation"`
	Writes    bool   `json:"writes"`
	// State is how many writes of the thread come before. A read is served in its state, a
	// write leads from its state to the next.
	State int `json:"state"`
	// Joins are the other threads whose values the request carries, Ties those whose values
	// the answer brings.
	Joins []int `json:"joins,omitempty"`
	Ties  []int `json:"ties,omitempty"`
}

// Describe compiles a cassette and says what was understood.
func Describe(o Options, c Cassette) *Description {
	n := &notes{places: map[*hole]spot{}, sources: map[*exchange]*leaf.Exchange{}}
	t := compile(o, n, []Cassette{c})
	d := &Description{Cassette: c.Name, Exchanges: len(t.exchanges), LeftOut: leftOut(c)}
	flows := map[*thread]int{}
	for _, th := range t.threads {
		root := th.flow()
		i, known := flows[root]
		if !known {
			i = len(d.Flows)
			flows[root] = i
			d.Flows = append(d.Flows, Flow{Threads: []Thread{}, Variables: []Variable{}})
		}
		d.Flows[i].Threads = append(d.Flows[i].Threads, n.thread(th))
	}
	for _, v := range n.variables(t) {
		f := &d.Flows[flows[v.flow]]
		f.Variables = append(f.Variables, v.Variable)
	}
	return d
}

// leftOut tells of the exchanges that compiling passes over.
func leftOut(c Cassette) []LeftOut {
	out := []LeftOut{}
	i := 0
	for x := range c.all() {
		i++
		number := cmp.Or(x.Meta.Number, i)
		switch {
		case !x.Replayable():
			out = append(out, LeftOut{number, x.Meta.Why()})
		case !final(x.Code):
			out = append(out, LeftOut{number, "its status is no final one"})
		}
	}
	return out
}

// notes are what Describe must know of a compilation and replay need not. A nil *notes takes
// none.
type notes struct {
	places  map[*hole]spot
	sources map[*exchange]*leaf.Exchange
}

// spot is where in an answer a hole is.
type spot struct {
	place leaf.Place
	path  string
}

func (n *notes) place(h *hole, l *leaf.Leaf) {
	if n == nil {
		return
	}
	n.places[h] = spot{l.Place, cmp.Or(l.Path, l.Key)}
}

func (n *notes) source(e *exchange, x *leaf.Exchange) {
	if n != nil {
		n.sources[e] = x
	}
}

func (n *notes) thread(th *thread) Thread {
	opener := th.exchanges[0]
	t := Thread{
		Number: th.index + 1, Opener: opener.number, Operation: opener.operation,
		Silent: th.silent, Steps: make([]Step, 0, len(th.exchanges)), Hidden: n.changes(th),
	}
	for _, e := range th.exchanges {
		i := slices.Index(e.threads, th)
		s := Step{
			Exchange: e.number, Operation: e.operation, Writes: e.writes, State: e.before[i],
		}
		for _, o := range e.threads {
			if o != th {
				s.Joins = append(s.Joins, o.index+1)
			}
		}
		for _, o := range e.tied {
			s.Ties = append(s.Ties, o.index+1)
		}
		t.Steps = append(t.Steps, s)
	}
	return t
}
