package scan

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash/adler32"
	"hash/crc32"
	"io"
	"iter"
	"math/bits"

	"github.com/paytape/paytape/internal/leaf"
)

// format is how a compressed stream begins.
type format uint8

const (
	gzipFormat format = iota
	zlibFormat
	rawFormat
)

// Bounds of what is inflated from one stream.
const (
	maxInflate = 1 << 20
	maxRatio   = 64
)

// Types of the blocks of a deflate stream that have codes (RFC 1951, section 3.2.3).
const fixedCodes, dynamicCodes = 1, 2

// minDeflate is the length of the shortest raw stream that is tried, in bytes: it has no mark
// to know it by.
const minDeflate = 12

// gzipMagic is how gzip begins: its mark and the method of compression (RFC 1952, section 2.3.1).
const gzipMagic = "\x1f\x8b\x08"

// compressedAt yields where compressed streams may begin in bytes: gzip anywhere, other formats,
// which have hardly a mark, where what was decoded begins.
func compressedAt(b []byte, first bool) iter.Seq2[int, format] {
	return func(yield func(int, format) bool) {
		magic := []byte(gzipMagic)
		for at, from := 0, 0; ; from = at + len(magic) {
			n := bytes.Index(b[from:], magic)
			if n < 0 {
				break
			}
			if at = from + n; !yield(at, gzipFormat) {
				return
			}
		}
		if format, ok := streamStart(b); ok && first {
			yield(0, format)
		}
	}
}

// streamStart returns the format of the stream with no magic that bytes may begin, if the stream may
// hold anything.
func streamStart(b []byte) (format, bool) {
	as, ok := looksLikeStream(b)
	if ok && as == rawFormat && b[0]>>1&3 == fixedCodes {
		ok = holdsFixed(b)
	}
	return as, ok
}

// looksLikeStream returns the format of the stream with no magic that bytes may begin by their first
// bytes.
func looksLikeStream(b []byte) (format, bool) {
	switch {
	case len(b) < minDeflate:
	case b[0]&0x8f == 8 && (int(b[0])<<8|int(b[1]))%31 == 0: // RFC 1950, section 2.2
		return zlibFormat, true
	case isRawBlock(b):
		return rawFormat, true
	}
	return 0, false
}

// isRawBlock reports whether bytes may begin a deflate stream of text with no header around it (RFC
// 1951, section 3.2.3): most ids in base64 may not.
func isRawBlock(b []byte) bool {
	switch b[0] >> 1 & 3 {
	case fixedCodes:
		return isFixedText(b)
	case dynamicCodes:
		return leaf.WholeCode(b)
	}
	return isStoredBlock(b)
}

// isFixedText reports whether the first character of a block of fixed codes may be a character of
// ASCII text, a zero or of a byte order mark: its code is the character and 0x30, the highest bit
// first, behind the three bits of the block; above 0x8f codes have nine bits.
func isFixedText(b []byte) bool {
	code := bits.Reverse8(b[0]>>3 | b[1]<<5)
	const gzipCode = 0x30 + 0x1f
	marks := code == 0xf7 || code == 0xff || code == gzipCode
	return marks || code >= 0x30 && (code == 0x30 || isPlainText(code-0x30))
}

// isStoredBlock reports whether bytes begin with a stored block, which has its length twice.
func isStoredBlock(b []byte) bool { return b[0]>>1&3 == 0 && b[1] == ^b[3] && b[2] == ^b[4] }

// inflateLimit returns how many bytes may come out of a stream of n.
func inflateLimit(n int) int { return min(maxInflate, maxRatio*n) }

// inflater inflates. It keeps its reader, which is large.
type inflater struct {
	reader io.ReadCloser
	read   int // bytes of the last stream and its trailer, without what comes behind them
}

// inflate returns what a stream holds, as far as it can be read and its bounds go, and whether it
// is one. Checksums are not asked for: a stream that was cut off tells as much as it holds.
func (f *inflater) inflate(b []byte, as format) ([]byte, bool) {
	body, err := deflated(b, as)
	if err != nil {
		return nil, false
	}
	in := bytes.NewReader(body)
	if f.reader == nil {
		f.reader = flate.NewReader(in)
	} else if err := f.reader.(flate.Resetter).Reset(in, nil); err != nil {
		return nil, false
	}
	var out bytes.Buffer
	_, err = io.Copy(&out, io.LimitReader(f.reader, int64(inflateLimit(len(b)))))
	f.read = len(b) - in.Len()
	if err == nil {
		f.read += trailerLength(b[f.read:], as, out.Bytes())
	}
	noise := as == rawFormat && err != nil && !errors.Is(err, io.ErrUnexpectedEOF)
	return out.Bytes(), !noise
}

// trailerLength returns the length of the trailer that bytes behind a stream begin with, 0 if they begin
// with none: a checksum tells of what the stream holds, and goes with it.
func trailerLength(behind []byte, as format, content []byte) int {
	var trailer []byte
	switch as {
	case gzipFormat: // RFC 1952, section 2.3.1
		trailer = binary.LittleEndian.AppendUint32(trailer, crc32.ChecksumIEEE(content))
		trailer = binary.LittleEndian.AppendUint32(trailer, uint32(len(content)))
	case zlibFormat: // RFC 1950, section 2.2
		trailer = binary.BigEndian.AppendUint32(trailer, adler32.Checksum(content))
	}
	if !bytes.HasPrefix(behind, trailer) {
		return 0
	}
	return len(trailer)
}

var errNoStream = errors.New("no compressed stream")

// deflated returns the deflate stream behind the header of a format.
func deflated(b []byte, as format) ([]byte, error) {
	switch as {
	case rawFormat:
		return b, nil
	case zlibFormat:
		return b[2:], nil
	}
	const (
		fixed                            = 10
		hasCRC, hasExtra, hasName, noted = 2, 4, 8, 16 // RFC 1952, section 2.3.1
	)
	if len(b) < fixed {
		return nil, errNoStream
	}
	flags, rest := b[3], b[fixed:]
	if flags&hasExtra != 0 {
		if len(rest) < 2 || len(rest) < 2+int(rest[0])+int(rest[1])<<8 {
			return nil, errNoStream
		}
		rest = rest[2+int(rest[0])+int(rest[1])<<8:]
	}
	for _, flag := range []byte{hasName, noted} {
		if flags&flag == 0 {
			continue
		}
		end := bytes.IndexByte(rest, 0)
		if end < 0 {
			return nil, errNoStream
		}
		rest = rest[end+1:]
	}
	if flags&hasCRC != 0 {
		rest = rest[min(2, len(rest)):]
	}
	return rest, nil
}
