package audit

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
	"github.com/paytape/paytape/redact/internal/credential"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/internal/words"
	"github.com/paytape/paytape/redact/surrogate"
)

// Exposed is a field of an exchange whose value is secret and no surrogate of ours.
type Exposed struct {
	Field string // "request form $PAN"; what of it could be secret is cleaned
	Kind  string // as in Finding
	// Offset is where the field lies in its part: the URL, the header, or the body without its
	// content coding; in bytes.
	Offset int
}

// Fields looks into the fields of an exchange of a file: those that the profiles and the keywords
// call secret must hold surrogates.
func Fields(r *redact.Redactor, x *leaf.Exchange) []Exposed { return audit(r, x, nil) }

// Exchange is Fields, and looks for what s finds in every value too. Whoever has searched the text
// of the file, and the values stand in it as they are, needs it only to name the fields.
func (s Search) Exchange(r *redact.Redactor, x *leaf.Exchange) []Exposed {
	return audit(r, x, &finder{Search: s})
}

// audit is Exchange; without a finder it is Fields.
func audit(r *redact.Redactor, x *leaf.Exchange, f *finder) []Exposed {
	var found []Exposed
	for v := range r.Values(x) {
		add := func(kind string) {
			at, _ := v.Message.Span(v.Leaf, 0, len(v.Leaf.Value))
			found = append(found, Exposed{place(v), kind, at})
		}
		exposed := func(text string) bool { return !harmless(v.Kind, text) }
		switch {
		case slices.ContainsFunc(v.Secrets, exposed):
			add(kindName(v.Kind))
		case f != nil:
			for _, hit := range f.find(v.Leaf.Value) {
				add(hit.Kind)
			}
		}
	}
	return found
}

// place names a value of a file. A path that holds a secret itself is not repeated.
func place(v redact.Value) string {
	name := v.Half + " " + v.Leaf.Place.String()
	switch {
	case v.Leaf.Path == "":
		return name
	case len(Find(v.Leaf.Path)) > 0:
		return name + " " + surrogate.Withheld
	}
	return name + " " + scan.Printable(v.Leaf.Path)
}

// harmless reports whether a value in a secret field gives nothing away.
func harmless(kind profile.Sensitivity, text string) bool {
	if strings.TrimSpace(text) == "" || surrogate.Is(text) || credential.IsPlaceholder(text) {
		return true
	}
	if f, ok := surrogate.FakeOf(kind); ok {
		return f.Own(text)
	}
	if kind != profile.PAN {
		return false
	}
	n := scan.ReadNumber(text)
	return n.Harmless || surrogate.IsCardNumber(n.Digits)
}

// Field returns the kind of secret that a key of a file names and its value can be, "" for none:
// of files of settings, whose values need no quotes.
func (s Search) Field(key, value string) string {
	kind := words.NameFor(key, value).Kind
	harmless := credential.IsPlaceholder(value) || surrogate.Is(value) || strings.ContainsAny(value, " \t\n") ||
		words.IsPlain(value) || words.IsSetting(key, value)
	switch {
	case kind == profile.NotSecret || harmless:
		return ""
	case kind == profile.CVC || kind == profile.PIN:
		if scan.Digits(value) != value || len(value) < words.MinCode {
			return ""
		}
	case strings.HasSuffix(strings.ToLower(key), "authorization") && !credential.IsRandom(value):
		return "" // "preAuthorization: exact": a sum may be authorized, too
	case kind == profile.PAN && s.shape(scan.ReadNumber(value).Digits) != scan.Card:
		return ""
	}
	return kindName(kind)
}
