package main

import "testing"

func TestSize(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		want int64 // 0: refused
	}{
		{"1", 1}, {"1023", 1023}, {"16M", 16 << 20}, {"500K", 500 << 10}, {"2G", 2 << 30},
		{"0", 0}, {"-1", 0}, {"", 0}, {"M", 0}, {"16MB", 0}, {"1.5M", 0}, {"1 M", 0}, {"16m", 0},
		{"9223372036854775808", 0}, {"9999999999G", 0},
	} {
		var got size
		if err := got.Set(test.text); (err == nil) != (test.want > 0) || int64(got) != test.want {
			t.Errorf("%q: got %d, %v", test.text, got, err)
			continue
		}
		var again size
		if test.want > 0 && (again.Set(got.String()) != nil || again != got) {
			t.Errorf("%q is written as %q", test.text, got.String())
		}
	}
}
