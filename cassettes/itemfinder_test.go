package cassettes

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestItemsAcrossBlocks finds entries whose lines begin, end and go on at any place of a block.
func TestItemsAcrossBlocks(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var entries []entry
	for number := range 60 {
		x := exchangeOf("body", "key", "value")
		x.Meta.Number = number + 1
		x.Request.Body = strings.Repeat("a b\n", random.IntN(blockSize/16))
		x.Response.Body = strings.Repeat("x", random.IntN(blockSize*5/2)) // one line
		text, err := emit(x)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry{number: number + 1, text: text})
	}
	data := render(t, entries)
	spans, err := unseal(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(spans) != len(entries) {
		t.Fatalf("%d entries and %v, want %d", len(spans), err, len(entries))
	}
	for i, s := range spans {
		if e, err := s.entry(); err != nil || !bytes.Equal(e.text, entries[i].text) {
			t.Fatalf("entry %d reads as something else, error %v", i+1, err)
		}
	}
}

// countedFile counts how often it was read, and how much.
type countedFile struct {
	io.ReaderAt
	calls, bytes int
}

func (c *countedFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.calls++
	c.bytes += n
	return n, err
}

// TestATapeIsReadTwice counts what loading asks of the file: each byte once for the seal and once
// for the exchanges, and many entries at once.
func TestATapeIsReadTwice(t *testing.T) {
	for _, n := range []int{500, 2000} {
		spans := manySpans(t, n)
		var entries []entry
		for _, s := range spans {
			e, err := s.entry()
			if err != nil {
				t.Fatal(err)
			}
			entries = append(entries, e)
		}
		data := render(t, entries)
		file := &countedFile{ReaderAt: bytes.NewReader(data)}
		spans, err := unseal(file, int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		reading := exchanges{spans: spans}
		for range reading.all {
		}
		if reading.err != nil {
			t.Fatal(reading.err)
		}
		if most := 2*len(data) + 1024; file.bytes > most {
			t.Errorf("%d exchanges: %d bytes were read, want %d at most", n, file.bytes, most)
		}
		if most := n/32 + len(data)/blockSize + 10; file.calls > most {
			t.Errorf("%d exchanges: the file was read %d times, want %d at most", n, file.calls, most)
		}
	}
}
