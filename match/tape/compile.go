package tape

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/digests"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/request"
)

// compiler reads one cassette in the order in which its requests began.
type compiler struct {
	tape     *Tape
	opts     Options
	name     string
	session  string         // of the sandbox: recordings of one session are of one sandbox
	from     int            // the place of the first recording of the session
	origins  []request.Host // of the sandboxes on this tape
	survey   *infer.Survey
	calls    knownCalls
	place    int // of the exchange at hand in their order, from 1; its number may be another
	values   index
	idKeys   map[string]bool         // keys in answers under which ids were born that come back
	latest   map[string][]*Entity    // by kind, mostRendered entities and some before them
	scopes   digests.Map[*Entity]    // by noun and text
	config   digests.Map[*Entity]    // what was there from the start, by noun and text
	brings   map[string][]*Recording // writes that may have brought what they do not show
	proven   map[uint64]string       // the names of what answers have shown, by places: see pick
	told     []map[string]string     // what requests have told of what they brought, each once
	lone     map[uint64]*Recording   // that have made what may be of one thing, by its digest: see Rest.Makes
	clock    clock                   // of the sandbox
	refs     []pendingRef
	last     *answerReader // the rooms of which the next takes over; nil for none
	search   search
	asked    []Asked                   // where the parameters of a request lie until they are a recording's
	params   []Parameter               // and where they stand,
	roles    []*Entity                 // and what they name
	asks     [][]*Entity               // what each names,
	ones     []*Entity                 // where that lies if it is one,
	names    []Named                   // and its name,
	order    []int                     // and the order of those that name something
	unframed Frame                     // of the exchange at hand until its operation is known
	moved    map[string]bool           // dates of an API that no profile knows which answers have shown
	fixed    map[string]bool           // dates of such an API that clients have sent first
	relayed  map[string]bool           // slots that keep where a shop wants to be called; see leaf.Meta.Relayed
	apis     map[*profile.Profile]bool // that calls of the cassette are of
}

func newCompiler(t *Tape, o Options, name string) *compiler {
	return &compiler{
		tape: t, opts: o, name: name, session: name, from: len(t.Recordings), survey: infer.NewSurvey(o.Profiles),
		idKeys: map[string]bool{}, search: search{at: map[*Entity]int{}}, latest: map[string][]*Entity{},
		brings: map[string][]*Recording{}, lone: map[uint64]*Recording{}, proven: map[uint64]string{},
		moved: map[string]bool{}, fixed: map[string]bool{}, relayed: map[string]bool{},
		apis: map[*profile.Profile]bool{},
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
	c.tape.Recordings, c.tape.Entities = slices.Grow(c.tape.Recordings, place), slices.Grow(c.tape.Entities, place)
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
	answered := AnsweredAt(x)
	c.unframed.call, c.unframed.zone = c.tape.words.call(req.Call), c.tape.words.zone(answered)
	rec := c.tape.slabs.recordings.Put(Recording{
		Place: len(c.tape.Recordings), surveyed: int32(c.place), Number: numberOf(x, c.place),
		Target: c.tape.words.word(request.PathOf(x.Target())), began: nanoseconds(x.Meta.At),
		answered: nanoseconds(answered), Took: x.Response.Duration, Frame: &c.unframed,
		Rest: c.tape.slabs.rests.Put(Rest{}),
	})
	rec.Missing = int32(c.calls.missingBefore(rec.Number))
	c.tape.Recordings = append(c.tape.Recordings, rec)
	rec.Lost = !c.served(x)
	c.judge(rec, a)
	c.keyUse(rec)
	// The names in a request tell which operation of an unknown API it is.
	asked := c.ask(rec, x, req)
	rec.Frame = c.tape.words.frame(Frame{
		Cassette: c.name, Session: c.session, operation: operationName(&req.Call), Op: c.tape.operation(req, asked),
		Method: x.Method, Status: x.Response.Status, Coding: x.Meta.Coding, Charset: x.Meta.Charset,
		Fault: x.Meta.Fault, Host: x.Meta.Host, Address: addressOf(x), Code: x.Code,
		Broken: req.Broken, Infers: req.Call.Infers(), call: c.unframed.call, zone: c.unframed.zone,
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
