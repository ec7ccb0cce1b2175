package tape

import (
	"hash/maphash"
	"slices"
	"time"

	"github.com/paytape/paytape/internal/digests"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// words lets go of the files that exchanges were read from: a text that a tape keeps is a copy,
// and equal texts share one copy. It is only there while a tape is compiled.
type words struct {
	slabs  *slabs
	texts  digests.Map[string]
	frames map[Frame]*Frame
	calls  map[profile.CallKey]*profile.Call
	asked  digests.Map[*Asked] // those that are tied to nothing
	params map[Parameter]*Parameter
	// various counts the arguments that were made of a parameter: at least as many as there are texts.
	various map[*Parameter]int
	// near are those of params that were asked for last.
	near   [1 << 6]*Parameter
	fills  map[Filling]*Filling
	lately [1 << 6]*Filling // of these, those that were asked for last
	encs   []*leaf.Encoder  // one for each way to code a leaf, of which there are a few
	kinds  map[*profile.Entity]string
	aboves map[typeOf][]string
	ways   map[writingKey]*Writing
	// written and unplaced are the ways that were asked for last, of holes in their places and of others.
	written, unplaced [len(manners)]*Writing
	things            map[EntityKind]*EntityKind
	thing             *EntityKind // that of things that was asked for last by its nouns
	nounRoom          []byte      // where the nouns of the names of an entity lie until its kind has them,
	textRoom          []byte      // and the texts
	zones             []zone
	rests             map[uint64]*Rest // by hash
}

func newWords(s *slabs) *words {
	return &words{
		slabs: s, frames: map[Frame]*Frame{}, calls: map[profile.CallKey]*profile.Call{}, params: map[Parameter]*Parameter{},
		various: map[*Parameter]int{},
		fills:   map[Filling]*Filling{}, kinds: map[*profile.Entity]string{},
		aboves: map[typeOf][]string{}, ways: map[writingKey]*Writing{}, things: map[EntityKind]*EntityKind{},
		rests: map[uint64]*Rest{},
	}
}

// filling returns a filling that all equal ones share. One with a way of its own has no equal.
func (w *words) filling(f Filling) *Filling {
	if f.Ref != nil && len(f.Ref.Steps) > 0 {
		return w.slabs.stepped.Put(f)
	}
	place := &w.lately[f.spread()&(len(w.lately)-1)]
	if *place != nil && **place == f {
		return *place
	}
	same := w.fills[f]
	if same == nil {
		same = w.slabs.fillings.Put(f)
		w.fills[f] = same
	}
	*place = same
	return same
}

// zone is a zone, as a time there tells it.
type zone struct {
	name   string
	offset int // seconds east of UTC
	at     *time.Location
}

// zone returns the zone of a time. Whoever reads times makes a zone of each, and those that tell the same
// are one here.
func (w *words) zone(t time.Time) *time.Location {
	at := t.Location()
	if at == time.UTC || at == time.Local {
		return at
	}
	name, offset := t.Zone()
	for _, z := range w.zones {
		if z.name == name && z.offset == offset {
			return z.at
		}
	}
	at = time.FixedZone(name, offset)
	w.zones = append(w.zones, zone{name, offset, at})
	return at
}

// spread is equal for equal fillings, and differs for most of those that follow each other.
func (f *Filling) spread() int {
	sum := int(f.What) + f.Slot.N + f.K
	for _, text := range [...]string{f.Slot.Name, f.Param} {
		if n := len(text); n > 0 {
			sum += n*5 + int(text[0])*3 + int(text[n-1])
		}
	}
	return sum
}

// request returns the parameters of a request, open. Equal ones share a copy: the terminal of a shop is
// named by each of its requests.
func (w *words) request(asked []Asked) Params {
	kept := w.slabs.requests.Make(len(asked))
	for i := range asked {
		a := &asked[i]
		a.Parameter = w.parameter(a.Parameter, len(asked)*7+i)
		if a.Unborn || a.tie != nil {
			kept[i] = w.param(a)
			continue
		}
		same := w.asked.At(a.hash())
		if *same == nil || !(*same).equal(a) {
			*same = w.param(a)
		}
		kept[i] = *same
	}
	return Params{form: w.slabs.asking.Put(form{open: kept})}
}

// parameter returns a copy of a parameter that all equal ones share. It is likely to be the one that stood
// at the same place of another request.
func (w *words) parameter(p *Parameter, place int) *Parameter {
	lately := &w.near[place%len(w.near)]
	if *lately != nil && **lately == *p {
		return *lately
	}
	same := w.params[*p]
	if same == nil {
		kept := *p
		kept.Path, kept.Label = w.word(p.Path), w.word(p.Label)
		same = &kept
		w.params[kept] = same
	}
	*lately = same
	return same
}

// param returns a copy of an argument that is there while the tape is compiled.
func (w *words) param(a *Asked) *Asked {
	w.various[a.Parameter]++
	kept := w.slabs.asked.Put(*a)
	kept.Names = w.slabs.named.Clone(a.Names)
	kept.Text, kept.Deciding = w.slabs.drafts.Clone(a.Text), w.word(a.Deciding)
	for i := range kept.Names {
		kept.Names[i].Like = w.word(kept.Names[i].Like)
	}
	return kept
}

// hash is equal for equal parameters. Where parameters have the same text at the same path, nearly all
// else of them is the same too.
func (a *Asked) hash() uint64 {
	hash := maphash.String(seed, a.Path)*31 + maphash.String(seed, a.Text)
	for i := range a.Names {
		n := &a.Names[i]
		hash = hash*31 + uint64(n.Role)<<32 + uint64(n.Behind)
	}
	return hash*31 + uint64(a.Class)
}

// equal reports whether two parameters that are tied to nothing are equal.
func (a *Asked) equal(b *Asked) bool {
	return a.Argument == b.Argument && slices.Equal(a.Names, b.Names)
}

// encoder returns an encoder that equal ones share.
func (w *words) encoder(e leaf.Encoder) *leaf.Encoder {
	const most = 64 // that are looked through
	for _, same := range w.encs[:min(most, len(w.encs))] {
		if same.Equal(e) {
			return same
		}
	}
	kept := e // a copy, so that an encoder which has an equal is not kept
	w.encs = append(w.encs, &kept)
	return &kept
}

// writingKey tells a writing that holes share from others.
type writingKey struct {
	enc     *leaf.Encoder
	how     Manner
	letters Letters
	whole   bool
}

// writing returns a writing that all equal ones share, but for those of one hole.
func (w *words) writing(x Writing) *Writing {
	if x.own() {
		return w.slabs.writings.Put(x)
	}
	key := x.key()
	place := &w.written[key.how]
	if x.enc == nil { // of a hole that is not in its place yet
		place = &w.unplaced[key.how]
	}
	if *place != nil && (*place).key() == key {
		return *place
	}
	same := w.ways[key]
	if same == nil {
		kept := x // a copy, so that a writing which has an equal is not kept
		same = &kept
		w.ways[key] = same
	}
	*place = same
	return same
}

func (w *Writing) key() writingKey { return writingKey{w.enc, w.How, w.Letters, w.whole} }

// refill changes the filling of a source alone.
func (w *words) refill(s *Source, change func(*Filling)) {
	f := *s.Filling
	change(&f)
	s.Filling = w.filling(f)
}

// kind is KindOf.
func (w *words) kind(p *profile.Profile, noun string) string {
	e := p.Entity(noun)
	kind, known := w.kinds[e]
	if !known {
		kind = KindOf(p, noun)
		w.kinds[e] = kind
	}
	return kind
}

// typeOf is a type of entities of a profile.
type typeOf struct {
	p *profile.Profile
	t *profile.Entity
}

// above returns the kinds of the wholes and scopes of an entity.
func (w *words) above(p *profile.Profile, t *profile.Entity) []string {
	at := typeOf{p, t}
	kinds, known := w.aboves[at]
	if !known {
		for _, of := range t.Of {
			kinds = append(kinds, p.Name+" "+of)
		}
		w.aboves[at] = kinds
	}
	return kinds
}

// rest returns a copy that all equal ones share, but for those of lists and those with callbacks.
func (w *words) rest(r *Rest) *Rest {
	own := r.Listing != nil || len(r.Callbacks) > 0
	hash := r.hash()
	if same := w.rests[hash]; same != nil && !own && same.equal(r) {
		return same
	}
	s := &w.slabs.kept
	kept := s.rests.Put(Rest{
		s.attributes.Clone(r.Attributes), s.namings.Clone(r.Namings), r.Listing, r.Callbacks,
		slices.Clone(r.Makes), slices.Clone(r.Repeats), s.tokens.Clone(r.tokens),
	})
	if !own {
		w.rests[hash] = kept
	}
	return kept
}

// hash is equal for what is equal without a list and without callbacks.
func (r *Rest) hash() uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, a := range r.Attributes {
		maphash.WriteComparable(&h, a)
	}
	for _, n := range r.Namings {
		maphash.WriteComparable(&h, n)
	}
	for _, t := range r.tokens {
		maphash.WriteComparable(&h, t)
	}
	for _, values := range [2][]uint64{r.Makes, r.Repeats} {
		for _, value := range values {
			maphash.WriteComparable(&h, value)
		}
	}
	return h.Sum64()
}

