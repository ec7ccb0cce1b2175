package gateway

import "testing"

func TestIsPhone(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"1234567": true, "+1234567": true, "001234567": true, "123456789012345": true,
		"+123456789012345": true, "00123456789012345": true, "123456": false,
		"+123456": false, "00123456": false, "1234567890123456": false, "++1234567": false,
		"+001234567": true, // nine digits, as it stands
		"12-34-567":  false, "": false, "+": false,
	} {
		if got := isPhone(s); got != want {
			t.Errorf("isPhone of %q is %t", s, got)
		}
	}
}
