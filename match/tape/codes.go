package tape

import (
	"cmp"
	"net/http"

	"github.com/paytape/paytape/internal/codec"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// Each function below writes and reads one type; see derived.go.

func (g *graph) root(c *codec.Coder, r *root) {
	g.tapes.Ref(c, &r.Tape)
	codec.Texts(c, &r.known)
}

// tape leaves out what is there only while a tape is compiled, and what entities tell.
func (g *graph) tape(c *codec.Coder, t *Tape) {
	codec.Slice(c, &t.Recordings, g.recordings.Ref)
	codec.Slice(c, &t.Entities, g.entities.Ref)
	codec.Slice(c, &t.KeyReuses, g.keyReuse)
	codeHosts(c, &t.hosts)
	codec.Map(c, &t.routes, codec.Text, g.routes.Ref)
	codec.MapFunc(c, &t.called, g.known.operations.compare, g.known.operations.code, codec.Text)
	codec.MapFunc(c, &t.places, comparePositions, codePosition, g.places.Ref)
	codec.MapFunc(c, &t.fields, comparePositions, codePosition, codeBool)
	codec.Slice(c, &t.tied, g.sources.Ref)
	codec.Slice(c, &t.scopes, codeConfig)
	codec.Map(c, &t.slots, codec.Text, codec.Int)
	codec.Int(c, &t.events)
	codec.MapFunc(c, &t.says, compareConfig, codeConfig, codeBool)
	codec.Map(c, &t.issued, codec.Text, codeBool)
	codec.Map(c, &t.series, codec.Text, g.series.Ref)
	codec.Map(c, &t.expiries, codec.Text, codec.Int)
	codec.Map(c, &t.steps, codec.Text, codeBool)
	codec.Int(c, &t.failures)
	codec.Slice(c, &t.orphans, codeRecorded)
	codec.Texts(c, &t.profiles)
}

func codeBool(c *codec.Coder, v *bool) { c.Bools(v) }

func comparePositions(a, b position) int {
	return cmp.Or(cmp.Compare(a.op, b.op), cmp.Compare(a.path, b.path))
}

func codePosition(c *codec.Coder, p *position) {
	codec.Text(c, &p.op)
	codec.Text(c, &p.path)
}

func compareConfig(a, b configKey) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.text, b.text))
}

func codeConfig(c *codec.Coder, k *configKey) {
	codec.Text(c, &k.kind)
	codec.Text(c, &k.text)
}

func codeHosts(c *codec.Coder, h *hosts) {
	codec.Map(c, &h.names, codec.Text, codeBool)
	codec.Map(c, &h.addresses, codec.Text, codec.Texts)
	codec.Slice(c, &h.named, codeHost)
	codec.Texts(c, &h.aliases)
	codec.Texts(c, &h.origins)
}

func codeHost(c *codec.Coder, h *request.Host) {
	codec.Text(c, &h.Name)
	codec.Text(c, &h.Address)
}

func (g *graph) route(c *codec.Coder, r *route) {
	codec.Map(c, &r.next, codec.Text, g.routes.Ref)
	g.routes.Ref(c, &r.open)
	c.Bools(&r.ends)
}

func (g *graph) place(c *codec.Coder, p *Place) {
	c.Bools(&p.Named, &p.Free, &p.Chosen, &p.Card, &p.Optional, &p.Embeds)
	codec.Slice(c, &p.Renderings, g.rendering)
	codec.Slice(c, &p.Ties, g.tie)
	codec.Slice(c, &p.Strangers, codeStranger)
}

func codeStranger(c *codec.Coder, s *Stranger) {
	codec.Text(c, &s.Kind)
	codec.Text(c, &s.Text)
	c.Bools(&s.Refused)
}

func (g *graph) tie(c *codec.Coder, t *Tie) {
	g.sources.Ref(c, &t.Source)
	codec.Text(c, &t.moved)
}

func codeSeries(c *codec.Coder, s *Series) {
	codec.Text(c, &s.Prefix)
	c.Bools(&s.Grows, &s.Apart)
	codec.Int(c, &s.Step)
	codec.Text(c, &s.Like)
	c.Bools(&s.Given)
	if c.Reads() && !s.parse() {
		c.Fail(codec.ErrDamaged)
	}
}

