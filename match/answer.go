package match

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// Answer is what replay serves: a recorded answer with this run's values in it. Header and
// Trailer may be shared by many answers and must not be changed.
type Answer struct {
	leaf.Unprinted
	Code    int
	Status  string // "200 OK" as it was recorded; empty if the tape does not say
	Header  http.Header
	Trailer http.Header // nil: none
	Body    string      // without content coding
	Coding  string      // the content coding it had when it was recorded
	Charset string      // the charset it had then, as Meta notes it; Body is UTF-8

	Cassette  string
	Number    int // of the exchange in its cassette
	Operation string
	Address   string // the base address that it was recorded at
	// Flow is the number of the live entity that the answer is about, or that it bears; 0 for an
	// answer that is about none.
	Flow  int
	Fault string        // the failure of the sandbox that this is; empty for none (see leaf.Meta)
	Took  time.Duration // how long the sandbox took when it was recorded
	// State tells in words what was done to the entity before: "register.do, paymentorder.do".
	State string
	// Mark says what the answer stands on beside the tape: "" for nothing, "ambiguous" where the
	// order of the recordings had to decide, "composed" for a list put together of recorded items,
	// "assumed=<what>" for what the tape does not show.
	Mark string
	// Class stands for the recordings that would have served as well; Lent are further classes of
	// which a list has items.
	Class uint64
	Lent  []uint64

	retry
}

// writer fills the template of one answer. Values that have none yet are made here.
type writer struct {
	p       *Player
	q       *query
	r       *machine.Recording
	births  []*entity
	members []*entity // of a list, by the position of the item
	count   int       // of its items
	mark    string
	made    []madeHere // values that every answer makes anew
}

// madeHere is a value that this answer has made, of an entity that may have had one before.
type madeHere struct {
	entity *entity
	slot   tape.Slot
}

// serve serves a recording or a list: it moves the entities on and fills the template.
func (p *Player) serve(q *query, f found) (*Answer, *Miss) {
	r := f.recording
	w := &writer{p: p, q: q, r: r}
	a := &Answer{Mark: f.mark}
	if f.list != nil {
		r, w.r = f.list.frame, f.list.frame
		a.Lent = f.list.lent
	}
	about := q.first()
	if f.at.Key != 0 {
		about.reading(f.at)
	}
	a.State = p.words(q, about)
	if f.list != nil {
		w.count = len(f.list.items)
		for _, item := range f.list.items {
			w.members = append(w.members, item.entity)
		}
		a.Body = w.compose(f.list)
	} else {
		w.members = p.membersShown(r, f)
		w.count = len(r.Members)
		p.advance(w)
		a.Body = r.Body().Text(w.fill)
	}
	if r.Lone {
		if p.lone[r] {
			w.mark = either(w.mark, assumedOne) // a number that was served before may be another's
		}
		p.lone[r] = true
	}
	a.Header = r.Header(w.fill)
	a.Code, a.Status, a.Trailer = r.Code, r.Status, r.Trailer()
	a.Coding, a.Charset, a.Address = r.Coding, r.Charset, r.Address
	a.Cassette, a.Number, a.Operation = r.Cassette, r.Number, r.Operation
	a.Fault, a.Took, a.Class = r.Fault, r.Took, r.Use()
	a.Mark = either(a.Mark, w.mark)
	p.learn(w)
	if about == nil && len(w.births) > 0 {
		about = w.births[0]
	}
	if about != nil {
		a.Flow = about.number
	}
	p.stick(w, a.Mark)
	p.admit(q, r)
	p.used.touch(p, q.ents, w.births)
	if !q.reads {
		p.remember(q, a)
	}
	return a, nil
}

// words tell the state in which a request finds what it is about.
func (p *Player) words(q *query, about *entity) string {
	switch {
	case about != nil:
		return p.tape.machine.Words(about.own)
	case len(q.ents) > 0:
		return p.tape.machine.Words(q.ents[0].own)
	}
	return p.tape.machine.Words(p.api(machine.API(q.Call)).own)
}

// advance moves the entities that the request names along the recorded edges, and bears what the
// recording bears.
func (p *Player) advance(w *writer) {
	r, q := w.r, w.q
	card := p.cardOf(q)
	if !r.Recording.Reads && r.Writes() {
		for i, e := range q.ents {
			if i >= len(r.Moves) {
				continue
			}
			e.times = append(e.times, q.now)
			if r.Moves[i] == r.Owns[i] {
				continue // a use is an event, too, but it changes nothing
			}
			p.move(e, r.Moves[i], q.paidBy(e, card))
			e.since = q.now
		}
		if r.Session != 0 {
			p.api(machine.API(q.Call)).own = r.Session
		}
	}
	p.follow(q.ents, r)
	for i := range r.Births {
		w.births = append(w.births, p.conceive(w, &r.Births[i], card))
	}
	for i := range r.Births {
		w.births[i] = p.bear(w, &r.Births[i], w.births[i])
	}
	if r.Writes() {
		p.link(w)
		p.again(w, card)
	}
}

