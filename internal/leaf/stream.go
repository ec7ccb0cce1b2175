package leaf

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

// stream is the format in which a packed document is compressed.
type stream uint8

const (
	stored  stream = iota // not at all
	zlibbed               // the messages of 3-D Secure 1
	gzipped
	deflated // a deflate stream with no header around it
)

// streamOf returns the format of bytes. Those of a document are none. Where any text may be
// packed, a format needs a header to be told by.
func streamOf(b []byte, any bool) stream {
	if startsDocument(b) {
		return stored
	}
	if s := streamStart(b, len(b)); s != deflated || !any {
		return s
	}
	return stored
}

// shortestDeflated is the length of the shortest stream without header that is looked at:
// shorter bytes are ids.
const shortestDeflated = 24

// streamStart returns the format that the first bytes of n may begin.
func streamStart(head []byte, n int) stream {
	switch {
	case head[0] == 0x1f && head[1] == 0x8b && head[2] == 8:
		return gzipped
	case head[0]&0x0f == 8 && head[0] <= 0x78 && head[1]&0x20 == 0 &&
		(int(head[0])<<8|int(head[1]))%31 == 0:
		return zlibbed
	case n >= shortestDeflated && len(head) >= headLength && blockStart(head):
		return deflated
	}
	return stored
}

// The types of a block of a deflate stream (RFC 1951, section 3.2.3).
const (
	verbatimBlock = 0
	fixedCodes    = 1
	dynamicCodes  = 2
)

// blockStart reports whether a stream may begin with these bytes: a block of a document as it
// is; one of fixed codes whose first character is '<', '{' or '['; or one that has codes of
// its own, at most 286 and 30 of them, and whose lengths make a whole code (section 3.2.7).
func blockStart(b []byte) bool {
	switch b[0] >> 1 & 3 {
	case verbatimBlock:
		return b[0] <= 1 && b[1] == ^b[3] && b[2] == ^b[4] && startsDocument(b[5:])
	case fixedCodes:
		return b[0]|1 == 0xb3 || b[0]|1 == 0xab || b[0]|1 == 0x8b
	case dynamicCodes:
		return b[0]>>3 <= 29 && b[1]&31 <= 29 && WholeCode(b)
	}
	return false
}

// WholeCode reports whether the code of the code lengths, with which a block of a deflate stream
// begins that has codes of its own, leaves nothing out. It looks at ten bytes.
func WholeCode(b []byte) bool {
	const begin, all = 17, 128 // in bits; and what the parts of a whole code add up to
	count := int(b[1]>>5|b[2]<<3)&15 + 4
	sum := 0
	for i := range count {
		at := begin + 3*i
		bits := (int(b[at/8]) | int(b[at/8+1])<<8) >> (at % 8) & 7
		if bits > 0 {
			sum += all >> bits
		}
	}
	return sum == all
}

// inflating says what may come out of a stream.
type inflating struct {
	limit int  // bytes
	any   bool // text of any kind, not documents alone
}

// inflate undoes a stream. It returns nothing for bytes that are none, and false where it has
// more bytes than its limit.
func inflate(s stream, b []byte, want inflating) ([]byte, bool) {
	in := bytes.NewReader(b)
	var r io.Reader
	var err error
	switch s {
	case zlibbed:
		r, err = zlib.NewReader(in)
	case gzipped:
		r, err = gzip.NewReader(in)
	default:
		r = flate.NewReader(in)
	}
	if err != nil {
		return nil, true
	}
	// The beginning tells whether more is worth reading.
	head := make([]byte, 64)
	n, err := io.ReadFull(r, head)
	if n == 0 || !want.any && !startsDocument(head[:n]) {
		return nil, true
	}
	rest, err := readRest(r, err, want.limit-n)
	if err != nil || in.Len() > 0 && len(rest)+n <= want.limit {
		return nil, true
	}
	return append(head[:n], rest...), len(rest)+n <= want.limit
}

// readRest reads what comes after the head of a stream, of which reading returned err, up to
// one byte over the limit.
func readRest(r io.Reader, err error, limit int) ([]byte, error) {
	switch err {
	case nil:
		return io.ReadAll(io.LimitReader(r, int64(max(limit, 0))+1))
	case io.ErrUnexpectedEOF: // the stream is shorter than the head; is this its end?
		_, err = r.Read(make([]byte, 1))
		if err == io.EOF {
			return nil, nil
		}
	}
	return nil, err
}

// zlibLevel returns a level of compression that gives the header of b: of how it was
// compressed it says no more (RFC 1950, section 2.2).
func zlibLevel(b []byte) int { return [...]int{1, 5, 6, 9}[b[1]>>6] }

// deflate compresses a document in the format of p.
func deflate(p packing, text string) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch p.stream {
	case zlibbed:
		w, err = zlib.NewWriterLevel(&b, p.level)
	case gzipped:
		w = gzip.NewWriter(&b)
	default:
		w, err = flate.NewWriter(&b, flate.DefaultCompression)
	}
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		// The levels are our own and a buffer takes everything.
		panic("packing a document: " + err.Error())
	}
	return b.Bytes()
}
