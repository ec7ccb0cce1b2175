// Package demo is the story that "paytape demo" tells. It starts the built-in sandbox, records
// three stories through a deck with ordinary HTTP clients and a shop that is called back, shows what stands on the tape where a
// secret was on the wire, stops the sandbox, and replays the stories with other values on a later
// day. Every step is verified; the first that does not hold ends the demo with an error.
//
// The demo knows what was on the wire because its clients remember it in memory (package type
// capture). It goes by values and names alone and not by what a profile says: the profile is what
// is being verified.
package demo

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/internal/story"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/redact"
)

// Options say where a demo keeps its cassette and where it prints.
type Options struct {
	Dir string // folder of the cassette; empty means a new folder for temporary files
	// Out takes the story. What the sandbox has sent is printed as it is, but for secrets.
	Out  io.Writer
	Warn func(string) // is told what there is to warn of in the tape
	// CallbackKey signs callbacks. Empty: one that is made for the demo.
	CallbackKey string
}

// Kept is the cassette that a demo leaves.
type Kept struct{ Dir, Name, File string }

// laterDays is how far the clock moves between recording and replay.
const laterDays = 40

// Test cards that are paid with; in two parts, so that a search for card numbers passes this file
// by.
const (
	recordedCard = "400000" + "1111111118"
	replayedCard = "411111" + "1111111111"
)

// demo is what the steps of a demo have come to.
type demo struct {
	Options
	name  string // of the cassette
	known *deck.Knowledge

	cleaner  func(text string) redact.Safe // knows what was secret while recording
	key      string                        // of the shop's account, for checksums of callbacks
	sandbox  *deck.Service
	box      *sandbox.Sandbox // that it serves
	wire     *capture
	file     string
	calls    []*leaf.Exchange // on tape, that clients made
	told     int              // callbacks on tape
	recorded []telling
	replayed []telling
}

// Run tells the story. Its error says which step did not hold.
func Run(ctx context.Context, o Options) (Kept, error) {
	d := &demo{Options: o, key: cmp.Or(o.CallbackKey, rand.Text())}
	if err := d.prepare(); err != nil {
		return Kept{}, err
	}
	defer func() { _ = d.closeSandbox() }() // the step that stops it has looked at its error
	for i, step := range []struct {
		title string
		do    func(context.Context) error
	}{
		{"a sandbox", d.startSandbox},
		{"three stories are recorded", d.record},
		{"what the tape holds in place of secrets", d.showSecrets},
		{"nothing secret is on the tape", d.search},
		{"the sandbox is gone", d.stopSandbox},
		{fmt.Sprintf("the stories are told again, %d days later", laterDays), d.replay},
		{"recorded and replayed", d.compare},
	} {
		d.print("\n%d. %s\n", i+1, step.title)
		if err := step.do(ctx); err != nil {
			return Kept{}, fmt.Errorf("demo, step %d: %w", i+1, err)
		}
	}
	return Kept{Dir: d.Dir, Name: d.name, File: d.file}, nil
}

// prepare finds a place for the cassette.
func (d *demo) prepare() error {
	var err error
	if d.known, err = deck.NewKnowledge(deck.KnowledgeOptions{}); err != nil {
		return err
	}
	d.cleaner = d.known.Redactor(nil).Text
	if d.Dir == "" {
		if d.Dir, err = os.MkdirTemp("", "paytape-demo-"); err != nil {
			return fmt.Errorf("creating a folder: %w", err)
		}
	}
	d.name, err = freeName(d.Dir)
	return err
}

// freeName returns a name that no cassette in a folder has.
func freeName(dir string) (string, error) {
	library, err := cassettes.Open(dir)
	if err != nil {
		return "", err
	}
	defer library.Close()
	taken, err := library.List()
	if err != nil {
		return "", err
	}
	name := "demo"
	for n := 2; slices.Contains(taken, name); n++ {
		name = fmt.Sprintf("demo-%d", n)
	}
	return name, nil
}

// print writes to the story. Nobody is left to be told if the writer is closed.
func (d *demo) print(format string, args ...any) { _, _ = fmt.Fprintf(d.Out, format, args...) }

// tell prints a line of a step.
func (d *demo) tell(format string, args ...any) { d.print("   "+format+"\n", args...) }

func (d *demo) startSandbox(ctx context.Context) error {
	box := sandbox.New(sandbox.Options{Callbacks: sandbox.Callbacks{Key: d.key}})
	served, err := deck.Serve(context.WithoutCancel(ctx), box, deck.ServeOptions{})
	if err != nil {
		return err
	}
	d.box, d.sandbox = box, served
	d.tell("three APIs at %s", d.sandbox.URL)
	return nil
}