// follow lets entities follow those of the recording that serves them.
func (p *Player) follow(es []*entity, r *machine.Recording) {
	for i, e := range es {
		if i < len(r.Roles) && e.follows != r.Roles[i] {
			e.follows = r.Roles[i]
			p.followers[r.Roles[i]] = e
		}
	}
}

// conceive makes the live counterpart of a recorded birth, without its relations.
func (p *Player) conceive(w *writer, b *machine.Birth, card uint64) *entity {
	var typ *profile.Entity
	if b.Entity != nil {
		typ = b.Entity.Type
	}
	e := p.newEntity(b.Kind, typ)
	if b.Hidden {
		card = w.q.paidBy(e, card)
	}
	e.own, e.card, e.facts, e.follows = b.Own, card, b.Facts, b.Entity
	e.scope, e.idle = b.Scope, w.r.Recording.Reads
	return e
}

// bear gives what a recording bears its relations and enters it. One that is the same as another,
// by the key of its kind, is that one.
func (p *Player) bear(w *writer, b *machine.Birth, e *entity) *entity {
	for _, up := range b.Up {
		from := w.q.ents
		if up.Birth {
			from = w.births
		}
		if up.Role >= len(from) {
			continue
		}
		target := from[up.Role].walk(up.Steps)
		switch {
		case target == nil, target == e:
		case up.Scope:
			e.scopes = append(e.scopes, target)
		default:
			e.wholes = append(e.wholes, target)
		}
	}
	if b.Keyed {
		if same := keyed(e); same != nil {
			if same.own != e.own && !sameKeys(same.facts, e.facts) {
				w.mark = either(w.mark, assumedWay) // the tape does not tell whether it is that one
			}
			p.move(same, e.own, same.card) // it is as if born now
			return same
		}
	}
	e.times, e.since = append(e.times, w.q.now), w.q.now
	p.enter(e)
	if b.Entity != nil {
		p.followers[b.Entity] = e
	}
	return e
}

// keyed returns the entity in a scope or family of a new one that agrees with it in the key of
// their kind, or nil.
func keyed(e *entity) *entity {
	for _, s := range e.scopes {
		for _, o := range s.members {
			if o.agrees(e) {
				return o
			}
		}
	}
	for _, w := range e.wholes {
		for _, o := range w.parts {
			if o.agrees(e) {
				return o
			}
		}
	}
	return nil
}

// sameKeys reports whether as much is known of one thing as of another.
func sameKeys(a, b map[string]string) bool {
	for k := range a {
		if _, both := b[k]; !both {
			return false
		}
	}
	return len(a) == len(b)
}

func (e *entity) agrees(o *entity) bool {
	if e.kind != o.kind || e.card != o.card {
		return false
	}
	for k, v := range e.facts {
		if w, both := o.facts[k]; both && v != w {
			return false
		}
	}
	return true
}

// link notes which entities took part in one write.
func (p *Player) link(w *writer) {
	all := append(append([]*entity{}, w.q.ents...), w.births...)
	for i, x := range all {
		if x.scope {
			continue
		}
		for j, y := range all {
			if i != j && !y.scope && x != y && !contains(x.links, y) {
				x.links = append(x.links, y)
			}
		}
	}
}

// again looks whether what the write may have borne anew is there and as on tape. Where it is not,
// nobody knows what there is now.
func (p *Player) again(w *writer, card uint64) {
	for _, a := range w.r.Again {
		for _, e := range w.q.ents {
			for _, s := range e.scopes {
				same := slices.ContainsFunc(s.members, func(o *entity) bool {
					return o.kind == a.Kind && o.own == a.Own && o.card == cmp.Or(card, e.card)
				})
				if !same {
					s.mark = either(s.mark, assumedWay)
				}
			}
		}
	}
}

// paidBy digests the card that an entity is paid with behind a request that brings a card, or 0 for
// none: then its own, or that of what else the request names.
func (q *query) paidBy(e *entity, brought uint64) uint64 {
	if brought != 0 || e.card != 0 {
		return cmp.Or(brought, e.card)
	}
	for _, o := range q.ents {
		if o.card != 0 {
			return o.card
		}
	}
	return 0
}

