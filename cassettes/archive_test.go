package cassettes_test

import (
	"bytes"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/har"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
)

// TestArchiveAndBack writes a tape of three APIs as an HTTP archive, imports that, and wants the very
// same tape: surrogates, codings, charsets and callbacks.
func TestArchiveAndBack(t *testing.T) {
	t.Parallel()
	l, dir := library(t)
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	newRedactor := func() *redact.Redactor { return redact.New(redact.Options{Profiles: set}) }
	stories, err := os.ReadFile("../testdata/stories.yaml")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, stories, dir, "stories.yaml")
	tape, err := l.Load("stories", newRedactor())
	if err != nil {
		t.Fatal(err)
	}
	var xs []*leaf.Exchange
	for _, c := range tape.Exchanges {
		x := *c.Exchange()
		xs = append(xs, &x)
	}
	last := xs[len(xs)-1]
	last.Meta.Callback = &leaf.Callback{Of: 2, Gap: time.Second, Attempt: 1, Via: leaf.ViaRelay}
	last.Meta.Coding, last.Meta.Charset = "gzip", "windows-1251"
	last.Meta.Trailers = map[string][]string{"X-Sum": {"1"}}
	cut := xs[len(xs)-2]
	cut.Meta.Failure, cut.Meta.Fault = "the sandbox gave no answer", leaf.FaultNoAnswer
	cut.Response.Status, cut.Response.Code = "", 0
	want, err := cassettes.Encode(newRedactor().RecleanAll(xs))
	if err != nil {
		t.Fatal(err)
	}

	archive, err := har.Write(har.Creator{Name: har.OwnCreator, Version: "1"}, xs...)
	if err != nil {
		t.Fatal(err)
	}
	recording, err := cassettes.ReadRecording(archive)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Import("back", recording, newRedactor()); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, dir, "back.yaml"); !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	// A part of it: the callback whose cause is not there names none.
	archive, err = har.Write(har.Creator{Name: har.OwnCreator, Version: "1"}, xs[len(xs)-1])
	if err != nil {
		t.Fatal(err)
	}
	if recording, err = cassettes.ReadRecording(archive); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Import("part", recording, newRedactor()); err != nil {
		t.Fatal(err)
	}
	part := load(t, l, "part")
	if told := part.Exchanges[0].Exchange().Meta.Callback; told == nil || told.Of != 0 || told.Gap != 0 {
		t.Errorf("the callback is of %v", told)
	}
	if !slices.Equal(numbers(part), []int{1}) {
		t.Errorf("numbers %v", numbers(part))
	}
}

// TestArchiveOfOthers wants what looks like a note of ours to mean nothing in the archive of another
// program, and surrogates in it to be live values.
func TestArchiveOfOthers(t *testing.T) {
	t.Parallel()
	x := sample(1)
	x.Request.Body += "&password=REDACTED-token-9"
	x.Meta.Failure = "it failed"
	archive, err := har.Write(har.Creator{Name: "another", Version: "1"}, x)
	if err != nil {
		t.Fatal(err)
	}
	items, err := har.Read(archive)
	if err != nil || len(items) != 1 || items[0].Ours || items[0].Exchange.Meta.Operation != "" {
		t.Errorf("got %+v, %v", items, err)
	}
	archive = bytes.Replace(archive, []byte(`"another"`), []byte(`"paytape"`), 1)
	items, err = har.Read(archive)
	if err != nil || len(items) != 1 || !items[0].Ours || items[0].Exchange.Meta.Operation == "" {
		t.Errorf("got %+v, %v", items, err)
	}
}
