package drift

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/outcome"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// Options say how a tape is read.
type Options struct {
	Profiles *profile.Set
	// KeepDates takes dates of APIs that no profile knows for constants.
	KeepDates bool
}

// Tape is a cassette, read to be compared. It does not change and is safe for concurrent use.
type Tape struct {
	Name  string
	Flows []*Flow // in the order in which they begin

	exchanges map[int]*Exchange // by number
	codes     map[codeKey]bool
	samples   map[string]*sample
	spreads   map[string]*spread
}

// Flow are the exchanges about entities that belong together. An exchange that is of no flow is a flow
// by itself.
type Flow struct {
	// Number is that of the flow among the flows with entities, from 1, as a description of the tape
	// has it; 0 for an exchange by itself.
	Number    int
	Exchanges []*Exchange // in the order of their requests; a callback stands behind its cause
}

// Exchange is a recorded exchange or callback, with its variables folded.
type Exchange struct {
	Number    int
	Op        string // names the operation; equal for all calls of it
	Operation string // the same for people
	State     string // what was done before to what it is about: "register.do, paymentorder.do"
	Callback  bool
	Code      int
	Words     string // what it came to: "registered 125.00 EUR"; empty where nobody knows
	// Failed says that the answer tells of a failure. Failure says why the exchange is none that can
	// be replayed; empty for one that can.
	Failed  bool
	Failure string
	// Recording is the exchange as it was compiled; nil for a callback, and for what was not.
	Recording *tape.Recording
	// Denied says that the answer refuses credentials, of which nothing on the tape shows that they are good.
	Denied bool
	// Pause is how long the client had waited since it asked the same before: meanwhile something
	// changed by itself. 0 for all other exchanges.
	Pause time.Duration

	call     profile.Call
	at       time.Time
	asked    []*value
	answered []*value
	growing  *tape.Listing // that is of a scope or of all; nil for none
	said     string        // see signature
	question string
}

// Read reads a cassette.
func Read(o Options, c tape.Cassette) *Tape {
	t := tape.Compile(tape.Options{Profiles: o.Profiles, KeepDates: o.KeepDates}, c)
	m := machine.Build(t)
	b := &tapeReader{
		Tape: &Tape{
			Name: c.Name, exchanges: map[int]*Exchange{}, codes: map[codeKey]bool{},
			samples: map[string]*sample{}, spreads: map[string]*spread{},
		},
		values: reader{o.Profiles, t.Addresses()}, recorded: map[int]*leaf.Exchange{},
		machine: m, denied: map[*machine.Recording]bool{}, flows: m.Flows(), of: map[*Exchange]int{},
		pauses: map[int]time.Duration{},
	}
	for _, e := range m.SilentEdges() {
		if e.From != nil && e.At != nil && !e.From.Answered().IsZero() {
			b.pauses[e.At.Number] = e.At.Began().Sub(e.From.Answered())
		}
	}
	for _, r := range m.Denied() {
		b.denied[r] = true
	}
	i := 0
	for x := range c.All() {
		i++
		b.recorded[cmp.Or(x.Meta.Number, i)] = x
	}
	b.read()
	return b.Tape
}

// Exchange returns the exchange of a number; nil if there is none.
func (t *Tape) Exchange(number int) *Exchange { return t.exchanges[number] }

// tapeReader reads a tape.
type tapeReader struct {
	*Tape
	values   reader
	recorded map[int]*leaf.Exchange // by number
	machine  *machine.Machine
	denied   map[*machine.Recording]bool
	flows    *machine.Flows
	order    []*Exchange
	of       map[*Exchange]int     // the flow, from 1
	pauses   map[int]time.Duration // before the first reads behind silent edges
}

func (b *tapeReader) read() {
	for _, r := range b.machine.All {
		x := b.recording(r)
		flow, known := b.flowOf(r)
		b.put(x, flow, known)
		for _, cb := range r.Callbacks {
			b.put(b.callback(cb), flow, known)
		}
	}
	b.leftOut()
	b.group()
	for i, f := range b.Flows {
		for _, x := range f.Exchanges {
			b.note(x, i+1)
		}
	}
}

