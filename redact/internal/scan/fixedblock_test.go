package scan

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// fixedStream compresses short text, for which the writer of streams takes the fixed codes.
func fixedStream(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = w.Write([]byte(text)); err == nil {
		err = w.Close()
	}
	if err != nil || b.Bytes()[0]>>1&3 != fixedCodes {
		t.Fatalf("no block of fixed codes for %q: %v", text, err)
	}
	return b.Bytes()
}

// Text in a block of fixed codes is seen, whole or cut off.
func TestFixedBlocksOfText(t *testing.T) {
	for _, text := range []string{
		"card=4000001111111118", "hello hello hello hello", `{"a":"b","a":"b","a":"bcdef"}`,
		"h\u00e9llo w\u00f6rld \u00fcber", strings.Repeat("ab", 20),
	} {
		b := fixedStream(t, text)
		if !holdsFixed(b) {
			t.Errorf("a stream of %q is taken for noise", text)
		}
		if cut := b[:len(b)-3]; !holdsFixed(cut) {
			t.Errorf("a stream of %q that was cut off is taken for noise", text)
		}
	}
}

// holdsFixed turns away nothing in which the reader of streams finds something, and most of the noise.
func TestFixedBlocksAsTheReaderSeesThem(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	reader := flate.NewReader(nil)
	text := fixedStream(t, "card 4000001111111118 of the card")
	const tried = 20_000
	doubted := 0
	for n := range tried {
		b := make([]byte, minDeflate+random.IntN(40))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		noise := n%2 == 0
		if !noise {
			copy(b[4:], text)
		}
		b[0] = b[0]&^6 | fixedCodes<<1
		if holdsFixed(b) {
			if noise {
				doubted++
			}
			continue
		}
		if err := reader.(flate.Resetter).Reset(bytes.NewReader(b), nil); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(reader)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || len(got) < minTextRun {
			continue
		}
		if mayRead(got, true) {
			t.Fatalf("a stream of %d bytes is turned away: %x", len(b), b)
		}
	}
	t.Logf("%d of %d streams of noise are left to the reader", doubted, tried/2)
	if doubted > tried/2/20 {
		t.Errorf("%d of %d streams of noise are left to the reader", doubted, tried/2)
	}
}
