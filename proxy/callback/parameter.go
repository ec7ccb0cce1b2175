package callback

import (
	"cmp"
	"mime"
	"net/url"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// parameter is a parameter of a query or a form, as it is written and as it is meant.
type parameter struct {
	raw         string // "orderNumber=A%2D1"
	name, value string
}

// parameters reads a query or a form. What cannot be read means itself.
func parameters(raw string) []parameter {
	if raw == "" {
		return nil
	}
	var all []parameter
	for pair := range strings.SplitSeq(raw, "&") {
		name, value, _ := strings.Cut(pair, "=")
		all = append(all, parameter{pair, unescaped(name), unescaped(value)})
	}
	return all
}

func unescaped(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// join writes parameters as a query or a form.
func join(all []parameter) string {
	raw := make([]string, 0, len(all))
	for _, p := range all {
		raw = append(raw, p.raw)
	}
	return strings.Join(raw, "&")
}

// isForm reports whether the body of a message is a form.
func (m *Message) isForm() bool {
	kind, _, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	return err == nil && kind == "application/x-www-form-urlencoded"
}

// part returns the part of a message that travels with the parameter of a signature: the query or
// the form in which the parameter stands. Where it does not stand yet, and for a signature in a
// header, that is the form if there is one. A shop reads the parameters of that part, and so finds
// the same to be signed.
func (m *Message) part(field string) *string {
	isField := func(p parameter) bool { return p.name == field }
	inForm := m.isForm()
	if field != "" && inForm && !slices.ContainsFunc(parameters(m.Body), isField) &&
		slices.ContainsFunc(parameters(m.Query), isField) {
		return &m.Query
	}
	if inForm {
		return &m.Body
	}
	return &m.Query
}

// signedParameters returns ${parameters}: all of a part, in the order of their names.
func (m *Message) signedParameters(s *profile.Signature) string {
	all := parameters(*m.part(s.Field))
	slices.SortStableFunc(all, func(a, b parameter) int { return cmp.Compare(a.name, b.name) })
	var out strings.Builder
	for _, p := range all {
		if p.raw == "" || p.name == s.Field || slices.Contains(s.Without, p.name) {
			continue
		}
		out.WriteString(expand(s.Parameter, func(name string) string {
			if name == "name" {
				return p.name
			}
			return p.value
		}))
	}
	return out.String()
}

// parameter returns the value of a parameter that holds a signature.
func (m *Message) parameter(field string) (string, bool) {
	for _, p := range parameters(*m.part(field)) {
		if p.name == field {
			return p.value, true
		}
	}
	return "", false
}

// setParameter gives a parameter a value, in its place or behind all others.
func (m *Message) setParameter(field, value string) {
	part := m.part(field)
	all := parameters(*part)
	at := slices.IndexFunc(all, func(p parameter) bool { return p.name == field })
	if at < 0 {
		at, all = len(all), append(all, parameter{raw: url.QueryEscape(field) + "="})
	}
	name, _, _ := strings.Cut(all[at].raw, "=")
	all[at].raw = name + "=" + url.QueryEscape(value)
	*part = join(all)
}

// deleteParameter takes a parameter out.
func (m *Message) deleteParameter(field string) {
	part := m.part(field)
	*part = join(slices.DeleteFunc(parameters(*part),
		func(p parameter) bool { return p.name == field }))
}