// put adds an exchange.
func (b *tapeReader) put(x *Exchange, flow int, known bool) {
	if x == nil || b.exchanges[x.Number] != nil {
		return
	}
	b.exchanges[x.Number] = x
	b.order = append(b.order, x)
	if known {
		b.of[x] = flow + 1
	}
	x.question = x.sign(x.asked)
	x.said = x.question + x.sign(x.answered) + x.Failure
}

// flowOf returns the flow of a recording. A list is of a flow if it is of an entity of the flow.
func (b *tapeReader) flowOf(r *machine.Recording) (int, bool) {
	for _, e := range r.Concerned() {
		if i, known := b.flows.Of(e); known {
			return i, true
		}
	}
	return 0, false
}

// recording reads a recorded exchange.
func (b *tapeReader) recording(r *machine.Recording) *Exchange {
	onTape := b.recorded[r.Number]
	if onTape == nil {
		return nil
	}
	x := &Exchange{
		Number: r.Number, Op: r.Op, Operation: r.Did(), Code: r.Code, Failed: r.Failed || r.Denied,
		call: r.Call(), at: r.Answered(), Words: outcome.Of(b.values.set, onTape).Words,
		Recording: r.Recording, Denied: b.denied[r], Pause: b.pauses[r.Number],
	}
	if i := r.FirstRole(); i >= 0 && i < len(r.Owns) {
		x.State = b.machine.Words(r.Owns[i])
	}
	x.asked = b.values.request(r.Recording)
	x.growing = growing(r.Recording)
	var marks tape.Marks
	body := r.Body().Text(marks.Fill)
	x.answered = b.values.answer(message{
		call: r.Call(), marks: &marks, about: r.Recording, at: r.Answered(),
		marked: leaf.Read(leaf.Message{Header: r.Header(marks.Fill), Body: body}),
		onTape: leaf.Read(leaf.Message{Header: r.Header(asRecorded), Body: onTape.Response.Body}),
	})
	for _, v := range x.answered {
		if x.growing != nil && x.growing.Spec != nil && strings.EqualFold(v.key, x.growing.Spec.Total) {
			v.loose = true
		}
	}
	return x
}

// asRecorded fills a hole with what is on tape.
func asRecorded(h *tape.Hole) string {
	if h.What == tape.Leads || h.What == tape.Count {
		return h.Like
	}
	return h.Apply(h.Text)
}

// growing returns the list that an answer is, if it is one of a scope or of all.
func growing(r *tape.Recording) *tape.Listing {
	l := r.Listing
	if l == nil {
		return nil
	}
	for _, e := range r.Roles {
		if e.Kind == l.Of && !e.Scope {
			return nil
		}
	}
	return l
}

// open reports whether a path is that of a list which others fill too.
func (x *Exchange) open(path string) bool {
	if x.growing == nil {
		return false
	}
	if x.growing.Spec == nil {
		return !strings.Contains(path, "[")
	}
	return slices.Contains(x.growing.Spec.Items, path)
}

// callback reads what the sandbox told the shop.
func (b *tapeReader) callback(cb *tape.Callback) *Exchange {
	onTape := b.recorded[cb.Number]
	if onTape == nil {
		return nil
	}
	name := strings.TrimSpace(profile.CallbackOperation + " " + cb.Operation)
	call := b.values.set.FindCallback(onTape.Meta.Profile)
	x := &Exchange{
		Number: cb.Number, Op: name, Operation: name, Callback: true, call: call, at: cb.At(),
		Words: outcome.Of(b.values.set, onTape).Words,
	}
	var marks tape.Marks
	path, query := cb.Target(marks.Fill)
	target := onTape.Target()
	x.answered = b.values.answer(message{
		call: call, marks: &marks, at: cb.At(),
		marked: leaf.Read(leaf.Message{
			Target: path + "?" + query, Header: bodyType(onTape.Request.Headers), Headless: true,
			Body: cb.Body().Text(marks.Fill),
		}),
		onTape: leaf.Read(leaf.Message{
			Target: target, Header: bodyType(onTape.Request.Headers), Headless: true,
			Body: onTape.Request.Body,
		}),
	})
	// Where the shop has its door is no part of what the sandbox says.
	x.answered = slices.DeleteFunc(x.answered, func(v *value) bool { return v.place == leaf.Path })
	return x
}

