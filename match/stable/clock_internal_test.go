package stable

import (
	"testing"
	"time"

	"github.com/paytape/paytape/internal/profile"
)

// TestDateOfAnInstant moves dates that tell of an instant to where the clock stands on a stable tape.
func TestDateOfAnInstant(t *testing.T) {
	recorded := time.Date(2026, 12, 31, 13, 42, 29, 516e6, time.UTC)
	moved := time.Date(2020, 1, 15, 12, 20, 0, int(fraction), time.UTC)
	for _, tt := range []struct {
		why        string
		form       profile.Form
		text, want string
	}{
		{"the instant itself, in milliseconds", profile.EpochMS, "1798724549516", "1579090800250"},
		{"milliseconds before it are noise", profile.EpochMS, "1798724549100", "1579090800250"},
		{"two seconds before it are none", profile.EpochMS, "1798724547516", "1579090798250"},
		{"the second in which it is", profile.ISO, "2026-12-31T13:42:29Z", "2020-01-15T12:20:00Z"},
		{"from some instant of the second before", profile.ISO, "2026-12-31T13:42:28Z", "2020-01-15T12:20:00Z"},
		{"a term of half a minute, in whole seconds", profile.ISO, "2026-12-31T13:42:59Z", "2020-01-15T12:20:30Z"},
		{"a term of ten minutes, in whole seconds", profile.ISO, "2026-12-31T13:52:29Z", "2020-01-15T12:30:00Z"},
	} {
		if got := (&clock{}).date(tt.form, tt.text, recorded, moved); got != tt.want {
			t.Errorf("%s: %s is %s, want %s", tt.why, tt.text, got, tt.want)
		}
	}
}
