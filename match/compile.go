package match

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Compile makes a tape of cassettes. Each keeps its own variables: two that were recorded
// apart have nothing in common. Exchanges that cannot be replayed (failed, cut, withheld)
// are left out.
func Compile(o Options, cassettes ...Cassette) *Tape { return compile(o, nil, cassettes) }

func compile(o Options, n *notes, cassettes []Cassette) *Tape {
	t := &Tape{
		opts: o, notes: n, openers: map[uint64]*openers{}, likely: newResembling(),
		compact: newCompactor(n != nil), headers: map[string]*answerHeader{},
		variants: map[string][]variant{}, widest: map[string]int{}, hosts: newHosts(),
	}
	for _, c := range cassettes {
		newCompiler(t, c).run(c.all())
	}
	t.index()
	return t
}

// compiler reads one cassette in the order in which its requests began.
type compiler struct {
	tape    *Tape
	name    string
	origins []Host // of the sandboxes on this tape
	survey  *survey
	place   int // of the exchange at hand in their order, from 1; its number may be another
	ids     identities
	scopes  map[*thread]*scope
	sharers map[identity][]*thread       // of identifying shared values
	silent  map[*profile.Profile]*thread // of the exchanges without values, by their API
	opened  map[uint64][]*thread         // by the loose write that opened them; see asked
	idKeys  map[string]bool              // keys in answers under which ids were born that come back
	alike   []*thread                    // those that a loose read could as well belong to
	later   []fielded                    // leaves of the answer at hand that follow others
}

func newCompiler(t *Tape, c Cassette) *compiler {
	return &compiler{
		tape: t, name: c.Name, ids: identities{}, survey: newSurvey(t.opts.Profiles),
		scopes: map[*thread]*scope{}, sharers: map[identity][]*thread{},
		opened: map[uint64][]*thread{}, silent: map[*profile.Profile]*thread{},
		idKeys: map[string]bool{},
	}
}

// run reads the exchanges twice: what a value is shows in later ones.
func (c *compiler) run(xs iter.Seq[*leaf.Exchange]) {
	for x := range xs {
		c.survey.look(x)
		c.address(x)
		if x.FailureReplayable() {
			c.tape.failures++
		}
	}
	c.tape.know(c.origins)
	for a := range c.readyAhead(xs) {
		c.exchange(a)
	}
}

// final reports whether a status ends an exchange. Only a tape made by hand has others.
func final(code int) bool { return code >= 200 && code < 600 }

// replayed reports whether an exchange is one that this tape replays.
func (c *compiler) replayed(x *leaf.Exchange) bool {
	return x.Replayable() || c.tape.opts.Failures && x.FailureReplayable()
}

// exchange compiles one recorded exchange: whose it is, what its request wants, what its
// answer says.
func (c *compiler) exchange(a *readied) {
	x, req, answer := a.x, a.req, a.answer
	c.place = a.place
	e := &exchange{
		frame: c.tape.compact.frame(frame{
			cassette: c.name, operation: operationName(req), op: req.op, method: x.Method,
			status: x.Response.Status, coding: x.Meta.Coding, charset: x.Meta.Charset,
			fault: x.Meta.Fault, code: x.Code, unknown: req.call.Operation == nil,
			host: x.Meta.Host, address: addressOf(x),
		}),
		number: cmp.Or(x.Meta.Number, c.place), target: pathOf(x.Target()), writes: writes(req),
		began: x.Meta.At, answered: answeredAt(x), trailer: x.Meta.Trailers,
		took: x.Response.Duration,
	}
	e.denied = denied(req.call.Profile, x.Code, answer)
	for i := range req.params {
		c.secret(e, &req.params[i])
		blank(e, x, &req.params[i])
	}
	for _, p := range req.params {
		if p.field.Secret == profile.Token {
			e.tokens = append(e.tokens, p.text)
		}
	}
	c.assign(e, req, answer)
	c.wants(e, req)
	c.answer(e, req, answer)
	c.shareWithTied(e)
	c.join(e)
	c.tape.compact.exchange(e)
	c.tape.exchanges = append(c.tape.exchanges, e)
	c.tape.hosts.enter(e)
	c.tape.notes.source(e, x)
}

// secret settles what a parameter is that may hold what cleaning left of a secret.
func (c *compiler) secret(e *exchange, p *param) {
	if c.issued(p) {
		p.field.From = profile.Exact // it came from an answer, and must be that one's
		return
	}
	if e.unknown && p.field.Secret == profile.Token && c.survey.proofs.anew(p) {
		p.field = profile.Field{From: profile.Shared}
	}
	f := asSecret(p.field, p.text)
	p.field, p.assumed = f, f != p.field
}

