package match

import (
	"slices"
	"strings"
	"sync"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// A spy has the sandbox behind it and decides for each entity where it lives. What the tape can
// bear is replayed; its ids are unknown upstream, so whatever is asked about it is on tape or a
// miss. What the sandbox has made stays there: it is an entity here that is upstream, and has
// nothing but names.

// Spy answers as Serve does, for a deck that can ask the sandbox. Both results are nil where the
// sandbox must be asked: if the request is about an entity that lives there, or if the tape has no
// answer and the request is about no entity that is replayed.
func (p *Player) Spy(r *Request) (*Answer, *Miss) {
	q := p.query(r)
	defer q.end()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spies = true
	p.elapse(&p.late, q.now)
	p.resolve(q)
	at := p.homes(q)
	if at == (homes{}) && q.reads {
		at = p.homesWithin(q)
	}
	switch {
	case at.here && at.upstream:
		miss := p.divided(q)
		miss.Trace = p.trace(q, found{})
		miss.Trace.miss, miss.Trace.divided = miss, true
		return nil, miss
	case at.upstream:
		return nil, nil
	}
	a, miss := p.play(q)
	if miss == nil || !at.here {
		return a, nil
	}
	if !q.reads {
		p.missedWrite(q)
	}
	miss = unknownUpstream(miss)
	miss.Trace.divided = true // whatever the tape lacks, the sandbox cannot be asked for it
	return nil, miss
}

// homes tells where the things live that a request is about: on tape, or at the sandbox. It is
// neither for configuration that nothing was done to, which is the same in both places.
type homes struct{ here, upstream bool }

func (h *homes) add(e *entity) {
	h.here = h.here || !e.upstream && (!e.isConfigured() || e.hasMoved())
	h.upstream = h.upstream || e.upstream
}

// isConfigured reports whether an entity was there from the start, as scopes are.
func (e *entity) isConfigured() bool { return e.Scope || e.literal != "" }

// hasMoved reports whether a write has changed an entity that was there from the start.
func (e *entity) hasMoved() bool { return e.Own != machine.Unborn(e.kind, e.literal) }

// homes tells where that lives which a request names. An id that replay has made is of something
// here, whether or not the tape ever names anything by it.
func (p *Player) homes(q *query) homes {
	var h homes
	for _, e := range p.mentioned(q) {
		if !e.Scope {
			h.add(e)
		}
	}
	h.here = h.here || slices.ContainsFunc(q.r.Params, p.holdsMinted)
	return h
}

// homesWithin tells where that lives which belongs to the scopes and the configuration that a
// question names, and what a list of the whole session is about.
func (p *Player) homesWithin(q *query) homes {
	var h homes
	if o := q.Call.Operation; o != nil && o.List != nil && o.List.Of == "" {
		kind := tape.KindOf(q.Call.Profile, o.List.Noun)
		for _, e := range slices.Concat(p.kinds[kind], p.kinds[bornElsewhere]) {
			h.add(e)
		}
	}
	for _, e := range q.ents {
		if e.Scope {
			h.add(e)
		}
		for o := range e.all() {
			h.add(o)
		}
		for _, o := range e.parts {
			h.add(o)
		}
	}
	return h
}

// mentioned returns the entities that a request names, wherever their ids stand: the tape need not
// have one there.
func (p *Player) mentioned(q *query) []*entity {
	es := slices.Clone(q.ents)
	for i := range q.Asked {
		a := &q.Asked[i]
		if a.Known || len(a.Names) > 0 {
			continue
		}
		tokens := (&request.Param{Text: a.Text, Path: a.Path, Place: a.Place}).Tokens()
		if a.Place == leaf.Path {
			tokens = append(tokens, request.Token{Text: a.Text}) // however short: ids stand there
		}
		for _, tok := range tokens {
			if ref, _, ok := p.find("", tok.Text, nil, q); ok {
				es = append(es, ref.entity)
			}
		}
	}
	return es
}

// holdsMinted reports whether a parameter holds an id that replay has made.
func (p *Player) holdsMinted(a request.Param) bool {
	return a.Field.From != profile.Ignored &&
		slices.ContainsFunc(request.Tokens(a.Text), func(tok request.Token) bool {
			return p.minted.minter(tok.Text) != 0
		})
}

func (p *Player) divided(q *query) *Miss {
	return &Miss{
		Reason: BadState, Operation: p.operationOf(q),
		Sentence: "it is about things of which some are replayed and some live upstream",
		Hint:     "record all of it: paytape record appends to a cassette",
	}
}

// unknownUpstream words a miss about what is replayed.
func unknownUpstream(m *Miss) *Miss {
	m.Reason = BadState
	m.Sentence = "it is about something that is replayed, and the sandbox does not know its ids: " +
		m.Sentence
	m.Hint = "record all that is done to it again: paytape record appends to a cassette; or " + m.Hint
	return m
}

// Adopt notes an exchange that the sandbox has answered for a Spy: what the answer brings lives
// upstream, and so does from now on what a write has changed there. code is the status of the answer,
// whose body has no content coding.
func (p *Player) Adopt(r *Request, code int, answer leaf.Message) {
	q := p.query(r)
	m := leaf.Read(answer)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.resolve(q)
	named := p.mentioned(q)
	born := p.mintedIn(q, m)
	var e *entity
	for _, o := range named {
		if o.upstream && !o.isConfigured() {
			e = o
		}
	}
	changed := !q.reads && !tape.Fails(q.r, code, m)
	for _, o := range named {
		if changed && o.literal != "" && !q.Call.Uses(o.typ) {
			o.upstream = true
		}
	}
	if e == nil && len(born) == 0 {
		return
	}
	if e == nil {
		e = p.bornUpstream(q)
	}
	for _, v := range born { // of a poll it has them
		if !e.knows(v.text) {
			v.text = strings.Clone(v.text)
			p.bind(e, v.bound, v.noun, true)
		}
	}
	for i := range q.Asked {
		if a := &q.Asked[i]; a.Unborn {
			p.bind(e, in(tape.Slot{Name: a.Field.Of}, a.Text), a.Field.Of, true)
		}
	}
	p.used.touch(e)
	p.trim()
}

// bornElsewhere is the kind of all that lives upstream.
const bornElsewhere = "upstream"

// bornUpstream makes an entity that lives upstream. It belongs to what the request names.
func (p *Player) bornUpstream(q *query) *entity {
	e := p.newEntity(bornElsewhere, nil)
	e.upstream = true
	for _, o := range q.ents {
		switch {
		case o.Scope:
			e.relate().scopes = append(e.scopes, o)
		case o.literal != "":
			e.relate().wholes = append(e.wholes, o)
		}
	}
	p.joinRelatives(e)
	return e
}

// nounBound is a value and the noun under which requests may carry it.
type nounBound struct {
	bound
	noun string
}

// mintedIn returns the values that an answer from upstream has brought: those that the profile
// names and, where it knows nothing, every id that neither the request nor any on tape holds: these
// are constants.
func (p *Player) mintedIn(q *query, m *leaf.Message) []nounBound {
	sent := map[string]bool{}
	for i := range q.Asked {
		sent[q.Asked[i].Text] = true
		for _, tok := range request.Tokens(q.Asked[i].Text) {
			sent[tok.Text] = true
		}
	}
	var out []nounBound
	add := func(noun, text string) {
		if text != "" && !sent[text] {
			out = append(out, nounBound{in(tape.Slot{Name: noun}, text), noun})
		}
	}
	passages := m.Passages()
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Place == leaf.Header || pan.IsMask(l.Value) {
			continue
		}
		f, known := p.tape.opts.Profiles.Meaning(q.Call, profile.Response, request.At(l))
		switch {
		case f.From == profile.Minted && f.Of != "":
			add(f.Of, request.Canonical(f, l.Value))
		case f.From == profile.Exact && !known:
			for _, tok := range request.Tokens(passages.Outside(l)) {
				if tok.Run && infer.LooksGenerated(tok.Text) &&
					!infer.TellsTime(tok.Text, q.now) && !p.tape.words.has(p.tape, tok.Text) {
					add("", tok.Text)
				}
			}
		}
	}
	return out
}

// requestWords are the ids in the requests on a tape that name nothing. Only a spy asks for them.
type requestWords struct {
	once sync.Once // guards the making
	all  map[string]bool
}

func (w *requestWords) has(t *Tape, text string) bool {
	w.once.Do(func() {
		w.all = map[string]bool{}
		for _, r := range t.machine.All {
			for _, a := range r.Request.All() {
				if len(a.Names) == 0 {
					for _, tok := range request.Tokens(a.Text) {
						w.all[tok.Text] = true
					}
				}
			}
		}
	})
	return w.all[text]
}
