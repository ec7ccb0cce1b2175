package cassettes

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
)

// told is an exchange with a text in its answer.
func told(number int, request, text string) *leaf.Exchange {
	x := &leaf.Exchange{Meta: leaf.Meta{Number: number}}
	x.Method, x.URL, x.Code, x.Status = "POST", "https://sandbox.example/x", 200, "200 OK"
	x.Request.Body, x.Response.Body = request, text
	return x
}

const lateSecret = "hunter2-Secret-77"

// recordOn records exchanges named after who, of which one teaches a secret that stands in an
// earlier one. It returns the texts of those whose Append said that they are kept.
func recordOn(l *Library, who string) (kept []string, failures int, err error) {
	r := redact.New(redact.Options{})
	c, err := l.RecordWith(Options{Sync: SyncAlways}, "sub/a", r)
	if err != nil {
		return nil, 0, err
	}
	for i, request := range []string{"", "note=" + lateSecret, "password=" + lateSecret, ""} {
		text := fmt.Sprintf("%s-%d", who, i)
		if err := c.Append(r.Clean(told(c.Next(), request, text))); err != nil {
			failures++
			continue
		}
		kept = append(kept, text)
	}
	_, err = c.Close()
	return kept, failures, err
}

// shelfOf returns a folder that holds a tape and the journal of a killed recording.
func shelfOf(t *testing.T, tape, journal []byte) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"a.yaml": tape, "a.journal": journal} {
		if data == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, "sub", name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func openLibrary(t *testing.T, dir string) *Library {
	t.Helper()
	l, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// earlier makes the files that every case begins with.
func earlier(t *testing.T) (tape, journal []byte, texts []string) {
	t.Helper()
	dir := t.TempDir()
	l := openLibrary(t, dir)
	texts, _, err := recordOn(l, "tape")
	if err != nil {
		t.Fatal(err)
	}
	if tape, err = os.ReadFile(filepath.Join(dir, "sub", "a.yaml")); err != nil {
		t.Fatal(err)
	}
	c, err := l.Record("sub/a", redact.New(redact.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	r := redact.New(redact.Options{})
	if err := c.Append(r.Clean(told(c.Next(), "", "killed"))); err != nil {
		t.Fatal(err)
	}
	if journal, err = os.ReadFile(filepath.Join(dir, "sub", "a.journal")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return tape, journal, append(texts, "killed")
}

// TestDiskFailsAtAnyOperation fails the n-th operation for every n, once or from then on, and
// then looks with a good disk at what is there: nothing that was kept is lost, nothing is
// half, and no secret is left.
func TestDiskFailsAtAnyOperation(t *testing.T) {
	tape, journal, texts := earlier(t)
	tests := []struct {
		name  string
		fails func(at int) func(int) bool
		most  int // Appends that may fail
	}{
		{"once", func(at int) func(int) bool { return func(n int) bool { return n == at } }, 1},
		{"for a while", func(at int) func(int) bool {
			return func(n int) bool { return n >= at && n < at+3 }
		}, 4},
		{"from then on", func(at int) func(int) bool { return func(n int) bool { return n >= at } }, 4},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for at := 1; ; at++ {
				dir := shelfOf(t, tape, journal)
				l := openLibrary(t, dir)
				d := &faulty{folder: l.folder, fails: tt.fails(at)}
				l.folder = d
				kept, failures, err := recordOn(l, "new")
				if !d.hit {
					if at < 50 || err != nil {
						t.Fatalf("after %d operations: error %v", at, err)
					}
					return
				}
				if failures > tt.most {
					t.Errorf("operation %d: %d exchanges were not kept", at, failures)
				}
				inspect(t, fmt.Sprintf("operation %d", at), dir, append(kept, texts...))
			}
		})
	}
}

// inspect looks at what a failing disk has left: it loads, and folds.
func inspect(t *testing.T, when, dir string, kept []string) {
	t.Helper()
	l := openLibrary(t, dir)
	look := func() {
		t.Helper()
		tape, err := l.Load("sub/a", redact.New(redact.Options{}))
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		there := map[string]int{}
		for _, x := range tape.Exchanges {
			there[x.Exchange().Response.Body]++
		}
		for _, text := range kept {
			if there[text] != 1 {
				t.Errorf("%s: %s is there %d times", when, text, there[text])
			}
		}
	}
	look()
	c, err := l.Record("sub/a", redact.New(redact.Options{}))
	if err != nil {
		t.Fatalf("%s: recording again: %v", when, err)
	}
	if _, err := c.Close(); err != nil {
		t.Fatalf("%s: recording again: %v", when, err)
	}
	look()
	left, err := fs.Glob(os.DirFS(dir), "sub/*")
	if diff := cmp.Diff([]string{"sub/a.yaml"}, left); diff != "" || err != nil {
		t.Errorf("%s: error %v, files (-want +got):\n%s", when, err, diff)
	}
	data, err := os.ReadFile(filepath.Join(dir, "sub", "a.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	lesson := strings.Join(kept, " ")
	if strings.Contains(lesson, "new-2") && strings.Contains(string(data), lateSecret) {
		t.Errorf("%s: the tape holds a secret", when)
	}
}
