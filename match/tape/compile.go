package tape

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/paytape/paytape/internal/digests"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/request"
)

// Cassette is a named recording: what Compile takes. The exchanges are clean and are not
// changed.
type Cassette struct {
	Name      string
	Exchanges []*leaf.Exchange
	// Read takes the place of Exchanges where it is set. It yields the exchanges by number, and
	// yields them again whenever it is called, so that a large recording need not be held in
	// memory.
	Read iter.Seq[*leaf.Exchange]
	// Profiles are editions of profiles that the cassette tells beside those that its exchanges tell.
	Profiles []string
}

// All yields the exchanges in the order in which their requests began.
func (c Cassette) All() iter.Seq[*leaf.Exchange] {
	if c.Read != nil {
		return c.Read
	}
	ordered := slices.Clone(c.Exchanges)
	slices.SortStableFunc(ordered, func(a, b *leaf.Exchange) int {
		return cmp.Compare(a.Meta.Number, b.Meta.Number)
	})
	return slices.Values(ordered)
}

// Options say how cassettes are compiled.
type Options struct {
	Profiles *profile.Set
	// Failures has failures of the sandbox compiled like its answers.
	Failures bool
	// KeepDates leaves the dates of APIs that no profile knows as they are on tape.
	KeepDates bool
}

// Tape is one or more cassettes, compiled. It does not change afterwards and is safe for
// concurrent use.
type Tape struct {
	Recordings []*Recording
	Entities   []*Entity

	hosts    hosts
	routes   map[string]*route
	called   map[*profile.Operation]string // the names of operations that profiles have
	places   map[position]*Place
	fields   map[position]bool // by which requests name entities
	config   map[configKey]bool
	slots    map[string]int     // how many slots of a name holes are filled from
	events   int                // how many events of one entity answers tell
	says     map[configKey]bool // values of nouns that are no entities, such as logins
	issued   map[string]bool    // kinds of scopes of which answers have brought names
	series   map[string]*Series
	steps    map[string]bool          // kinds of entities to which ways lead over others
	expiries map[string]request.Class // what the expiries of the tape were when it was made
	failures int
	orphans  []Recorded // callbacks without a cause
	profiles []string   // with which it was recorded, as exchanges tell

	configured []configKey // of which config is made

	cells   map[*Recording][]cell    // of answers, until their classes are known
	headers map[string]*answerHeader // those without variables, while compiling
	words   *words                   // while compiling
	slabs   *slabs                   // while compiling
	starts  map[start]*Ref           // the ways without steps, while compiling
}

// position is a parameter of an operation.
type position struct{ op, path string }

// Place is what the tape knows of a parameter of an operation, in all recordings.
type Place struct {
	// Named says that some recording has the name of an entity there. Renderings are the ways in
	// which the name is written there, apart from the name as it is.
	Named      bool
	Renderings []Rendering
	// Free says that anything will do there, Chosen that the client makes up a name, Card that it
	// is the number of a card.
	Free, Chosen, Card bool
	// Ties are the dates that are sent back there.
	Ties []Tie
	// Strangers are the tokens there that no answer has brought.
	Strangers []Stranger
}

type configKey struct{ kind, text string }

// Compile makes a tape of cassettes. Exchanges that are not whole (failed, cut, withheld) are left
// out, but for writes whose answer nobody read.
func Compile(o Options, cassettes ...Cassette) *Tape {
	t := &Tape{
		hosts: newHosts(), routes: map[string]*route{}, called: map[*profile.Operation]string{},
		places: map[position]*Place{}, fields: map[position]bool{},
		slots: map[string]int{}, says: map[configKey]bool{}, series: map[string]*Series{},
		issued: map[string]bool{}, headers: map[string]*answerHeader{}, slabs: &slabs{}, starts: map[start]*Ref{},
		expiries: map[string]request.Class{}, steps: map[string]bool{}, cells: map[*Recording][]cell{},
	}
	t.words = newWords(t.slabs)
	for _, c := range cassettes {
		t.profiles = append(t.profiles, c.Profiles...)
		newCompiler(t, o, c.Name).run(c.All())
	}
	var configured sync.WaitGroup
	configured.Go(func() { // no other step asks for it
		t.config = map[configKey]bool{}
		for _, key := range t.configured {
			t.config[key] = true
		}
		t.configured = nil
	})
	finish(t.series)
	t.classify()
	for _, p := range t.places {
		p.settleStrangers()
	}
	for _, e := range t.Entities {
		e.finish(t.slabs)
	}
	for _, r := range t.Recordings {
		r.Rest = t.words.rest(r.Rest)
	}
	configured.Wait()
	t.cells, t.headers, t.words, t.slabs, t.starts = nil, nil, nil, nil, nil
	return t
}

