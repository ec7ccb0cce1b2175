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
		Flows: []match.Flow{{Threads: []match.Thread{
			{Number: 1, Silent: true, Hidden: []match.Change{{
				From: 4, To: 6, Operation: "get", State: 1, Reads: 2, Fields: fields,
			}}},
		}}},
	})
	for _, want := range []string{
		"c: 1 exchange, 1 flow\n", "#3 is not replayed: cut after 4 bytes\n",
		"thread 1: exchanges without values\n",
		"no write explains the change in state 1, after 2 reads of get (#4, #6):\n" +
			"      orderStatus: 0 -> 2\n      x: (none) -> " + long[:120] + "...\n",
		"      and 2 fields more\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
}
