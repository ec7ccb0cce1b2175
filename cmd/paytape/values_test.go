package main

import (
	"testing"
	"time"
)

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

func TestParseClock(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, give, want string // want in RFC 3339; "" for an error
	}{
		{"universal time", "2031-05-17T09:30:00Z", "2031-05-17T09:30:00Z"},
		{"a zone stays", "2031-05-17T09:30:00+03:00", "2031-05-17T09:30:00+03:00"},
		{"a fraction of a second", "2031-05-17T09:30:00.5Z", "2031-05-17T09:30:00Z"},
		{"a leap day", "2032-02-29T00:00:00Z", "2032-02-29T00:00:00Z"},
		{"a day that there is not", "2031-02-29", ""},
		{"an hour without a zone", "2031-05-17T09:30:00", ""},
		{"a year", "2031", ""},
		{"a word", "tomorrow", ""},
		{"nothing", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := parseClock(test.give)
			switch {
			case test.want == "" && err == nil:
				t.Errorf("%q is taken for %s", test.give, got)
			case test.want != "" && (err != nil || got.Format(time.RFC3339) != test.want):
				t.Errorf("got %s, %v, want %s", got.Format(time.RFC3339), err, test.want)
			}
		})
	}
}

func TestADateIsItsMidnightHere(t *testing.T) {
	t.Parallel()
	got, err := parseClock("2031-05-17")
	if want := time.Date(2031, 5, 17, 0, 0, 0, 0, time.Local); err != nil || !got.Equal(want) {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
