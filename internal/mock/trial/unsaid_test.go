package trial_test

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/internal/mock"
	"github.com/paytape/paytape/internal/mock/trial"
)

// partly returns the name of a file with a part of the profile that a person has written of an API:
// what keep has left of it.
func partly(t *testing.T, a mock.API, keep func(root map[string]any)) string {
	t.Helper()
	var root map[string]any
	if err := yaml.Unmarshal([]byte(a.Profile), &root); err != nil {
		t.Fatal(err)
	}
	inline(root)
	keep(root)
	var b bytes.Buffer
	if err := yaml.NewEncoder(&b).Encode(root); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "part.yaml")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// inline writes the rows of sets in each place that includes them: an encoder sorts the sets, and a
// set may include those above it alone.
func inline(root map[string]any) {
	sets, _ := root["sets"].(map[string]any)
	delete(root, "sets")
	var rows func(of map[string]any)
	rows = func(of map[string]any) {
		names, _ := of["include"].([]any)
		delete(of, "include")
		for _, name := range names {
			set := maps.Clone(sets[name.(string)].(map[string]any))
			rows(set)
			for key, row := range set {
				if of[key] == nil {
					of[key] = row
				}
			}
		}
	}
	eachOperation(root, func(_ string, o map[string]any) {
		for _, half := range []string{"request", "response"} {
			if of, found := o[half].(map[string]any); found {
				rows(of)
			}
		}
	})
}

// only leaves some keys of a profile.
func only(root map[string]any, keys ...string) {
	kept := map[string]any{}
	for _, k := range keys {
		if v, found := root[k]; found {
			kept[k] = v
		}
	}
	clear(root)
	for k, v := range kept {
		root[k] = v
	}
}

// eachOperation calls f with every operation.
func eachOperation(root map[string]any, f func(name string, o map[string]any)) {
	for name, o := range root["operations"].(map[string]any) {
		f(name, o.(map[string]any))
	}
}

// TestUnsaidIsInferred replays with parts of profiles: who says little must not lose what would be
// inferred if nothing were said. As long as what was unsaid was exact, tokens came to 18
// differences where none had 15, soap to 11 where none had 8, xml to 6 where none had 4, numbers to
// 5 where none had 1.
func TestUnsaidIsInferred(t *testing.T) {
	t.Parallel()
	for _, a := range mock.APIs {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			tape := trial.Record(t, a, trial.Options{})
			none := tape.Replay(trial.Options{})
			for _, part := range []struct {
				name string
				keep func(root map[string]any)
			}{
				{"its name and its paths", func(root map[string]any) { only(root, "profile", "paths") }},
				{"its operations", func(root map[string]any) {
					only(root, "profile", "paths", "operations")
					eachOperation(root, func(_ string, o map[string]any) {
						only(o, "methods", "path", "carrier")
					})
				}},
				{"which operations write", func(root map[string]any) {
					only(root, "profile", "paths", "operations", "failed", "denied")
					eachOperation(root, func(_ string, o map[string]any) {
						only(o, "methods", "path", "carrier", "writes", "failed")
					})
				}},
				{"rows without entities", func(root map[string]any) {
					delete(root, "entities")
					eachOperation(root, func(_ string, o map[string]any) {
						delete(o, "uses")
						delete(o, "list")
					})
				}},
				{"rows of requests", func(root map[string]any) {
					delete(root, "entities")
					eachOperation(root, func(_ string, o map[string]any) {
						delete(o, "response")
						delete(o, "opens")
						delete(o, "uses")
						delete(o, "list")
					})
				}},
			} {
				file := partly(t, a, part.keep)
				out := tape.Replay(trial.Options{Profiles: []string{file}})
				if len(out.Differences) > len(none.Differences) {
					t.Errorf("with %s %d answers differ from those of the API, and %d without a profile",
						part.name, len(out.Differences), len(none.Differences))
				}
			}
		})
	}
}
