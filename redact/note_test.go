package redact_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/redact"
)

// TestNoteBeforeAnEditedTape puts a live number before the surrogates of a tape, without
// notes, as an editor may leave it.
func TestNoteBeforeAnEditedTape(t *testing.T) {
	tape := []*leaf.Exchange{exchange("GET", "https://h/x?q="+master+"&token=abc", nil, "")}
	second := pan.WithResidue("378282"+"000200005", 10, pan.Surrogate)
	for _, body := range []string{
		`{"a":"4111 1100 0012 1111"}`, "x " + second + " REDACTED-token-7",
	} {
		x := exchange("GET", "https://h/x", nil, "")
		x.Response.Body = body
		tape = append(tape, x)
	}
	r := redactor(t)
	for _, x := range tape {
		r.Note(x)
	}
	got := r.Reclean(tape[0]).Exchange()
	if got.URL != "https://h/x?q=5555550000375599&token=REDACTED-token-8" {
		t.Errorf("got %s", got.URL)
	}
	for _, x := range tape[1:] {
		wantSame(t, "a surrogate", x, withForm(r.Reclean(x).Exchange()))
	}
}

// withForm undoes what cleaning fills in.
func withForm(x *leaf.Exchange) *leaf.Exchange {
	y := *x
	y.Request.Form = nil
	return &y
}

// TestResumeNotesTheWholeTape has the first exchange of a tape hold a number that was edited
// in.
func TestResumeNotesTheWholeTape(t *testing.T) {
	first := redactor(t).Clean(checkout(visa, "123"))
	first.Exchange().Meta.Redactions = nil
	edited := redactor(t).Clean(exchange("GET", "https://h/x", http.Header{}, ""))
	edited.Exchange().Request.Headers["X-Note"] = []string{master}
	r := redactor(t)
	r.Resume(slices.Values([]redact.Clean{edited, first}))
	got := r.Clean(checkout(master, "123")).Exchange()
	ordinal := func(x *leaf.Exchange) string { return x.Request.Form.Get("$PAN")[6:11] }
	if ordinal(got) == ordinal(first.Exchange()) {
		t.Error("the number that was edited in has the ordinal of another")
	}
	got = r.Clean(checkout(visa, "123")).Exchange()
	if ordinal(got) == ordinal(first.Exchange()) {
		t.Error("a new number has the ordinal of one on the tape")
	}
}
