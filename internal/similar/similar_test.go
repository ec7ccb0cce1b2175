package similar

import "testing"

func TestMost(t *testing.T) {
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
			if got := Most(test.give, known); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A distance is none of a thing to itself, the same both ways, and never more than the length
// of the longer nor less than what the lengths differ by.
func FuzzDistance(f *testing.F) {
	f.Add("listen", "lisen")
	f.Add("", "a")
	f.Add("\xff", "\u00ff")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 64 || len(b) > 64 {
			return
		}
		between := func(a, b string) int { return distance(a, b, make([]int, len(b)+1)) }
		n := between(a, b)
		switch {
		case between(a, a) != 0, n != between(b, a), n == 0 && a != b:
			t.Errorf("%q and %q: %d", a, b, n)
		case n > max(len(a), len(b)) || n < max(len(a), len(b))-min(len(a), len(b)):
			t.Errorf("%q and %q: %d is out of bounds", a, b, n)
		case between(a+"x", b+"x") != n:
			t.Errorf("%q and %q: a common end makes a difference", a, b)
		}
	})
}
