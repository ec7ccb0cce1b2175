package tape

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/redact/surrogate"
)

// asker reads one recorded request.
type asker struct {
	*compiler
	rec *Recording
	req *request.Request
	x   *leaf.Exchange
}

// ask reads the parameters of a request, and finds the entities that it names. The parameters are
// good until the next request is read. Their texts are parts of the file; see words.request.
func (c *compiler) ask(rec *Recording, x *leaf.Exchange, req *request.Request) []Asked {
	a := &asker{compiler: c, rec: rec, req: req, x: x}
	rec.Roles = c.roles[:0]
	asked, entities := c.asked[:0], c.asks[:0]
	c.ones, c.names = c.ones[:0], c.names[:0]
	c.params = slices.Grow(c.params[:0], len(req.Params))[:len(req.Params)]
	for i := range req.Params {
		p := req.Params[i]
		if p.Field.Credential() {
			rec.tokens = c.tape.slabs.tokens.Append(rec.tokens, c.tape.words.word(p.Text))
		}
		out, named := a.param(&p, &c.params[i])
		asked, entities = append(asked, out), append(entities, named)
	}
	if c.opts.Profiles.InfersLogin(req.Call) {
		for _, text := range x.Request.Headers["Authorization"] { // RFC 9110, 11.6.2
			rec.tokens = c.tape.slabs.tokens.Append(rec.tokens, c.tape.words.word(text))
		}
	}
	c.tape.noteExpiries(req, rec.Answered())
	c.tape.Pair(req, asked, rec.Answered())
	SetLabels(req.Call.Profile, asked)
	a.cast(asked, entities)
	for i := range asked {
		a.tie(asked, &asked[i])
	}
	c.asked, c.asks = asked, entities
	return asked
}

// param reads one parameter, which lies at a place. It returns the entities that it names, one for each of
// its names.
func (a *asker) param(p *request.Param, at *Parameter) (Asked, []*Entity) {
	out := Asked{Argument: Argument{Parameter: at, Text: p.Text}}
	*at = Parameter{Path: p.Path, Label: p.Path, Place: p.Place, Kind: p.Kind, Field: p.Field, Known: p.Known}
	a.secret(&out, p)
	p.Field, p.Known = out.Field, out.Known
	if a.issuable(p) {
		return out, a.token(&out, p)
	}
	out.Class, out.Deciding = p.Class(a.rec.Answered()), p.Deciding()
	if out.Free || out.Class.Nothing() || out.Class == request.Long {
		return out, nil // what the API refuses unread names nothing
	}
	switch p.Field.From {
	case profile.Ignored, profile.Date:
		return out, nil
	case profile.Exact:
		if p.Known {
			return out, nil // a place's own row beats equality
		}
		return out, a.unknown(&out, p)
	}
	if p.Field.Of == "" {
		return out, nil
	}
	return out, a.named(&out, p)
}

// secret decides what a parameter is that may hold what cleaning left of a secret: the surrogate
// of a card number binds as the number would, and of other secrets nothing is left to compare. But
// a token that an answer on tape brought must be that one's, and so must a nonce.
func (a *asker) secret(out *Asked, p *request.Param) {
	exact := p.Field.From == profile.Exact
	anybodys := p.Field.From == profile.Shared && p.Field.Of == ""
	if surrogate.IsToken(p.Text) && exact || anybodys && len(p.Text) >= request.EmbedLength {
		if _, issued := a.values.find("", p.Text, nil); issued {
			out.Field, out.Known = profile.Field{}, false
			return
		}
	}
	if a.issuable(p) {
		return
	}
	unknown := p.Unsaid
	hidden := p.Field.Secret == profile.Token || surrogate.Holds(p.Text)
	out.Secret = unknown && hidden && !a.survey.Digests(p)
	switch {
	case unknown && p.Field.Secret == profile.Token && a.survey.Digests(p),
		exact && surrogate.Holds(p.Text), exact && unknown && a.blank(p):
		out.Field, out.Free = profile.Field{From: profile.Shared}, true
	case exact && surrogate.IsCard(p.Text):
		out.Field = profile.Field{From: profile.Shared, Of: "card", Secret: profile.PAN}
	case a.survey.Nonce(p, a.place), exact && unknown && a.moved[p.Text]:
		out.Free = true
	case unknown && exact && a.toldAddress(p):
		out.Field, out.Free = profile.Field{From: profile.Shared}, true
		out.Text = a.req.AsSent(p)
		a.relayed[request.LastName(p.Path)] = true
	}
}