// Failures returns how many failures of the sandbox were recorded that could be replayed,
// whether this tape replays them or not.
func (t *Tape) Failures() int { return t.failures }

// compiler reads one cassette in the order in which its requests began.
type compiler struct {
	tape    *Tape
	opts    Options
	name    string
	session string         // of the sandbox: recordings of one session are of one sandbox
	origins []request.Host // of the sandboxes on this tape
	survey  *infer.Survey
	calls   knownCalls
	place   int // of the exchange at hand in their order, from 1; its number may be another
	values  index
	idKeys  map[string]bool // keys in answers under which ids were born that come back
	kinds   map[string][]*Entity
	scopes  digests.Map[*Entity]    // by noun and text
	config  digests.Map[*Entity]    // what was there from the start, by noun and text
	brings  map[string][]*Recording // writes that may have brought what they do not show
	clock   clock                   // of the sandbox
	refs    []pendingRef
	last    *answerReader             // the rooms of which the next takes over; nil for none
	asked   []Asked                   // where the parameters of a request lie until they are a recording's
	params  []Parameter               // and where they stand,
	roles   []*Entity                 // and what they name
	asks    [][]*Entity               // what each names,
	ones    []*Entity                 // where that lies if it is one,
	names   []Named                   // and its name,
	order   []int                     // and the order of those that name something
	moved   map[string]bool           // dates of an API that no profile knows which answers have shown
	relayed map[string]bool           // slots that keep where a shop wants to be called; see leaf.Meta.Relayed
	apis    map[*profile.Profile]bool // that calls of the cassette are of
}

func newCompiler(t *Tape, o Options, name string) *compiler {
	return &compiler{
		tape: t, opts: o, name: name, session: name, survey: infer.NewSurvey(o.Profiles),
		idKeys: map[string]bool{}, kinds: map[string][]*Entity{}, brings: map[string][]*Recording{},
		moved: map[string]bool{}, relayed: map[string]bool{}, apis: map[*profile.Profile]bool{},
	}
}

// run reads the exchanges twice: what a value is shows in later ones.
func (c *compiler) run(xs iter.Seq[*leaf.Exchange]) {
	place := 0
	at := sandboxes{}
	for a := range c.surveyAhead(xs) {
		x := a.x
		place++
		if x.Meta.Callback != nil {
			c.survey.LookAtCallback(x)
			c.calls = append(c.calls, numberOf(x, place))
			continue
		}
		c.survey.Look(&a.reading, AnsweredAt(x))
		c.address(x)
		api := c.opts.Profiles.Find(x.Method, request.PathOf(x.Target())).Profile
		c.apis[api] = true
		at.note(api, addressOf(x), place)
		if c.kept(x) || !infer.Changes(x.Method) || x.Meta.Failure != "" {
			c.calls = append(c.calls, numberOf(x, place))
		}
		if x.FailureReplayable() {
			c.tape.failures++
		}
	}
	slices.Sort(c.calls)
	c.tape.hosts.noteHosts(c.origins)
	switches := at.switches()
	for a := range c.readyAhead(xs) {
		for len(switches) > 0 && a.place >= switches[0] {
			c.numberSteps()
			c, switches = c.nextSession(), switches[1:]
		}
		if a.x.Meta.Callback != nil {
			c.callback(a)
			continue
		}
		c.exchange(a)
	}
	c.numberSteps()
}

// numberOf returns the number of an exchange; where it has none, its place among all.
func numberOf(x *leaf.Exchange, place int) int { return cmp.Or(x.Meta.Number, place) }

