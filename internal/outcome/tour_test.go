package outcome_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/outcome"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/internal/story/tour"
)

var update = flag.Bool("update", false, "write the golden files anew")

// witness keeps the exchanges of a stand-in.
type witness struct {
	next http.Handler
	mu   sync.Mutex // guards seen
	seen []*leaf.Exchange
}

func (w *witness) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	answer := httptest.NewRecorder()
	w.next.ServeHTTP(answer, r)
	x := &leaf.Exchange{}
	x.Request.Method, x.Request.URL = r.Method, r.URL.RequestURI()
	x.Request.Headers, x.Request.Body = r.Header.Clone(), string(body)
	x.Response.Code, x.Response.Headers = answer.Code, answer.Header()
	x.Response.Body = answer.Body.String()
	w.mu.Lock()
	w.seen = append(w.seen, x)
	w.mu.Unlock()
	maps.Copy(rw.Header(), answer.Header())
	rw.WriteHeader(answer.Code)
	rw.Write(answer.Body.Bytes())
}

// walked returns the exchanges of a tour of a stand-in. They are live, and those of published test
// cards alone.
func walked(t testing.TB, walk func(*story.Teller, *testing.T) error) []*leaf.Exchange {
	t.Helper()
	began, start := time.Date(2026, 3, 14, 10, 0, 0, 0, time.UTC), time.Now()
	now := func() time.Time { return began.Add(time.Since(start)) } // the tables hold dates
	box := sandbox.New(sandbox.Options{Seed: 7, Now: now})
	t.Cleanup(box.Close)
	w := &witness{next: box}
	s := httptest.NewServer(w)
	t.Cleanup(s.Close)
	teller := &story.Teller{
		Base: s.URL, HTTP: s.Client(), Customer: "310001", Payee: "Payee", Today: began,
		OrderNumber: "T1", ClientID: "client-1", Card: "400000" + "1111111118",
	}
	if err := walk(teller, t.(*testing.T)); err != nil {
		t.Fatal(err)
	}
	return w.seen
}

func builtin(t testing.TB) *profile.Set {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestTours prints what each answer of the tours, which call all operations, came to: a table for
// people to look at.
func TestTours(t *testing.T) {
	t.Parallel()
	set := builtin(t)
	for name, walk := range map[string]func(*story.Teller, *testing.T) error{
		"cardv1": func(s *story.Teller, t *testing.T) error { _, err := tour.V1(s, t.Context()); return err },
		"cardv2": func(s *story.Teller, t *testing.T) error { _, err := tour.V2(s, t.Context()); return err },
		"gateway": func(s *story.Teller, t *testing.T) error {
			_, err := tour.Gateway(s, t.Context())
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, name, table(t, set, name, walked(t, walk)))
		})
	}
}

// table is a line for each different outcome of each operation, in the order of the profile. Every
// operation must have words.
func table(t *testing.T, set *profile.Set, api string, seen []*leaf.Exchange) string {
	t.Helper()
	lines := map[string][]string{}
	for _, x := range seen {
		f := outcome.Of(set, x)
		path, _, _ := strings.Cut(x.URL, "?")
		o := set.Find(x.Method, path).Operation
		if o == nil {
			t.Errorf("%s %s is no operation", x.Method, path)
			continue
		}
		if f.Words == "" {
			t.Errorf("%s: no words for status %d, %s", o.Name, x.Code, leaf.Clip(x.Response.Body, 200))
		}
		line := fmt.Sprintf("%-9s  %-60s %-5s %-8s %s %s", f.Short, f.Words, f.Tone, f.Codes,
			who(f), route(f))
		if line = strings.TrimRight(line, " "); !slices.Contains(lines[o.Name], line) {
			lines[o.Name] = append(lines[o.Name], line)
		}
	}
	var b strings.Builder
	for _, p := range set.Profiles() {
		for _, o := range p.Operations {
			if p.Name != api {
				continue
			}
			fmt.Fprintln(&b, o.Name)
			if lines[o.Name] == nil {
				t.Errorf("%s: the tour does not call it", o.Name)
			}
			for _, line := range lines[o.Name] {
				fmt.Fprintln(&b, "   ", line)
			}
		}
	}
	return b.String()
}

// who says which names there are, as their values change.
func who(f outcome.Found) string {
	var names []string
	for _, n := range f.Names {
		if !slices.Contains(names, n.Noun) {
			names = append(names, n.Noun)
		}
	}
	about := f.Kind
	if f.ID != "" {
		about += "+id"
	}
	return about + " (" + strings.Join(names, " ") + ")"
}

func route(f outcome.Found) string {
	if f.From == "client" && f.To == "deck" {
		return ""
	}
	return f.From + " -> " + f.To
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