// cardOf digests the card that a request brings; 0 for none.
func (p *Player) cardOf(q *query) uint64 {
	for i := range q.Asked {
		a := &q.Asked[i]
		if a.Field.Secret == profile.PAN && len(a.Names) == 0 && a.Text != "" {
			return machine.CardDigest(pan.Digits(a.Text))
		}
	}
	return 0
}

// learn binds the values of a request that stay with the entities which it has moved and borne.
func (p *Player) learn(w *writer) {
	r, q := w.r, w.q
	for _, n := range r.Namings {
		if n.Birth >= len(w.births) {
			continue
		}
		if a := q.param(n.Path); a != nil {
			e := w.births[n.Birth]
			_, count := e.last(n.Noun)
			noun := a.Field.Of
			p.bind(e, bound{slot: tape.Slot{Name: n.Noun, N: count}, text: a.Text}, noun, true)
		}
	}
	if r.Recording.Reads || !r.Writes() {
		return
	}
	for _, attribute := range r.Attributes {
		a := q.param(attribute.Path)
		if a == nil || !p.tape.machine.Tape.Wanted(attribute.Name) {
			continue
		}
		text := request.Canonical(a.Field, a.Text)
		for _, es := range [][]*entity{q.ents, w.births} {
			for _, e := range es {
				_, count := e.last(attribute.Name)
				e.values = append(e.values, bound{slot: tape.Slot{Name: attribute.Name, N: count}, text: text})
			}
		}
	}
}

// param returns a parameter by its path, or nil.
func (q *query) param(path string) *tape.Asked {
	for i := range q.Asked {
		if q.Asked[i].Path == path {
			return &q.Asked[i]
		}
	}
	return nil
}

// stick lets marks of writes stay with the entities, and those of lists with what they show.
func (p *Player) stick(w *writer, mark string) {
	if w.q.reads && strength(mark) == strength(assumedKin) {
		for _, e := range w.members {
			if e != nil {
				e.assume(mark)
			}
		}
	}
	if mark == "" || mark == composed || w.q.reads {
		return
	}
	for _, es := range [][]*entity{w.q.ents, w.births} {
		for _, e := range es {
			if !e.scope {
				e.assume(sticking(mark))
			}
		}
	}
	if len(w.q.ents) == 0 && len(w.births) == 0 {
		p.mark = sticking(mark)
	}
}

// sticking is the mark of what follows an answer with a mark.
func sticking(mark string) string {
	if mark == ambiguous {
		return "assumed=order"
	}
	return mark
}

// entity returns whose value a source is; nil if there is nobody.
func (w *writer) entity(r *tape.Ref) *entity {
	var e *entity
	switch r.Base {
	case tape.Role:
		if r.N < len(w.q.ents) {
			e = w.q.ents[r.N]
		}
	case tape.Birth:
		if r.N < len(w.births) {
			e = w.births[r.N]
		}
	case tape.Member:
		if r.N < len(w.members) {
			e = w.members[r.N]
		}
	case tape.Follower:
		if r.N >= 0 && r.N < len(w.p.tape.machine.Tape.Entities) {
			e = w.p.followers[w.p.tape.machine.Tape.Entities[r.N]]
		}
	}
	return e.walk(r.Steps)
}

// fill returns the text of a hole.
func (w *writer) fill(h *tape.Hole) string {
	s := h.Source
	switch s.What {
	case tape.Leads:
		return w.q.r.Leads(h.Like, *h.At)
	case tape.Count:
		return strconv.Itoa(w.count)
	case tape.Header:
		if sent := w.q.r.Header.Get(s.Param); sent != "" {
			return sent
		}
		if s.Mint {
			return w.p.mint(s, w.q.now)
		}
		return s.Text
	case tape.Sent:
		if a := w.q.param(s.Param); a != nil {
			return h.Apply(request.Canonical(a.Field, a.Text))
		}
		return h.Apply(s.OnWire())
	case tape.PerOne:
		return h.Apply(w.p.mint(s, w.q.now))
	case tape.Now:
		if s.K < 0 {
			return h.Apply(w.unseen(s, w.entity(s.Ref)))
		}
		return h.Apply(dates.Move(s.Form, s.Text, s.At, w.q.now))
	case tape.Event:
		return h.Apply(w.event(s))
	case tape.Value:
		return h.Apply(w.value(s))
	}
	return s.Text
}

// event returns the text of a date that tells an event.
func (w *writer) event(s *tape.Source) string {
	at := w.q.now
	if e := w.entity(s.Ref); e != nil && s.K < len(e.times) {
		at = e.times[s.K]
	}
	return dates.Move(s.Form, s.Text, s.At, at)
}