// exchange compiles one recorded exchange: what its request names, and what its answer shows.
func (c *compiler) exchange(a *readied) {
	x, req := a.x, a.req
	c.place = a.place
	c.tape.profiles = append(c.tape.profiles, x.Meta.Profiles...)
	rec := c.tape.slabs.recordings.Put(Recording{
		Place: len(c.tape.Recordings), surveyed: c.place, Number: numberOf(x, c.place),
		Target: c.tape.words.word(request.PathOf(x.Target())), Began: x.Meta.At,
		Answered: AnsweredAt(x), Took: x.Response.Duration, call: req.Call,
		Rest: c.tape.slabs.rests.Put(Rest{}),
	})
	rec.Missing = c.calls.missingBefore(rec.Number)
	c.tape.Recordings = append(c.tape.Recordings, rec)
	rec.Lost = !c.served(x)
	c.judge(rec, a)
	// The names in a request tell which operation of an unknown API it is.
	asked := c.ask(rec, x, req)
	rec.Frame = c.tape.words.frame(Frame{
		Cassette: c.name, Session: c.session, Operation: operationName(req), Op: c.tape.operation(req, asked),
		Method: x.Method, Status: x.Response.Status, Coding: x.Meta.Coding, Charset: x.Meta.Charset,
		Fault: x.Meta.Fault, Host: x.Meta.Host, Address: addressOf(x), Code: x.Code,
		Infers: req.Call.Infers(),
	})
	rec.Request = c.tape.words.request(asked)
	c.tape.learn(rec)
	c.tape.hosts.noteRecording(rec)
	if rec.Lost {
		rec.header = &answerHeader{}
	} else {
		c.answer(rec, a)
	}
	c.conclude(rec)
}

// served reports whether an exchange is one that this tape replays.
func (c *compiler) served(x *leaf.Exchange) bool {
	return (x.Replayable() || c.opts.Failures && x.FailureReplayable()) && Final(x.Code)
}

// kept reports whether an exchange is compiled: it is replayed, it is a write whose answer nobody has
// read, or it is a callback.
func (c *compiler) kept(x *leaf.Exchange) bool {
	if x.Meta.Callback != nil {
		return x.Meta.Withheld == "" // the request of one that the shop refused is whole
	}
	lost := x.Meta.Failure != "" && x.Meta.Fault == "" && x.Meta.Withheld == "" &&
		infer.Changes(x.Method)
	return c.served(x) || lost
}

// judge says what a call does: whether it reads, has failed, or was refused.
func (c *compiler) judge(rec *Recording, a *readied) {
	req := a.req
	rec.Reads = Reads(req)
	rec.Failed = !rec.Lost && Fails(req, a.x.Code, &a.answer)
	if p := req.Call.Profile; !req.Call.DeniedUnsaid() {
		rec.Denied = slices.ContainsFunc(p.Denied, func(d profile.Condition) bool {
			return d.Holds(a.x.Code, finder(&a.answer))
		})
	} else {
		rec.Denied = a.x.Code == 401
	}
	rec.Denied = rec.Denied && !rec.Lost
}

// Fails reports whether an answer tells that the call has failed, and so has changed nothing.
func Fails(r *request.Request, code int, answer *leaf.Message) bool {
	return r.Call.Fails(code, finder(answer)) || r.Call.FailureUnsaid() && infer.Fails(answer)
}

// finder returns a function that looks up a value of an answer by its key.
func finder(m *leaf.Message) func(key string) (string, bool) {
	return func(key string) (string, bool) {
		for i := range m.Leaves {
			l := &m.Leaves[i]
			if l.Place != leaf.Header && strings.EqualFold(l.Key, key) {
				return l.Value, true
			}
		}
		return "", false
	}
}

// Reads reports whether a request changes nothing: the profile says so; where none does, GET and
// HEAD read, what is called a question reads, and the rest writes.
func Reads(r *request.Request) bool {
	o := r.Call.Operation
	switch {
	case o == nil:
		return infer.Asks(r)
	case !o.Writes:
		return true
	}
	for i := 0; i < len(r.Params) && len(o.Reads) > 0; i++ {
		p := &r.Params[i]
		values, variant := o.Reads[strings.ToLower(request.LastName(p.Path))]
		if !variant {
			values, variant = o.Reads[strings.ToLower(p.Path)]
		}
		if variant && p.Text != "" && (len(values) == 0 || slices.Contains(values, p.Text)) {
			return true
		}
	}
	return o.Asks && infer.Asks(r)
}

