package cassettes

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/similar"
	"github.com/paytape/paytape/redact"
	"go.yaml.in/yaml/v3"
)

// Flaw is a place of a file that is YAML and not quite a cassette, such as "respons" for "response".
// Replay reads past it. A command that writes the file anew would make that last, so it refuses what is
// Lost, and seal refuses all but forms.
type Flaw struct {
	Line int
	Text string // never quotes the file
	Lost bool   // what stands there is on no exchange: it would be gone if the file were written anew
	// Form says that it is a form which is not what the body says. It is a copy of the body, and whoever edits a
	// body need not edit both: seal makes it anew, and tells so.
	Form bool
}

// warning is the flaw as it is told of a file that is read all the same.
func (f Flaw) warning() string {
	if f.Lost {
		return fmt.Sprintf("line %d was left out: %s", f.Line, f.Text)
	}
	return fmt.Sprintf("line %d: %s", f.Line, f.Text)
}

// mostFlaws bounds the flaws of a file that are told: a script may have made one in each exchange.
const mostFlaws = 10

// refused returns the flaws for which seal refuses a file.
func refused(flaws []Flaw) []Flaw {
	return slices.DeleteFunc(slices.Clone(flaws), func(f Flaw) bool { return f.Form })
}

// warnings returns what is told of flaws to who loads a file.
func warnings(flaws []Flaw) []string {
	flaws = refused(flaws)
	var told []string
	for _, f := range flaws[:min(len(flaws), mostFlaws)] {
		told = append(told, f.warning())
	}
	if more := len(flaws) - len(told); more > 0 {
		told = append(told, fmt.Sprintf("%d more places are like that", more))
	}
	return told
}

// refusal returns the flaws as errors, a line each; nil if there are none.
func refusal(name string, flaws []Flaw) error {
	var all []error
	for _, f := range flaws[:min(len(flaws), mostFlaws)] {
		all = append(all, fmt.Errorf("cassette %q, line %d: %s", name, f.Line, f.Text))
	}
	if more := len(flaws) - len(all); more > 0 {
		all = append(all, fmt.Errorf("cassette %q: %d more places are like that", name, more))
	}
	return errors.Join(all...)
}

// loses reports whether writing a file anew would lose something of it.
func loses(flaws []Flaw) bool { return slices.ContainsFunc(flaws, func(f Flaw) bool { return f.Lost }) }

// shape has the keys of a mapping, each with the shape of its value. A nil shape is no mapping of
// which the keys are known: a text, a number, a header.
type shape map[string]shape

// documentShape is the shape of a cassette, and itemShape of an interaction, as vcrItem reads it. Beside
// it are keys of go-vcr v3 and v4 that mean nothing to replay; vcrItem tells why.
var (
	documentShape = shape{"version": nil, "interactions": nil}
	itemShape     = func() shape {
		s := shapeOf(reflect.TypeFor[vcrItem]())
		s["id"] = nil
		for _, key := range []string{"proto", "proto_major", "proto_minor", "transfer_encoding",
			"content_length", "trailer", "host", "remote_addr", "request_uri"} {
			s["request"][key] = nil
		}
		for _, key := range []string{"proto", "proto_major", "proto_minor", "transfer_encoding",
			"content_length", "uncompressed"} {
			s["response"][key] = nil
		}
		return s
	}()
)

// shapeOf returns the keys that a YAML library gives to the fields of a type.
func shapeOf(t reflect.Type) shape {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() {
		return nil
	}
	s := shape{}
	for i := range t.NumField() {
		field := t.Field(i)
		key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if key == "" {
			key = strings.ToLower(field.Name)
		}
		s[key] = shapeOf(field.Type)
	}
	return s
}

// strangers returns a flaw for each key of a mapping that no reader of cassettes knows.
func (s shape) strangers(n *yaml.Node) (flaws []Flaw) {
	if n = dereferenced(n); n.Kind != yaml.MappingNode {
		return nil // whoever decodes it says what is wrong
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		inner, known := s[key.Value]
		switch {
		case key.ShortTag() == "!!merge":
			if value.Kind != yaml.SequenceNode {
				flaws = append(flaws, s.strangers(value)...)
				continue
			}
			for _, one := range value.Content {
				flaws = append(flaws, s.strangers(one)...)
			}
		case !known:
			flaws = append(flaws, Flaw{Line: key.Line, Text: s.unknown(key.Value), Lost: true})
		case inner != nil:
			flaws = append(flaws, inner.strangers(value)...)
		}
	}
	return flaws
}

// unknown says that a key is none. The key itself may be anything, so only what was meant is told.
func (s shape) unknown(key string) string {
	search := similar.To(key)
	for _, known := range slices.Sorted(maps.Keys(s)) {
		search.Try(known)
	}
	if best := search.Best(); best != "" {
		return fmt.Sprintf("the key is unknown: %q is meant, perhaps", best)
	}
	return "the key is unknown; there are " + strings.Join(slices.Sorted(maps.Keys(s)), ", ")
}

