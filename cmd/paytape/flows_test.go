package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/match"
)

// TestFlows compares what is understood of the stories' tape with a golden file.
func TestFlows(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "testdata")
	code, got, stderr := inProcess(t, "flows", "--dir", dir, "stories")
	if code != exitDone || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	golden(t, filepath.Join("testdata", "flows", "stories.txt"), got)
}

// TestFlowsAsJSON wants the JSON to say what the text says.
func TestFlowsAsJSON(t *testing.T) {
	t.Parallel()
	dir := filepath.Join("..", "..", "testdata")
	code, got, stderr := inProcess(t, "flows", "--json", "--dir", dir, "stories")
	if code != exitDone || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	var d match.Description
	decoder := json.NewDecoder(strings.NewReader(got))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&d); err != nil {
		t.Fatal(err)
	}
	_, text, _ := inProcess(t, "flows", "--dir", dir, "stories")
	if diff := cmp.Diff(text, flowsText(&d)); diff != "" {
		t.Errorf("(-text +JSON as text):\n%s", diff)
	}
	if strings.Contains(got, "null") {
		t.Error("a list is null")
	}
}

func TestFlowsTellOfChangesAndOfWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 61)
	fields := []match.FieldChange{{Path: "orderStatus", Was: "0", Is: "2"}, {Path: "x", Is: long}}
	for range 8 {
		fields = append(fields, match.FieldChange{Path: "y", Was: "1", Is: "2"})
	}
	got := flowsText(&match.Description{
		Cassette: "c", Exchanges: 1, LeftOut: []match.LeftOut{{Exchange: 3, Why: "cut after 4 bytes"}},
		Flows: []match.Flow{{Entities: []match.TapeEntity{{
			Label: "order 1", Names: []match.Name{{Noun: "order", Text: "0190"}},
			Scopes: []string{"client c-1"}, Wholes: []string{"day 1"},
			Steps: []match.Step{{
				Exchange: 4, Operation: "get", Does: "read", State: 1, To: 1, Words: "pay",
				Cards: "400000******1118", With: []string{"card 2"}, Overlapped: true, Lost: true,
			}},
			Silent: []match.Change{{
				From: 4, To: 6, Operation: "get", State: 1, Behind: 2, Reads: 2, Fields: fields,
			}},
		}}}},
		Apart: []match.Step{{Exchange: 5, Operation: "ping", Does: "read"}},
	})
	for _, want := range []string{
		"c: 1 exchange, 1 flow\n", "#3 is not replayed: cut after 4 bytes\n",
		"\nflow 1: order 1\n\n  order 1 of day 1, client c-1, there from the start\n    order 0190\n" +
			"    #4  get  read  state 1  after pay; card 400000******1118; with card 2; " +
			"while a write was under way; its answer was lost\n",
		"silent change from state 1 to 2, after 2 reads of get (#4, #6):\n" +
			"      orderStatus: 0 -> 2\n      x: (none) -> " + long[:120] + "...\n",
		"      and 2 fields more\n", "\nexchanges that name nothing\n\n    #5  ping  read\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
}