// conclude notes what an exchange has done: the values of its request stay with the entities that
// it moves and bears, and these entities are linked.
func (c *compiler) conclude(rec *Recording) {
	if !rec.Failed && !rec.Denied && !rec.Lost {
		for _, e := range rec.Roles {
			e.called(rec)
		}
	}
	if rec.Reads || rec.Failed || rec.Denied {
		if rec.Failed && !rec.Reads && len(rec.Births) > 0 {
			c.nameBirths(rec) // a payment that was declined is there all the same
		}
		for _, e := range rec.Births {
			c.relate(e, rec)
			if len(e.events) == 0 {
				e.events = append(e.events, rec)
			}
		}
		return
	}
	c.nameBirths(rec)
	for _, e := range rec.Births {
		c.relate(e, rec)
	}
	moved := slices.Concat(rec.Roles, rec.Births)
	var linked []*Entity // without scopes, each once
	for _, e := range moved {
		if !e.Scope && !slices.Contains(linked, e) {
			linked = append(linked, e)
		}
	}
	for _, e := range moved {
		c.attach(rec, e)
		e.events = append(e.events, rec)
		if !e.Scope {
			e.linkAll(linked, rec, c.tape.slabs)
		}
	}
	if o := rec.call.Operation; o != nil {
		c.brings[o.Name] = append(c.brings[o.Name], rec)
	}
}

// nameBirths gives the entities that an exchange bears the names that the client has chosen for
// them. A request to an API that no profile knows may choose a name of which the answer shows
// nothing. Then an entity with this name is born all the same.
func (c *compiler) nameBirths(rec *Recording) {
	for i := range rec.Request {
		p := rec.Request[i]
		if !p.Unborn || rec.Lost {
			continue
		}
		noun, kind := p.Field.Of, c.tape.words.kind(rec.call.Profile, p.Field.Of)
		if noun == "" {
			noun = "sent " + request.LastName(p.Path)
		}
		at := slices.IndexFunc(rec.Births, func(e *Entity) bool { return kind == "" || e.Kind == kind })
		if at < 0 {
			if kind == "" {
				kind = rec.Op
			}
			e := c.entity(kind, rec.call.Profile.Entity(p.Field.Of))
			e.Born = rec
			rec.Births = c.tape.slabs.relatives.Append(rec.Births, e)
			at, rec.Shown = len(rec.Births)-1, len(rec.Births)
		}
		v := c.tape.slabs.values.Put(value{
			text: p.Text, noun: p.Field.Of, isName: true, born: rec, secret: p.Field.Secret,
		})
		rec.Births[at].addValue(v, noun)
		c.values.add(v)
		c.tape.want(v.slot)
		rec.Namings = c.tape.slabs.namings.Append(rec.Namings, Naming{Path: p.Path, Noun: noun, Birth: at})
	}
}

// attach gives an entity the values of a request.
func (c *compiler) attach(rec *Recording, e *Entity) {
	for i := range rec.Request {
		p := rec.Request[i]
		name, ok := attribute(p)
		if !ok {
			continue
		}
		v := c.tape.slabs.values.Put(value{
			text: request.Canonical(p.Field, p.Text), noun: p.Field.Of, secret: p.Field.Secret,
			born: rec, form: p.Field.Form,
		})
		e.addValue(v, name)
		if !slices.ContainsFunc(rec.Attributes, func(a Attribute) bool { return a.Path == p.Path }) {
			rec.Attributes = c.tape.slabs.attributes.Append(rec.Attributes, Attribute{Path: p.Path, Name: name})
		}
	}
}

// attribute returns the name of the slot in which the value of a parameter is kept, if the client
// chose it and it names nothing.
func attribute(p *Asked) (name string, ok bool) {
	if p.Text == "" || len(p.Names) > 0 || p.Unborn || p.Tied {
		return "", false
	}
	switch p.Field.From {
	case profile.Shared, profile.Unique, profile.Date:
	default:
		if !p.Free {
			return "", false
		}
	}
	if p.Field.Secret != profile.NotSecret && p.Field.Secret != profile.PAN &&
		!p.Field.Secret.Personal() {
		return "", false
	}
	if p.Field.Of != "" {
		return p.Field.Of, true
	}
	return request.LastName(p.Path), true
}

// address notes the host of an exchange, and its other names.
func (c *compiler) address(x *leaf.Exchange) {
	for _, name := range x.Meta.Aliases {
		if all := &c.tape.hosts.aliases; !slices.Contains(*all, name) {
			*all = append(*all, strings.Clone(name))
		}
	}
	h := request.Host{Name: x.Meta.Host, Address: addressOf(x)}
	if h.Address != "" && !slices.Contains(c.origins, h) {
		c.origins = append(c.origins, request.Host{
			Name: strings.Clone(h.Name), Address: strings.Clone(h.Address),
		})
	}
}