// bodyType returns the part of a header that says what a body is.
func bodyType(h http.Header) http.Header {
	out := http.Header{}
	if v := h.Values("Content-Type"); len(v) > 0 {
		out["Content-Type"] = v
	}
	return out
}

// leftOut adds what is on tape and is not compiled: calls that failed or were cut, and callbacks of
// which nobody knows what they are about.
func (b *tapeReader) leftOut() {
	for number, on := range b.recorded {
		if b.exchanges[number] != nil || on.Meta.Callback != nil && on.Meta.Callback.Attempt > 1 {
			continue
		}
		call := outcome.CallOf(b.values.set, on)
		x := &Exchange{
			Number: number, Operation: on.Meta.Operation, Callback: on.Meta.Callback != nil, Code: on.Code,
			call: call, at: on.Meta.At, Failure: cmp.Or(on.Meta.Why(), "not compiled"),
		}
		if call.Operation != nil {
			x.Operation = call.Operation.Name
		}
		if x.Operation == "" {
			path, _, _ := strings.Cut(on.Target(), "?")
			x.Operation = on.Request.Method + " " + path
		}
		x.Op = x.Operation
		b.put(x, 0, false)
	}
}

// group puts the exchanges into flows.
func (b *tapeReader) group() {
	place := map[*Exchange]int{}
	for i, x := range b.order {
		place[x] = i
	}
	by := map[int]*Flow{}
	slices.SortStableFunc(b.order, func(x, y *Exchange) int {
		if x.Callback || y.Callback { // a callback stands behind its cause
			return cmp.Compare(place[x], place[y])
		}
		return cmp.Compare(x.Number, y.Number)
	})
	for _, x := range b.order {
		n := b.of[x]
		f := by[n]
		if f == nil || n == 0 {
			f = &Flow{Number: n}
			by[n] = f
			b.Flows = append(b.Flows, f)
		}
		f.Exchanges = append(f.Exchanges, x)
	}
}

// note notes what is compared with all that a tape has. The flow of the exchange is given by its index,
// from 1.
func (t *Tape) note(x *Exchange, flow int) {
	side := x.says()
	if !x.Callback {
		t.noteCode(x.Op, PathStatus, strconv.Itoa(x.Code))
	}
	for _, v := range x.answered {
		if x.isCode(v) {
			t.noteCode(x.Op, v.key, v.fold)
		}
		for i := range v.parts {
			if p := &v.parts[i]; p.minted {
				key := shapeKey(x.Op, side, v, p)
				if t.samples[key] == nil {
					t.samples[key] = &sample{}
				}
				if text := p.text; v.whole() != nil {
					t.samples[key].add(v.raw)
				} else {
					t.samples[key].add(text)
				}
			}
		}
		if v.open && v.literal() {
			t.spread(spreadKey(x.Op, v)).add(v.raw, flow)
		}
	}
}

// spread returns what a tape has in a place.
func (t *Tape) spread(key string) *spread {
	s := t.spreads[key]
	if s == nil {
		s = &spread{seen: map[string]bool{}, byFlow: map[string]int{}}
		t.spreads[key] = s
	}
	return s
}

// sample returns what a tape has shown of a variable.
func (t *Tape) sample(key string) *sample {
	if s := t.samples[key]; s != nil {
		return s
	}
	return &sample{}
}

// shapeKey names a variable at its place.
func shapeKey(op, side string, v *value, p *part) string {
	return op + "\x00" + side + "\x00" + v.shape + "\x00" + p.noun
}

func spreadKey(op string, v *value) string {
	return op + "\x00" + v.place.String() + "\x00" + v.shape
}

// outcome says what an exchange came to.
func (x *Exchange) outcome() string {
	if x.Words != "" {
		return x.Words
	}
	return http.StatusText(x.Code)
}

// sign digests values: it is equal for messages that say the same.
func (x *Exchange) sign(values []*value) string {
	lines := make([]string, 0, len(values)+1)
	for _, v := range values {
		kind := ""
		if v.place == leaf.JSON {
			kind = kindWord(v)
		}
		lines = append(lines, v.place.String()+" "+v.path+" "+kind+"="+v.folded())
	}
	slices.Sort(lines)
	return x.Op + "\n" + strings.Join(lines, "\n") + "\n"
}
