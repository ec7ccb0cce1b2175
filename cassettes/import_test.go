package cassettes_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
)

// lessons is a cassette of go-vcr whose exchanges have cards and passwords of their own. A password
// stands in the exchange before it too, where nothing tells that it is one.
func lessons(n int) []byte {
	password := func(i int) string { return fmt.Sprintf("Hunter-%04d-pass", i) }
	b := bytes.NewBufferString("---\nversion: 1\ninteractions:\n")
	for i := range n {
		card := fmt.Sprintf("42760000%08d", i*7919) // that it is one, its field tells
		fmt.Fprintf(b, "- request:\n    body: '{\"pan\":\"%s\",\"password\":\"%s\"}'\n"+
			"    url: https://sandbox.example/pay\n    method: POST\n  response:\n"+
			"    body: '{\"note\":\"ask %s\"}'\n    code: 200\n", card, password(i), password(i+1))
	}
	return b.Bytes()
}

// TestImportIsTheSameEachTime imports on all processors: the tape is the same each time, and what a
// later exchange teaches is taken out of an earlier one.
func TestImportIsTheSameEachTime(t *testing.T) {
	profiles, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	const n = 300
	var first []byte
	for range 3 {
		r, err := cassettes.ReadRecording(lessons(n))
		if err != nil {
			t.Fatal(err)
		}
		l, dir := library(t)
		done, err := l.Import("a", r, redact.New(redact.Options{Profiles: profiles}))
		if err != nil || len(done.Exchanges) != n {
			t.Fatalf("%d exchanges, %v", len(done.Exchanges), err)
		}
		tape := readFile(t, dir, "a.yaml")
		if left := bytes.Count([]byte(tape), []byte("Hunter-")); left != 1 { // the last, which nobody has
			t.Errorf("%d passwords are on the tape", left)
		}
		if first == nil {
			first = []byte(tape)
		}
		if !bytes.Equal(first, []byte(tape)) {
			t.Fatal("another import gave another tape")
		}
	}
}