func codeRecorded(c *codec.Coder, r *Recorded) {
	codec.Text(c, &r.Cassette)
	codec.Int(c, &r.Number)
	codec.Text(c, &r.Operation)
}

func (g *graph) recording(c *codec.Coder, r *Recording) {
	g.frames.Ref(c, &r.Frame)
	codec.Int(c, &r.Place)
	codec.Int(c, &r.Number)
	codec.Int(c, &r.Missing)
	codec.Text(c, &r.Target)
	codec.Int(c, &r.began)
	codec.Int(c, &r.answered)
	codec.Int(c, &r.Took)
	g.forms.Ref(c, &r.Request.form)
	codec.Text(c, &r.Request.values)
	codec.Slice(c, &r.Roles, g.entities.Ref)
	c.Bools(&r.Reads, &r.Failed, &r.Denied, &r.Lost)
	codec.Slice(c, &r.Births, g.entities.Ref)
	codec.Int(c, &r.Shown)
	g.rests.Ref(c, &r.Rest)
	c.Word(&r.Class)
	codec.Int(c, &r.surveyed)
	g.headers.Ref(c, &r.header)
	g.template(c, &r.body)
}

func (g *graph) rest(c *codec.Coder, r *Rest) {
	codec.Slice(c, &r.Attributes, codeAttribute)
	codec.Slice(c, &r.Namings, codeNaming)
	g.listings.Ref(c, &r.Listing)
	codec.Slice(c, &r.Callbacks, g.callbacks.Ref)
	codec.Slice(c, &r.Makes, (*codec.Coder).Word)
	codec.Slice(c, &r.Repeats, (*codec.Coder).Word)
	codec.Texts(c, &r.tokens)
}

// codeFrame leaves out the call, which the profiles tell anew.
func codeFrame(c *codec.Coder, f *Frame) {
	codec.Text(c, &f.Cassette)
	codec.Text(c, &f.Session)
	codec.Text(c, &f.operation)
	codec.Text(c, &f.Op)
	codec.Text(c, &f.Method)
	codec.Text(c, &f.Status)
	codec.Text(c, &f.Coding)
	codec.Text(c, &f.Charset)
	codec.Text(c, &f.Fault)
	codec.Text(c, &f.Host)
	codec.Text(c, &f.Address)
	codec.Int(c, &f.Code)
	c.Bools(&f.Broken, &f.Infers)
	c.Zone(&f.zone)
}

// form leaves out the tape, and what is there only while a tape is compiled.
func (g *graph) form(c *codec.Coder, f *form) { codec.Slice(c, &f.parts, g.formPart) }

func (g *graph) formPart(c *codec.Coder, p *formPart) {
	g.asked.Ref(c, &p.Asked)
	c.Bools(&p.own)
	if p.Asked == nil {
		c.Fail(codec.ErrDamaged)
	}
}

// param leaves out what a parameter is tied to, which its request tells.
func (g *graph) param(c *codec.Coder, a *Asked) {
	g.parameters.Ref(c, &a.Parameter)
	c.Bools(&a.Unborn, &a.Free, &a.Secret, &a.Tied)
	codec.Int(c, &a.Class)
	codec.Text(c, &a.Text)
	codec.Text(c, &a.Deciding)
	codec.Slice(c, &a.Names, g.named)
}

func codeParameter(c *codec.Coder, p *Parameter) {
	codec.Text(c, &p.Path)
	codec.Text(c, &p.Label)
	codec.Int(c, &p.Place)
	codec.Int(c, &p.Kind)
	c.Bools(&p.Known)
	codeField(c, &p.Field)
}

func codeField(c *codec.Coder, f *profile.Field) {
	codec.Int(c, &f.From)
	c.Bools(&f.Address, &f.Decides, &f.Deadline, &f.Signs)
	codec.Text(c, &f.Of)
	codec.Int(c, &f.Form)
	codec.Int(c, &f.Secret)
	codec.Int(c, &f.Tells)
	codec.Int(c, &f.Max)
	codec.Int(c, &f.As)
	codec.Text(c, &f.Rule)
}

