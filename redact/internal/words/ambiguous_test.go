package words

import "testing"

// TestLooksGenerated wants a reason for every value: what the server made, or what people wrote.
func TestLooksGenerated(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		why, value string
		want       bool
	}{
		{"letters and digits", "s3ss10n-9", true},
		{"letters of both cases, long enough to need no digit", "sTxQpWmRzLkVbNhJdGfY", true},
		{"letters of both cases, too short for that", "sTxQpWmRzLk", false},
		{"fewer than eight characters", "s3ss10n", false},
		{"a word", "enabledforever", false},
		{"a number", "150000000", false},
		{"a date", "2026-11-20T10:15:30Z", false},
		{"an address", "https://h/s3ss10n", false},
		{"several words", "s3ss10n of today", false},
		{"an object", `{"id":"s3ss10n"}`, false},
		{"the name of an algorithm", "HMAC-SHA256", false},
	} {
		if got := looksGenerated(tt.value); got != tt.want {
			t.Errorf("%s: got %v", tt.why, got)
		}
	}
}
