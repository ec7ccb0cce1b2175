package profile_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/internal/profile"
)

// readSchema returns the schema as an editor reads it.
func readSchema(t testing.TB) map[string]any {
	t.Helper()
	data, err := json.Marshal(profile.Schema())
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	return s
}

// compiled returns the schema, to validate by.
func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	if err := c.AddResource("profile.json", readSchema(t)); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("profile.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON returns a YAML document as an editor sees it: keys are texts.
func asJSON(t testing.TB, text string) any {
	t.Helper()
	var doc any
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	var plain func(v any) any
	plain = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for key := range v {
				v[key] = plain(v[key])
			}
		case map[any]any:
			all := map[string]any{}
			for key := range v {
				all[fmt.Sprint(key)] = plain(v[key])
			}
			return all
		case []any:
			for i := range v {
				v[i] = plain(v[i])
			}
		}
		return v
	}
	return plain(doc)
}

// expectedKeys finds the keys that the parser knows in what it says of one that it does not.
var expectedKeys = regexp.MustCompile(`expected (.*), found "zzzzzzzz"`)

// TestSchemaHasTheKeysOfTheParser fails when the parser learns a key that the schema does not have.
func TestSchemaHasTheKeysOfTheParser(t *testing.T) {
	t.Parallel()
	s := readSchema(t)
	const with = "profile: x\npaths: [/]\n"
	const operation = with + "operations: {o: {methods: [POST], path: /o, carrier: json, "
	for _, test := range []struct{ name, text, at string }{
		{"a profile", "profile: x\nzzzzzzzz: 1", "properties"},
		{"a condition of a refusal", with + "denied: [{zzzzzzzz: 1}]", "properties denied anyOf 0 items properties"},
		{"a condition of a failure", with + "failed: [{zzzzzzzz: 1}]", "$defs condition properties"},
		{"an entity", with + "entities: {a: {zzzzzzzz: 1}}", "$defs entity properties"},
		{"declines", with + "declines: {zzzzzzzz: 1}", "$defs declines properties"},
		{"an answer", with + "declines: {field: a, codes: {}, answers: {o: {zzzzzzzz: 1}}}",
			"$defs declines properties answers anyOf 0 additionalProperties anyOf 0 properties"},
		{"a later answer", with + "declines: {field: a, codes: {}, answers: {}, later: {o: {zzzzzzzz: 1}}}",
			"$defs declines properties later anyOf 0 additionalProperties anyOf 0 properties"},
		{"rows for all", with + "common: {zzzzzzzz: 1}", "properties common anyOf 0 properties"},
		{"an operation", operation + "zzzzzzzz: 1}}", "$defs operation properties"},
		{"a list", operation + "list: {zzzzzzzz: 1}}}", "$defs operation properties list anyOf 0 properties"},
		{"callbacks", with + "callbacks: {zzzzzzzz: 1}", "$defs callbacks properties"},
		{"a signature", with + "callbacks: {sign: {zzzzzzzz: 1}}",
			"$defs callbacks properties sign anyOf 0 properties"},
		{"an outcome", with + "outcome: {zzzzzzzz: 1}", "$defs outcome properties"},
		{"a code", with + "outcome: {codes: {a: {1: {zzzzzzzz: 1}}}}",
			"$defs outcome properties codes anyOf 0 additionalProperties anyOf 0 additionalProperties anyOf 0 " +
				"anyOf 1 properties"},
		{"words", with + "outcome: {words: [{zzzzzzzz: 1}]}", "$defs says anyOf 1 properties"},
		{"words of an operation", with + "outcome: {operations: {o: {zzzzzzzz: 1}}}",
			"$defs outcome properties operations anyOf 0 additionalProperties anyOf 0 properties"},
	} {
		_, err := profile.Parse("x.yaml", []byte(test.text))
		if err == nil {
			t.Errorf("%s: the parser takes it", test.name)
			continue
		}
		m := expectedKeys.FindStringSubmatch(err.Error())
		if m == nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		known := strings.Split(strings.Replace(m[1], " or ", ", ", 1), ", ")
		slices.Sort(known)
		if diff := cmp.Diff(known, keysAt(t, s, strings.Fields(test.at))); diff != "" {
			t.Errorf("%s (-parser +schema):\n%s", test.name, diff)
		}
	}
}

