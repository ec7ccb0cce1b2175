package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/rules"
)

// settingsValidator returns the schema of paytape.yaml, to validate by.
func settingsValidator(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := json.Marshal(settingsSchema(testRoot()))
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("config.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("config.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSettingsSchema takes a value of each flag of each command, and refuses what paytape.yaml must
// not have.
func TestSettingsSchema(t *testing.T) {
	t.Parallel()
	s := settingsValidator(t)
	known := flagNames(testRoot())
	n := 0
	eachCommand(testRoot(), func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !isSetting(f) {
				return
			}
			n++
			values := []any{f.DefValue}
			switch f.Value.Type() {
			case "bool":
				values = []any{true, "false"}
			case "stringArray", "stringSlice":
				values = []any{"a", []any{"a", "b"}}
			}
			for _, v := range values {
				if err := s.Validate(map[string]any{f.Name: v}); err != nil {
					t.Errorf("%s --%s %v: %v", cmd.Name(), f.Name, v, err)
				}
			}
			if !known[f.Name] || s.Validate(map[string]any{f.Name + "x": "a"}) == nil && !known[f.Name+"x"] {
				t.Errorf("--%s is not known, or a misspelt key is", f.Name)
			}
		})
	})
	if n < 50 {
		t.Errorf("%d flags", n)
	}
	for text, right := range map[string]bool{
		"{}": true, "{dir: cassettes, strict: true}": true, "{profile: [a.yaml, b.yaml]}": true,
		"{upstream: sandbox}": true, "{lisen: a}": false, "{dir: {a: b}}": false, "{strict: maybe}": false,
		"{help: true}": false, "[dir]": false,
	} {
		var doc any
		if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); (err == nil) != right {
			t.Errorf("%s: %v", text, err)
		}
		_, err := parseSettings([]byte(text), known)
		if strings.Contains(text, "maybe") {
			continue // the flag refuses it
		}
		if (err == nil) != right {
			t.Errorf("%s is read with %v", text, err)
		}
	}
}

// TestSchemasTakeTheFilesOfScripts validates the rules files that the scripts put in force.
func TestSchemasTakeTheFilesOfScripts(t *testing.T) {
	t.Parallel()
	c := jsonschema.NewCompiler()
	a := &app{}
	var out strings.Builder
	a.out = &out
	if err := rulesSchema(a, "rules", &knowledge{}).RunE(nil, nil); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(out.String()))
	if err == nil {
		err = c.AddResource("rules.json", doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("rules.json")
	if err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	known, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, script := range scripts {
		archive, err := txtar.ParseFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range archive.Files {
			read, err := rules.Parse(file.Name, file.Data, rules.Source{Profiles: known})
			if err != nil || len(read.Rules)+len(read.Rewrite) == 0 {
				continue // no rules file, or one that is broken, or is for other profiles
			}
			var doc any
			if err := yaml.Unmarshal(file.Data, &doc); err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(doc); err != nil {
				t.Errorf("%s in %s: %v", file.Name, script, err)
			}
			n++
		}
	}
	if n < 10 {
		t.Errorf("%d rules files", n)
	}
}
