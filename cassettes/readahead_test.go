package cassettes

import (
	"errors"
	"hash/crc32"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/paytape/paytape/redact"
)

// manySpans are entries that lie one behind the other in a text.
func manySpans(t *testing.T, n int) []span {
	t.Helper()
	var spans []span
	var all strings.Builder
	for i := range n {
		x := exchangeOf("body", "key", "value")
		x.Meta.Number = i + 1
		e, err := newEntry(sealOf(t).Reopen(x))
		if err != nil {
			t.Fatal(err)
		}
		spans = append(spans, span{number: i + 1, at: int64(all.Len()), size: len(e.text),
			crc: crc32.Checksum(e.text, crcTable), seal: sealOf(t)})
		all.Write(e.text)
	}
	for i := range spans {
		spans[i].file = strings.NewReader(all.String())
	}
	return spans
}

// unreadable is a file that fails.
type unreadable struct{}

func (unreadable) ReadAt([]byte, int64) (int, error) { return 0, io.ErrClosedPipe }

// TestReadingAhead wants all exchanges in order, as far as they are asked for and can be read,
// and nobody reading afterwards: a goroutine that is left fails the bubble.
func TestReadingAhead(t *testing.T) {
	const n = 5*batchLength + 3
	spans := manySpans(t, n)
	broken := append([]span(nil), spans...)
	broken[2*batchLength+1].file = unreadable{}
	for _, c := range []struct {
		name  string
		spans []span
		most  int // exchanges that are asked for
		want  int
		err   error
	}{
		{"none", nil, n, 0, nil},
		{"all", spans, n + 1, n, nil},
		{"the first alone", spans, 1, 1, nil},
		{"up to the end of a batch", spans, batchLength, batchLength, nil},
		{"up to one that cannot be read", broken, n, 2*batchLength + 1, io.ErrClosedPipe},
		{"not as far as that", broken, 3, 3, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				reading, got := exchanges{spans: c.spans}, 0
				reading.all(func(x redact.Clean) bool {
					if got++; x.Exchange().Meta.Number != got {
						t.Errorf("number %d came as %d", x.Exchange().Meta.Number, got)
					}
					return got < c.most
				})
				if got != c.want || !errors.Is(reading.err, c.err) {
					t.Errorf("%d exchanges and %v; want %d and %v", got, reading.err, c.want, c.err)
				}
			})
		})
	}
}

// TestKeeping goes through a tape several times, of which some is kept from one time to the next.
func TestKeeping(t *testing.T) {
	t.Parallel()
	const n = 2*batchLength + 3
	spans := manySpans(t, n)
	size := spans[0].size
	for _, c := range []struct {
		name string
		keep int
		want int // exchanges that are kept
	}{
		{"nothing", 0, 0},
		{"the first", 1, 1},
		{"some", 10 * size, 10},
		{"all", 1 << 30, n},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := &Reader{spans: spans, Keep: c.keep}
			for round := range 4 {
				number := 0
				for x := range r.All {
					if number++; x.Exchange().Meta.Number != number {
						t.Fatalf("round %d: exchange %d in place of %d", round, x.Exchange().Meta.Number, number)
					}
				}
				if number != n || r.Err() != nil {
					t.Fatalf("round %d: %d exchanges: %v", round, number, r.Err())
				}
				if got := len(r.kept); got > c.want+1 || round%2 == 0 && got < c.want-1 ||
					round%2 == 1 && c.want > 0 && got > 0 {
					t.Errorf("round %d: %d are kept, want %d", round, got, c.want)
				}
			}
			for range r.All {
				break // whoever stops has all of them the next time all the same
			}
			number := 0
			for range r.All {
				number++
			}
			if number != n {
				t.Errorf("%d exchanges after one who has stopped", number)
			}
		})
	}
}
