// Package trial records the clients of package mock in front of their APIs, replays the tapes, and
// tells where a replay differs from a fresh API: the judge of what is done with APIs that no profile
// knows. A trial is one tape, which is recorded once:
//
//	tape := trial.Record(t, api, trial.Options{})
//	for _, d := range tape.Replay(trial.Options{Profiles: []string{"mine.yaml"}}).Differences { ... }
//
// A replay plays the same checkouts under other references. What a client sees is compared with what
// a fresh API answers to the same client, so a trial knows nothing of the tape but its name.
package trial

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/mock"
	"github.com/paytape/paytape/proxy/deck"
)

// Tape is a recording of one API's suite.
type Tape struct {
	API mock.API
	// Dir is the folder of the cassette, and Name its name.
	Dir, Name string

	t testing.TB
}

// Options are how a trial is played. The zero Options play the suite as it is, without profiles.
type Options struct {
	// Profiles are files with profiles.
	Profiles []string
	// Checkouts are what is played. Nil: those of the API.
	Checkouts []mock.Checkout
	// Change changes the client before it plays. Nil: it is left as it is.
	Change func(*mock.Client)
	// Play says how the deck answers from tape.
	Play deck.Play
}

// Outcome is what a replay came to.
type Outcome struct {
	// Saw is what the client saw, and Want what a fresh API would have shown it.
	Saw, Want mock.Transcript
	// Differences are where the two differ.
	Differences []mock.Difference
	Summary     deck.Summary
	// Told is all that the events of the deck tell, and the exchanges as people see them.
	Told []string
}

// Wrong returns the differences that the deck does not tell: no miss, no mark.
func (o Outcome) Wrong() []mock.Difference {
	var wrong []mock.Difference
	for _, d := range o.Differences {
		if d.Wrong() {
			wrong = append(wrong, d)
		}
	}
	return wrong
}

// Record records a suite in a folder of the test.
func Record(t testing.TB, api mock.API, o Options) *Tape {
	t.Helper()
	tape := &Tape{API: api, Dir: t.TempDir(), Name: api.Name, t: t}
	shop := mock.NewShop()
	defer shop.Close()
	var d *deck.Deck
	server := api.New(mock.Options{Seed: 1, Webhook: func() string { return d.CallbackURL }})
	upstream := httptest.NewServer(server)
	defer upstream.Close()
	d, err := deck.Start(t.Context(), deck.Options{
		Mode: deck.Record, Cassettes: []string{tape.Name}, Dir: tape.Dir,
		Upstreams: []string{upstream.URL}, Knowledge: tape.knowledge(o),
		Callbacks: deck.Callbacks{Mode: deck.CallbacksRelay, To: shop.URL + "/told"},
	})
	if err != nil {
		t.Fatal(err)
	}
	saw := tape.play(d.URL, "tape", shop, o)
	server.Close()
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if misses, _ := saw.Count(); misses > 0 {
		t.Fatalf("%d calls were not answered while %s was recorded:\n%v", misses, api.Name, saw)
	}
	return tape
}

// Exchanges returns what is on the tape, in the order in which the requests began.
func (tape *Tape) Exchanges() []*leaf.Exchange {
	tape.t.Helper()
	library, err := cassettes.OpenExisting(tape.Dir)
	if err != nil {
		tape.t.Fatal(err)
	}
	defer library.Close()
	read, err := library.Load(tape.Name, tape.knowledge(Options{}).Redactor(nil))
	if err != nil {
		tape.t.Fatal(err)
	}
	var all []*leaf.Exchange
	for _, x := range read.Exchanges {
		all = append(all, x.Exchange())
	}
	return all
}

// File returns the name of the cassette's file.
func (tape *Tape) File() string { return filepath.Join(tape.Dir, tape.Name+".yaml") }

func (tape *Tape) knowledge(o Options) *deck.Knowledge {
	k, err := deck.NewKnowledge(deck.KnowledgeOptions{Profiles: o.Profiles})
	if err != nil {
		tape.t.Fatal(err)
	}
	return k
}

// Replay plays in front of a deck, and in front of a fresh API.
func (tape *Tape) Replay(o Options) Outcome {
	t := tape.t
	t.Helper()
	shop := mock.NewShop()
	defer shop.Close()
	d, err := deck.Start(t.Context(), deck.Options{
		Cassettes: []string{tape.Name}, Dir: tape.Dir, Knowledge: tape.knowledge(o), Play: o.Play,
		Callbacks: deck.Callbacks{To: shop.URL + "/told",
			Keys: []deck.CallbackKey{{Text: mock.WebhookKey}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	out := Outcome{Saw: tape.play(d.URL, "live", shop, o)}
	out.Told = told(d)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	out.Summary = d.Summary()
	out.Want = tape.fresh(o)
	out.Differences = mock.Compare(out.Want, out.Saw)
	return out
}

// told returns what a deck tells of its traffic.
func told(d *deck.Deck) []string {
	var all []string
	for _, e := range d.Events().Last(1000) {
		method, target := e.Line()
		all = append(all, method.String()+" "+target.String(), e.Text.String(), e.Hint.String(), e.State)
		for _, f := range e.Fields {
			all = append(all, f.String())
		}
		c, ok := d.Events().Exchange(e.ID)
		if !ok || c.Exchange() == nil {
			continue
		}
		x := c.Exchange()
		all = append(all, x.URL, x.Request.Body, x.Response.Body)
		for _, h := range []http.Header{x.Request.Headers, x.Response.Headers} {
			for _, values := range h {
				all = append(all, values...)
			}
		}
	}
	return all
}

// fresh plays in front of a fresh API.
func (tape *Tape) fresh(o Options) mock.Transcript {
	shop := mock.NewShop()
	defer shop.Close()
	server := tape.API.New(mock.Options{Seed: 7, Webhook: func() string { return shop.URL }})
	defer server.Close()
	upstream := httptest.NewServer(server)
	defer upstream.Close()
	return tape.play(upstream.URL, "fresh", shop, o)
}

func (tape *Tape) play(url, run string, shop *mock.Shop, o Options) mock.Transcript {
	srv := httptest.NewServer(nil) // for its client, which takes no proxy from the environment
	defer srv.Close()
	c := &mock.Client{API: tape.API, Base: url, HTTP: srv.Client(), Run: run, Shop: shop}
	if o.Change != nil {
		o.Change(c)
	}
	checkouts := o.Checkouts
	if checkouts == nil {
		checkouts = tape.API.Checkouts
	}
	return c.Play(checkouts...)
}