func (g *graph) named(c *codec.Coder, n *Named) {
	codec.Int(c, &n.From)
	codec.Int(c, &n.To)
	codec.Int(c, &n.Role)
	codec.Text(c, &n.Noun)
	codec.Int(c, &n.Behind)
	g.rendering(c, &n.Rendering)
}

func codeAttribute(c *codec.Coder, a *Attribute) {
	codec.Text(c, &a.Path)
	codec.Text(c, &a.Name)
}

func codeNaming(c *codec.Coder, n *Naming) {
	codec.Text(c, &n.Path)
	codec.Text(c, &n.Noun)
	codec.Int(c, &n.Birth)
}

// entity leaves out the notes, which are nil once a tape is compiled.
func (g *graph) entity(c *codec.Coder, e *Entity) {
	g.kinds.Ref(c, &e.EntityKind)
	codec.Int(c, &e.ID)
	c.Bools(&e.Scope, &e.Followed)
	codec.Text(c, &e.Config)
	g.recordings.Ref(c, &e.Born)
	g.holders.Ref(c, &e.holders)
	codec.Text(c, &e.names)
	g.mores.Ref(c, &e.more)
}

func (g *graph) holder(c *codec.Coder, h *holders) {
	codec.Slice(c, &h.wholes, g.entities.Ref)
	codec.Slice(c, &h.scopes, g.entities.Ref)
}

func (g *graph) kind(c *codec.Coder, k *EntityKind) {
	codec.Text(c, &k.Kind)
	g.known.types.code(c, &k.Type)
	codec.Text(c, &k.Session)
	codec.Text(c, &k.nouns)
}

func (g *graph) more(c *codec.Coder, m *more) {
	codec.Slice(c, &m.parts, g.entities.Ref)
	codec.Slice(c, &m.links, g.link)
	codec.Slice(c, &m.members, g.entities.Ref)
	codec.Map(c, &m.facts, codec.Text, codec.Text)
}

func (g *graph) link(c *codec.Coder, l *Link) {
	g.entities.Ref(c, &l.Entity)
	g.recordings.Ref(c, &l.Write)
}

func (g *graph) callback(c *codec.Coder, cb *Callback) {
	codec.Text(c, &cb.Operation)
	codec.Text(c, &cb.Cassette)
	codec.Int(c, &cb.Number)
	g.known.profiles.code(c, &cb.Profile)
	g.recordings.Ref(c, &cb.Cause)
	g.entities.Ref(c, &cb.Entity)
	codec.Int(c, &cb.Role)
	c.Bools(&cb.Birth, &cb.Signed)
	codec.Text(c, &cb.Method)
	codec.Int(c, &cb.Gap)
	codec.Slice(c, &cb.Attempts, codeAttempt)
	c.Word(&cb.Class)
	codec.Int(c, &cb.Place)
	c.Time(&cb.at)
	g.sources.Ref(c, &cb.address)
	g.template(c, &cb.target)
	g.headers.Ref(c, &cb.header)
	g.template(c, &cb.body)
}

func codeAttempt(c *codec.Coder, a *Attempt) {
	codec.Int(c, &a.Gap)
	codec.Int(c, &a.Status)
	c.Time(&a.at)
}

func (g *graph) listing(c *codec.Coder, l *Listing) {
	codec.Text(c, &l.Kind)
	codec.Text(c, &l.Of)
	g.known.lists.code(c, &l.Spec)
	codec.Slice(c, &l.Items, g.item)
	g.template(c, &l.Before)
	g.template(c, &l.After)
	c.Bools(&l.Composable, &l.Linked)
}

func (g *graph) item(c *codec.Coder, i *Item) {
	g.entities.Ref(c, &i.Entity)
	g.template(c, &i.Text)
	c.Word(&i.Class)
}

func (g *graph) header(c *codec.Coder, h *answerHeader) {
	codec.Slice(c, &h.values, g.headerTemplate)
	codeHeader(c, &h.plain)
	codeHeader(c, &h.trailer)
}

func (g *graph) headerTemplate(c *codec.Coder, h *headerTemplate) {
	codec.Text(c, &h.name)
	g.template(c, &h.text)
}

