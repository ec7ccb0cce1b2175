package mint_test

import (
	"testing"

	"github.com/paytape/paytape/internal/sandbox/mint"
)

func TestHideCards(t *testing.T) {
	t.Parallel()
	card := "411111" + "1111111111"
	for s, want := range map[string]string{
		"":                      "",
		"A-1":                   "A-1",
		"123456789012":          "123456789012",
		card:                    "411111******1111",
		"no. " + card + ", no.": "no. 411111******1111, no.",
		card + "a" + card:       "411111******1111a411111******1111",
		card + "0000":           card + "0000", // 20 digits are an account
		"1234567890123":         "123456***0123",
	} {
		if got := mint.HideCards(s); got != want {
			t.Errorf("a text of %d bytes: got %d bytes, want %q", len(s), len(got), want)
		}
	}
}
