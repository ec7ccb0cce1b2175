package pieces_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/paytape/paytape/cassettes/store/blob"
	"github.com/paytape/paytape/cassettes/store/pieces"
	"github.com/paytape/paytape/internal/raced"
)

// exchange returns the text of an exchange as a tape has it, of about a size.
func exchange(number, cause, seed, size int) string {
	random := make([]byte, size/2)
	_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8), byte(seed >> 16)}).Read(random)
	var b strings.Builder
	b.Grow(size + 200)
	b.WriteString("- request:\n    body: \"" + hex.EncodeToString(random))
	b.WriteString("\"\n  paytape:\n")
	if cause > 0 {
		fmt.Fprintf(&b, "    callback:\n      of: %d\n      attempt: 1\n", cause)
	}
	fmt.Fprintf(&b, "    number: %d\n", number)
	return b.String()
}

// tape returns the text of a tape of exchanges, which are told apart by their seeds. Each tenth is a
// callback of the third before it.
func tape(seeds []int, size int) []byte {
	var b bytes.Buffer
	b.Grow(len(seeds)*(size+200) + 200)
	b.WriteString("# paytape cassette\n---\nversion: 1\ninteractions:\n")
	for i, seed := range seeds {
		cause := 0
		if seed%10 == 0 && i > 3 {
			cause = i - 2
		}
		b.WriteString(exchange(i+1, cause, seed, size))
	}
	fmt.Fprintf(&b, "# paytape: %d exchanges, sha256 xyz\n", len(seeds))
	return b.Bytes()
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// cut returns all pieces, which make the file again.
func cut(t testing.TB, data []byte) []pieces.Piece {
	t.Helper()
	var all []pieces.Piece
	rest := data
	for p, err := range pieces.Cut(bytes.NewReader(data)) {
		if err != nil {
			t.Fatal(err)
		}
		if len(p.Raw) == 0 || len(p.Raw) > pieces.Most {
			t.Fatalf("a piece of %d bytes", len(p.Raw))
		}
		restored, err := pieces.Restore(p.Text, p.Base)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(rest, p.Raw) || !bytes.Equal(restored, p.Raw) {
			t.Fatalf("of %d bytes, those behind %d became others", len(data), len(data)-len(rest))
		}
		rest = rest[len(p.Raw):]
		all = append(all, p)
	}
	if len(rest) > 0 {
		t.Fatalf("of %d bytes the last %d are in no piece", len(data), len(rest))
	}
	return all
}

// moved returns how many bytes of a tape are in pieces that another tape has not.
func moved(t *testing.T, before, after []byte) int {
	t.Helper()
	had := map[blob.Digest]bool{}
	for _, p := range cut(t, before) {
		had[blob.DigestOf(p.Text)] = true
	}
	bytes := 0
	for _, p := range cut(t, after) {
		if !had[blob.DigestOf(p.Text)] {
			bytes += len(p.Text)
		}
	}
	return bytes
}

// Whatever is done to one flow, little of a large tape moves: the flow's own pieces, and the last, which
// has the seal. How much that is does not grow with the tape.
func TestAChangedFlowMovesLittle(t *testing.T) {
	t.Parallel()
	exchanges, size := 8000, 3000 // 24 MB
	if raced.Enabled {
		exchanges = 3000 // one goroutine cuts
	}
	seeds := upTo(exchanges)
	before := tape(seeds, size)
	for name, change := range map[string]func([]int) []int{
		"answers differ": func(s []int) []int { s[2000], s[2002], s[2007] = -1, -2, -3; return s },
		"one poll more":  func(s []int) []int { return append(s[:2003:2003], append([]int{-1}, s[2003:]...)...) },
		"one poll less":  func(s []int) []int { return append(s[:2003:2003], s[2004:]...) },
		"nothing":        func(s []int) []int { return s },
	} {
		bytes := moved(t, before, tape(change(upTo(exchanges)), size))
		if bytes > 4<<20 || name == "nothing" && bytes > 0 {
			t.Errorf("%s: %d bytes move", name, bytes)
		}
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		data        []byte
		least, most int // pieces
	}{
		"nothing":                    {nil, 0, 0},
		"a small tape":               {tape(upTo(20), 1000), 1, 1},
		"a large tape":               {tape(upTo(10000), 2000), 15, 80},
		"a long exchange":            {tape(upTo(3), 11<<20), 9, 13},
		"exchanges that are all one": {bytes.Repeat([]byte(exchange(1, 0, 7, 3000)), 4000), 3, 4},
		"one long line":              {bytes.Repeat([]byte("x"), 9<<20), 3, 3},
		"empty lines":                {bytes.Repeat([]byte("\n"), 300000), 1, 1},
		"no line feed at the end":    {[]byte("- request:\n    number: 3"), 1, 1},
		"what looks like a distance": {[]byte("- request:\n    number: +3\n"), 1, 1},
		"numbers that go down": {
			[]byte("- a:\n    number: 3\n- b:\n    number: 2\n- c:\n    number: 4\n"), 1, 1},
	} {
		if n := len(cut(t, test.data)); n < test.least || n > test.most {
			t.Errorf("%s: %d pieces", name, n)
		}
	}
}

// Long exchanges under other numbers have all pieces but those of their ends.
func TestLongExchangesStayWhereTheyWere(t *testing.T) {
	t.Parallel()
	before, after := tape([]int{1, 2, 3}, 9<<20), tape([]int{4, 1, 2, 3}, 9<<20)
	if bytes := moved(t, before, after); bytes > 15<<20 {
		t.Errorf("%d bytes of %d move", bytes, len(after))
	}
}

func TestAReaderThatFails(t *testing.T) {
	t.Parallel()
	broken := io.MultiReader(strings.NewReader("- request:\n"), iotest.ErrReader(io.ErrNoProgress))
	var failed error
	for _, err := range pieces.Cut(broken) {
		failed = err
	}
	if failed != io.ErrNoProgress {
		t.Errorf("got %v", failed)
	}
	for p, err := range pieces.Cut(bytes.NewReader(tape(upTo(9000), 1000))) {
		if err != nil || len(p.Raw) == 0 {
			t.Errorf("%d bytes, %v", len(p.Raw), err)
		}
		break // whoever has enough is asked no more
	}
}

func TestRestoreRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"- a:\n    number: +0\n", "- a:\n    number: +-1\n", "- a:\n    number: +x\n",
		"- a:\n    number: +9223372036854775807\n",
		"- a:\n    callback:\n      of: -9\n    number: +1\n",
		"- a:\n    callback:\n      of: -\n    number: +1\n",
	} {
		if raw, err := pieces.Restore([]byte(text), 7); err == nil {
			t.Errorf("%q became %q", text, raw)
		}
	}
}