func codeHeader(c *codec.Coder, h *http.Header) {
	codec.Map(c, (*map[string][]string)(h), codec.Text, codec.Texts)
}

func (g *graph) template(c *codec.Coder, t *Template) {
	g.layouts.Ref(c, &t.layout)
	codec.Text(c, &t.values)
}

// layout leaves out the tape, and what is there only while a tape is compiled.
func (g *graph) layout(c *codec.Coder, l *layout) { codec.Slice(c, &l.parts, g.part) }

func (g *graph) part(c *codec.Coder, p *part) {
	codec.Text(c, &p.literal)
	g.fillings.Ref(c, &p.filling)
	g.writings.Ref(c, &p.writing)
	if (p.filling == nil) != (p.writing == nil) {
		c.Fail(codec.ErrDamaged)
	}
}

func (g *graph) writing(c *codec.Coder, w *Writing) {
	g.rendering(c, &w.Rendering)
	g.encoders.Ref(c, &w.enc)
	c.Bools(&w.whole)
	g.spellings.Ref(c, &w.odd)
	g.leads.Ref(c, &w.To)
	g.packings.Ref(c, &w.packing)
}

func (g *graph) packing(c *codec.Coder, p *packing) {
	g.template(c, &p.inner)
	data := ""
	if !c.Reads() {
		data = p.packs.Data()
	}
	codec.Text(c, &data)
	if !c.Reads() {
		return
	}
	packs, ok := leaf.PackerOf(data)
	if !ok {
		c.Fail(codec.ErrDamaged)
	}
	p.packs = packs
}

func codeSpelling(c *codec.Coder, s *spelling) {
	codec.Text(c, &s.text)
	codec.Text(c, &s.raw)
	codec.Text(c, &s.inner)
}

func codeEncoder(c *codec.Coder, e *leaf.Encoder) {
	data := ""
	if !c.Reads() {
		data = e.Data()
	}
	codec.Text(c, &data)
	if !c.Reads() {
		return
	}
	made, ok := leaf.EncoderOf(data)
	if !ok {
		c.Fail(codec.ErrDamaged)
	}
	*e = made
}

func codeDestination(c *codec.Coder, d *request.Destination) {
	codeHost(c, &d.Host)
	c.Bools(&d.Path, &d.Bare)
}

func (g *graph) rendering(c *codec.Coder, r *Rendering) {
	codec.Text(c, &r.Like)
	g.redatings.Ref(c, &r.date)
	codec.Int(c, &r.How)
	codec.Int(c, &r.Letters)
}

func codeRedating(c *codec.Coder, r *redating) {
	codec.Int(c, &r.from)
	codec.Int(c, &r.to)
	c.Zone(&r.zone)
}

func (g *graph) source(c *codec.Coder, s *Source) {
	g.fillings.Ref(c, &s.Filling)
	codec.Text(c, &s.Text)
	codec.Int(c, &s.at)
	g.entities.Ref(c, &s.owner)
}

func (g *graph) filling(c *codec.Coder, f *Filling) {
	codec.Int(c, &f.What)
	g.refs.Ref(c, &f.Ref)
	codec.Text(c, &f.Slot.Name)
	codec.Int(c, &f.Slot.N)
	codec.Text(c, &f.Param)
	codec.Text(c, &f.Rival.Name)
	codec.Int(c, &f.Rival.N)
	c.Bools(&f.Mint, &f.Renewed, &f.Home, &f.Name, &f.Cause, &f.Term)
	codec.Int(c, &f.Secret)
	codec.Int(c, &f.Form)
	codec.Int(c, &f.K)
	codec.Text(c, &f.Noun)
	g.series.Ref(c, &f.Series)
	c.Zone(&f.Zone)
}

func codeRef(c *codec.Coder, r *Ref) {
	codec.Int(c, &r.Base)
	codec.Int(c, &r.N)
	codec.Slice(c, &r.Steps, codeStep)
}

func codeStep(c *codec.Coder, s *Step) {
	codec.Int(c, &s.To)
	codec.Text(c, &s.Kind)
	codec.Int(c, &s.N)
}