// dereferenced returns what an alias stands for. A file whose aliases go round is not read so far.
func dereferenced(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// child returns the value under a key of a mapping, nil if there is none.
func child(n *yaml.Node, key string) *yaml.Node {
	if n == nil {
		return nil
	}
	if n = dereferenced(n); n.Kind != yaml.MappingNode {
		return nil
	}
	var merged *yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch {
		case n.Content[i].Value == key:
			return n.Content[i+1]
		case n.Content[i].ShortTag() == "!!merge":
			merged = child(n.Content[i+1], key)
		}
	}
	return merged
}

// item is an interaction of a file that is not sealed.
type item struct {
	exchange *leaf.Exchange // nil for one that is empty, or has no status that a tape may hold
	flaws    []Flaw
}

// readItemNode reads an interaction. An error tells the line.
func readItemNode(n *yaml.Node) (item, error) {
	if n.ShortTag() == "!!null" {
		return item{flaws: []Flaw{{Line: n.Line, Text: "the interaction is empty"}}}, nil
	}
	var v vcrItem
	if err := n.Decode(&v); err != nil {
		return item{}, itemError(n, err)
	}
	x := v.exchange()
	i := item{exchange: x, flaws: itemShape.strangers(n)}
	i.look(n, &v)
	if !isStatus(x.Code) {
		i.exchange = nil
	}
	return i, nil
}

// placeError says what is wrong in which line, in words of ours.
type placeError string

func (e placeError) Error() string { return string(e) }

// itemError returns what a YAML library says of an interaction with a line at least.
func itemError(n *yaml.Node, err error) error {
	if at := child(child(n, "paytape"), "at"); at != nil && at.Decode(new(time.Time)) != nil {
		return placeError(fmt.Sprintf("line %d is not what a cassette has there: expected a time such as "+
			"2026-03-01T10:00:00Z", at.Line))
	}
	if lineNumber.MatchString(err.Error()) {
		return err
	}
	return placeError(fmt.Sprintf("the interaction in line %d is not what a cassette has there", n.Line))
}

// look notes what is missing or wrong in an interaction that could be read.
func (i *item) look(n *yaml.Node, v *vcrItem) {
	asked, answered := child(n, "request"), child(n, "response")
	note := func(at *yaml.Node, lost bool, text string) {
		if at == nil {
			at = n
		}
		i.flaws = append(i.flaws, Flaw{Line: at.Line, Text: text, Lost: lost})
	}
	// A value that is missing has no line; the line is that of what it is missing in.
	within := func(outer *yaml.Node, key string) *yaml.Node {
		if at := child(outer, key); at != nil {
			return at
		}
		return outer
	}
	x := i.exchange
	misspelt := len(i.flaws) > 0 // what is missing may stand under a key that is unknown
	if x.URL == "" {
		note(within(asked, "url"), false, "the request has no url")
	}
	if x.Method == "" {
		note(within(asked, "method"), false, "the request has no method")
	} else if line := strayForm(child(asked, "form"), x); line > 0 && !misspelt {
		i.flaws = append(i.flaws, Flaw{Line: line, Text: "the form is not what the body says", Form: true})
	}
	switch code := within(answered, "code"); {
	case x.Code == 0 && (x.Meta.Failure != "" || x.Meta.Fault != ""): // there was no answer
	case code == answered && x.Code == 0: // it is absent
		if !misspelt {
			note(code, false, "the answer has no code")
		}
	case x.Code < 100 || x.Code > 599:
		note(code, !isStatus(x.Code), "the code is no status of HTTP, which has 100 to 599")
	}
	if _, ok := parseDuration(v.Response.Duration); !ok {
		note(within(answered, "duration"), true, "the duration is none, such as 12.5ms")
	}
}

// strayForm returns the line in which a form has what the body does not have; 0 if there is none. A
// form that is empty says nothing: go-vcr leaves it so for a body that nobody has parsed.
func strayForm(n *yaml.Node, x *leaf.Exchange) int {
	if n == nil || len(x.Form) == 0 {
		return 0
	}
	said := redact.Form(x)
	if n = dereferenced(n); n.Kind != yaml.MappingNode {
		return 0
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i].Value; !slices.Equal(said[key], x.Form[key]) {
			return n.Content[i].Line
		}
	}
	switch {
	case len(said) == len(x.Form):
		return 0
	case n.Style&yaml.FlowStyle != 0:
		return n.Line
	}
	return n.Line - 1 // of the key: a parameter is missing
}

// parseDuration reads a duration as versions of go-vcr write it, empty where nobody measured one.
// A number alone is of nanoseconds.
func parseDuration(s string) (time.Duration, bool) {
	if s == "" {
		return 0, true
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return time.Duration(n), true
	}
	d, err := time.ParseDuration(s)
	return d, err == nil
}
