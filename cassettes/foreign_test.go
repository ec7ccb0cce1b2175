package cassettes_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
)

// tapeOf returns the file of a cassette of n samples.
func tapeOf(tb testing.TB, n int) string {
	tb.Helper()
	l, dir := library(tb)
	c := record(tb, l, "a")
	add(tb, c, n)
	finish(tb, c)
	return string(readFile(tb, dir, "a.yaml"))
}

// sealed puts an end mark for three exchanges under a file.
func sealed(file string) string {
	return file + "# paytape: 3 exchanges, sha256 " + redact.Sum([]byte(file)) + "\n"
}

func TestUnsealedFiles(t *testing.T) {
	whole := tapeOf(t, 3)
	mark := whole[strings.LastIndex(whole, "# paytape: "):]
	open := strings.TrimSuffix(whole, mark)
	items := open[strings.Index(open, "- request:"):]
	// What go-vcr would have written: no head, no metadata, no end mark.
	plain := "---\nversion: 1\ninteractions:\n" +
		"- {request: {url: /a, method: GET}, response: {code: 200}}\n" +
		"- {request: {url: /b, method: GET}, response: {code: 200}}\n"
	const (
		missing = "the end mark is missing, so the file was cut off or edited; " +
			"%d exchanges read and cleaned again"
		disagrees = "the end mark does not agree, so the file was edited or merged; " +
			"%d exchanges read and cleaned again"
		program = "there is no end mark, so another program wrote the file; " +
			"%d exchanges read and cleaned"
		renumbered = "exchanges were numbered anew, in the order of the file"
	)
	tests := []struct {
		name, file string
		exchanges  int
		warnings   []string
	}{
		{"edited", strings.Replace(whole, "=100", "=200", 1), 3, []string{disagrees}},
		{"two cassettes in one file", whole + whole, 6, []string{disagrees,
			"the file holds 2 cassettes one after the other, which were read as one", renumbered}},
		{"a comment on top", "# mine\n" + whole, 3, []string{disagrees}},
		{"Windows line ends", strings.ReplaceAll(whole, "\n", "\r\n"), 3, []string{disagrees}},
		{"a mark that counts wrong", open + strings.Replace(mark, "3 ex", "4 ex", 1), 3,
			[]string{disagrees}},
		{"another layout", sealed(strings.ReplaceAll(open, "- request:", "-\n  request:")), 3,
			[]string{"another version of paytape wrote the file; " +
				"%d exchanges read and cleaned again"}},
		{"merged with another", open + items + mark, 6, []string{disagrees, renumbered}},
		{"an interaction added below", whole + items, 6, []string{missing, renumbered}},
		{"cut before the end mark", open, 3, []string{missing}},
		{"cut in the end mark", whole[:len(whole)-5], 3, []string{missing}},
		{"cut in the metadata", open[:strings.LastIndex(open, "    number: ")], 2,
			[]string{missing, "the last interaction is incomplete and was left out"}},
		{"cut before the answer", open[:strings.LastIndex(open, "  response:")], 2,
			[]string{missing, "the last interaction is incomplete and was left out"}},
		{"cut after the head", open[:strings.Index(open, "- request:")], 0, []string{missing}},
		{"plain go-vcr", plain, 2, []string{program}},
		{"a later go-vcr", strings.Replace(plain, "1", "2", 1), 2,
			[]string{program, "a later version of the format was read as version 1"}},
		{"nil items", plain + "-\n- ~\n", 2,
			[]string{program, "line 6: the interaction is empty", "line 7: the interaction is empty"}},
		{"a status that is none", plain + "- request: {url: /c, method: GET}\n  response: {code: 12345}\n", 2,
			[]string{program, "line 7 was left out: the code is no status of HTTP, which has 100 to 599"}},
		{"an empty duration", strings.Replace(plain, "200}", "200, duration: ''}", 1), 2, []string{program}},
		{"null", "---\nnull\n", 0, []string{program}},
		{"no list", "version: 1\n", 0, []string{program}},
		{"a null list", "version: 1\ninteractions:\n", 0, []string{program}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, dir := library(t)
			writeFile(t, []byte(tt.file), dir, "a.yaml")
			cleaner := &fakeCleaner{tb: t}
			tape, err := l.Load("a", cleaner)
			if err != nil {
				t.Fatal(err)
			}
			for i, n := range numbers(tape) {
				if n != i+1 {
					t.Errorf("exchange %d has number %d", i+1, n)
				}
			}
			if len(tape.Exchanges) != tt.exchanges || cleaner.cleaned != tt.exchanges {
				t.Errorf("%d exchanges, %d cleaned, want %d",
					len(tape.Exchanges), cleaner.cleaned, tt.exchanges)
			}
			want := `cassette "a": ` + strings.Join(tt.warnings, "\n"+`cassette "a": `)
			want = strings.Replace(want, "%d", fmt.Sprint(tt.exchanges), 1)
			if diff := cmp.Diff(want, strings.Join(tape.Warnings, "\n")); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUnreadableFiles(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"empty", "", "the file is empty"},
		{"white space", " \n\n", "the file is empty"},
		{"bad YAML", "version: 1\ninteractions: [secret\n", "is not valid YAML (no end mark)"},
		{"an unknown anchor", "interactions: *secret\n", "is not valid YAML (no end mark)"},
		{"a text", "secret\n", "line 1 is not what a cassette has there (no end mark)"},
		{"a text for a number", "version: 1\ninteractions:\n- response:\n    code: secret\n",
			"line 4 is not what a cassette has there (no end mark)"},
		{"a conflict", "<<<<<<< secret\nversion: 1\n=======\nversion: 2\n>>>>>>> b\n",
			"line 1 is not what a cassette has there (no end mark)"},
		{"a conflict further down", "# a\nversion: 1\n<<<<<<< secret\nx: 1\n=======\n>>>>>>> b\n",
			"line 3 begins a conflict that a merge has left (no end mark)"},
		{"an archive", "\n{\"log\": {\"secret\": []}}\n",
			"line 2 is not what a cassette has there (no end mark)"},
		{"many aliases of one body", "version: 1\ninteractions:\n- response: {body: &b " +
			strings.Repeat("secret", 1000) + "}\n" +
			strings.Repeat("- response: {body: *b}\n", 100),
			"the aliases of the file stand for more than the file itself (no end mark)"},
		{"aliases of aliases", "interactions:\n- response: &a {body: secret}\n" +
			"- x: &b [*a, *a, *a, *a, *a, *a, *a, *a]\n- x: &c [*b, *b, *b, *b, *b, *b, *b, *b]\n" +
			"- x: [*c, *c, *c, *c, *c, *c, *c, *c]\n",
			"the aliases of the file stand for more than the file itself (no end mark)"},
		{"an alias of what it is in", "interactions:\n- response: &a {body: secret, x: *a}\n",
			"the aliases of the file stand for more than the file itself (no end mark)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, dir := library(t)
			writeFile(t, []byte(tt.file), dir, "a.yaml")
			_, err := l.Load("a", &fakeCleaner{tb: t})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got error %v, want one with %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("the error repeats content: %v", err)
			}
			if _, err := l.Record("a", &fakeCleaner{tb: t}); err == nil {
				t.Error("a file that cannot be read was recorded over")
			}
			if diff := cmp.Diff([]string{"a.yaml"}, files(t, dir)); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCutTapeIsNeverTakenAsWhole cuts a tape at every byte.
func TestCutTapeIsNeverTakenAsWhole(t *testing.T) {
	whole := tapeOf(t, 2)
	l, dir := library(t)
	for size := range len(whole) {
		writeFile(t, []byte(whole[:size]), dir, "a.yaml")
		tape, err := l.Load("a", &fakeCleaner{tb: t})
		if err != nil {
			continue
		}
		if len(tape.Warnings) == 0 {
			t.Fatalf("cut at %d of %d: no warning", size, len(whole))
		}
		for i, x := range tape.Exchanges {
			want := sample(i + 1)
			want.Meta.Redactions = []string{"again"}
			if diff := cmp.Diff(want, x.Exchange(), exchangeOptions()); diff != "" {
				t.Fatalf("cut at %d: exchange %d (-want +got):\n%s", size, i+1, diff)
			}
		}
	}
}

// TestRecordingOnAnEditedTape seals what was cleaned again.
// Recording writes the tape anew, which would be the end of what could not be read of it.
func TestRecordingOnACutTapeIsRefused(t *testing.T) {
	whole := tapeOf(t, 2)
	cut := whole[:strings.LastIndex(whole, "number: 2")]
	l, dir := library(t)
	writeFile(t, []byte(cut), dir, "a.yaml")
	if _, err := l.Record("a", &fakeCleaner{tb: t}); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("got error %v", err)
	}
	if got := string(readFile(t, dir, "a.yaml")); got != cut {
		t.Error("the file was changed")
	}
}

func TestRecordingOnAnEditedTape(t *testing.T) {
	l, dir := library(t)
	writeFile(t, []byte(strings.Replace(tapeOf(t, 2), "=100", "=200", 1)), dir, "a.yaml")
	c := record(t, l, "a")
	const want = `cassette "a": the end mark does not agree, so the file was edited or merged; ` +
		`2 exchanges read and cleaned again`
	if c.Recovered() != want {
		t.Errorf("the operator is told %q", c.Recovered())
	}
	add(t, c, 1)
	finish(t, c)
	tape := load(t, l, "a")
	if len(tape.Exchanges) != 3 || tape.Warnings != nil {
		t.Errorf("%d exchanges, warnings %q", len(tape.Exchanges), tape.Warnings)
	}
	first := tape.Exchanges[0].Exchange()
	if !strings.Contains(first.Request.Body, "=200") || first.Meta.Redactions == nil {
		t.Error("the edit is gone, or was not cleaned")
	}
}

// TestCardWrittenIntoATape edits a card number into a tape, which the redactor takes out again
// whether the tape is loaded or recorded on.
func TestCardWrittenIntoATape(t *testing.T) {
	const card = "411111" + "1111111111"
	profiles, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	l, dir := library(t)
	file := strings.Replace(tapeOf(t, 2), `\"errorCode\":0`, `\"note\":\"card `+card+`\"`, 1)
	writeFile(t, []byte(file), dir, "a.yaml")
	tape, err := l.Load("a", redact.New(redact.Options{Profiles: profiles}))
	if err != nil {
		t.Fatal(err)
	}
	body := tape.Exchanges[0].Exchange().Response.Body
	if strings.Contains(body, card) || !strings.Contains(body, "card 411111") {
		t.Error("the card was not replaced when the tape was loaded")
	}
	c, err := l.Record("a", redact.New(redact.Options{Profiles: profiles}))
	if err != nil {
		t.Fatal(err)
	}
	add(t, c, 1)
	finish(t, c)
	if bytes.Contains(readFile(t, dir, "a.yaml"), []byte(card)) {
		t.Error("the card was not replaced when the tape was recorded on")
	}
}

// TestTokenTaughtByALaterExchange has a token stand in an answer of a file that another program
// wrote, under a name that says nothing; the request that brings it back calls it a token.
func TestTokenTaughtByALaterExchange(t *testing.T) {
	const token = "42404c721159182f1732ffd9c8eb5fbe"
	file := "---\nversion: 1\ninteractions:\n" +
		"- request: {url: 'http://a/tokens', method: POST}\n" +
		"  response: {body: '{\"id\":\"" + token + "\"}', code: 200}\n" +
		"- request: {url: 'http://a/pay', method: POST, body: '{\"token\":\"" + token + "\"}'}\n" +
		"  response: {body: '{}', code: 200}\n"
	profiles, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	l, dir := library(t)
	writeFile(t, []byte(file), dir, "a.yaml")
	tape, err := l.Load("a", redact.New(redact.Options{Profiles: profiles}))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range tape.Exchanges {
		x := c.Exchange()
		if text := x.Request.Body + x.Response.Body; strings.Contains(text, token) {
			t.Errorf("exchange %d holds the token", x.Meta.Number)
		} else if !strings.Contains(text, "REDACTED-token-1") {
			t.Errorf("exchange %d does not show where the token was", x.Meta.Number)
		}
	}
}

// FuzzLoad checks that any file loads or is refused without panic, and that what loaded comes
// back the same when it is recorded on.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(tapeOf(f, 2)))
	f.Add([]byte("---\nversion: 1\ninteractions:\n- request: {url: /a}\n- ~\n"))
	f.Add([]byte("interactions:\n- &a {request: {url: /a}, paytape: {number: 7}}\n- *a\n"))
	f.Add([]byte("interactions: [{request: {body: !!binary aGk=}}, {paytape: {number: -1}}]"))
	dir := filepath.Join(f.TempDir(), "cassettes")
	l, err := cassettes.Open(dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		writeFile(t, data, dir, "a.yaml")
		_ = os.Remove(filepath.Join(dir, "a.journal"))
		tape, err := l.Load("a", &fakeCleaner{tb: t})
		if err != nil {
			return
		}
		last := 0
		for _, n := range numbers(tape) {
			if n <= last {
				t.Fatalf("number %d follows %d", n, last)
			}
			last = n
		}
		sealed := len(tape.Warnings) == 0
		if sealed && !bytes.Contains(data, []byte("\n# paytape: ")) {
			t.Fatal("a file without a seal was taken without a warning")
		}
	})
}
