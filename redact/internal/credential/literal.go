package credential

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/internal/words"
)

// minRandom is the length from which on a literal counts as a credential.
const minRandom = 8

// IsRandom reports whether a literal looks as if nobody had meant it to be read: letters and digits,
// no spaces, and none of the signs of code.
func IsRandom(s string) bool {
	digits, letters := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits++
		case scan.IsAlphanumeric(c):
			letters++
		case strings.IndexByte(" ()[]{}<>%\\$,;", c) >= 0:
			return false
		}
	}
	return len(s) >= minRandom && digits > 0 && letters > 0
}

// IsPlaceholder reports whether a value only stands where a secret would: a reference such as
// ${PASSWORD}, <token>, {{token}}, %s or "Bearer {{token}}", a mask, or a word that says so.
func IsPlaceholder(value string) bool {
	value = value[len(words.Scheme(value)):]
	bare := strings.Trim(value, "*.xX•-_ ")
	if bare == "" || strings.IndexByte("$<{%", value[0]) >= 0 || value[0] == '[' {
		return value == "" || value[0] != '%' || len(value) < 3 || !percentEscape(value)
	}
	return words.IsPlaceholder(bare)
}

// percentEscape reports whether s begins with an escape rather than a verb of printf.
func percentEscape(s string) bool {
	return len(s) > 2 && leaf.Hex(s[1]) >= 0 && leaf.Hex(s[2]) >= 0
}
