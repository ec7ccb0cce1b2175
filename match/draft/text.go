package draft

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// text writes the profile.
func (d *draft) text() []byte {
	w := &writer{}
	w.linef(0, "# What inference understood of the tape %q. What has no row is inferred.",
		d.cassette.Name)
	d.signatures(w)
	for _, call := range d.left {
		w.linef(0, "# Left out, because no profile can have its path: %s", call)
	}
	w.linef(0, "profile: %s", d.name())
	w.linef(0, "paths: [%s]", strings.Join(d.prefixes(), ", "))
	entities := d.entities()
	if len(entities) > 0 {
		w.linef(0, "")
		w.linef(0, "entities:")
	}
	for _, e := range entities {
		line := fmt.Sprintf("%s: {names: [%s]", e.names[0], strings.Join(e.names, ", "))
		if len(e.of) > 0 {
			line += ", of: [" + strings.Join(e.of, ", ") + "]"
		}
		if e.scope {
			line += ", scope: true"
		}
		w.linef(1, "%s}", line)
	}
	w.linef(0, "")
	w.linef(0, "operations:")
	unclear, top := d.keys()
	for i, o := range d.order {
		if i > 0 {
			w.linef(0, "")
		}
		d.writeOperation(w, o, unclear, top)
	}
	return []byte(w.b.String())
}

// signatures tells of callbacks that were signed: no tape tells how.
func (d *draft) signatures(w *writer) {
	var signed []int
	for _, rec := range d.tape.Recordings {
		for _, c := range rec.Callbacks {
			if c.Profile == nil {
				signed = append(signed, c.Number)
			}
		}
	}
	if len(signed) > 0 {
		w.linef(0, "# The API calls the shop in %s. How it signs its calls is for you to say", numbers(signed))
		w.linef(0, `# ("callbacks:", see "paytape help callbacks").`)
	}
}

// prefixes returns the prefixes of the paths: their first constant segments.
func (d *draft) prefixes() []string {
	var all []string
	for _, o := range d.order {
		prefix := "/"
		if first := o.segments[0]; !first.open {
			prefix = "/" + first.text + "/"
		}
		if !slices.Contains(all, quoted(prefix)) {
			all = append(all, quoted(prefix))
		}
	}
	slices.Sort(all)
	return all
}

func (d *draft) writeOperation(w *writer, o *operation, unclear, top map[string]bool) {
	var asked []int
	for _, rec := range o.calls {
		asked = append(asked, rec.Number)
	}
	w.linef(1, "%s: # %s", scalar(o.name()), numbers(asked))
	w.linef(2, "methods: [%s]", o.method)
	w.linef(2, "path: %s", scalar(o.path()))
	carrier := o.carrier
	if carrier == "" {
		carrier = profile.CarrierNone
	}
	w.linef(2, "carrier: %s", carrier)
	request, response := d.rows(o, profile.Request, unclear), d.rows(o, profile.Response, unclear)
	request = d.shields(o, profile.Request, request, top)
	response = d.shields(o, profile.Response, response, top)
	if o.method != "GET" && o.method != "HEAD" && o.method != "OPTIONS" {
		w.linef(2, "writes: %v", o.writes)
		if looks := o.looks(); o.writes && len(looks) > 0 {
			w.linef(2, "reads:")
			for _, l := range looks {
				w.linef(3, "%s: %s", scalar(l.field), l.when())
			}
			request = lookRows(request, looks)
		}
	}
	d.writeList(w, o)
	w.rows("request", request)
	w.rows("response", response)
}

// when says with which values of the field a call looks.
func (l look) when() string {
	if l.values == nil {
		return "present"
	}
	var all []string
	for _, v := range l.values {
		all = append(all, quoted(v))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

// writeList writes what an operation lists, if the members have a name.
func (d *draft) writeList(w *writer, o *operation) {
	if o.list == nil || o.list.shape == "" {
		return
	}
	var noun, of string
	for _, e := range d.entities() {
		if e.root == d.kinds.of(o.list.kind) {
			noun = e.names[0]
		}
		if o.list.of != "" && e.root == d.kinds.of(o.list.of) {
			of = ", of: " + e.names[0]
		}
	}
	if noun != "" {
		w.linef(2, "list: {items: %s, noun: %s%s}", quoted(o.list.shape), noun, of)
	}
}

// writer writes lines of YAML.
type writer struct{ b strings.Builder }

func (w *writer) linef(depth int, format string, args ...any) {
	line := strings.Repeat("  ", depth) + fmt.Sprintf(format, args...)
	w.b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// rows writes rows with their evidence behind them, in one column as far as there is room.
func (w *writer) rows(half string, rows []row) {
	if len(rows) == 0 {
		return
	}
	w.linef(2, "%s:", half)
	const widest = 56
	lines, width := make([]string, len(rows)), 0
	for i, r := range rows {
		lines[i] = scalar(r.name) + ": " + scalar(r.says)
		if len(lines[i]) <= widest {
			width = max(width, len(lines[i]))
		}
	}
	for i, r := range rows {
		if r.evidence == "" {
			w.linef(3, "%s", lines[i])
			continue
		}
		w.linef(3, "%-*s  # %s", width, lines[i], r.evidence)
	}
}

// plain is what YAML takes for a text as it stands, in brackets too.
var plain = regexp.MustCompile(`^[A-Za-z/$][A-Za-z0-9_./$-]*$`)

// quoted writes a text as YAML that stands in brackets.
func quoted(text string) string {
	if plain.MatchString(text) && !reserved[strings.ToLower(text)] {
		return text
	}
	return fmt.Sprintf("%q", text)
}

// reserved are words that YAML takes for something else than a text.
var reserved = map[string]bool{
	"true": true, "false": true, "yes": true, "no": true, "on": true, "off": true, "null": true,
	"y": true, "n": true,
}

// scalar writes a text as YAML that stands on a line of its own.
func scalar(text string) string {
	strange := func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }
	fine := text != "" && plain.MatchString(text[:1]) && !reserved[strings.ToLower(text)] &&
		!strings.ContainsFunc(text, strange) && text == strings.TrimSpace(text) &&
		!strings.Contains(text, ": ") && !strings.Contains(text, " #") && !strings.HasSuffix(text, ":")
	if fine {
		return text
	}
	return fmt.Sprintf("%q", text)
}
