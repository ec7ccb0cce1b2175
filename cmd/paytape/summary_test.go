package main

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

func TestRanges(t *testing.T) {
	t.Parallel()
	var odd []int
	for n := range 40 {
		odd = append(odd, 2*n+1)
	}
	for _, test := range []struct {
		name string
		give []int
		want string
	}{
		{"none", nil, ""},
		{"one", []int{7}, "7"},
		{"neighbours", []int{1, 2}, "1-2"},
		{"gaps", []int{1, 3, 4, 5, 9}, "1, 3-5, 9"},
		{"out of order, and twice", []int{5, 4, 5}, "4-5"},
	} {
		if got := ranges(test.give); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
	if got := ranges(odd); !strings.HasSuffix(got, ", 59, ...") {
		t.Errorf("a long list ends with %q", got[len(got)-12:])
	}
}

func TestUnusedExchangesAreGrouped(t *testing.T) {
	t.Parallel()
	got := grouped([]match.Recorded{
		{Cassette: "a", Number: 1, Operation: "register.do"}, {Cassette: "a", Number: 2, Operation: "x"},
		{Cassette: "a", Number: 3, Operation: "register.do"}, {Cassette: "b", Number: 1, Operation: "x"},
	})
	want := []string{"a register.do 1, 3", "a x 2", "b x 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var many []match.Recorded
	for n := range 60 {
		many = append(many, match.Recorded{Cassette: "a", Number: n, Operation: fmt.Sprint("GET /", n)})
	}
	if got := grouped(many); len(got) != 51 || got[50] != "and 10 more operations" {
		t.Errorf("%d lines, the last %q", len(got), got[len(got)-1])
	}
}

func TestTheClockOfAReplay(t *testing.T) {
	t.Parallel()
	began := time.Date(2025, 2, 28, 23, 59, 0, 0, time.FixedZone("", 3*60*60))
	x := &leaf.Exchange{}
	x.Meta.At = began
	dated, undated := match.Cassette{Exchanges: []*leaf.Exchange{x}}, match.Cassette{}
	for _, test := range []struct {
		name, clock string
		cassette    match.Cassette
		want        time.Time // zero: when the clock is asked
		warned      bool
	}{
		{"now", "now", dated, time.Time{}, false},
		{"as recorded", "recorded", dated, began, false},
		{"as recorded, without a time", "recorded", undated, time.Time{}, true},
		{"a time", "2031-05-17T09:30:00Z", dated,
			time.Date(2031, 5, 17, 9, 30, 0, 0, time.UTC), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := playing{
					ids: freshIDs, clock: test.clock, marked: serveMarked, dates: moveDates,
					latency: noLatency,
				}
				if err := p.check(); err != nil {
					t.Fatal(err)
				}
				var said strings.Builder
				o := p.options(&knowledge{}, []match.Cassette{test.cassette}, voice{w: &said})
				if test.want.IsZero() {
					test.want = time.Now()
				}
				checkClock(t, o.Now, test.want)
				const warning = "paytape: warning: the tape does not say when it was recorded"
				if warned := strings.HasPrefix(said.String(), warning); warned != test.warned {
					t.Errorf("said: %s", said.String())
				}
			})
		})
	}
}

// checkClock wants a clock to show a time and to run on.
func checkClock(t *testing.T, now func() time.Time, want time.Time) {
	t.Helper()
	at := now()
	if shown := at.Format(time.RFC3339Nano); shown != want.Format(time.RFC3339Nano) {
		t.Errorf("the clock shows %s, want %s", shown, want)
	}
	wait(time.Second)
	if moved := now().Sub(at); moved != time.Second {
		t.Errorf("in a second the clock moves on by %v", moved)
	}
}

func TestTold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		come cassettes.Summary
		want string
	}{
		{"nothing", cassettes.Summary{}, "recorded nothing"},
		{"a new tape", cassettes.Summary{File: "a.yaml", Exchanges: 2, New: 2},
			"recorded 2 exchanges to a.yaml"},
		{"a longer tape", cassettes.Summary{File: "a.yaml", Exchanges: 3, New: 2},
			"recorded 2 exchanges to a.yaml, which holds 3"},
		{"no room for the tape", cassettes.Summary{Journal: "a.journal", New: 2},
			"recorded 2 exchanges, still in a.journal until the next recording of the cassette"},
		{"one exchange", cassettes.Summary{File: "a.yaml", Exchanges: 1, New: 1},
			"recorded 1 exchange to a.yaml"},
		{"no room and nothing to fold", cassettes.Summary{Journal: "a.journal"}, "recorded nothing"},
	} {
		if got := told(test.come); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}
