package draft_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/internal/story/tour"
	"github.com/paytape/paytape/proxy/deck"
)

// The tours walk every operation of the three APIs. A client that walks them again comes as far with the
// draft as without a profile.
func TestDraftsOfTheTours(t *testing.T) {
	t.Parallel()
	for name, walk := range map[string]func(*story.Teller, context.Context) ([]story.Value, error){
		"v1": tour.V1, "v2": tour.V2, "gateway": tour.Gateway,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			server := httptest.NewServer(http.StripPrefix(elsewhere, sandbox.New(sandbox.Options{Seed: 1})))
			defer server.Close()
			d := started(t, deck.Options{
				Mode: deck.Record, Cassettes: []string{"tape"}, Dir: dir, Upstreams: []string{server.URL},
			})
			walked := func(url, number string) error {
				_, err := walk(&story.Teller{Base: url + elsewhere, HTTP: http.DefaultClient,
					Customer: number, Payee: "Payee", Today: time.Now(), OrderNumber: "A-" + number,
					ClientID: "client-" + number, Card: "400000" + "1111111118"}, t.Context())
				return err
			}
			err := walked(d.URL, "7700451298301") // pages have addresses at which the sandbox is not
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if n := d.Summary().Recorded.Exchanges; n < 5 {
				t.Fatalf("%d exchanges were recorded: %v", n, err)
			}
			file := filepath.Join(dir, "draft.txt")
			if err := os.WriteFile(file, draftOf(t, dir), 0o600); err != nil {
				t.Fatal(err)
			}
			stats := map[string]deck.Summary{}
			for how, profiles := range map[string][]string{"none": nil, "draft": {file}} {
				k, err := deck.NewKnowledge(deck.KnowledgeOptions{Profiles: profiles})
				if err != nil {
					t.Fatal(err)
				}
				d := started(t, deck.Options{Cassettes: []string{"tape"}, Dir: dir, Knowledge: k})
				_ = walked(d.URL, "7709988771127") // a miss ends the tour, and so does another answer
				if err := d.Close(); err != nil {
					t.Fatal(err)
				}
				stats[how] = d.Summary()
			}
			none, with := stats["none"], stats["draft"]
			if with.Hits < none.Hits || with.Misses > none.Misses {
				t.Errorf("%d answers and %d misses with the draft, %d and %d without",
					with.Hits, with.Misses, none.Hits, none.Misses)
			}
		})
	}
}
