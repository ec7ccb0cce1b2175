package deck

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/codec"
	"github.com/paytape/paytape/internal/workload"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/redact"
)

// TestATapeThatWasReadAnswersAlike asks all requests of some tapes, twice, at a deck whose tape was
// compiled, and at another whose tape was written and read. The ids are those of the tape.
func TestATapeThatWasReadAnswersAlike(t *testing.T) {
	t.Parallel()
	known, err := NewKnowledge(KnowledgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	alike(t, Options{Dir: filepath.Join("..", "..", "testdata"), Cassettes: []string{"stories"}, Knowledge: known})
	for i, kind := range workload.Kinds {
		name := fmt.Sprintf("kind-%d", i)
		writeWorkload(t, dir, name, workload.Recording{
			Kinds: []workload.Kind{kind}, Size: 60, Start: time.Date(2026, time.July, 1, 12, 0, 0, 0, time.UTC),
		})
		alike(t, Options{Dir: dir, Cassettes: []string{name}, Knowledge: known})
	}
}

// writeWorkload imports a recording as a cassette.
func writeWorkload(t *testing.T, dir, name string, of workload.Recording) {
	t.Helper()
	var raw bytes.Buffer
	_, err := of.Write(&raw)
	if err != nil {
		t.Fatal(err)
	}
	recording, err := cassettes.ReadRecording(raw.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	library, err := cassettes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	if _, err := library.Import(name, recording, redact.New(redact.Options{})); err != nil {
		t.Fatal(err)
	}
}

// alike compares the answers from a cassette in both ways.
func alike(t *testing.T, o Options) {
	name := o.Cassettes[0]
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		now := time.Date(2026, time.August, 1, 12, 0, 0, 0, time.UTC)
		o.Play = Play{Seed: 7, RecordedIDs: true, Now: func() time.Time { return now }}
		compiled, err := Load(o)
		if err != nil {
			t.Fatal(err)
		}
		library, err := cassettes.OpenExisting(o.Dir)
		if err != nil {
			t.Fatal(err)
		}
		defer library.Close()
		recorded, err := library.Load(name, redact.New(redact.Options{}))
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := compiled.compiled.Write(&file, codec.Key{}); err != nil {
			t.Fatal(err)
		}
		read, err := match.Read(o.compiling(compiled.now), bytes.NewReader(file.Bytes()), int64(file.Len()),
			codec.Key{})
		if err != nil {
			t.Fatal(err)
		}
		same := *compiled
		same.compiled = read
		want, got := answers(t, o, compiled, recorded), answers(t, o, &same, recorded)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("other answers of the tape that was read (-want +got):\n%.3000s", diff)
		}
		served := 0
		for _, a := range want {
			if strings.HasPrefix(a, "2") {
				served++
			}
		}
		if served*8 < len(want) { // a list of what others have made is asked for by a new client
			t.Errorf("%d of %d requests are served: this compares misses", served, len(want))
		}
	})
}

// answers asks a deck for all that was recorded, twice.
func answers(t *testing.T, o Options, tape *Tape, recorded *cassettes.Tape) (all []string) {
	t.Helper()
	o.Tape, o.Knowledge, o.Play = tape, nil, Play{}
	d, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, clean := range recorded.Exchanges {
			x := clean.Exchange()
			to, err := url.Parse(x.Request.URL)
			if err != nil {
				t.Fatal(err)
			}
			req, err := http.NewRequestWithContext(t.Context(), x.Request.Method, d.URL+to.RequestURI(),
				strings.NewReader(x.Request.Body))
			if err != nil {
				t.Fatal(err)
			}
			req.Header, req.Host = x.Request.Headers.Clone(), "deck.test" // packed pages hold it
			res, err := http.DefaultTransport.RoundTrip(req)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(res.Body)
			if err != nil {
				t.Fatal(err)
			}
			_ = res.Body.Close()
			res.Header.Del("Date")
			all = append(all, fmt.Sprintf("%d %v\n%s", res.StatusCode, res.Header, body))
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	return all
}