// keysAt returns the keys of an object in a schema.
func keysAt(t *testing.T, at any, path []string) []string {
	t.Helper()
	for _, step := range path {
		switch v := at.(type) {
		case map[string]any:
			at = v[step]
		case []any:
			at = v[step[0]-'0']
		}
	}
	v, ok := at.(map[string]any)
	if !ok {
		t.Fatalf("nothing at %v", path)
	}
	return slices.Sorted(maps.Keys(v))
}

// TestSchemaTakesOurs validates the profiles that there are, and refuses each of them with a key
// that is misspelt, wherever the key stands.
func TestSchemaTakesOurs(t *testing.T) {
	t.Parallel()
	s := compiled(t)
	texts := map[string]string{"minimal": minimal, "layers": layers, "acting": acting, "base": base, "worded": worded}
	for _, name := range []string{"cardv1", "cardv2", "gateway", "http"} {
		data, err := profile.Source(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = string(data)
	}
	mocks, err := filepath.Glob("../mock/*.yaml")
	if err != nil || len(mocks) == 0 {
		t.Fatal("the profiles of the mocks are gone", err)
	}
	for _, file := range mocks {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(data)
	}
	for name, text := range texts {
		doc := asJSON(t, text)
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s is refused: %v", name, err)
			continue
		}
		for _, key := range []string{
			"paths", "operations", "carrier", "methods", "response", "requestHeaders", "names", "denied",
			"errorCode-is-a-field",
		} {
			misspelt := asJSON(t, text)
			if n := misspell(misspelt, key); n > 0 && s.Validate(misspelt) == nil {
				t.Errorf("%s is taken with %q misspelt at %d places", name, key, n)
			}
		}
	}
}

// misspell changes a key wherever it stands, and returns at how many places.
func misspell(v any, key string) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			if k == key {
				v[k+"x"] = inner
				delete(v, k)
				n++
			}
			n += misspell(inner, key)
		}
	case []any:
		for _, inner := range v {
			n += misspell(inner, key)
		}
	}
	return n
}

// TestSchemaAgreesWithTheParser: what the parser takes the schema takes, and what is wrong by its
// form both refuse.
func TestSchemaAgreesWithTheParser(t *testing.T) {
	t.Parallel()
	s := compiled(t)
	row := func(row string) string {
		return "profile: x\npaths: [/]\ncommon: {request: {a: '" + row + "', b: minted order}}"
	}
	for _, test := range []struct {
		name, text string
		right      bool
	}{
		{"an extension", "extends: gateway", true},
		{"what it takes out", "extends: gateway\ncommon: {request: remove}\noperations: {refund.do: remove, " +
			"register.do: {request: {amount: remove}}}", true},
		{"no name", "paths: [/]", false}, {"an operation without a path", "profile: x\npaths: [/]\n" +
			"operations: {o: {methods: [POST], carrier: json}}", false},
		{"some rows of an operation of the base", "extends: gateway\noperations: {refund.do: {request: {a: ignored}}}",
			true},
		{"a prefix without an end", "profile: x\npaths: [/a]", false},
		{"unsaid", "profile: x\npaths: [/]\nunsaid: exact", true},
		{"unsaid, misspelt", "profile: x\npaths: [/]\nunsaid: exactly", false},
		{"a carrier", "profile: x\npaths: [/]\noperations: {o: {methods: [POST], path: /o, carrier: soap}}", false},
		{"exact", row("exact"), true}, {"exact of something", row("exact order"), false},
		{"shared", row("client shared"), true}, {"shared noun", row("client shared card, pan"), true},
		{"unique without a noun", row("client unique"), false}, {"minted", row("minted order"), true},
		{"a pattern", row("minted receipt like R#########"), true}, {"a date", row("date iso, born"), true},
		{"a date of no form", row("date iso8601"), false}, {"a mask", row("mask of card"), true},
		{"two spaces", row("client  shared"), true}, {"a provenance that is none", row("clientshared"), false},
		{"failed", "profile: x\npaths: [/]\nfailed: [{status: 400+}, {key: a, present: true}]", true},
		{"a status that is none", "profile: x\npaths: [/]\nfailed: [{status: 4000}]", false},
		{"a list in a text", "profile: [x]", false},
	} {
		_, err := profile.Parse("x.yaml", []byte(test.text))
		wrong := s.Validate(asJSON(t, test.text))
		if (err == nil) != test.right || (wrong == nil) != test.right {
			t.Errorf("%s: parser %v, schema %v", test.name, err, wrong)
		}
	}
}
