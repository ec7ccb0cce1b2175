package proxy

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// This file is of the package itself: the rules of a body deserve a table of their own.

func TestHoldbackChangesNoByte(t *testing.T) {
	text := strings.Repeat("0123456789", 700)
	sources := map[string]func(io.Reader) io.Reader{
		"a plain source":             func(r io.Reader) io.Reader { return r },
		"bytes one by one":           iotest.OneByteReader,
		"halves":                     iotest.HalfReader,
		"the end together with data": iotest.DataErrReader,
		"one by one, end with the last": func(r io.Reader) io.Reader {
			return iotest.DataErrReader(iotest.OneByteReader(r))
		},
	}
	readers := map[string]func(io.Reader) io.Reader{
		"whole":      func(r io.Reader) io.Reader { return r },
		"one by one": iotest.OneByteReader,
		"halves":     iotest.HalfReader,
	}
	for source, from := range sources {
		for reader, to := range readers {
			for _, n := range []int{0, 1, 2, 3, 4095, 7000} {
				for _, left := range []int64{-1, int64(n)} {
					h := &holdback{src: io.NopCloser(from(strings.NewReader(text[:n]))), left: left}
					got, err := io.ReadAll(to(h))
					if err != nil || string(got) != text[:n] {
						t.Errorf("%s read %s: %d of %d bytes, %v", source, reader, len(got), n, err)
					}
				}
			}
		}
	}
}

// A reader has the last byte only after the source has said that it is the last.
func TestHoldbackKeepsTheLastByte(t *testing.T) {
	for _, size := range []int{1, 2, 3, 64} {
		src := &stepped{steps: []string{"a", "bc", "def"}} // the end comes by itself
		h := &holdback{src: src, left: -1}
		var got []byte
		p := make([]byte, size)
		for {
			n, err := h.Read(p)
			got = append(got, p[:n]...)
			if len(got) >= src.given && !src.ended {
				t.Fatalf("buffer of %d: %d bytes released of %d", size, len(got), src.given)
			}
			if err != nil {
				break
			}
		}
		if string(got) != "abcdef" {
			t.Errorf("buffer of %d: got %q", size, got)
		}
	}
}

// Where the length is known, only the last byte of all waits for the end.
func TestHoldbackKeepsNothingElseBack(t *testing.T) {
	for _, size := range []int{1, 2, 3, 64} {
		src := &stepped{steps: []string{"a", "bc", "def"}}
		h := &holdback{src: src, left: 6}
		got, p := 0, make([]byte, size)
		for got < 5 {
			n, err := h.Read(p)
			if got += n; err != nil || got != src.given && got != 5 {
				t.Fatalf("buffer of %d: %d bytes released of %d, %v", size, got, src.given, err)
			}
		}
		if src.ended {
			t.Errorf("buffer of %d: the source was read to its end", size)
		}
		if n, _ := h.Read(p); n != 1 || !src.ended {
			t.Errorf("buffer of %d: %d bytes at the end, which has come: %t", size, n, src.ended)
		}
	}
}

// stepped gives its steps one a time and then the end by itself.
type stepped struct {
	steps []string
	given int
	ended bool
}

func (s *stepped) Read(p []byte) (int, error) {
	if len(s.steps) == 0 {
		s.ended = true
		return 0, io.EOF
	}
	n := copy(p, s.steps[0])
	if s.steps[0] = s.steps[0][n:]; s.steps[0] == "" {
		s.steps = s.steps[1:]
	}
	s.given += n
	return n, nil
}

func (s *stepped) Close() error { return nil }

func TestHoldbackPassesWhatCameBeforeACut(t *testing.T) {
	cut := errors.New("cut")
	src := io.MultiReader(strings.NewReader("abc"), iotest.ErrReader(cut))
	h := &holdback{src: io.NopCloser(src), left: 9}
	got, err := io.ReadAll(h)
	if string(got) != "abc" || !errors.Is(err, cut) {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestSpoolKeepsAllOrNothing(t *testing.T) {
	s := spool{limit: 4}
	s.add([]byte("ab"))
	s.add([]byte("cd"))
	if s.over() || s.text() != "abcd" {
		t.Errorf("at the limit: over %t, %q", s.over(), s.text())
	}
	s.add([]byte("e"))
	s.add([]byte("f"))
	if !s.over() || s.pieces != nil || s.n != 6 {
		t.Errorf("above it: over %t, %d kept of %d", s.over(), len(s.text()), s.n)
	}
}

func TestSpoolKeepsBytesInOrder(t *testing.T) {
	text := strings.Repeat("0123456789", 300<<10)
	for _, step := range []int{777, 32 << 10, len(text)} {
		s := spool{limit: int64(len(text))}
		for rest := text; rest != ""; rest = rest[min(step, len(rest)):] {
			s.add([]byte(rest[:min(step, len(rest))]))
		}
		if s.text() != text {
			t.Errorf("by %d bytes: the text differs", step)
		}
	}
}

func TestTapTellsItsEndOnce(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name string
		use  func(io.ReadCloser)
		src  io.Reader
		want error
	}{
		{
			"read to the end",
			func(r io.ReadCloser) { _, _ = io.ReadAll(r) }, strings.NewReader("x"), io.EOF,
		},
		{"closed before", func(r io.ReadCloser) {}, strings.NewReader("x"), errClosed},
		{"failed", func(r io.ReadCloser) { _, _ = io.ReadAll(r) }, iotest.ErrReader(broken), broken},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var ends []error
			b := &tap{src: io.NopCloser(tt.src), end: func(err error) { ends = append(ends, err) }}
			tt.use(b)
			_ = b.Close()
			_ = b.Close()
			if len(ends) != 1 {
				t.Fatalf("told %d times", len(ends))
			}
			if !errors.Is(ends[0], tt.want) {
				t.Errorf("told %v, want %v", ends[0], tt.want)
			}
		})
	}
}

func TestReadAheadLosesNothing(t *testing.T) {
	text := strings.Repeat("x", 100)
	for _, limit := range []int64{0, 1, 99, 100, 101} {
		ahead, whole, rest := readAhead(io.NopCloser(strings.NewReader(text)), limit)
		if whole != (limit >= 100) || whole && string(ahead) != text {
			t.Errorf("limit %d: whole is %t with %d bytes", limit, whole, len(ahead))
		}
		got, err := io.ReadAll(rest)
		if err != nil || string(got) != text {
			t.Errorf("limit %d: the body has %d bytes, %v", limit, len(got), err)
		}
	}
}

// receipts are what an answer was told.
type receipts []bool

func (r *receipts) Delivered(whole bool) { *r = append(*r, whole) }

// A client that has the last byte may send its next request at once, so the answer counts as
// delivered before that byte goes out; a door that never comes for the end has not sent it.
func TestDelivery(t *testing.T) {
	tests := []struct {
		name string
		read int // bytes the door reads before it closes; one more is the end
		want []bool
	}{
		{"read to the end", 7, []bool{true}},
		{"the last byte could not be written", 6, []bool{true, false}},
		{"cut", 3, []bool{false}},
		{"never read", 0, []bool{false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var told receipts
			var d delivery
			d.deliver(&told, "answer")
			for range tt.read {
				_, _ = d.Read(make([]byte, 1))
			}
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(told, tt.want) {
				t.Errorf("told %v, want %v", told, tt.want)
			}
		})
	}
}
