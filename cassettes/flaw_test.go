package cassettes_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/redact"

	"github.com/paytape/paytape/cassettes"
)

// flawed is an interaction of go-vcr in which a test changes a line. It begins in line 3.
const flawed = `version: 1
interactions:
- request:
    body: amount=100&currency=978
    form:
      amount:
      - "100"
      currency:
      - "978"
    headers:
      Content-Type:
      - application/x-www-form-urlencoded
    url: https://sandbox.example/register.do
    method: POST
  response:
    body: '{}'
    headers: {}
    status: 200 OK
    code: 200
    duration: 12ms
`

// TestFlaws changes one line of a cassette, or some.
func TestFlaws(t *testing.T) {
	const code = "the code is no status of HTTP, which has 100 to 599"
	tests := []struct {
		name     string
		old, new string
		want     string // the flaws, and nothing for none
		lost     bool   // recording is refused too
	}{
		{"nothing", "", "", "", false},
		{"a misspelt answer", "  response:", "  respons:",
			`15: the key is unknown: "response" is meant, perhaps`, true},
		{"a misspelt body", "    body: '{}'", "    bdy: '{}'",
			`16: the key is unknown: "body" is meant, perhaps`, true},
		{"a misspelt body of a form", "    body: amount", "    bdy: amount",
			`4: the key is unknown: "body" is meant, perhaps`, true},
		{"a key like none", "    status: 200 OK", "    hunter2-Secret: 200 OK",
			"18: the key is unknown; there are body, code, content_length, duration, headers, proto, " +
				"proto_major, proto_minor, status, trailer, transfer_encoding, uncompressed", true},
		{"a key of the file", "interactions:", "interaction:",
			`2: the key is unknown: "interactions" is meant, perhaps`, true},
		{"a key of ours", "    duration: 12ms", "    duration: 12ms\n  paytape:\n    numbr: 1",
			`22: the key is unknown: "number" is meant, perhaps`, true},
		{"no method", "    method: POST\n", "", "4: the request has no method", false},
		{"no URL", "    url: https://sandbox.example/register.do\n", "", "4: the request has no url", false},
		{"no code", "    code: 200\n", "", "16: the answer has no code", false},
		{"a code of four digits", "code: 200", "code: 2000", "19: " + code, true},
		{"a negative code", "code: 200", "code: -1", "19: " + code, true},
		{"a code of two digits", "code: 200", "code: 20", "19: " + code, false},
		{"a code of 0", "code: 200", "code: 0", "19: " + code, false},
		{"an answer that never came", "code: 200\n    duration: 12ms",
			"code: 0\n    duration: 12ms\n  paytape:\n    failure: the client left before the answer", "", false},
		{"the form alone", `- "100"`, `- "200"`, "form 6", false},
		{"a parameter in the form alone", "      currency:\n", "      other: [x]\n      currency:\n",
			"form 8", false},
		{"a parameter that the form lacks", "      currency:\n      - \"978\"\n", "", "form 5", false},
		{"no form", "    form:\n      amount:\n      - \"100\"\n      currency:\n      - \"978\"\n", "", "", false},
		{"an empty form", ":\n      amount:\n      - \"100\"\n      currency:\n      - \"978\"\n", ": {}\n", "", false},
		{"an empty duration", "duration: 12ms", `duration: ""`, "", false},
		{"a duration that is none", "duration: 12ms", "duration: soon",
			"20: the duration is none, such as 12.5ms", true},
		{"what go-vcr v4 adds", "    code: 200", "    proto: HTTP/1.1\n    uncompressed: true\n    code: 200", "", false},
		{"an anchor", "interactions:\n- request:", "x-base: &a {url: /a}\ninteractions:\n- request:\n    <<: *a",
			"2: the key is unknown; there are interactions, version", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, dir := library(t)
			file := strings.Replace(flawed, tt.old, tt.new, 1)
			if file == flawed && tt.old != "" {
				t.Fatal("nothing was changed")
			}
			writeFile(t, []byte(file), dir, "a.yaml")
			tape := load(t, l, "a")
			var want []string
			if form, ok := strings.CutPrefix(tt.want, "form "); ok {
				if got := fmt.Sprint(tape.StrayForms()); got != "["+form+"]" {
					t.Errorf("the forms in lines %s are not what the bodies say, want %s", got, form)
				}
			} else if tt.want != "" {
				for _, flaw := range strings.Split(tt.want, "|") {
					want = append(want, `cassette "a", line `+flaw)
				}
			}
			got := ""
			if err := tape.Refusal(); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(strings.Join(want, "\n"), got); diff != "" {
				t.Errorf("flaws (-want +got):\n%s", diff)
			}
			if n := len(tape.Warnings) - 1; n != len(want) {
				t.Errorf("%d of %d flaws are told to who loads the file", n, len(want))
			}
			_, recording := l.Record("a", &fakeCleaner{tb: t})
			_, editing := l.Edit("a", &fakeCleaner{tb: t}, func(t *cassettes.Tape) ([]redact.Clean, error) {
				return t.Exchanges, nil
			})
			_, merging := cassettes.ReadFile(filepath.Join(dir, "a.yaml"), &fakeCleaner{tb: t})
			if tt.lost && (recording == nil || editing == nil || merging == nil) {
				t.Errorf("what is lost was accepted: recording %v, editing %v, merging %v", recording, editing, merging)
			}
			if tt.lost && string(readFile(t, dir, "a.yaml")) != file {
				t.Error("the file was changed")
			}
			if !tt.lost && recording != nil {
				t.Errorf("recording was refused: %v", recording)
			}
		})
	}
}

// TestWrongTimeHasALine has a time that is none: the YAML library tells no line of that.
func TestWrongTimeHasALine(t *testing.T) {
	l, dir := library(t)
	writeFile(t, []byte(flawed+"  paytape:\n    at: yesterday\n    number: 1\n"), dir, "a.yaml")
	_, err := l.Load("a", &fakeCleaner{tb: t})
	const want = "line 22 is not what a cassette has there: expected a time such as 2026-03-01T10:00:00Z"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// TestManyFlaws has one in each of many exchanges.
func TestManyFlaws(t *testing.T) {
	l, dir := library(t)
	file := "version: 1\ninteractions:\n" +
		strings.Repeat("- {request: {url: /a, method: GET}, response: {code: 200, bdy: x}}\n", 30)
	writeFile(t, []byte(file), dir, "a.yaml")
	tape := load(t, l, "a")
	if n, last := len(tape.Warnings), tape.Warnings[len(tape.Warnings)-1]; n != 12 ||
		last != `cassette "a": 20 more places are like that` {
		t.Errorf("%d warnings, the last is %q", n, last)
	}
}

// TestComments has comments in many places.
func TestComments(t *testing.T) {
	l, dir := library(t)
	file := strings.Replace(tapeOf(t, 2), "    status:", "    # mine\n    status:", 1)
	file = strings.Replace(file, "    code: 200", "    code: 200 # good", 1)
	writeFile(t, []byte("# above\n"+file), dir, "a.yaml")
	tape := load(t, l, "a")
	// The first is in line 1: the mark of the document stands between it and what it belongs to.
	if diff := cmp.Diff([]int{2, 21, 23}, tape.Comments); diff != "" {
		t.Errorf("comments (-want +got):\n%s", diff)
	}
	whole, _ := library(t)
	c := record(t, whole, "a")
	add(t, c, 1)
	finish(t, c)
	if tape := load(t, whole, "a"); tape.Comments != nil {
		t.Errorf("our own comments are told: %v", tape.Comments)
	}
}
