package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/match/drift"
)

// TestTwoRecordingsAreEqual records each tour twice, as two clients with values of their own.
func TestTwoRecordingsAreEqual(t *testing.T) {
	t.Parallel()
	for _, o := range tours {
		t.Run(o.profile, func(t *testing.T) {
			t.Parallel()
			var tapes [2]*drift.Tape
			for n := range tapes {
				dir, d := t.TempDir(), (*drift.Tape)(nil)
				recordTour(t, o, dir, n)
				d = drift.Read(drift.Options{Profiles: builtinKnowledge(t).profiles()},
					cassetteOf(loaded(t, dir)))
				tapes[n] = d
			}
			if r := drift.Compare(tapes[0], tapes[1]); !r.Equal() {
				t.Errorf("two recordings differ:\n%s", diffText(r))
			}
			if a, b := tapes[0].Text(), tapes[1].Text(); a != b {
				t.Errorf("the texts of two recordings differ (-old +new):\n%s", cmp.Diff(a, b))
			}
		})
	}
}

// recordTour records a tour of the n-th client into a folder.
func recordTour(t *testing.T, o apiTour, dir string, n int) {
	t.Helper()
	d := startedRecord(t, dir)
	teller := tourist(d.URL, n, time.Now())
	teller.Card = testCards[0]
	_, err := o.tell(teller, t.Context())
	teller.HTTP.CloseIdleConnections()
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
}
