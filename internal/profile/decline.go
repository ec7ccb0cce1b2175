package profile

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Declines tells how an API says that a payment was declined: by codes, each with its text, and by
// values of fields. Replay needs it where a tape has no payment that was declined.
type Declines struct {
	// Field tells the code: in the answer to the call itself, or in a later answer about the same
	// thing.
	Field string
	// Codes are the texts of the codes.
	Codes map[string]string
	// Answers are what the answer to a call shows that is declined, by operation; only these calls
	// can be. Later are what later answers about the same thing show.
	Answers, Later map[string]DeclineAnswer
}

// DeclineAnswer is what an answer shows of a decline. In texts ${code} and ${text} stand for the code
// and its text.
type DeclineAnswer struct {
	// Set are the values of fields that the answer of a good call has otherwise.
	Set []DeclineField
	// Body is the whole answer, where there is no answer of a good call. Empty: there is none.
	Body string
}

// DeclineField is a field and its text.
type DeclineField struct{ Key, Text string }

// Shown returns what is set in the answer to an operation: to the call that is declined with a code,
// or to a later one.
func (d *Declines) Shown(o *Operation, code string, later bool) []DeclineField {
	shown := d.Answers
	if later {
		shown = d.Later
	}
	fields := slices.Clone(shown[o.Name].Set)
	for i := range fields {
		fields[i].Text = d.fill(fields[i].Text, code)
	}
	return fields
}

// Body returns the whole answer to an operation that is declined with a code.
func (d *Declines) Body(o *Operation, code string) string {
	return d.fill(d.Answers[o.Name].Body, code)
}

func (d *Declines) fill(text, code string) string {
	return strings.NewReplacer("${code}", code, "${text}", d.Codes[code]).Replace(text)
}

// declines reads what an API says of declined payments.
func (r *reader) declines(p place, n *yaml.Node) error {
	d := &Declines{}
	r.profile.Declines = d
	return p.members(n, []member{
		{"field", true, textInto(&d.Field)},
		{"codes", true, func(p place, n *yaml.Node) error {
			pairs, err := p.mapping(n, "texts by code")
			d.Codes = map[string]string{}
			for _, e := range pairs {
				if d.Codes[e.key] = text(e.value); d.Codes[e.key] == "" {
					return p.expected(e.value, "a text")
				}
			}
			return err
		}},
		{"answers", true, r.declineAnswersInto(&d.Answers, true)},
		{"later", false, r.declineAnswersInto(&d.Later, false)},
	})
}

// declineAnswersInto reads what answers show, by operation: of the calls that are declined there may
// be the whole answer.
func (r *reader) declineAnswersInto(out *map[string]DeclineAnswer, whole bool,
) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		pairs, err := p.mapping(n, "operations and what their answers show")
		*out = map[string]DeclineAnswer{}
		for _, e := range pairs {
			var a DeclineAnswer
			table := []member{{"set", false, declineFieldsInto(&a.Set)}}
			if whole {
				table = append(table, member{"body", false, declineBodyInto(&a.Body)})
			}
			if err := p.named("operation", e.key).members(e.value, table); err != nil {
				return err
			}
			(*out)[e.key] = a
			r.later(p, e.at, "the name of an operation", r.operationNames(false))
		}
		return err
	}
}

func declineFieldsInto(fields *[]DeclineField) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		pairs, err := p.mapping(n, "texts by field")
		for _, e := range pairs {
			if e.value.Kind != yaml.ScalarNode {
				return p.expected(e.value, "a text")
			}
			if !refersOnly(text(e.value), isDeclineReference) {
				return p.expected(e.value, "a text with ${code} and ${text} alone")
			}
			*fields = append(*fields, DeclineField{e.key, text(e.value)})
		}
		return err
	}
}

func declineBodyInto(body *string) func(place, *yaml.Node) error {
	return func(p place, n *yaml.Node) error {
		if err := textInto(body)(p, n); err != nil {
			return err
		}
		if !refersOnly(*body, isBodyReference) {
			return p.expected(n,
				"a text with ${code}, ${text}, ${mint}, ${now} and ${request.FIELD} alone")
		}
		return nil
	}
}

func isDeclineReference(name string) bool { return name == "code" || name == "text" }

func isBodyReference(name string) bool {
	field, ofRequest := strings.CutPrefix(name, "request.")
	return isDeclineReference(name) || name == "mint" || name == "now" ||
		ofRequest && field != "" && !strings.ContainsAny(field, `"{},`)
}

// refersOnly reports whether what stands in "${" and "}" is a name that may.
func refersOnly(text string, may func(name string) bool) bool {
	for {
		_, rest, found := strings.Cut(text, "${")
		if !found {
			return true
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed || !may(name) {
			return false
		}
		text = after
	}
}