// token finds the entity that a token names: what it was issued for, or a stranger.
func (a *asker) token(out *Asked, p *request.Param) []*Entity {
	noun, kind := "", (*profile.Entity)(nil)
	if p.Known && p.Field.From == profile.Minted {
		noun, kind = p.Field.Of, a.req.Call.Profile.Entity(p.Field.Of)
	}
	from := Credentials(p.Place, p.Field, p.Text)
	k, ok := a.values.find(noun, p.Text[from:], a.kin)
	switch {
	case ok && k.isName && kind != nil && kind.Scope:
		k = known{value: a.scope(a.req.Call.Profile, noun, p.Text[from:])}
	case ok && k.isName:
	case kind != nil:
		k = known{value: a.configured(kind, out, p)}
	default:
		out.Field, out.Known = profile.Field{}, false
		k = known{value: a.stranger(p)}
	}
	out.Class, out.Deciding = p.Class(a.rec.Answered()), ""
	out.Names = a.oneName(a.nameAt(k, from, len(out.Text)))
	return a.one(k.entity)
}

// toldAddress reports whether a parameter of a call that no profile knows holds the address at which
// the shop was called back: whoever recorded it put his own in its place. The address is the client's
// choice.
func (a *asker) toldAddress(p *request.Param) bool {
	field := a.x.Meta.Relayed
	return field != "" && strings.Contains(a.req.AsSent(p), "://") &&
		(p.Path == field || request.LastName(p.Path) == request.LastName(field))
}

// blank reports whether cleaning replaced the value of a parameter by a constant, as it does with
// every CVC and PIN: what was there is not known.
func (a *asker) blank(p *request.Param) bool {
	place := "request " + p.Place.String() + " " + strings.TrimPrefix(p.Path, "/") + ": "
	return slices.Contains(a.x.Meta.Redactions, place+profile.CVC.String()) ||
		slices.Contains(a.x.Meta.Redactions, place+profile.PIN.String())
}

// named finds the entity that a parameter with a noun names.
func (a *asker) named(out *Asked, p *request.Param) []*Entity {
	text := request.Canonical(p.Field, p.Text)
	kind := a.req.Call.Profile.Entity(p.Field.Of)
	if kind != nil && kind.Scope {
		return a.name(out, known{value: a.scope(a.req.Call.Profile, p.Field.Of, text)})
	}
	if p.Field.From == profile.Rendering {
		if v := a.rendered(p); v != nil {
			r := Rendering{How: MannerOf(p.Field.Form), Like: out.Text}
			return a.name(out, known{v, r})
		}
		return nil
	}
	if k, ok := a.values.find(p.Field.Of, text, a.kin); ok && k.isName {
		return a.name(out, k)
	}
	switch {
	case p.Field.From == profile.Unique:
		out.Unborn = kind != nil || a.req.Call.InfersNoun(p.Field.Of)
	case p.Field.From == profile.Minted && kind == nil && p.Field.Secret != profile.PAN:
		out.Field.From, out.Known = profile.Exact, true // it was there before the tape
	case kind != nil:
		return a.name(out, known{value: a.configured(kind, out, p)})
	}
	return nil
}

// kin reports whether a value is of an entity that the request has named already.
func (a *asker) kin(v *value) bool { return slices.Contains(a.rec.Roles, v.entity) }

// scope returns the name of a scope, which is there as soon as somebody speaks of it.
func (c *compiler) scope(p *profile.Profile, noun, text string) *value {
	known := c.scopes.At(request.Digest(noun, text))
	if *known == nil {
		e := c.entity(c.tape.words.kind(p, noun), p.Entity(noun))
		*known, e.Scope = e, true
		text = c.tape.words.word(text)
		if _, born := c.values.find(noun, text, nil); !born {
			c.tape.scopes = append(c.tape.scopes, configKey{e.Kind, text})
		}
		e.addValue(c.tape.slabs.values.Put(value{text: text, noun: noun, isName: true}), noun)
	}
	return (*known).values[0]
}

