package match

import (
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fresh"
)

// survey is what one look at a whole cassette tells of values that no profile knows: which
// texts travel, and who made them. It keeps digests, not texts, which are most of a file.
type survey struct {
	set       *profile.Set
	at        []time.Time         // when each exchange was answered; zero if unknown
	wrote     []bool              // whether its method is one that changes state
	requested map[uint64]span     // tokens of the requests, folded
	shown     map[uint64]int      // tokens of answers of unknown operations: the first place
	made      map[uint64]creation // the same tokens: the write that showed one first
	constant  map[uint64]bool     // those that many writes show alike: no ids
	chosen    map[uint64]*choice  // texts that a client may have made up, as sent
	referred  map[uint64]bool     // see references; nil until asked for
	proofs    proofs
	nouns     map[string]*variety // what requests carry of each noun
	berths    map[uint64]*berth   // of ids in answers to writes of unknown operations
	room      []leaf.Leaf         // where the leaves of a message lie while it is looked at
}

// span is the first and the last place at which requests carry a token, and the noun by which
// a request knows it for an id of the sandbox's, if one does.
type span struct {
	first, last int
	of          string
	run         bool // some request has it as a whole run of characters
	asID        bool // some request has it where ids stand, or all of a value is it if it is long
}

// creation is a write that opens a thread, as far as tokens tell, and its answer.
type creation struct{ call, answer uint64 }

// choice is a text that may be the client's own: a reference, an idempotency token.
type choice struct {
	call  uint64 // the write that carries it first, and the parameter
	body  uint64
	again bool // it travels: an answer echoes it or a later request repeats it
	many  bool // several writes of one kind carry it: it is configuration
}

func newSurvey(set *profile.Set) *survey {
	return &survey{
		set: set, requested: map[uint64]span{}, shown: map[uint64]int{},
		made: map[uint64]creation{}, constant: map[uint64]bool{}, chosen: map[uint64]*choice{},
		proofs: proofs{},
		nouns:  map[string]*variety{}, berths: map[uint64]*berth{},
	}
}

// look surveys the next exchange of a cassette.
func (s *survey) look(x *leaf.Exchange) {
	call := s.set.Find(x.Method, pathOf(x.Target()))
	s.at, s.wrote = append(s.at, answeredAt(x)), append(s.wrote, changes(x.Method))
	place := len(s.at)
	opens := s.request(x, call, place)
	if call.Operation == nil || len(s.chosen) > 0 {
		s.answer(x, place, opens, call.Operation == nil)
	}
}

// request notes what a request carries, and reports whether that is nothing which an answer
// has shown before.
func (s *survey) request(x *leaf.Exchange, call profile.Call, place int) bool {
	opens := true
	q := x.Asked()
	q.Headless = true
	m := leaf.ReadInto(s.room, q)
	s.room = m.Leaves
	passages := m.Passages()
	r := &Request{Method: x.Method, Target: x.Target(), call: call}
	var own []param // that may be the client's
	for j := range m.Leaves {
		l := &m.Leaves[j]
		if l.Place == leaf.Header {
			continue
		}
		p, _ := parameter(s.set, call, l)
		s.noun(p)
		names := namesID(l)
		for _, tok := range leafTokens(l, passages) {
			key := folded(tok.text)
			sp, known := s.requested[key]
			if !known {
				sp.first = place
			}
			sp.last, sp.run = place, sp.run || tok.run
			sp.asID = sp.asID || tok.text == l.Value && (names || len(tok.text) >= embedLength)
			if p.field.From == profile.Minted && tok.text == p.text {
				sp.of = p.field.Of
			}
			s.requested[key] = sp
			opens = opens && s.shown[key] == 0
		}
		r.params = append(r.params, p)
		if call.Operation == nil && strings.Contains(p.text, "REDACTED-") {
			s.proofs.note(p)
		}
		if !p.known && p.field.From == profile.Exact && p.place != leaf.Path && choosable(l) {
			own = append(own, p)
		}
	}
	if len(own) > 0 {
		s.choose(x, r, own)
	}
	return opens
}

// choose notes texts that may be the client's own. Only one that a write carries first can
// be: what a client asks for by a read is there already.
func (s *survey) choose(x *leaf.Exchange, r *Request, own []param) {
	writes := changes(x.Method) && !(r.call.Operation == nil && r.asks())
	body := digest(x.Request.Body)
	for _, p := range own {
		key, call := digest(p.text), r.place(p)
		c := s.chosen[key]
		switch {
		case c == nil && s.shown[folded(p.text)] == 0:
			// What a read carries first stands here too, so that no write can claim it.
			s.chosen[key] = &choice{call: call, body: body, many: !writes}
		case c == nil:
		case writes && c.call == call && c.body != body:
			c.many = true
		default:
			c.again = true
		}
	}
}

