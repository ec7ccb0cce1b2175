package check

import (
	"bytes"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dnaeon/go-vcr/v2/cassette"
	"github.com/paytape/paytape/cassettes/har"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
	"github.com/paytape/paytape/redact/audit"
	"go.yaml.in/yaml/v3"
)

// archive adds what the fields of the exchanges of an HTTP archive show. False means that the
// file is none.
func (d *document) archive(found []Finding) ([]Finding, bool) {
	if !bytes.Contains(d.data, []byte(`"entries"`)) {
		return found, false
	}
	// An archive that was cut off is looked into as far as it goes.
	items, err := har.Read(d.data)
	if err != nil && len(items) == 0 {
		return found, false
	}
	cleaner := redact.New(d.options)
	var sections []section
	for i, item := range items {
		s := section{number: i + 1, from: item.From, to: item.To}
		if item.Exchange == nil {
			continue
		}
		exposed := audit.Fields(cleaner, item.Exchange)
		if coded(item.Exchange) || slices.ContainsFunc(found, s.holds) {
			exposed = d.search.Exchange(cleaner, item.Exchange)
		}
		for _, e := range exposed {
			s.exposed = append(s.exposed, exposure{e.Field, e.Kind, d.lineAt(item.From)})
		}
		sections = append(sections, s)
	}
	return joinSections(found, sections, func(int) string { return "" }), true
}

// coded reports whether a body of an exchange is in a content coding, which hides it from a search
// of the text.
func coded(x *leaf.Exchange) bool {
	return x.Request.Headers.Get("Content-Encoding") != "" ||
		x.Response.Headers.Get("Content-Encoding") != ""
}

// json adds what the fields of a JSON document show, or of one in every line. False means that
// the file is none.
func (d *document) json(found []Finding) ([]Finding, bool) {
	start := bytes.TrimLeft(d.data, "\ufeff \t\r\n")
	if d.search.Source || len(start) == 0 || start[0] != '{' && start[0] != '[' {
		return found, false
	}
	cleaner := d.settingsCleaner()
	look := audit.Fields
	if len(found) > 0 {
		look = d.search.Exchange
	}
	if doc := string(d.data); isJSON(doc) {
		return d.fields(found, 0, look(cleaner, answer(doc))), true
	}
	at := 0
	for line := range bytes.Lines(d.data) {
		if line[0] == '{' || line[0] == '[' {
			found = d.fields(found, at, look(cleaner, answer(string(line))))
		}
		at += len(line)
	}
	return sorted(found), true
}

// settingsCleaner knows no personal data: files that are no recordings are full of names.
func (d *document) settingsCleaner() *redact.Redactor {
	o := d.options
	o.KeepPII = true
	return redact.New(o)
}

// answer is a document as the answer of an unknown API.
func answer(doc string) *leaf.Exchange {
	return &leaf.Exchange{Interaction: cassette.Interaction{Response: cassette.Response{
		Headers: http.Header{"Content-Type": {"application/json"}}, Body: doc,
	}}}
}

// isJSON reports whether a whole text is one JSON document that can be taken apart.
func isJSON(doc string) bool {
	m := leaf.Read(leaf.Message{Body: doc})
	return len(m.Leaves) > 0 && m.Leaves[0].Place == leaf.JSON
}

// fields adds the fields of a document that begins at an offset, unless a find of the same kind
// is in their line.
func (d *document) fields(found []Finding, at int, exposed []audit.Exposed) []Finding {
	byPlace := map[Finding]int{} // by line and kind
	for i, f := range found {
		byPlace[Finding{Line: f.Line, Kind: f.Kind}] = i
	}
	for _, e := range exposed {
		f := Finding{Line: d.lineAt(at + e.Offset), Kind: e.Kind}
		name, ok := strings.CutPrefix(e.Field, "response json ")
		if !ok {
			continue // the headers are ours
		}
		if i, known := byPlace[f]; known && found[i].Field == "" {
			found[i].Field = name
			continue
		}
		f.Field = name
		found = append(found, f)
	}
	return sorted(found)
}

// yaml adds the settings that a YAML file has: their values need no quotes. False means that the
// file is none, by its name.
func (d *document) yaml(found []Finding) ([]Finding, bool) {
	ext := strings.ToLower(filepath.Ext(d.name))
	if ext != ".yaml" && ext != ".yml" {
		return found, false
	}
	decoder := yaml.NewDecoder(bytes.NewReader(d.data))
	for {
		var doc yaml.Node
		if decoder.Decode(&doc) != nil { // the end, or no YAML: then it is text
			return sorted(found), true
		}
		found = d.settings(found, yamlField{node: &doc})
	}
}

// yamlField is a value of a YAML file and where it stands: the key that names it, which for an
// item of a list is that of the list, and the keys above.
type yamlField struct {
	node      *yaml.Node
	key, path string
}

// settings adds what the values below a field are.
func (d *document) settings(found []Finding, f yamlField) []Finding {
	n := f.node
	switch n.Kind {
	case yaml.ScalarNode:
		return d.setting(found, f)
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			path := strings.TrimPrefix(f.path+"."+key, ".")
			found = d.settings(found, yamlField{n.Content[i+1], key, path})
		}
		return found
	}
	for _, c := range n.Content {
		found = d.settings(found, yamlField{c, f.key, f.path})
	}
	return found
}

// setting adds what a scalar is. Of one that is not in the file as it is, for it is of several
// lines or escaped, its value is looked into too.
func (d *document) setting(found []Finding, f yamlField) []Finding {
	var kinds []string
	value := scalarValue(f.node)
	if kind := d.search.Field(f.key, value); kind != "" {
		kinds = append(kinds, kind)
	} else if !d.verbatim(f.node) {
		for _, hit := range d.search.Find(value) {
			kinds = append(kinds, hit.Kind)
		}
	}
	for _, kind := range kinds {
		known := func(k Finding) bool { return k.Line == f.node.Line && k.Kind == kind }
		path := f.path
		if len(d.search.Find(path)) > 0 {
			path = ""
		}
		if i := slices.IndexFunc(found, known); i >= 0 {
			found[i].Field = path
			continue
		}
		found = append(found, Finding{Line: f.node.Line, Field: path, Kind: kind})
	}
	return found
}
