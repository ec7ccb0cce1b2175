package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/cassettes"
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
	got := byOperation([]match.Recorded{
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
	if got := byOperation(many); len(got) != 51 || got[50] != "and 10 more operations" {
		t.Errorf("%d lines, the last %q", len(got), got[len(got)-1])
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
		if got := recordingLine(test.come); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestHitsTable lists all rules for a program, and for a person those that took out most.
func TestHitsTable(t *testing.T) {
	t.Parallel()
	all := []ruleHits{{"gateway/a", 1}, {"gateway/b", 20}, {"gateway/c", 3}, {"gateway/d", 3}}
	for most, want := range map[int]string{
		4: "HITS  RULE\n1     gateway/a\n20    gateway/b\n3     gateway/c\n3     gateway/d\n",
		2: "HITS  RULE\n20    gateway/b\n3     gateway/c\n" +
			"4     by 2 rules more, which a pipe or a file has all\n",
	} {
		if got := hitsTable(all, most); got != want {
			t.Errorf("%d of %d:\n%s\nwant\n%s", most, len(all), got, want)
		}
	}
	if got := hitsTable(nil, 0); got != "" {
		t.Errorf("of no rules: %q", got)
	}
}
