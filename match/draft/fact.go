package draft

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
	"github.com/paytape/paytape/redact/surrogate"
)

// what says what stands in a place.
type what uint8

const (
	constant what = iota
	ofSlot        // a value of a slot: an id, or a name that the client chose
	stranger      // a token that no answer has brought
	free          // anything will do
	echoed        // what the client has sent
	part          // a longer text with values inside
	date
	card
	maskOf // of a card
	lastOf // digits of a card
)

// fact is what stands in a place in one exchange.
type fact struct {
	what   what
	slot   slot
	form   profile.Form // of a date
	text   string       // of a constant
	number int          // of the exchange
	fluid  bool         // a constant that looks as if each answer had another
}

// slot is a value that inferred entities of a kind have.
type slot struct{ kind, name string }

// place is a place of an operation: a parameter of its requests, or a leaf of its answers.
type place struct {
	dir    profile.Direction
	shape  string // path without indexes
	key    string // the last name
	facts  []fact
	secret profile.Sensitivity // what cleaning has found there
	known  bool                // the rows for all APIs tell what it is,
	field  profile.Field       // which is this; zero where they tell of no secret
	echo   bool                // an answer shows what is sent there
}

var indexes = regexp.MustCompile(`\[\d+\]|#\d+$`)

// shapeOf returns a path without indexes.
func shapeOf(path string) string { return indexes.ReplaceAllString(path, "") }

func (o *operation) place(dir profile.Direction, shape, key string) *place {
	id := "request " + shape
	if dir == profile.Response {
		id = "response " + shape
	}
	p := o.places[id]
	if p == nil {
		p = &place{dir: dir, shape: shape, key: key}
		o.places[id] = p
		o.order = append(o.order, p)
	}
	return p
}

// read notes the facts of a recorded exchange.
func (d *draft) read(rec *tape.Recording) {
	o := d.operationOf(rec)
	if o == nil {
		return
	}
	o.calls = append(o.calls, rec)
	o.writes = o.writes || !rec.Reads
	o.carried(rec)
	found := d.redactions(rec.Number)
	for _, a := range rec.Request.All() {
		d.readParam(o, rec, a, found)
	}
	if !rec.Lost {
		d.readAnswer(o, rec, found)
	}
}

// secrets are sensitivities by half, place and path: "request json card.number".
type secrets map[string]profile.Sensitivity

// redactions returns what cleaning has taken out of an exchange, by half, place and path: of the note
// "request json card.number: pan 1" the path and the sensitivity.
func (d *draft) redactions(number int) secrets {
	found := secrets{}
	x := d.exchanges[number]
	if x == nil {
		return found
	}
	for _, note := range x.Meta.Redactions {
		at := strings.LastIndex(note, ": ")
		if at < 0 {
			continue
		}
		kind, _, _ := strings.Cut(note[at+len(": "):], " ")
		if s, ok := profile.SensitivityOf(kind); ok {
			found[note[:at]] = s
		}
	}
	return found
}

// readParam notes what stands in a parameter of a recorded request.
func (d *draft) readParam(o *operation, rec *tape.Recording, a *tape.Asked, found secrets) {
	shape, at := shapeOf(a.Path), strings.TrimPrefix(a.Path, "/")
	key := request.LastName(shape)
	switch a.Place {
	case leaf.Header, leaf.Part:
		return
	case leaf.Path:
		n, err := strconv.Atoi(at)
		if err != nil || n >= len(o.segments) || !o.segments[n].open {
			return
		}
		shape, key = o.segments[n].name, o.segments[n].name
	}
	p := o.place(profile.Request, shape, key)
	if s := found["request "+a.Place.String()+" "+at]; s != profile.NotSecret {
		p.secret = s
	}
	if p.known = p.known || a.Known; a.Known && a.Field.Secret != profile.NotSecret && !a.Free {
		p.field = a.Field
	}
	f := fact{number: rec.Number, text: a.Text}
	switch {
	case a.Whole() && rec.Roles[a.Names[0].Role].Config != "":
		f.what = stranger
	case a.Whole() && a.Names[0].Rendering == (tape.Rendering{}):
		f.what, f.slot = ofSlot, slot{rec.Roles[a.Names[0].Role].Kind, a.Names[0].Noun}
		d.ask(f.slot, rec.Number)
	case len(a.Names) > 0:
		f.what = part
	case a.Unborn:
		f.what, f.slot = ofSlot, chosen(rec, a)
		if f.slot == (slot{}) {
			return // of a call of which nothing is left but the request
		}
		d.bear(o, f.slot, rec.Number, a.Text).chosen = true
	case a.Field.Secret == profile.PAN:
		f.what = card
	case a.TiedTo() != nil && a.TiedTo().Form != profile.NoForm:
		f.what, f.form = date, a.TiedTo().Form
	case a.Free:
		f.what = free
	}
	p.facts = append(p.facts, f)
}