// configured returns the name of an entity that no exchange bore: it was there from the start. Of a
// card number counts what a tape has of it.
func (a *asker) configured(kind *profile.Entity, out *Asked, p *request.Param) *value {
	literal := cmp.Or(out.Deciding, p.Text[Credentials(p.Place, p.Field, p.Text):])
	text := request.Canonical(p.Field, literal)
	if out.Deciding != "" {
		text = request.Canonical(p.Field, p.Text)
	}
	known := a.config.At(request.Digest(p.Field.Of, text))
	if *known == nil {
		e := a.entity(a.tape.words.kind(a.req.Call.Profile, p.Field.Of), kind)
		*known, e.Config = e, a.tape.words.word(literal)
		kept := e.Config
		if text != kept {
			kept = a.tape.words.word(text)
		}
		v := a.tape.slabs.values.Put(value{
			text: kept, noun: p.Field.Of, isName: true, secret: p.Field.Secret,
		})
		e.addValue(v, p.Field.Of)
		a.values.add(v)
	}
	return (*known).values[0]
}

// mostRendered is how many entities of a kind are looked through for the one that a rendering is of, the
// latest first.
const mostRendered = 512

// rendered returns the value of a noun that a parameter renders: a mask, last digits. Several cards
// may have one mask; the one of which the request says more is meant, and of equals the latest.
func (a *asker) rendered(p *request.Param) *value {
	r := Rendering{How: MannerOf(p.Field.Form), Like: p.Text}
	var best *value
	points := -1
	all := a.latest[a.tape.words.kind(a.req.Call.Profile, p.Field.Of)]
	for i := len(all) - 1; i >= max(0, len(all)-mostRendered); i-- {
		for _, v := range all[i].values {
			if v.noun != p.Field.Of || !r.Writes(v.text, p.Text) {
				continue
			}
			n := 0
			for j := range a.req.Params {
				if all[i].knows(a.req.Params[j].Text) {
					n++
				}
			}
			if n > points {
				best, points = v, n
			}
		}
	}
	return best
}

// knows reports whether some value of the entity, or of what it is a part of, is a text.
func (e *Entity) knows(text string) bool {
	return slices.ContainsFunc(e.values, func(v *value) bool { return v.text == text }) ||
		slices.ContainsFunc(e.Wholes(), func(w *Entity) bool { return w.knows(text) })
}

// unknown finds the names in a parameter of which no profile knows anything.
func (a *asker) unknown(out *Asked, p *request.Param) []*Entity {
	if _, ok := dates.Whole(p.Text); ok {
		a.fixed[strings.Clone(p.Text)] = true
	}
	if a.survey.Chosen(p, a.place) {
		if k, ok := a.values.find("", p.Text, a.kin); ok && k.isName {
			return a.name(out, k)
		}
		out.Unborn = true
		out.Field = profile.Field{From: profile.Unique}
		return nil
	}
	if k, ok := a.values.find("", p.Text, a.kin); ok && k.isName && k.noun == "" &&
		(p.NamesID() || infer.NumbersThing(p)) {
		return a.name(out, k) // an id is known where ids stand, however short
	}
	var entities []*Entity
	behind := 0
	for _, tok := range p.Tokens() {
		k, ok := a.values.find("", tok.Text, a.kin)
		if !ok || !k.isName || tok.At < behind {
			continue
		}
		behind = tok.At + len(tok.Text)
		out.Names = append(out.Names, a.nameAt(k, tok.At, behind))
		entities = append(entities, k.entity)
	}
	return entities
}

// name makes a name of all of a parameter.
func (a *asker) name(out *Asked, k known) []*Entity {
	if out.Field.Secret == profile.PAN && k.How == AsIs && !request.IsDigits(out.Text) {
		k.Rendering = Rendering{How: Grouped, Like: out.Text}
	}
	out.Names = a.oneName(a.nameAt(k, 0, len(out.Text)))
	return a.one(k.entity)
}

// one returns a list of one entity, which is good until the next request is read.
func (a *asker) one(e *Entity) []*Entity {
	a.ones = append(a.ones, e)
	n := len(a.ones)
	return a.ones[n-1 : n : n]
}

