package verify

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/drift"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/match/tape"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/redact"
)

// Cleaner is what a Plan needs of a redactor; a *redact.Redactor is one. It must be of its own: what
// comes back belongs to no tape.
type Cleaner interface {
	proxy.Cleaner
	Know(secret string)
	Outdated(x redact.Clean) bool
	Reclean(x *leaf.Exchange) redact.Clean
}

// Options say what is played, and how.
type Options struct {
	Profiles *profile.Set
	Cleaner  Cleaner
	// Route leads to the sandboxes; nothing else is dialled.
	Route proxy.Route
	// Secrets stand for what the tape does not hold. Nil: there are none.
	Secrets *Secrets
	// All plays flows that said the same, too. Flows are the numbers of those that are played, as a
	// description of the tape has them; nil: all, and the exchanges of no flow.
	All   bool
	Flows []int
	// Never are patterns of operations that are not sent; a star stands for any text.
	Never []string
	// Every is the least time between the beginnings of two requests. 0: none.
	Every time.Duration
	// Timeout is how long an answer may take; 0 means DefaultTimeout.
	Timeout time.Duration
	// Seed makes fresh values repeatable; 0 takes a random one.
	Seed uint64
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Tell is told of each exchange when it has been played. Nil: nobody is.
	Tell func(number int, operation string, code int)
}

// DefaultTimeout is how long an answer may take.
const DefaultTimeout = time.Minute

// ErrNothing is returned for a tape, or flows of a tape, on which nothing can be played.
var ErrNothing = errors.New("nothing can be played")

// Plan is what of a tape is played. Make one with NewPlan. It is not safe for concurrent use.
type Plan struct {
	options  Options
	tape     *drift.Tape
	onTape   map[int]*leaf.Exchange
	steps    []*step // in the order of the tape
	minted   map[nounText]bool
	made     map[string]bool    // the texts of minted, whatever they name
	asks     map[int][]*stretch // the secrets that an exchange needs
	needs    []*Need
	same     int // flows that are not played, because others said the same
	callback int // callbacks on tape in the flows that are played
}

// step is an exchange that is to be played.
type step struct {
	*drift.Exchange
	flow int // its index
	of   *drift.Flow
	skip string // why it is not played; empty if it is
	// support says that the flow is played only because others stand on it.
	support bool
}

// NewPlan reads a tape and decides what is played. The exchanges of the cassette are clean, and are not
// changed. The error is ErrNothing, or tells of a number that no flow has.
func NewPlan(o Options, c tape.Cassette) (*Plan, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	p := &Plan{
		options: o, tape: drift.Read(drift.Options{Profiles: o.Profiles}, c),
		onTape: map[int]*leaf.Exchange{}, minted: map[nounText]bool{}, made: map[string]bool{},
		asks: map[int][]*stretch{},
	}
	i := 0
	for x := range c.All() {
		i++
		p.onTape[cmp.Or(x.Meta.Number, i)] = x
	}
	for _, n := range o.Flows {
		if !slices.ContainsFunc(p.tape.Flows, func(f *drift.Flow) bool { return f.Number == n && n > 0 }) {
			return nil, fmt.Errorf("there is no flow %d on the tape: see paytape flows", n)
		}
	}
	p.findMinted()
	p.choose()
	p.findNeeds()
	if !slices.ContainsFunc(p.steps, func(s *step) bool { return s.skip == "" }) {
		return p, ErrNothing
	}
	return p, nil
}

// findMinted notes the values on tape that the sandbox has made.
func (p *Plan) findMinted() {
	for _, f := range p.tape.Flows {
		for _, x := range f.Exchanges {
			if x.Recording == nil {
				continue
			}
			x.Recording.Holes(func(h *tape.Hole) {
				if h.What == tape.Value && h.Mint {
					p.minted[nounText{h.Slot.Name, h.Text}] = true
					p.made[h.Text] = true
				}
			})
		}
	}
}

// choose decides which exchanges are played.
func (p *Plan) choose() {
	wanted := p.wantedFlows()
	support := p.support(wanted)
	for i, f := range p.tape.Flows {
		if !wanted[i] && !support[i] {
			continue
		}
		stopped := ""
		for _, x := range f.Exchanges {
			if x.Callback {
				p.callback++
				continue
			}
			s := &step{
				Exchange: x, flow: i, of: f, skip: cmp.Or(p.unplayable(x), stopped), support: !wanted[i],
			}
			if s.skip != "" && stopped == "" && (x.Recording == nil || x.Recording.Writes()) {
				stopped = fmt.Sprintf("#%d %s is not played", x.Number, x.Operation)
			}
			p.steps = append(p.steps, s)
		}
	}
	slices.SortStableFunc(p.steps, func(a, b *step) int { return cmp.Compare(a.Number, b.Number) })
}

