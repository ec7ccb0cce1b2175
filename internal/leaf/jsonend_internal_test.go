package leaf

import (
	"math/rand/v2"
	"testing"
)

// TestPlainEnd compares what looks at eight bytes together with what looks at each.
func TestPlainEnd(t *testing.T) {
	near := []byte{0, 0x1f, ' ', '!', '"', '#', '[', '\\', ']', 'a', 0x7f, 0x80, 0xa0, 0xa2, 0xdc, 0xff}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		text := make([]byte, random.IntN(24))
		for i := range text {
			text[i] = 'a'
			if random.IntN(4) == 0 {
				text[i] = near[random.IntN(len(near))]
			}
		}
		at := random.IntN(len(text) + 1)
		want := at
		for want < len(text) && inString[text[want]] {
			want++
		}
		if got := plainEnd(string(text), at); got != want {
			t.Fatalf("%q from %d: got %d, want %d", text, at, got, want)
		}
	}
}