// closeSandbox stops calls first and then callbacks, which calls bring about.
func (d *demo) closeSandbox() error {
	if d.sandbox == nil {
		return nil
	}
	err := d.sandbox.Close()
	d.box.Close()
	return err
}

// record tells the stories through a deck in record mode.
func (d *demo) record(ctx context.Context) error {
	recording, err := deck.Start(ctx, deck.Options{
		Mode: deck.Record, Cassettes: []string{d.name}, Dir: d.Dir, Knowledge: d.known,
		Upstreams: []string{d.sandbox.URL}, Sync: "none",
		Callbacks: deck.Callbacks{Mode: deck.CallbacksRelay, Keys: d.keys()},
	})
	if err != nil {
		return err
	}
	d.cleaner = recording.Text
	d.tell("the deck records at %s", recording.URL)
	d.wire = newCapture()
	d.recorded, err = d.stories(ctx, d.wire, &story.Teller{
		Base: recording.URL, OrderNumber: "A-1001", ClientID: "client-one", Customer: "100001",
		Card: recordedCard, Payee: "Robin", Today: time.Now(),
	})
	if err := errors.Join(err, recording.Close()); err != nil {
		return err
	}
	d.file = recording.Summary().Recorded.File
	if err := d.load(); err != nil {
		return err
	}
	d.tell("%s and %s are on %s", count.Of(len(d.calls), "call"), count.Of(d.told, "callback"), d.file)
	if made := len(d.wire.exchanges()); len(d.calls) != made || d.told == 0 {
		return fmt.Errorf("the client made %s, and was called back", count.Of(made, "call"))
	}
	return nil
}

// keys are what callbacks are signed with.
func (d *demo) keys() []deck.CallbackKey { return []deck.CallbackKey{{Text: d.key}} }

// telling is what one story has seen.
type telling struct {
	name   string
	values []story.Value
}

// stories tells all stories with an ordinary HTTP client.
func (d *demo) stories(
	ctx context.Context, via http.RoundTripper, t *story.Teller,
) ([]telling, error) {
	t.HTTP = &http.Client{Transport: via, Timeout: 30 * time.Second}
	defer t.HTTP.CloseIdleConnections()
	shop := &story.Shop{Key: d.key}
	served, err := deck.Serve(ctx, shop, deck.ServeOptions{})
	if err != nil {
		return nil, err
	}
	defer served.Close()
	shop.URL, t.Callbacks = served.URL+"/paid", shop
	d.tell("the shop waits for its callbacks at %s", shop.URL)
	var told []telling
	for _, s := range []struct {
		name string
		tell func(context.Context) ([]story.Value, error)
	}{
		{"gateway: a checkout", t.Checkout},
		{"version 1: a card's life", t.CardLife},
		{"version 2: a transfer", t.Transfer},
	} {
		seen, err := s.tell(ctx)
		if err != nil {
			return nil, errors.New(d.cleaner(err.Error()).String())
		}
		d.tell("%s, as told", s.name)
		told = append(told, telling{s.name, seen})
	}
	return told, nil
}

// stopSandbox stops the sandbox and makes sure that nobody answers where it was.
func (d *demo) stopSandbox(context.Context) error {
	if err := d.closeSandbox(); err != nil {
		return err
	}
	address := strings.TrimPrefix(d.sandbox.URL, "http://")
	conn, err := net.DialTimeout("tcp", address, time.Second)
	if err == nil {
		_ = conn.Close()
		return errors.New("it was stopped and still answers")
	}
	d.tell("nobody answers at %s", d.sandbox.URL)
	return nil
}

// replay tells the stories to a deck in replay mode, with other values and a later clock.
func (d *demo) replay(ctx context.Context) error {
	later := func() time.Time { return time.Now().AddDate(0, 0, laterDays) }
	playing, err := deck.Start(ctx, deck.Options{
		Cassettes: []string{d.name}, Dir: d.Dir, Knowledge: d.known, Play: deck.Play{Now: later},
		Callbacks: deck.Callbacks{Keys: d.keys()},
	})
	if err != nil {
		return err
	}
	d.tell("the deck replays at %s", playing.URL)
	d.replayed, err = d.stories(ctx, &http.Transport{}, &story.Teller{
		Base: playing.URL, OrderNumber: "B-2002", ClientID: "client-two", Customer: "200002",
		Card: replayedCard, Payee: "Kim", Today: later(),
	})
	if err := errors.Join(err, playing.Close()); err != nil {
		return err
	}
	s := playing.Summary()
	d.tell("%s, %s", count.Of(s.Hits+s.Misses, "request"), count.Of(s.Misses, "miss"))
	if s.Misses > 0 || int(s.Hits) != len(d.calls) {
		return fmt.Errorf("%d calls are on tape", len(d.calls))
	}
	return nil
}
