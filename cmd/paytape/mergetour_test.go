package main

import (
	"slices"
	"testing"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/cassettes/merge"
	"github.com/paytape/paytape/internal/check"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/paytape/paytape/redact"
)

// TestMergedToursReplay merges the tours of three APIs, with every operation and every kind of
// surrogate, and wants clients of all three to find on one tape what they find on three.
func TestMergedToursReplay(t *testing.T) {
	t.Parallel()
	k := builtinKnowledge(t)
	var all []redact.Clean
	exchanges, renumbered := 0, 0
	for _, o := range tours {
		dir, _ := recorded(t, o)
		tape := loaded(t, dir)
		exchanges += len(tape.Exchanges)
		merged := merge.Merge(merge.Tapes{Ours: all, Theirs: tape.Exchanges}, k.redactor)
		if len(merged.Conflicts) > 0 || len(merged.Warnings) > 0 {
			t.Errorf("%s: %v, %v", o.profile, merged.Conflicts, merged.Warnings)
		}
		renumbered += merged.Renumbered
		same := merge.Merge(merge.Tapes{Ours: tape.Exchanges, Theirs: tape.Exchanges}, k.redactor)
		if same.Renumbered > 0 || same.Both != len(tape.Exchanges) {
			t.Errorf("%s with itself: %d of %d exchanges in both, %d surrogates with another number",
				o.profile, same.Both, len(tape.Exchanges), same.Renumbered)
		}
		all = merged.Exchanges()
	}
	if len(all) != exchanges || renumbered < 20 {
		t.Fatalf("%d exchanges of %d, %d surrogates with another number", len(all), exchanges, renumbered)
	}
	text, err := cassettes.Encode(all)
	if err != nil {
		t.Fatal(err)
	}
	found, err := check.New(redact.Options{Profiles: k.profiles()}, 1).Data("tape.yaml", text)
	if err != nil || len(found) > 0 {
		t.Errorf("%d secrets, %v", len(found), err)
	}
	dir := t.TempDir()
	library, err := cassettes.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer library.Close()
	if _, err := library.Create("tape", all); err != nil {
		t.Fatal(err)
	}
	d := replayed(t, dir, later)
	for n, o := range tours {
		teller := tourist(own(d.URL, n+1), n+1, later())
		if _, err := o.tell(teller, t.Context()); err != nil {
			t.Errorf("%s: %v", o.profile, err)
		}
		teller.HTTP.CloseIdleConnections()
	}
	if s := d.Summary(); s.Misses != 0 || int(s.Hits) != exchanges {
		t.Errorf("%d hits and %d misses with %d exchanges on tape", s.Hits, s.Misses, exchanges)
	}
}

// TestMergedClientsReplay merges two recordings of a tour, and wants a client to find on the merged tape
// what it finds on either: no answer has a mark that it has not there, whatever was renumbered.
func TestMergedClientsReplay(t *testing.T) {
	t.Parallel()
	k := builtinKnowledge(t)
	for _, o := range tours {
		t.Run(o.profile, func(t *testing.T) {
			t.Parallel()
			dir, _ := recorded(t, o)
			other, _ := recorded(t, o)
			merged := merge.Merge(merge.Tapes{
				Ours: loaded(t, dir).Exchanges, Theirs: loaded(t, other).Exchanges,
			}, k.redactor)
			both := t.TempDir()
			library, err := cassettes.Open(both)
			if err != nil {
				t.Fatal(err)
			}
			defer library.Close()
			if _, err := library.Create("tape", merged.Exchanges()); err != nil {
				t.Fatal(err)
			}
			var came [2]deck.Summary
			for i, dir := range []string{dir, both} {
				d := replayed(t, dir, later)
				teller := tourist(own(d.URL, 1), 1, later())
				if _, err := o.tell(teller, t.Context()); err != nil {
					t.Error(err)
				}
				teller.HTTP.CloseIdleConnections()
				came[i] = d.Summary()
			}
			if alone, two := came[0], came[1]; two.Misses != 0 || !slices.Equal(alone.Marks, two.Marks) {
				t.Errorf("%d misses, marked %v; on one tape %v", two.Misses, two.Marks, alone.Marks)
			}
		})
	}
}
