package workload_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/workload"
	"github.com/paytape/paytape/proxy/proxytest"
)

// tapeOf writes a recording of a kind as the cassette of its name and returns how many flows it
// has. A cassette without a seal is cleaned when it is loaded.
func tapeOf(tb testing.TB, folder string, r workload.Recording) int {
	tb.Helper()
	var b bytes.Buffer
	flows, err := r.Write(&b)
	if err != nil {
		tb.Fatal(err)
	}
	err = os.WriteFile(filepath.Join(folder, r.Kinds[0].Name+".yaml"), b.Bytes(), 0o600)
	if err != nil {
		tb.Fatal(err)
	}
	return flows
}

// TestFlowsReplayWithOtherIDs plays each flow of a tape again, with ids of two other runs and
// several flows at a time. proxytest fails the test for each miss.
func TestFlowsReplayWithOtherIDs(t *testing.T) {
	t.Parallel()
	for _, kind := range workload.Kinds {
		t.Run(kind.Name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			flows := tapeOf(t, dir, workload.Recording{
				Kinds: []workload.Kind{kind}, Size: 120, Start: time.Now()})
			deck := proxytest.Replay(t, kind.Name, proxytest.Dir(dir))
			var wg sync.WaitGroup
			for client := range 4 {
				wg.Go(func() {
					for i := range 2 * flows / 4 {
						n := i*4 + client
						c := workload.Client{Base: deck.URL, HTTP: http.DefaultTransport,
							Run: fmt.Sprintf("T%d", n)}
						if err := c.Play(kind, n%flows); err != nil {
							t.Errorf("variant %d: %v", n%flows, err)
						}
					}
				})
			}
			wg.Wait()
		})
	}
}

// TestRecordingIsTheSameAgain makes two recordings of one seed.
func TestRecordingIsTheSameAgain(t *testing.T) {
	t.Parallel()
	var texts [2]bytes.Buffer
	for i := range texts {
		r := workload.Recording{Kinds: workload.Kinds, Size: 100, Seed: 7,
			Start: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)}
		if _, err := r.Write(&texts[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(texts[0].Bytes(), texts[1].Bytes()) {
		t.Error("two recordings of one seed differ")
	}
}
