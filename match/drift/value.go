package drift

import (
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/outcome"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
	"github.com/paytape/paytape/redact/surrogate"
)

// value is a leaf of a message, and which of it is variable.
type value struct {
	place leaf.Place
	kind  leaf.Kind
	key   string // the last name
	name  string // beside it in a name/value list; empty elsewhere
	path  string
	shape string // the path without indexes
	raw   string // as on tape
	parts []part
	fold  string // raw with the nouns of variables in their places

	// loose says that no two texts there are a difference: what cleaning left of a secret, what the
	// client makes anew for each request.
	loose bool
	open  bool // no profile knows the leaf: it may be volatile
	form  profile.Form
}

// part is a stretch of a value: literal text, or a variable.
type part struct {
	literal string
	noun    string // of a variable; empty for literal text
	text    string // the variable as on tape, without its rendering
	how     tape.Manner
	minted  bool // by the sandbox, and so of a shape that the sandbox chose
	once    bool // every answer has another
	form    profile.Form
}

// whole returns the variable that is all of a value; nil where there is none.
func (v *value) whole() *part {
	if len(v.parts) == 1 && v.parts[0].noun != "" {
		return &v.parts[0]
	}
	return nil
}

// literal reports whether nothing of a value is variable.
func (v *value) literal() bool {
	for i := range v.parts {
		if v.parts[i].noun != "" {
			return false
		}
	}
	return true
}

// setParts sets the parts of a value and what follows from them.
func (v *value) setParts(parts []part) {
	v.parts = parts
	var b strings.Builder
	for i := range parts {
		b.WriteString(parts[i].String())
	}
	v.fold = b.String()
	if w := v.whole(); w != nil && w.form != profile.NoForm {
		v.form = w.form
	}
}

// String returns a part as it is folded.
func (p *part) String() string {
	if p.noun == "" {
		return p.literal
	}
	return "<" + p.noun + manners[p.how] + ">"
}

// manners are the words behind a noun for values that are not written as they are.
var manners = map[tape.Manner]string{
	tape.Masked: " mask", tape.Last: " last digits", tape.Scheme: " scheme",
}

// String writes a value for people: folded, and with its type in JSON.
func (v *value) String() string {
	const most = 120
	text := leaf.Clip(v.fold, most)
	if v.place == leaf.JSON && v.kind == leaf.String {
		return strconv.Quote(text)
	}
	return text
}

// nouns of what has none in a profile.
const (
	nounDate   = "date"
	nounSecret = "secret"
	nounCard   = "card"
)

// reader reads the values of messages of one tape.
type reader struct {
	set       *profile.Set
	addresses []string // of the sandboxes on the tape
}

// sandboxWord stands for the address of a sandbox.
const sandboxWord = "<sandbox>"

// plain returns literal text of a tape without the addresses of its sandboxes.
func (r *reader) plain(text string) string {
	for _, a := range r.addresses {
		if strings.Contains(text, a) {
			text = strings.ReplaceAll(text, a, sandboxWord)
		}
	}
	return text
}

// message are the two readings of one message: as it is on tape, and with marks in its holes. call says
// what the profiles know of it.
type message struct {
	call   profile.Call
	onTape *leaf.Message
	marked *leaf.Message
	marks  *tape.Marks
	about  *tape.Recording // whose parameters holes repeat
	at     time.Time       // when it was sent; zero if unknown
}

// answer returns the values of a message of the sandbox. Of the header are those that header asks for.
func (r *reader) answer(m message) []*value {
	same := len(m.onTape.Leaves) == len(m.marked.Leaves)
	var values []*value
	for i := range m.marked.Leaves {
		l := &m.marked.Leaves[i]
		pieces := m.marks.Cut(l.Value)
		v := &value{
			place: l.Place, kind: l.Kind, key: l.Key, name: l.Name, path: l.Path, shape: l.Shape,
		}
		if l.Path == "" {
			v.path, v.shape = l.Key, l.Key
		}
		if same {
			v.raw, v.kind, v.name = m.onTape.Leaves[i].Value, m.onTape.Leaves[i].Kind, m.onTape.Leaves[i].Name
		} else {
			v.raw = pieces.Text(func(h *tape.Hole) string { return h.Text })
		}
		if l.Place == leaf.Header && len(pieces) == 1 && !comparedHeaders[l.Key] {
			continue
		}
		f, known := r.set.Field(m.call, profile.Response, request.At(l))
		if l.Place == leaf.Header {
			f, known = r.set.HeaderField(m.call, profile.Response, l.Key)
		}
		v.open = m.call.Operation == nil && !known
		r.answered(v, &m, f, pieces)
		if !known && v.literal() && !v.loose {
			v.timed(m.at)
		}
		values = append(values, v)
	}
	return values
}

// comparedHeaders are those of an answer that count even if they hold no variable.
var comparedHeaders = map[string]bool{
	"Content-Type": true, "Location": true, "Www-Authenticate": true,
}

// answered folds a value of an answer.
func (r *reader) answered(v *value, m *message, f profile.Field, pieces tape.Pieces) {
	var parts []part
	for _, p := range pieces {
		if p.Literal != "" {
			parts = append(parts, part{literal: r.plain(p.Literal)})
		}
		if h := p.Hole; h != nil && !(h.Text == "" && h.How == tape.Anchor) {
			parts = append(parts, partOf(h, m.about, v.key))
		}
	}
	v.setParts(parts)
	switch {
	case f.Secret.Personal() && v.raw != "": // fakes, which are numbered by tape
		v.loose = true
		v.setParts([]part{{noun: f.Secret.String(), text: v.raw}})
	case v.literal():
		r.rowed(v, f)
	}
}