// equal reports whether what has neither a list nor callbacks is equal.
func (r *Rest) equal(o *Rest) bool {
	return slices.Equal(r.Attributes, o.Attributes) && slices.Equal(r.Namings, o.Namings) &&
		slices.Equal(r.tokens, o.tokens) && slices.Equal(r.Makes, o.Makes) &&
		slices.Equal(r.Repeats, o.Repeats)
}

// entityKind returns what all entities of a kind share.
func (w *words) entityKind(k EntityKind) *EntityKind {
	same := w.things[k]
	if same == nil {
		kept := k // a copy, so that what has an equal is not kept
		same = &kept
		w.things[k] = same
	}
	return same
}

// kindNamed returns a kind with the nouns of the names of an entity, which all those share that have
// such names.
func (w *words) kindNamed(of *EntityKind, nouns []byte) *EntityKind {
	if len(nouns) == 0 {
		return of
	}
	if last := w.thing; last != nil && string(last.nouns) == string(nouns) &&
		last.Kind == of.Kind && last.Type == of.Type && last.Session == of.Session {
		return last
	}
	named := *of
	named.nouns = packed(nouns)
	w.thing = w.entityKind(named)
	return w.thing
}

// word returns a copy of text that equal texts share.
func (w *words) word(text string) string {
	if text == "" {
		return ""
	}
	same := w.texts.At(digestText(text))
	if *same != text { // nearly always because it is new
		*same = w.slabs.texts.Clone(text)
	}
	return *same
}

// call returns what profiles recognise of requests, which all those share of which it is the same.
func (w *words) call(of profile.Call) *profile.Call {
	key := of.Key()
	same := w.calls[key]
	if same == nil {
		kept := of // a copy, so that what has an equal is not kept
		same = &kept
		w.calls[key] = same
	}
	return same
}

// frame returns a frame that all equal frames share.
func (w *words) frame(f Frame) *Frame {
	same := w.frames[f]
	if same == nil {
		kept := f // a copy, so that a frame which has an equal is not kept
		for _, s := range []*string{
			&kept.operation, &kept.Op, &kept.Method, &kept.Status, &kept.Coding, &kept.Charset,
			&kept.Fault, &kept.Host, &kept.Address,
		} {
			*s = w.word(*s)
		}
		same = w.slabs.frames.Put(kept)
		w.frames[kept] = same
	}
	return same
}