func TestIndex(t *testing.T) {
	t.Parallel()
	a, b := blob.DigestOf([]byte("a")), blob.DigestOf([]byte("b"))
	x := pieces.Index{Tape: a, Size: 9, Entries: []pieces.Entry{
		{Blob: blob.Blob{Digest: a, Size: 3}, Text: b, TextSize: 4, Base: 0},
		{Blob: blob.Blob{Digest: b, Size: 5}, Text: a, TextSize: 4, Base: pieces.Verbatim},
		{Blob: blob.Blob{Digest: a, Size: 3}, Text: b, TextSize: 4, Base: 12},
	}}
	text := x.Encode()
	back, err := pieces.ParseIndex(text)
	if err != nil || !bytes.Equal(back.Encode(), text) {
		t.Fatalf("%v: %s", err, text)
	}
	if n := len(back.Blobs()); n != 2 {
		t.Errorf("%d blobs", n)
	}
	for name, change := range map[string]func(string) string{
		"cut":             func(s string) string { return s[:len(s)-1] },
		"a row less":      func(s string) string { return s[:strings.LastIndex(s[:len(s)-1], "\n")+1] },
		"another version": func(s string) string { return strings.Replace(s, "tape 1", "tape 2", 1) },
		"a large piece":   func(s string) string { return strings.Replace(s, " 4 ", " 999999999 ", 1) },
		"an empty piece":  func(s string) string { return strings.Replace(s, " 4 ", " 0 ", 1) },
		"an empty blob":   func(s string) string { return strings.Replace(s, " 5 ", " 0 ", 1) },
		"a sign":          func(s string) string { return strings.Replace(s, " 12", " +12", 1) },
		"nothing":         func(string) string { return "" },
	} {
		if _, err := pieces.ParseIndex([]byte(change(string(text)))); err == nil {
			t.Errorf("%s: it was read", name)
		}
	}
}

func TestCodec(t *testing.T) {
	t.Parallel()
	c, err := pieces.NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	text := tape(upTo(200), 500)
	packed := c.Pack(text)
	if !bytes.Equal(packed, c.Pack(text)) || len(packed) > len(text) {
		t.Error("one text is compressed in two ways")
	}
	back, err := c.Unpack(packed, len(text))
	if err != nil || !bytes.Equal(back, text) {
		t.Errorf("%v, %d bytes", err, len(back))
	}
	bomb := c.Pack(make([]byte, pieces.MostIndex+1))
	for name, wrong := range map[string][]byte{
		"cut": packed[:len(packed)-1], "none": []byte("none"), "too large": bomb,
	} {
		if _, err := c.Unpack(wrong, 0); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// Frames that follow on each other tell of the first one only.
	for _, size := range []int{0, len(text)} {
		if _, err := c.Unpack(append(bytes.Clone(packed), packed...), size); err == nil {
			t.Errorf("two for one of %d bytes: no error", size)
		}
	}
	small := c.Pack([]byte("small"))
	if back, err := c.Unpack(small, 0); err != nil || string(back) != "small" {
		t.Errorf("%q, %v", back, err)
	}
	for _, wrong := range [][]byte{bytes.Repeat(small, 100), append(bytes.Clone(small), packed...)} {
		if _, err := c.Unpack(wrong, 0); err == nil {
			t.Error("more behind a small text: no error")
		}
	}
	if _, err := c.Unpack(packed, len(text)-1); err == nil {
		t.Error("another size: no error")
	}
}

// FuzzCut holds whatever is cut against what it is put together to.
func FuzzCut(f *testing.F) {
	f.Add(tape(upTo(15), 100), 0)
	f.Add([]byte("- a:\n    callback:\n      of: 2\n    number: 3\n\n- b:\n      of: -1\n    number: +5\n"), 3)
	f.Add([]byte("    number: 1\n    number: 1\n"), -1)
	f.Fuzz(func(t *testing.T, data []byte, base int) {
		cut(t, data)
		raw, err := pieces.Restore(data, max(base, pieces.Verbatim))
		if err == nil && len(raw) > 64*len(data)+64 {
			t.Errorf("%d bytes of %d", len(raw), len(data))
		}
	})
}

// FuzzIndex reads what anybody may have put into a store.
func FuzzIndex(f *testing.F) {
	x := pieces.Index{Size: 9, Entries: []pieces.Entry{{TextSize: 4, Base: pieces.Verbatim}, {Base: 7}}}
	f.Add(x.Encode())
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := pieces.ParseIndex(data)
		if err == nil && !bytes.Equal(x.Encode(), data) {
			t.Error("it is written otherwise than it was read")
		}
	})
}