// place names a parameter of a call of one kind.
func (r *Request) place(p param) uint64 {
	name, inBody := r.callName()
	if !inBody {
		name = ""
	}
	return digest(r.Method, pathOf(r.Target), name, p.path)
}

// answer notes what an answer shows. opens tells that its request carried nothing known, and
// unknown that no profile has the operation.
func (s *survey) answer(x *leaf.Exchange, place int, opens, unknown bool) {
	m := leaf.ReadInto(s.room, x.Answered())
	s.room = m.Leaves
	passages := m.Passages()
	opens = opens && changes(x.Method)
	var now creation
	if opens {
		now = creation{digest(x.Method, pathOf(x.Target())), digest(x.Response.Body)}
	}
	for i := range m.Leaves {
		l := &m.Leaves[i]
		for _, tok := range leafTokens(l, passages) {
			key := folded(tok.text)
			if s.shown[key] == 0 {
				s.shown[key] = place
			}
			if opens {
				s.creates(now, key)
			}
			s.repeats(tok.text)
		}
		if unknown && changes(x.Method) && (unusedLike(l) || wordLike(l)) {
			s.berthed(x, l)
		}
		if _, mail := mailbox(l.Value); mail {
			s.repeats(l.Value)
		}
	}
}

// repeats notes that an answer shows a text, which the client may have made up.
func (s *survey) repeats(text string) {
	if c := s.chosen[digest(text)]; c != nil {
		c.again = true
	}
}

// creates notes that the answer to a write which opens a thread shows a token. One that
// several such writes show is no id that they made: it is the sandbox's own constant.
func (s *survey) creates(now creation, token uint64) {
	first, known := s.made[token]
	switch {
	case !known:
		s.made[token] = now
	case first.call == now.call && first.answer != now.answer:
		s.constant[token] = true
	}
}

func changes(method string) bool { return method != "GET" && method != "HEAD" }

// bornHere reports whether a token of an answer, of which no profile knows anything, must
// have been made by the sandbox for this thread: it is long and odd and no date, or is called
// an id (named) and looks like one; it is no constant, and requests carry it, but none before
// the answer at a place. Of a run of characters that holds an id which requests carry alone,
// the id is born and not the run.
func (s *survey) bornHere(tok token, place int, named bool) bool {
	if len(tok.text) < inferLength && !named {
		return false
	}
	key := folded(tok.text)
	sp := s.requested[key]
	if sp.first <= place || s.constant[key] {
		return false
	}
	if named && sp.asID && idLike(tok.text) && (s.wrote[place-1] || fresh.InBothCases(tok.text)) {
		return true
	}
	if len(tok.text) < inferLength || !odd(tok.text) || timely(tok.text, s.at[place-1]) {
		return false
	}
	if !tok.run {
		return sp.run || fresh.IsUUID(tok.text)
	}
	for _, inner := range appendInner(nil, tok.text, 0) {
		alone := s.requested[folded(inner.text)].run || fresh.IsUUID(inner.text)
		if alone && s.bornHere(inner, place, false) {
			return false
		}
	}
	return true
}

// madeUp reports whether a parameter of the request at a place is a text that the client made
// up for more than the request.
func (s *survey) madeUp(p param, place int) bool {
	if p.known || p.field.From != profile.Exact || p.place == leaf.Path {
		return false
	}
	c := s.chosen[digest(p.text)]
	return c != nil && (c.again || s.references()[c.call]) && !c.many && !s.anew(p, place)
}

// references returns the places of parameters that hold what a client made up where the tape
// shows it. They hold such a text where nothing repeats it too, of a payment that was declined.
func (s *survey) references() map[uint64]bool {
	if s.referred != nil {
		return s.referred
	}
	s.referred = map[uint64]bool{}
	for _, c := range s.chosen {
		if c.again && !c.many {
			s.referred[c.call] = true
		}
	}
	return s.referred
}

// choosable reports whether a value may be a reference that a client made up: one word, odd
// enough, and no number that may be an amount, nor a date; or an address of mail with such a
// name.
func choosable(l *leaf.Leaf) bool {
	v := l.Value
	if l.Kind != leaf.String || len(v) < embedLength || !embeddable(v) {
		return false
	}
	if name, ok := mailbox(v); ok {
		return odd(name)
	}
	if !oneRun(v) || !odd(v) {
		return false
	}
	digits := strings.Trim(v, "0123456789") == ""
	return !(digits && len(v) < inferLength) && !(dateLike(v) && len(v) <= len("20060102150405")) &&
		!epochLike(v, time.Time{})
}

// mailbox returns the name in an address of mail.
func mailbox(s string) (name string, ok bool) {
	name, host, ok := strings.Cut(s, "@")
	return name, ok && name != "" && strings.Contains(host, ".") && !strings.ContainsAny(s, " :/")
}