// blank settles what a parameter of an unknown operation is whose value cleaning replaced by a
// constant, as it does with every CVC and PIN: what was there is not known, and anything will do.
func blank(e *exchange, x *leaf.Exchange, p *param) {
	if !e.unknown || p.field.From != profile.Exact {
		return
	}
	place := "request " + p.place.String() + " " + p.path + ": "
	for _, kind := range []profile.Sensitivity{profile.CVC, profile.PIN} {
		if slices.Contains(x.Meta.Redactions, place+string(kind)) {
			p.field, p.assumed = profile.Field{From: profile.Shared}, true
		}
	}
}

// issued reports whether a parameter is a token that an answer on tape brought.
func (c *compiler) issued(p *param) bool {
	_, known := c.ids.look(identity{"", p.text}, nil, true)
	free := p.field.From == profile.Exact || p.field.From == profile.Shared && p.field.Of == ""
	return known && free && isMark(p.text)
}

// join enters e into its threads, whose state it may change.
func (c *compiler) join(e *exchange) {
	if e.loose {
		c.spreadOut(e)
		return
	}
	for _, t := range e.threads {
		t.tie(e.threads[0])
		e.before = append(e.before, len(t.writes))
		t.exchanges = append(t.exchanges, e)
		if e.writes {
			t.writes = append(t.writes, e)
		}
	}
	for _, t := range e.tied {
		t.tie(e.threads[0])
		e.tiedBefore = append(e.tiedBefore, len(t.writes))
	}
}

// index computes what can be known only when all exchanges are: the keys, for which all that
// was inferred counts, and which answers really refused a login.
func (t *Tape) index() {
	t.acquit()
	for _, th := range t.threads {
		if flow := th.flow(); flow != th {
			th.tied = flow // from now on one step away
		}
	}
	t.collectVariants()
	for i, e := range t.exchanges {
		e.place = i
		e.key = t.recordedKey(e)
	}
	t.gather()
	for _, e := range t.exchanges {
		t.likely.enter(e)
		e.concern()
		if len(e.among) == 0 {
			t.widest[e.op] = max(t.widest[e.op], len(e.threads)+len(e.tied))
		}
	}
	t.likely.entered, t.headers, t.compact = nil, nil, nil
	for _, th := range t.threads {
		th.arrange()
		th.settle()
	}
	t.collectOpeners()
}

func (c *compiler) newThread() *thread {
	t := &thread{index: len(c.tape.threads)}
	t.members = []*thread{t}
	c.tape.threads = append(c.tape.threads, t)
	c.scopes[t] = newScope(t)
	return t
}

// operationName names the operation for people: the document's name where a profile has it.
func operationName(r *Request) string {
	if r.call.Operation != nil {
		return r.call.Operation.Name
	}
	return r.Method + " " + pathOf(r.Target)
}

// writes reports whether a request changes state: the profile says so; where none does,
// GET and HEAD read, what is called a question reads, and the rest writes.
func writes(r *Request) bool {
	if r.call.Operation != nil {
		return r.call.Operation.Writes
	}
	return changes(r.Method) && !r.asks()
}

// denied reports whether an answer refuses the credentials.
func denied(p *profile.Profile, code int, answer *leaf.Message) bool {
	if p == nil {
		return code == 401
	}
	return slices.ContainsFunc(p.Denied, func(d profile.Condition) bool {
		if d.Status != 0 && d.Status != code {
			return false
		}
		if d.Key == "" {
			return true
		}
		l := answer.Find(leaf.JSON, d.Key)
		return l != nil && l.Value == d.Value
	})
}

// acquit clears answers that look like a refused login but came to credentials that others
// succeeded with: the gateway has one code for these and for wrong values (domain facts,
// Codes).
func (t *Tape) acquit() {
	good := map[string]bool{}
	for _, e := range t.exchanges {
		for _, token := range e.tokens {
			good[token] = good[token] || !e.denied
		}
	}
	for _, e := range t.exchanges {
		isGood := func(token string) bool { return good[token] }
		e.denied = e.denied && !slices.ContainsFunc(e.tokens, isGood)
	}
}

// address notes the host of an exchange.
func (c *compiler) address(x *leaf.Exchange) {
	h := Host{x.Meta.Host, addressOf(x)}
	if h.Address != "" && !slices.Contains(c.origins, h) {
		c.origins = append(c.origins, Host{strings.Clone(h.Name), strings.Clone(h.Address)})
	}
}

// answeredAt returns when a recorded exchange was answered: its own note, or the Date
// header of a tape that another program wrote, or the zero time.
func answeredAt(x *leaf.Exchange) time.Time {
	if !x.Meta.At.IsZero() {
		return x.Meta.At.Add(x.Duration)
	}
	t, err := time.Parse(time.RFC1123, x.Response.Headers.Get("Date"))
	if err != nil {
		return time.Time{}
	}
	return t
}
