package cassettes_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
)

// quieted is a stabiliser that turns a tape round, and says so in the operations.
func quieted(_ context.Context, recorded []*leaf.Exchange) ([]*leaf.Exchange, string, error) {
	var made []*leaf.Exchange
	for i, x := range slices.Backward(recorded) {
		y := *x
		y.Meta.Operation, y.Meta.Number = "stable", len(recorded)-i
		made = append(made, &y)
	}
	return made, "the last came first", nil
}

// stably begins a recording of a stable tape.
func stably(t *testing.T, l *cassettes.Library, by cassettes.Stabiliser) *cassettes.Recorder {
	t.Helper()
	c, err := l.RecordWith(cassettes.Options{Stable: true, Stabilise: by}, "a", &fakeCleaner{tb: t})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// bodies returns the bodies of the requests of a tape, and fails unless it is stable.
func bodies(t *testing.T, l *cassettes.Library) []string {
	t.Helper()
	var all []string
	for _, x := range load(t, l, "a").Exchanges {
		if x.Exchange().Meta.Operation != "stable" || !slices.Equal(x.Exchange().Meta.Redactions, []string{"again"}) {
			t.Error("an exchange is not stable, or was not cleaned again")
		}
		all = append(all, x.Exchange().Request.Body)
	}
	return all
}

var turned = []string{
	"orderNumber=n3&amount=100", "orderNumber=n2&amount=100", "orderNumber=n1&amount=100",
}

func TestTapeIsMadeStable(t *testing.T) {
	l, _ := library(t)
	c := stably(t, l, quieted)
	add(t, c, 3)
	if s := finish(t, c); s.Kept != "the last came first" || s.Exchanges != 3 {
		t.Errorf("the summary is %+v", s)
	}
	if diff := cmp.Diff(turned, bodies(t, l)); diff != "" {
		t.Errorf("the tape (-want +got):\n%s", diff)
	}
}

// TestKilledRecordingIsMadeStable has a journal that another process has left: it notes that its tape is to
// be stable, whatever the next recording is.
func TestKilledRecordingIsMadeStable(t *testing.T) {
	l, dir := library(t)
	c := stably(t, l, quieted)
	add(t, c, 3)
	journal := readFile(t, dir, "a.journal")
	finish(t, c)
	if !bytes.HasPrefix(journal, []byte("paytape journal 2\n")) {
		t.Errorf("the journal begins with %q", journal[:20])
	}
	l, dir = library(t)
	writeFile(t, journal, dir, "a.journal")
	next, err := l.RecordWith(cassettes.Options{Stabilise: quieted}, "a", &fakeCleaner{tb: t})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(next.Recovered(), "kept 3 exchanges") ||
		!strings.Contains(next.Recovered(), "the last came first") {
		t.Errorf("the operator is told %q", next.Recovered())
	}
	finish(t, next)
	if diff := cmp.Diff(turned, bodies(t, l)); diff != "" {
		t.Errorf("the tape (-want +got):\n%s", diff)
	}

	l, dir = library(t)
	writeFile(t, journal, dir, "a.journal")
	plain := record(t, l, "a") // which cannot make it stable, and loses nothing
	if !strings.Contains(plain.Recovered(), "the tape is not stable") {
		t.Errorf("the operator is told %q", plain.Recovered())
	}
	finish(t, plain)
	if n := len(load(t, l, "a").Exchanges); n != 3 {
		t.Errorf("%d exchanges are left of 3", n)
	}
}

func TestStabiliserThatLosesAnExchange(t *testing.T) {
	for name, lossy := range map[string]cassettes.Stabiliser{
		"one is gone": func(_ context.Context, xs []*leaf.Exchange) ([]*leaf.Exchange, string, error) {
			return xs[1:], "", nil
		},
		"one is there twice": func(_ context.Context, xs []*leaf.Exchange) ([]*leaf.Exchange, string, error) {
			return []*leaf.Exchange{xs[0], xs[0]}, "", nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			l, dir := library(t)
			c := stably(t, l, lossy)
			add(t, c, 2)
			if _, err := c.Close(); err == nil {
				t.Error("nobody is told")
			}
			journal := readFile(t, dir, "a.journal")
			if n := bytes.Count(journal, []byte("\nentry ")); n != 2 {
				t.Errorf("the journal has %d entries of 2", n)
			}
		})
	}
}

// TestStabiliserWithoutTime has a process end before its tape is stable: the journal stays, and the next
// recording folds it.
func TestStabiliserWithoutTime(t *testing.T) {
	l, _ := library(t)
	endless := func(ctx context.Context, _ []*leaf.Exchange) ([]*leaf.Exchange, string, error) {
		<-ctx.Done()
		return nil, "", ctx.Err()
	}
	c := stably(t, l, endless)
	add(t, c, 3)
	if s, err := c.CloseBy(time.Now().Add(50 * time.Millisecond)); err != nil || s.New != 3 || s.Journal == "" {
		t.Errorf("came to %+v, %v", s, err)
	}
	finish(t, stably(t, l, quieted))
	if diff := cmp.Diff(turned, bodies(t, l)); diff != "" {
		t.Errorf("the tape (-want +got):\n%s", diff)
	}
}

// TestStabilise makes a tape stable that was recorded otherwise.
func TestStabilise(t *testing.T) {
	l, _ := library(t)
	c := record(t, l, "a")
	add(t, c, 3)
	if _, err := l.Stabilise("a", &fakeCleaner{tb: t}, quieted); err == nil {
		t.Error("a cassette that is being recorded was rewritten")
	}
	finish(t, c)
	s, err := l.Stabilise("a", &fakeCleaner{tb: t}, quieted)
	if err != nil || s.Exchanges != 3 || s.New != 0 || s.Kept == "" {
		t.Errorf("%+v, %v", s, err)
	}
	if diff := cmp.Diff(turned, bodies(t, l)); diff != "" {
		t.Errorf("the tape (-want +got):\n%s", diff)
	}
	if _, err := l.Stabilise("b", &fakeCleaner{tb: t}, quieted); !errors.Is(err, cassettes.ErrNotFound) {
		t.Errorf("a cassette that is not there: %v", err)
	}
}