// chosen returns the slot of a name that the client has chosen; the zero slot if nothing has got it.
func chosen(rec *tape.Recording, a *tape.Asked) slot {
	for _, n := range rec.Namings {
		if n.Path == a.Path && n.Birth < len(rec.Births) {
			return slot{rec.Births[n.Birth].Kind, n.Noun}
		}
	}
	return slot{}
}

// readAnswer notes what stands in the leaves of a recorded answer.
func (d *draft) readAnswer(o *operation, rec *tape.Recording, found secrets) {
	var marks tape.Marks
	m := leaf.Read(leaf.Message{Header: rec.Header(marks.Fill), Body: rec.Body().Text(marks.Fill)})
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Place == leaf.Header || l.Value == "" {
			continue
		}
		p := o.place(profile.Response, l.Shape, l.Key)
		if s := found["response "+l.Place.String()+" "+l.Path]; s != profile.NotSecret {
			p.secret = s
		}
		f := fact{number: rec.Number, text: l.Value}
		switch pieces := marks.Cut(l.Value); {
		case len(pieces) == 1:
			f.fluid = infer.Volatile(l, rec.Answered())
		case len(pieces) == 2 && pieces[0].Literal == "" && pieces[1].Literal == "":
			d.filled(o, rec, p, &f, pieces[0].Hole)
		default:
			f.what = part
		}
		p.facts = append(p.facts, f)
		d.readItem(o, rec, l, &f)
	}
}

// filled notes what fills a place of an answer.
func (d *draft) filled(o *operation, rec *tape.Recording, p *place, f *fact, h *tape.Hole) {
	asIs := h.Rendering == (tape.Rendering{})
	f.what = part
	switch h.What {
	case tape.Event, tape.Now:
		f.what, f.form = date, h.Form
	case tape.PerOne:
		f.what, f.slot = ofSlot, slot{o.method + " " + o.path(), p.shape}
		d.bear(o, f.slot, rec.Number, h.Text).series = h.Series
	case tape.Sent:
		d.sent(o, rec, f, h)
	case tape.Value:
		owner := h.Owner()
		switch {
		case h.Form != profile.NoForm && !h.Name:
			f.what, f.form = date, h.Form
		case h.Secret == profile.PAN:
			f.what = cardAs(h.How)
		case owner == nil || owner.Config != "" || !asIs:
		case h.Mint || h.Name || strings.HasPrefix(h.Slot.Name, "sent "):
			f.what, f.slot = ofSlot, slot{owner.Kind, h.Slot.Name}
			if owner.Born == rec && h.Mint {
				d.bear(o, f.slot, rec.Number, h.Text)
			}
			d.show(f.slot, h)
		default:
			f.what = echoed
		}
	}
}

// cardAs says how a number of a card is written.
func cardAs(how tape.Manner) what {
	switch how {
	case tape.AsIs, tape.Grouped:
		return card
	case tape.Masked:
		return maskOf
	case tape.Last:
		return lastOf
	}
	return part
}

// sent notes a place that shows a parameter of the request.
func (d *draft) sent(o *operation, rec *tape.Recording, f *fact, h *tape.Hole) {
	a := rec.Param(h.Param)
	if a == nil {
		return
	}
	if sentIn := o.places["request "+shapeOf(a.Path)]; sentIn != nil {
		sentIn.echo = true
	}
	switch {
	case h.Secret == profile.PAN:
		f.what = cardAs(h.How)
	case h.Rendering != (tape.Rendering{}):
	case a.Whole() && rec.Roles[a.Names[0].Role].Config == "" &&
		a.Names[0].Rendering == (tape.Rendering{}):
		f.what, f.slot = ofSlot, slot{rec.Roles[a.Names[0].Role].Kind, a.Names[0].Noun}
	case a.Unborn && chosen(rec, a) != slot{}:
		f.what, f.slot = ofSlot, chosen(rec, a)
	default:
		f.what = echoed
	}
}

// readItem notes that a leaf names the entity of an item of a list.
func (d *draft) readItem(o *operation, rec *tape.Recording, l *leaf.Leaf, f *fact) {
	shape, _, isItem := strings.Cut(l.Path, "[0].")
	if rec.Listing == nil || o.list != nil || f.what != ofSlot || !isItem {
		return
	}
	named := slices.ContainsFunc(rec.Listing.Items, func(i tape.Item) bool {
		return i.Entity.Kind == f.slot.kind
	})
	if named && !strings.Contains(shape, "[") {
		o.list = &listing{shape: shape, kind: f.slot.kind, of: rec.Listing.Of}
	}
}

// isToken reports whether all texts are what cleaning left of tokens.
func isToken(texts []string) bool {
	return len(texts) > 0 && !slices.ContainsFunc(texts, func(text string) bool {
		return !surrogate.IsToken(text)
	})
}
