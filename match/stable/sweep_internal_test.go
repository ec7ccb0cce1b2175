package stable

import (
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/profile"
)

func TestTextsAreFoundForThemselves(t *testing.T) {
	known := texts{}
	known.add("0190aabb-58cc-7372-a567-0e02b2c3d479", "5c1e0000-58cc-7372-8567-0e02b2c3d479")
	known.add("000383237484", "000183237484")
	known.add("1234", "9999")     // too short to be told apart
	known.add("12345678", "9999") // digits alone
	for _, tt := range []struct{ name, text, want string }{
		{"whole", "0190aabb-58cc-7372-a567-0e02b2c3d479", "5c1e0000-58cc-7372-8567-0e02b2c3d479"},
		{"in a path", "/orders/0190aabb-58cc-7372-a567-0e02b2c3d479/pay",
			"/orders/5c1e0000-58cc-7372-8567-0e02b2c3d479/pay"},
		{"twice", "000383237484,000383237484", "000183237484,000183237484"},
		{"in capitals", "0190AABB-58CC-7372-A567-0E02B2C3D479", "5C1E0000-58CC-7372-8567-0E02B2C3D479"},
		{"without dashes", "0190aabb58cc7372a5670e02b2c3d479", "5c1e000058cc737285670e02b2c3d479"},
		{"inside of a longer number", "9000383237484", "9000383237484"},
		{"with a letter behind", "000383237484a", "000383237484a"},
		{"short ones", "1234 12345678", "1234 12345678"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := known.in(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzTexts(f *testing.F) {
	f.Add("0190aabb-58cc", "/a/0190aabb-58cc/b")
	f.Add("ABCDEFGH1", "ABCDEFGH1ABCDEFGH1")
	f.Fuzz(func(t *testing.T, value, text string) {
		known := texts{}
		by := strings.Repeat("z", len(value))
		known.add(value, by)
		got := known.in(text)
		if len(value) < 8 && got != text {
			t.Errorf("a short value was found in %q", text)
		}
		if !known.holds(text) && got != text {
			t.Errorf("%q became %q, and holds nothing", text, got)
		}
	})
}

func TestHosts(t *testing.T) {
	h := newHosts()
	for _, tt := range []struct{ name, text, want string }{
		{"a port that the system chose", "http://127.0.0.1:42137/pay", "http://127.0.0.1:20001/pay"},
		{"another", "localhost:51234", "localhost:20002"},
		{"the first once more, in a text", "see http://127.0.0.1:42137.", "see http://127.0.0.1:20001."},
		{"IPv6", "http://[::1]:40000/", "http://[::1]:20003/"},
		{"a port that somebody chose", "http://127.0.0.1:8080/", "http://127.0.0.1:8080/"},
		{"a port of a stable tape", "http://127.0.0.1:20001/", "http://127.0.0.1:20001/"},
		{"another host", "http://pay.example:42137/", "http://pay.example:42137/"},
		{"no port", "127.0.0.1:421370", "127.0.0.1:421370"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := h.in(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestDatesAreQuiet(t *testing.T) {
	c := &clock{}
	recorded := time.Date(2026, 11, 23, 14, 53, 28, 377e6, time.UTC)
	moved := time.Date(2020, 1, 15, 12, 0, 2, 0, time.UTC)
	for _, tt := range []struct {
		name string
		form profile.Form
		text string
		want string
	}{
		{"of the answer", profile.ISO, "2026-11-23T14:53:28", "2020-01-15T12:00:02"},
		{"a millisecond before", profile.EpochMS, "1795445608376", "1579089602000"},
		{"a term of twenty minutes", profile.ISO, "2026-11-23T15:13:28.376Z", "2020-01-15T12:20:02.000Z"},
		{"seconds before", profile.ISO, "2026-11-23T14:53:20", "2020-01-15T11:59:54"},
		{"a day", profile.Day, "2026-11-24", "2020-01-16"},
		{"a month in three years", profile.Month, "202911", "202301"},
		{"no date", profile.ISO, "never", "never"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := c.date(tt.form, tt.text, recorded, moved)
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if again := c.date(tt.form, got, moved, moved); again != got {
				t.Errorf("moved by nothing it is %q", again)
			}
		})
	}
}

func TestComparisonIsOneToOne(t *testing.T) {
	c := &comparison{map[uint64]uint64{}, map[uint64]uint64{}}
	for _, step := range []struct {
		a, b uint64
		want bool
	}{{1, 10, true}, {2, 20, true}, {1, 10, true}, {1, 20, false}, {3, 10, false}, {3, 30, true}} {
		if got := c.same(step.a, step.b); got != step.want {
			t.Errorf("%d and %d: %v", step.a, step.b, got)
		}
	}
}