// oneName returns a list of one name, which is good until the next request is read.
func (a *asker) oneName(n Named) []Named {
	a.names = append(a.names, n)
	last := len(a.names)
	return a.names[last-1 : last : last]
}

func (a *asker) nameAt(k known, from, to int) Named {
	if !slices.Contains(a.rec.Roles, k.entity) {
		a.rec.Roles = append(a.rec.Roles, k.entity)
	}
	behind := 0
	if !k.byRead {
		behind = k.entity.behind(k.value)
	}
	return Named{From: from, To: to, Noun: k.slot.Name, Behind: behind, Rendering: k.Rendering}
}

// SetLabels gives names that stand in one object and name one kind one label: an order may be
// asked for by its id or by its number. Where a request has two names of one kind in one object,
// the label of each is its own path. So is that of a name in a name/value list, where each value goes by
// the name beside it.
func SetLabels(p *profile.Profile, asked []Asked) {
	type labelled struct {
		label string
		at    int
	}
	var room [8]labelled
	all := room[:0]
	for i := range asked {
		if label := labelOf(p, asked[i].Path, asked[i].Field); label != "" {
			all = append(all, labelled{label, i})
		}
	}
	slices.SortFunc(all, func(x, y labelled) int { return cmp.Compare(x.label, y.label) })
	for i, l := range all {
		again := i > 0 && all[i-1].label == l.label || i+1 < len(all) && all[i+1].label == l.label
		if !again {
			asked[l.at].Label = l.label
		}
	}
}

// labelOf returns what the names of one kind have in common that stand in one object of a request;
// "" for a parameter that names nothing.
func labelOf(p *profile.Profile, path string, f profile.Field) string {
	switch f.From {
	case profile.Minted, profile.Unique, profile.Shared, profile.Rendering:
	default:
		return ""
	}
	e, object := p.Entity(f.Of), request.Parent(path)
	if e == nil || p.Lists[request.LastName(object)] {
		return ""
	}
	return object + request.Index(path) + "(" + e.Name + ")"
}

// cast numbers the roles in the order of labels, which is the same for every request of a key.
func (a *asker) cast(asked []Asked, entities [][]*Entity) {
	a.roles = a.rec.Roles
	a.rec.Roles = a.tape.slabs.relatives.Make(len(a.roles))[:0]
	a.order = LabelOrder(a.order[:0], asked)
	for _, i := range a.order {
		for n, e := range entities[i] {
			at := slices.Index(a.rec.Roles, e)
			if at < 0 {
				at = len(a.rec.Roles)
				a.rec.Roles = append(a.rec.Roles, e)
			}
			asked[i].Names[n].Role = at
		}
	}
}

// LabelOrder appends the indexes of parameters in the order in which their names get their roles.
// Parameters without a name have none, and are left out.
func LabelOrder(order []int, asked []Asked) []int {
	for i := range asked {
		if len(asked[i].Names) > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(asked[i].Label, asked[j].Label)
	})
	return order
}

// KindOf returns the kind of entity that a noun names.
func KindOf(p *profile.Profile, noun string) string {
	if e := p.Entity(noun); e != nil {
		return p.Name + " " + e.Name
	}
	return ""
}

// entity makes an entity of a kind; t is nil for an inferred one.
func (c *compiler) entity(kind string, t *profile.Entity) *Entity {
	e := c.tape.slabs.entities.Put(Entity{
		EntityKind: c.tape.words.entityKind(EntityKind{Kind: kind, Type: t, Session: c.session}),
		ID:         int32(len(c.tape.Entities)), notes: c.tape.slabs.notes.Put(newNotes()),
	})
	e.values, e.events, e.calls = e.room[:0], e.event[:0], e.call[:0]
	c.tape.Entities = append(c.tape.Entities, e)
	latest := c.latest[kind]
	if len(latest) == 2*mostRendered {
		latest = append(latest[:0], latest[mostRendered:]...)
	}
	c.latest[kind] = append(latest, e)
	return e
}

// segment is the path of a parameter that a segment of a path is.
func segment(i int) string { return "/" + strconv.Itoa(i) }