// unseen returns the text of a date of an event that no exchange tells: as long before the answer as on
// tape, but not before what was done to the entity last.
func (w *writer) unseen(s *tape.Source, e *entity) string {
	if e != nil && len(e.times) > 0 {
		last := e.times[len(e.times)-1]
		at, ok := dates.Parse(s.Form, s.Text, s.At.Location())
		if ok && w.q.now.Add(at.Sub(s.At)).Before(last) {
			return dates.Move(s.Form, s.Text, at, last)
		}
	}
	return dates.Move(s.Form, s.Text, s.At, w.q.now)
}

// value returns the text of an entity's value, which is made here if nobody has seen it yet.
func (w *writer) value(s *tape.Source) string {
	e := w.entity(s.Ref)
	if e == nil {
		w.mark = either(w.mark, assumedWay)
		if s.Mint {
			return w.p.mint(s, w.q.now)
		}
		return s.OnWire()
	}
	here := madeHere{e, s.Slot}
	if text, ok := e.value(s.Slot); ok && (!s.Anew || slices.Contains(w.made, here)) {
		return text
	}
	if s.Anew {
		w.made = append(w.made, here)
	}
	if !s.Mint {
		for i := range w.r.Namings { // a name that this request gives
			n := &w.r.Namings[i]
			if a := w.q.param(n.Path); a != nil && n.Noun == s.Slot.Name && n.Birth < len(w.births) &&
				w.births[n.Birth] == e {
				return a.Text
			}
		}
		if text, n := e.last(s.Slot.Name); n > 0 {
			return text
		}
		return s.OnWire() // the client has not sent one
	}
	text := ""
	if s.Form != "" && !s.Name {
		text = w.unseen(s, e)
	} else {
		text = w.p.mint(s, w.q.now)
	}
	w.p.bind(e, bound{s.Slot, text, w.q.reads}, s.Noun, s.Name)
	return text
}

// mint makes a value as the sandbox would.
func (p *Player) mint(s *tape.Source, now time.Time) string {
	if p.tape.opts.RecordedIDs {
		return s.OnWire()
	}
	const attempts = 20 // short values identify nothing and may repeat
	text := p.like(s, now)
	for range attempts {
		if text != s.Text && !p.taken(s, text) {
			break
		}
		text = p.like(s, now)
	}
	return text
}

// like makes a value in the shape of the recorded one, with what the values of its noun have in
// common: they begin alike, or each is greater than the one before.
func (p *Player) like(s *tape.Source, now time.Time) string {
	if s.Series == nil || fresh.Stamped(s.Recorded()) {
		return p.make.Like(s.Recorded(), now)
	}
	if last := p.series[s.Series]; last != "" && s.Series.Grows {
		text := grown(last, s.Series.Step)
		p.series[s.Series] = text
		return text
	}
	text := p.make.Like(s.Recorded(), now)
	const vary = 8 // so many characters of numbers in turn are no prefix
	if s.Series.Grows {
		p.series[s.Series] = text
		return text
	}
	if n := min(len(s.Series.Prefix), len(text)-vary); n > 0 {
		text = s.Series.Prefix[:n] + text[n:]
	}
	return text
}

// grown returns a number of digits that is greater by a step, in as many digits. What would need
// one more begins anew.
func grown(digits string, step int) string {
	n := 0
	for i := range len(digits) {
		n = 10*n + int(digits[i]-'0')
	}
	text := strconv.Itoa(n + step)
	if len(text) > len(digits) {
		return "1" + strings.Repeat("0", len(digits)-1)
	}
	return strings.Repeat("0", len(digits)-len(text)) + text
}

// taken reports whether a live entity has a name already, or a card with the same mask.
func (p *Player) taken(s *tape.Source, text string) bool {
	for _, ref := range p.names[request.Folded(text)] {
		if ref.text == text {
			return true
		}
	}
	if s.Card() {
		ends, _ := pan.Ends(text)
		for _, other := range p.ends[ends] {
			if other != text {
				return true
			}
		}
		p.ends[ends] = append(p.ends[ends], text)
	}
	return p.claim != nil && !p.claim(text)
}

// compose writes a list of items.
func (w *writer) compose(l *composition) string {
	var b strings.Builder
	l.frame.Listing.Before.Write(&b, w.fill)
	for i, item := range l.items {
		if i > 0 {
			b.WriteString(",")
		}
		in := &writer{p: w.p, q: w.q, r: item.from, mark: w.mark}
		in.members = make([]*entity, item.n+1)
		in.members[item.n] = item.entity
		item.from.Listing.Items[item.n].Text.Write(&b, in.fill)
		w.mark = in.mark
	}
	l.frame.Listing.After.Write(&b, w.fill)
	return b.String()
}
