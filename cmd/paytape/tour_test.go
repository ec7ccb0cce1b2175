package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/internal/story/tour"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/proxy/proxytest"
)

// apiTour is a story that calls every operation of an API.
type apiTour struct {
	profile string // whose operations it calls
	tell    func(*story.Teller, context.Context) ([]story.Value, error)
}

var tours = []apiTour{
	{"cardv1", tour.V1},
	{"cardv2", tour.V2},
	{"gateway", tour.Gateway},
}

// testCards are numbers that are paid with (domain facts, Test cards).
var testCards = []string{"400000" + "1111111118", "411111" + "1111111111", "555555" + "5555555599"}

// tourist returns a client whose values are all its own; n = 0 is the one who records.
func tourist(base string, n int, today time.Time) *story.Teller {
	return &story.Teller{
		Base: base, HTTP: &http.Client{Transport: plainTransport(), Timeout: time.Minute},
		Customer: fmt.Sprintf("31%04d", n), Payee: fmt.Sprintf("Payee%d", n),
		Surname: fmt.Sprintf("Surname%d", n), Phone: fmt.Sprintf("4930%07d", n),
		Merchant: fmt.Sprintf("SHOP-%d", n), Today: today,
		OrderNumber: fmt.Sprintf("T%d", n), ClientID: fmt.Sprintf("client-%d", n),
		Card: testCards[n%len(testCards)], Shop: fmt.Sprintf("https://shop%d.example/back", n),
	}
}

// recorded records a tour from the built-in sandbox, which is gone afterwards, and returns
// the folder of the tape and what the client saw.
func recorded(t *testing.T, o apiTour) (dir string, seen []story.Value) {
	t.Helper()
	dir = t.TempDir()
	d := startedRecord(t, dir)
	teller := tourist(d.URL, 0, time.Now())
	seen, err := o.tell(teller, t.Context())
	teller.HTTP.CloseIdleConnections()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	checkNoSecrets(t, dir)
	return dir, seen
}

// loaded returns the tape that was recorded into a folder.
func loaded(t *testing.T, dir string) *cassettes.Tape {
	t.Helper()
	warn := func(s string) { t.Errorf("warning: %s", s) }
	tape, err := builtinKnowledge(t).loadTape(dir, "tape", warn)
	if err != nil {
		t.Fatal(err)
	}
	return tape
}

// replayed starts a deck that replays the tape of a folder under a clock. A miss fails the test,
// unless options allow it.
func replayed(t *testing.T, dir string, now func() time.Time, options ...proxytest.Option,
) *proxytest.Deck {
	t.Helper()
	return proxytest.Replay(t, "tape", append(options, proxytest.Dir(dir),
		proxytest.Play(deck.Play{Now: now}))...)
}

// warned fails a test if a deck has something to warn of in the file of a cassette.
func warned(t *testing.T) func(deck.Notice) {
	return func(n deck.Notice) {
		if n.Warning && strings.HasPrefix(n.Text, "cassette ") {
			t.Errorf("warning: %s", n.Text)
		}
	}
}

// own returns the base URL of a session of a client's own: the tours list everybody's orders, and
// change a merchant and a terminal that all of them share.
func own(base string, n int) string { return fmt.Sprintf("%s/~client-%d", base, n) }

// later is a clock of another day.
func later() time.Time { return time.Now().AddDate(0, 0, 40) }

func TestToursReplay(t *testing.T) {
	t.Parallel()
	for _, o := range tours {
		t.Run(o.profile, func(t *testing.T) {
			t.Parallel()
			dir, before := recorded(t, o)
			tape := loaded(t, dir)
			covers(t, o.profile, tape)
			d := replayed(t, dir, later)
			tellings := [][]story.Value{before}
			for n := range 2 { // one client after the other
				teller := tourist(own(d.URL, n+1), n+1, later())
				after, err := o.tell(teller, t.Context())
				teller.HTTP.CloseIdleConnections()
				if err != nil {
					t.Fatalf("client %d: %v", n+1, err)
				}
				tellings = append(tellings, after)
			}
			freshValues(t, tellings[0], tellings[1])
			freshValues(t, minted(tellings[1]), minted(tellings[2]))
			s := d.Summary()
			if s.Misses != 0 || int(s.Hits) != 2*len(tape.Exchanges) {
				t.Errorf("%d hits and %d misses with %d exchanges on tape", s.Hits, s.Misses,
					len(tape.Exchanges))
			}
		})
	}
}

// covers fails where an operation of a profile is not on a tape.
func covers(t *testing.T, name string, tape *cassettes.Tape) {
	t.Helper()
	on := map[string]bool{}
	for _, x := range tape.Exchanges {
		on[x.Exchange().Meta.Operation] = true
	}
	for _, o := range operations(t, name) {
		if !on[o.Name] {
			t.Errorf("operation %s is not on the tape", o.Name)
		}
	}
}

// operations returns the operations of a profile.
func operations(t *testing.T, name string) []*profile.Operation {
	t.Helper()
	for _, p := range builtinKnowledge(t).profiles().Profiles() {
		if p.Name == name {
			return p.Operations
		}
	}
	t.Fatalf("there is no profile %q", name)
	return nil
}

// freshValues fails where a value that is made for one run turns up in two.
func freshValues(t *testing.T, before, after []story.Value) {
	t.Helper()
	if len(before) != len(after) {
		t.Fatalf("%d values were seen before and %d after", len(before), len(after))
	}
	for i, was := range before {
		if was.Fresh && was.Text == after[i].Text {
			t.Errorf("%s is not fresh", was.Name)
		}
	}
}

// minted returns the values that are no dates: two clients of one day may see the same dates.
func minted(seen []story.Value) []story.Value {
	return slices.DeleteFunc(slices.Clone(seen), func(v story.Value) bool {
		return strings.HasSuffix(v.Name, "Date")
	})
}

func TestToursReplayToClientsAtOnce(t *testing.T) {
	t.Parallel()
	for _, o := range tours {
		t.Run(o.profile, func(t *testing.T) {
			t.Parallel()
			dir, _ := recorded(t, o)
			d := replayed(t, dir, later)
			var wg sync.WaitGroup
			for n := range 4 {
				wg.Go(func() {
					teller := tourist(own(d.URL, n+1), n+1, later())
					defer teller.HTTP.CloseIdleConnections()
					if _, err := o.tell(teller, t.Context()); err != nil {
						t.Errorf("client %d: %v", n+1, err)
					}
				})
			}
			wg.Wait()
			if s := d.Summary(); s.Misses != 0 {
				t.Errorf("%d misses", s.Misses)
			}
		})
	}
}
