package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNearest(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"listen": true, "log-level": true, "log-format": true, "dir": true,
		"help": false}
	for _, test := range []struct{ name, give, want string }{
		{"a letter left out", "lisen", "listen"},
		{"two letters exchanged", "lsiten", "listen"},
		{"an underscore", "log_level", "log-level"},
		{"another case", "Listen", "listen"},
		{"another word", "colour", ""},
		{"a short word that is like another short one", "dor", "dir"},
		{"a short word that is not", "abc", ""},
		{"a flag that is none", "halp", ""},
		{"nothing", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := mostSimilar(test.give, known); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A distance is none of a thing to itself, the same both ways, and never more than the length
// of the longer nor less than what the lengths differ by.
func FuzzSlips(f *testing.F) {
	f.Add("listen", "lisen")
	f.Add("", "a")
	f.Add("\xff", "\u00ff")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 64 || len(b) > 64 {
			return
		}
		n := editDistance(a, b)
		switch {
		case editDistance(a, a) != 0, n != editDistance(b, a), n == 0 && a != b:
			t.Errorf("%q and %q: %d", a, b, n)
		case n > max(len(a), len(b)) || n < max(len(a), len(b))-min(len(a), len(b)):
			t.Errorf("%q and %q: %d is out of bounds", a, b, n)
		case editDistance(a+"x", b+"x") != n:
			t.Errorf("%q and %q: a common end makes a difference", a, b)
		}
	})
}

func TestStrays(t *testing.T) {
	t.Parallel()
	got := unknownVariables(testRoot(), []string{
		"PAYTAPE_LISTEN=a", "PAYTAPE_LISTNE=s3cret", "PAYTAPE_URL=http://127.0.0.1:1", "HOME=/",
		"PAYTAPE_=", "PAYTAPE_WHATEVER_ELSE=1", "PAYTAPE_CALLBACK_KEY=k", "PAYTAPE_HELP=1",
	})
	want := []string{
		"PAYTAPE_ is the name of no setting",
		"PAYTAPE_HELP is the name of no setting",
		"PAYTAPE_LISTNE is the name of no setting: PAYTAPE_LISTEN is",
		"PAYTAPE_WHATEVER_ELSE is the name of no setting",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
