package profile_test

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/profile"
)

// Each row of the built-in profiles knows the line that its key stands in.
func TestRowsKnowTheirLines(t *testing.T) {
	t.Parallel()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string][]string{}
	rows := set.Rows()
	for _, r := range rows {
		at := r.Origin
		if lines[at.File] == nil {
			text, err := profile.Source(strings.TrimSuffix(at.File, ".yaml"))
			if err != nil {
				t.Fatal(err)
			}
			lines[at.File] = strings.Split(string(text), "\n")
		}
		if at.Line < 1 || !strings.Contains(lines[at.File][at.Line-1], at.Key) {
			t.Errorf("%s:%d has no key %q", at.File, at.Line, at.Key)
		}
	}
	if len(rows) < 1000 || len(lines) != 4 {
		t.Errorf("%d rows of %d profiles", len(rows), len(lines))
	}
}

func TestOriginOf(t *testing.T) {
	t.Parallel()
	p, err := profile.Parse("bank.yaml", []byte(`profile: bank
paths: [/bank/]
sets:
  paid:
    rrn: minted rrn
common:
  response: {id: minted order}
operations:
  pay:
    methods: [POST]
    path: /bank/pay
    carrier: json
    writes: true
    request: {id: minted order}
    response:
      include: [paid]
      data.id: client shared
    responseHeaders: {X-Id: minted order}
  look: {methods: [GET], path: /bank/look, carrier: query}
`))
	if err != nil {
		t.Fatal(err)
	}
	set := &profile.Set{}
	if err := set.Add(p); err != nil {
		t.Fatal(err)
	}
	pay, look := set.Find("POST", "/bank/pay"), set.Find("GET", "/bank/look")
	set.Override([]profile.Override{{
		Operation: look.Operation, Dir: profile.Response, Key: "note",
		Field: profile.Field{From: profile.Ignored}, File: "run.yaml", Line: 3,
	}})
	for _, test := range []struct {
		name  string
		call  profile.Call
		dir   profile.Direction
		shape string
		line  int // 0: of no row
	}{
		{"a row of the operation", pay, profile.Request, "id", 14},
		{"a row of a set is in the set", pay, profile.Response, "rrn", 5},
		{"a path beats a key", pay, profile.Response, "data.id", 17},
		{"a row of all operations", look, profile.Response, "id", 7},
		{"a row of another operation", look, profile.Response, "rrn", 5},
		{"a row on top of the profile", look, profile.Response, "note", 3},
		{"no row", pay, profile.Response, "other", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			key := test.shape[strings.LastIndexByte(test.shape, '.')+1:]
			at := profile.At{Key: key, Shape: test.shape}
			got, known := set.OriginOf(test.call, test.dir, at)
			if got.Line != test.line || known != (test.line > 0) {
				t.Errorf("line %d, want %d", got.Line, test.line)
			}
			if _, meant := set.Meaning(test.call, test.dir, at); meant != known {
				t.Errorf("Meaning knows it: %v, OriginOf: %v", meant, known)
			}
		})
	}
	got, known := set.OriginOfHeader(pay, profile.Response, "x-id")
	if want := (profile.Origin{File: "bank.yaml", Line: 18, Column: got.Column, Key: "X-Id"}); got != want || !known || got.Column < 5 {
		t.Errorf("of a header: %v, want %v", got, want)
	}
}