// timed folds a literal that tells a time of the days around a message. No row says that it is a date.
func (v *value) timed(at time.Time) {
	f, days, ok := dateIn(v.raw, at)
	if ok && days >= -1 && days <= 1 {
		v.setParts([]part{{noun: nounDate, text: v.raw, form: f}})
	}
}

// rowed folds a literal by what a profile says of its field.
func (r *reader) rowed(v *value, f profile.Field) {
	noun := ""
	switch {
	case v.raw == "":
		return
	case surrogate.IsCard(v.raw):
		v.loose = true
		noun = nounCard
	case surrogate.Holds(v.raw), f.Secret != profile.NotSecret && f.Secret != profile.PAN:
		v.loose = true
		noun = nounSecret
		if f.Secret != profile.NotSecret {
			noun = f.Secret.String()
		}
	case f.From == profile.Date:
		noun, v.form = nounDate, f.Form
	case f.From == profile.Rendering && f.Form == profile.Mask:
		if _, is := outcome.MaskOf(v.raw); is {
			v.setParts([]part{{noun: nounCard, text: v.raw, how: tape.Masked}})
		}
		return
	}
	if noun != "" {
		v.setParts([]part{{noun: noun, text: v.raw, form: v.form}})
	}
}

// partOf returns the variable that fills a hole of a value with a key.
func partOf(h *tape.Hole, about *tape.Recording, key string) part {
	p := part{text: h.Text, how: h.How, form: h.Form}
	switch h.What {
	case tape.Event, tape.Now:
		p.noun = nounDate
	case tape.Sent:
		p.noun = request.LastName(h.Param)
		if about != nil {
			if a := about.Param(h.Param); a != nil && a.Field.Of != "" {
				p.noun = a.Field.Of
			}
		}
		if h.Card() {
			p.noun = nounCard
		}
	case tape.Header:
		p.noun = h.Param
	default:
		p.noun, p.minted, p.once = h.Slot.Name, h.Mint, h.What == tape.PerOne
		if h.Form != profile.NoForm && !h.Name {
			p.noun, p.minted = nounDate, false
		}
	}
	if p.noun == "" {
		p.noun = key
	}
	p.noun = request.LastName(p.noun)
	return p
}

// request returns the values of a recorded request.
func (r *reader) request(rec *tape.Recording) []*value {
	var values []*value
	for _, a := range rec.Request.All() {
		v := &value{
			place: a.Place, kind: a.Kind, key: request.LastName(a.Path), path: a.Path, shape: a.Path,
			raw: a.Text, open: rec.Infers && !a.Known,
		}
		r.asked(v, a, rec)
		values = append(values, v)
	}
	return values
}

// asked folds a parameter of a request.
func (r *reader) asked(v *value, a *tape.Asked, rec *tape.Recording) {
	one := part{noun: a.Field.Of, text: a.Text}
	if one.noun == "" {
		one.noun = v.key
	}
	switch {
	case a.Free, a.Field.From == profile.Ignored:
		v.loose = true
	case len(a.Names) > 0 && born(a, rec):
		v.setParts(r.names(a, rec))
		return
	case a.Field.Secret == profile.PAN || surrogate.IsCard(a.Text):
		one.noun = nounCard
		if a.Deciding != "" {
			one.noun += " " + a.Deciding
		}
	case a.Secret, a.Field.Secret != profile.NotSecret, surrogate.Holds(a.Text):
		v.loose = true
		if one.noun = nounSecret; a.Field.Secret != profile.NotSecret {
			one.noun = a.Field.Secret.String()
		}
	case len(a.Names) > 0:
		v.setParts(r.names(a, rec))
		return
	case a.Field.From == profile.Date, a.Tied:
		one.noun, one.form = nounDate, a.Field.Form
		v.loose = dates.Expiry(a.Field.Form)
	case a.Field.From == profile.Unique, a.Field.From == profile.Shared, a.Field.From == profile.Minted,
		a.Unborn:
	default:
		v.setParts([]part{{literal: r.plain(a.Text)}})
		return
	}
	if class, odd := oddClasses[a.Class]; odd {
		one.noun += ", " + class
	}
	v.setParts([]part{one})
}

// born reports whether the entities that a parameter names were made by the sandbox: a test card that a
// client brings is another thing if it is another card.
func born(a *tape.Asked, rec *tape.Recording) bool {
	for i := range a.Names {
		if e := rec.Roles[a.Names[i].Role]; e.Born == nil || e.Scope {
			return false
		}
	}
	return true
}

// oddClasses are the classes of values that a sandbox answers otherwise than a good one, in words.
var oddClasses = map[request.Class]string{
	request.Empty: "empty", request.Blank: "blank", request.Malformed: "malformed", request.Long: "too long",
	request.Grouped: "in groups", request.Expired: "expired", request.Unpadded: "of one digit",
}

// names returns the parts of a parameter that holds names of entities.
func (r *reader) names(a *tape.Asked, rec *tape.Recording) []part {
	var parts []part
	last := 0
	for i := range a.Names {
		n := &a.Names[i]
		if n.From < last || n.To > len(a.Text) {
			continue
		}
		if n.From > last {
			parts = append(parts, part{literal: r.plain(a.Text[last:n.From])})
		}
		p := part{noun: request.LastName(n.Noun), text: a.Text[n.From:n.To], how: n.How}
		for known := range rec.Roles[n.Role].Names() {
			if known.Noun == n.Noun && n.Writes(known.Text, p.text) {
				p.text = known.Text
				break
			}
		}
		parts = append(parts, p)
		last = n.To
	}
	if last < len(a.Text) {
		parts = append(parts, part{literal: r.plain(a.Text[last:])})
	}
	return parts
}
