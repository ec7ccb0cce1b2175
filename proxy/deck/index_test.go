package deck_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/workload"
	"github.com/paytape/paytape/proxy/deck"
)

var indexedAt = time.Date(2026, time.July, 1, 12, 0, 0, 0, time.UTC)

// largeTape writes a cassette of flows of all kinds that is large enough to be kept, and returns its
// folder.
func largeTape(t *testing.T, known *deck.Knowledge) string {
	t.Helper()
	var raw bytes.Buffer
	r := workload.Recording{Kinds: workload.Kinds, Size: 3500, Start: indexedAt}
	if _, err := r.Write(&raw); err != nil {
		t.Fatal(err)
	}
	recording, err := cassettes.ReadRecording(raw.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	library, err := cassettes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	if _, err := library.Import("large", recording, known.Redactor(nil)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// indexed are decks of one tape that keep what they make of it.
type indexed struct {
	*testing.T
	options deck.Options
	kept    int // files there should be
}

// files returns the files that were kept.
func (i indexed) files() []string {
	i.Helper()
	if i.options.Index == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(i.options.Index, "*"))
	if err != nil {
		i.Fatal(err)
	}
	return files
}

// playAll starts a deck, plays some flows of each kind, and returns all that the deck has answered. It
// tells whether the deck has read the file that was kept.
func (i indexed) playAll() (answers string, derived bool) {
	i.Helper()
	longAgo := time.Unix(1_000_000_000, 0)
	for _, name := range i.files() {
		if err := os.Chtimes(name, longAgo, longAgo); err != nil {
			i.Fatal(err)
		}
	}
	d, err := deck.Start(i.Context(), i.options)
	if err != nil {
		i.Fatal(err)
	}
	for _, name := range i.files() {
		if info, err := os.Stat(name); err == nil {
			derived = derived || info.ModTime().After(longAgo) && info.Size() > 0
		}
	}
	log := &answerLog{to: &http.Transport{
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, strings.TrimPrefix(d.URL, "http://"))
		},
	}}
	defer log.to.CloseIdleConnections()
	for _, kind := range workload.Kinds {
		c := workload.Client{Base: "http://deck.test", HTTP: log, Run: "B", Today: indexedAt}
		for variant := range 4 {
			_ = c.Play(kind, variant) // a flow that fails is in the answers
		}
	}
	if err := d.Close(); err != nil {
		i.Error(err)
	}
	return log.String(), derived
}

// answerLog is a transport that keeps what is answered.
type answerLog struct {
	strings.Builder
	to *http.Transport
}

func (l *answerLog) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.to.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	res.Header.Del("Date")
	fmt.Fprintf(l, "%s %s\n%d %v\n%s\n\n", r.Method, r.URL.Path, res.StatusCode, res.Header, body)
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res, nil
}

// TestATapeThatWasKeptAnswersAlike plays the same flows at a deck that has compiled its tape, and at
// decks for which the tape was kept: whole, damaged, of another recording, or where nobody can write.
func TestATapeThatWasKeptAnswersAlike(t *testing.T) {
	t.Parallel()
	known, err := deck.NewKnowledge(deck.KnowledgeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	i := indexed{t, deck.Options{
		Cassettes: []string{"large"}, Dir: largeTape(t, known), Knowledge: known,
		Play: deck.Play{Seed: 7, Now: func() time.Time { return indexedAt.AddDate(0, 1, 0) }},
	}, 1}
	want, derived := i.playAll()
	if derived || len(i.files()) > 0 {
		t.Fatal("a deck that was not asked to has kept its tape")
	}
	i.options.Index = filepath.Join(t.TempDir(), "made", "by the deck")
	same := func(step string, wantDerived bool) {
		t.Helper()
		got, derived := i.playAll()
		if diff := cmp.Diff(strings.Split(want, "\n\n"), strings.Split(got, "\n\n")); diff != "" {
			t.Errorf("%s: other answers (-want +got):\n%.2000s", step, diff)
		}
		if derived != wantDerived {
			t.Errorf("%s: the kept tape was read: %v", step, derived)
		}
		if n := len(i.files()); n != i.kept {
			t.Errorf("%s: %d files, want %d", step, n, i.kept)
		}
	}
	same("nothing was kept", false)
	same("the tape was kept", true)
	kept := i.files()[0]
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read what was kept, or %v", err)
	}
	whole, err := os.ReadFile(kept)
	if err != nil {
		t.Fatal(err)
	}
	for step, damaged := range map[string][]byte{
		"the file was cut": whole[:len(whole)/2],
		"a bit has changed": slices.Concat(whole[:len(whole)/3], []byte{whole[len(whole)/3] ^ 4},
			whole[len(whole)/3+1:]),
	} {
		if err := os.WriteFile(kept, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		same(step, false)
	}
	same("the file was made anew", true)
	i.options.Play.KeepDates = true
	i.kept = 2
	same("another option", false)
	same("another option again", true)
	i.kept = 1
	i.options.Index = filepath.Join(t.TempDir(), "two decks at once")
	var both [2]*deck.Tape
	for n := range both { // before either keeps what it has made
		if both[n], err = deck.Load(i.options); err != nil {
			t.Fatal(err)
		}
	}
	var decks [2]*deck.Deck
	for n := range decks {
		o := i.options
		o.Tape, o.Knowledge, o.Play = both[n], nil, deck.Play{}
		if decks[n], err = deck.Start(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range decks {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	same("after two decks at once", true)
	i.options.Index = filepath.Join(t.TempDir(), "before any deck")
	if err := deck.Prepare(t.Context(), i.options); err != nil {
		t.Fatal(err)
	}
	same("prepared", true)
	if runtime.GOOS == "windows" {
		return // its modes do not tell
	}
	if err := os.Chmod(i.options.Index, 0o722); err != nil {
		t.Fatal(err)
	}
	same("others may write in the folder", false)
}

// TestPrepare prepares cassettes that are not kept, or not there.
func TestPrepare(t *testing.T) {
	t.Parallel()
	testdata := filepath.Join("..", "..", "testdata")
	for what, test := range map[string]struct {
		options deck.Options
		want    error
	}{
		"a small one":    {deck.Options{Dir: testdata, Cassettes: []string{"stories"}}, nil},
		"none of a name": {deck.Options{Dir: testdata, Cassettes: []string{"absent"}}, cassettes.ErrNotFound},
		"no folder":      {deck.Options{Dir: "absent", Cassettes: []string{"stories"}}, cassettes.ErrNoFolder},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			test.options.Index = filepath.Join(t.TempDir(), "index")
			if err := deck.Prepare(t.Context(), test.options); !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			if _, err := os.Stat(test.options.Index); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("something was kept: %v", err)
			}
		})
	}
}
