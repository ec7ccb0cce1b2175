package redact

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Exposed is a field of an exchange whose value is secret and no surrogate of ours.
type Exposed struct {
	Field string // "request form $PAN"; what of it could be secret is cleaned
	Kind  string // as in Finding
	// Offset is where the field lies in its part: the URL, the header, or the body without its
	// content coding; in bytes.
	Offset int
}

// Audit looks into the fields of an exchange of a file: those that the profiles and the keywords
// call secret must hold surrogates. It changes nothing and learns nothing.
func (r *Redactor) Audit(x *leaf.Exchange) []Exposed { return r.audit(x, nil) }

// AuditDeep is Audit, and looks for what s finds in every value too. Whoever has searched the text
// of the file, and the values stand in it as they are, needs it only to name the fields.
func (r *Redactor) AuditDeep(x *leaf.Exchange, s Search) []Exposed {
	return r.audit(x, &finder{Search: s})
}

func (r *Redactor) audit(x *leaf.Exchange, f *finder) []Exposed {
	a := &audit{cleaning: cleaning{state: r.s, trust: ours}, finder: f}
	target := x.Target()
	call := a.Profiles.Find(x.Method, pathOf(target))
	a.message(message{name: "request", call: call, dir: profile.Request}, leaf.Message{
		Target: x.URL, Skip: len(x.URL) - len(target), Header: x.Request.Headers,
		Body: a.body(x.Request.Body, &half{header: x.Request.Headers}),
	})
	a.message(message{name: "response", call: call, dir: profile.Response}, leaf.Message{
		Header: x.Response.Headers,
		Body:   a.body(x.Response.Body, &half{header: x.Response.Headers}),
	})
	if len(x.Meta.Trailers) > 0 {
		a.message(message{name: "trailer", call: call, dir: profile.Response},
			leaf.Message{Header: x.Meta.Trailers})
	}
	return a.found
}

// audit is the audit of one exchange.
type audit struct {
	cleaning
	finder *finder // nil: the fields alone are looked at
	found  []Exposed
}

// body returns a body without its content coding, or as it is if that cannot be undone.
func (a *audit) body(body string, h *half) string {
	_, values := header(h.header, "Content-Encoding")
	if len(values) == 0 {
		return body
	}
	plain, err := leaf.Decode(strings.Join(values, ", "), []byte(body), maxDecoded)
	if err != nil {
		return body
	}
	return string(plain)
}

func (a *audit) message(m message, raw leaf.Message) {
	m.Message = leaf.Read(raw)
	var whole *leaf.Holder // the text around the leaves before that is one value
	for i := range m.Leaves {
		l := &m.Leaves[i]
		h := a.secretHolder(&m, l)
		switch {
		case h != nil && h == whole:
			continue
		case h != nil:
			l = &h.Leaf
		case l.Kind > leaf.Number:
			continue
		}
		whole = h
		a.leaf(&m, l)
	}
}

func (a *audit) leaf(m *message, l *leaf.Leaf) {
	if kind := a.exposed(m, l); kind != "" {
		a.add(m, l, kind)
		return
	}
	if a.finder == nil {
		return
	}
	for _, f := range a.finder.find(l.Value) {
		a.add(m, l, f.Kind)
	}
}

func (a *audit) add(m *message, l *leaf.Leaf, kind string) {
	at, _ := m.Span(l, 0, len(l.Value))
	a.found = append(a.found, Exposed{a.place(m, l), kind, at})
}

// Field returns the kind of secret that a key of a file names and its value can be, "" for none:
// of files of settings, whose values need no quotes.
func (f Search) Field(key, value string) string {
	kind := named(key, value)
	harmless := placeholder(value) || ownValue(value) || strings.ContainsAny(value, " \t\n") ||
		slices.Contains(plainWords, strings.ToLower(value)) || isSetting(key, value)
	switch {
	case kind == profile.NotSecret || harmless:
		return ""
	case kind == profile.CVC || kind == profile.PIN:
		if asciiDigits(value) != value || len(value) < minCode {
			return ""
		}
	case strings.HasSuffix(strings.ToLower(key), "authorization") && !random(value):
		return "" // "preAuthorization: exact": a sum may be authorized, too
	case kind == profile.PAN && f.shape(readNumber(value).digits) != card:
		return ""
	}
	return kindName(kind)
}

// place names a leaf of a file. A path that holds a secret itself is not repeated.
func (a *audit) place(m *message, l *leaf.Leaf) string {
	name := m.name + " " + l.Place.String()
	switch {
	case l.Path == "":
		return name
	case len(Find(l.Path)) > 0:
		return name + " " + gateMark
	}
	return name + " " + printable(l.Path)
}

// exposed returns the kind of secret that a leaf holds by its field, "" if it holds none.
func (a *audit) exposed(m *message, l *leaf.Leaf) string {
	if l.Place == leaf.Text && l.Holder() == nil {
		return ""
	}
	f, _ := a.field(m, l)
	if l.Closed && f.Secret == profile.NotSecret {
		f.Secret = profile.Blob // nobody has seen what it packs
	}
	value := l.Value
	if l.Place == leaf.Header && l.Holder() == nil && structured(l.Key) != nil {
		return a.header(l.Key, value)
	}
	if f.Secret == profile.Token && keyword(l.Key) == profile.Token {
		value = value[len(scheme(value)):]
	}
	if unmasked(f, value) {
		f.Secret = profile.PAN
	}
	if !a.secret(f) || isSetting(l.Key, value) || a.harmless(f.Secret, value) {
		return ""
	}
	return kindName(f.Secret)
}

// harmless reports whether a value in a secret field gives nothing away.
func (a *audit) harmless(kind profile.Sensitivity, value string) bool {
	if strings.TrimSpace(value) == "" || ownValue(value) || placeholder(value) {
		return true
	}
	if f, ok := fakerOf(kind); ok {
		return f.own(value)
	}
	if kind != profile.PAN {
		return false
	}
	n := readNumber(value)
	return n.keep || surrogateShape(n.digits)
}

// header returns what a header with a structure of its own holds.
func (a *audit) header(name, value string) string {
	parts := []string{value}
	switch strings.ToLower(name) {
	case "cookie":
		parts = strings.Split(value, ";")
	case "set-cookie":
		parts[0], _, _ = strings.Cut(value, ";")
	default:
		parts[0] = strings.TrimLeft(value[strings.IndexByte(value, ' ')+1:], " ")
		if a.harmless(profile.Token, parts[0]) {
			return ""
		}
		return kindCredential
	}
	for _, part := range parts {
		name, secret, found := strings.Cut(part, "=")
		if !found {
			secret = strings.TrimLeft(name, " ")
		}
		if !a.harmless(profile.Token, secret) {
			return kindCredential
		}
	}
	return ""
}