// wantedFlows returns which flows are played for their own sake.
func (p *Plan) wantedFlows() map[int]bool {
	wanted, seen := map[int]bool{}, map[string]bool{}
	for i, f := range p.tape.Flows {
		if len(p.options.Flows) > 0 {
			if slices.Contains(p.options.Flows, f.Number) {
				wanted[i] = true
			}
			continue
		}
		if !slices.ContainsFunc(f.Exchanges, func(x *drift.Exchange) bool { return !x.Callback }) {
			continue
		}
		key := f.Signature()
		if seen[key] && !p.options.All {
			p.same++
			continue
		}
		seen[key] = true
		wanted[i] = true
	}
	return wanted
}

// support returns the flows that others stand on: those in which something was born, or a secret was
// told, that the others send.
func (p *Plan) support(wanted map[int]bool) map[int]bool {
	flowOf, told := map[int]int{}, map[string]int{}
	for i, f := range p.tape.Flows {
		for _, x := range f.Exchanges {
			flowOf[x.Number] = i
			if on := p.onTape[x.Number]; on != nil && !x.Callback {
				markers, _ := toldBy(on)
				for _, marker := range markers {
					if _, known := told[marker]; !known {
						told[marker] = i
					}
				}
			}
		}
	}
	support := map[int]bool{}
	var add func(i int)
	add = func(i int) {
		for _, x := range p.tape.Flows[i].Exchanges {
			if x.Recording == nil {
				continue
			}
			var on []int
			for _, e := range x.Recording.Roles {
				if e.Born != nil {
					on = append(on, flowOf[e.Born.Number])
				}
			}
			for _, marker := range sentBy(p.onTape[x.Number]) {
				if j, known := told[marker]; known {
					on = append(on, j)
				}
			}
			for _, j := range on {
				if j != i && !support[j] && !wanted[j] {
					support[j] = true
					add(j)
				}
			}
		}
	}
	for i := range p.tape.Flows {
		if wanted[i] {
			add(i)
		}
	}
	return support
}

// sentBy returns the markers in a recorded request.
func sentBy(x *leaf.Exchange) []string {
	var all []string
	for _, l := range x.RequestMessage().Leaves {
		all = append(all, markersIn(l.Value)...)
	}
	return all
}

// Operations returns the operations that the tape has, whether they are played or not.
func (p *Plan) Operations() map[string]bool {
	all := map[string]bool{}
	for _, f := range p.tape.Flows {
		for _, x := range f.Exchanges {
			if !x.Callback {
				all[x.Operation] = true
			}
		}
	}
	return all
}

// unplayable says why an exchange is not played; empty if it is.
func (p *Plan) unplayable(x *drift.Exchange) string {
	on := p.onTape[x.Number]
	switch {
	case x.Failure != "":
		return "it is not whole on tape: " + x.Failure
	case x.Recording == nil:
		return "it is not whole on tape"
	case x.Recording.Lost:
		return "its answer is not on tape"
	}
	for _, pattern := range p.options.Never {
		if rules.Glob(pattern, x.Operation) {
			return "the operation is never to be sent"
		}
	}
	for name := range on.Request.Headers {
		if f, _ := p.options.Profiles.HeaderField(x.Recording.Call(), profile.Request, name); f.Signs {
			return "it is signed, and verify has no key"
		}
	}
	for _, a := range x.Recording.Request.All() {
		if a.Field.Signs {
			return "it is signed, and verify has no key"
		}
	}
	ups := p.options.Route.Upstreams
	if name := on.Meta.Host; name != "" && !ups.Has(name) {
		return fmt.Sprintf("no upstream is given for the host %q", name)
	} else if name == "" {
		path, _, _ := strings.Cut(on.Target(), "?")
		if _, ok := ups.For(path); !ok {
			return "no upstream is given for its API"
		}
	}
	return ""
}

// Skipped reports how many flows are not played because others said the same, and how many callbacks
// on tape belong to what is played.
func (p *Plan) Skipped() (flows, callbacks int) { return p.same, p.callback }

// Len returns how many exchanges will be played.
func (p *Plan) Len() int {
	n := 0
	for _, s := range p.steps {
		if s.skip == "" {
			n++
		}
	}
	return n
}
