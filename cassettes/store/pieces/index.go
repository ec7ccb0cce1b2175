package pieces

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/paytape/paytape/cassettes/store/blob"
)

// Index says which pieces are a tape. In a store it is this text, compressed:
//
//	paytape tape 1
//	9f86... 901120 2             SHA-256 and size of the file, and how many pieces it has
//	3c1d... 70211 88aa... 600123 0      of each piece: its blob, the size of that, its text, the
//	77b0... 31007 5f10... 300997 412    size of that, and the number before its first, or -
type Index struct {
	Tape    blob.Digest // of the file
	Size    int64       // of the file, in bytes
	Entries []Entry
}

// Entry is a piece in an index.
type Entry struct {
	Blob     blob.Blob   // its compressed text
	Text     blob.Digest // of its text
	TextSize int         // in bytes
	Base     int         // as Piece.Base
}

const indexHead = "paytape tape 1\n"

// Encode returns the text of the index.
func (x *Index) Encode() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s%s %d %d\n", indexHead, x.Tape, x.Size, len(x.Entries))
	for _, e := range x.Entries {
		base := "-"
		if e.Base != Verbatim {
			base = strconv.Itoa(e.Base)
		}
		fmt.Fprintf(&b, "%s %d %s %d %s\n", e.Blob.Digest, e.Blob.Size, e.Text, e.TextSize, base)
	}
	return b.Bytes()
}

// Blobs returns the blobs of the pieces, each once.
func (x *Index) Blobs() []blob.Blob {
	var all []blob.Blob
	seen := map[blob.Digest]bool{}
	for _, e := range x.Entries {
		if !seen[e.Blob.Digest] {
			all = append(all, e.Blob)
		}
		seen[e.Blob.Digest] = true
	}
	return all
}

// ErrIndex is returned for a text that is no index.
var ErrIndex = errors.New("it is no index of a tape that this version of paytape knows")

// ParseIndex reads what Encode writes, and nothing else.
func ParseIndex(text []byte) (*Index, error) {
	rest, ok := strings.CutPrefix(string(text), indexHead)
	if !ok {
		return nil, ErrIndex
	}
	x := &Index{}
	pieces := -1
	for line := range strings.Lines(rest) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		var err error
		if pieces < 0 {
			pieces, err = x.parseHead(words)
		} else {
			err = x.parseEntry(words)
		}
		if err != nil {
			return nil, ErrIndex
		}
	}
	if pieces != len(x.Entries) || !bytes.Equal(x.Encode(), text) {
		return nil, ErrIndex
	}
	return x, nil
}

func (x *Index) parseHead(words []string) (pieces int, err error) {
	if len(words) != 3 {
		return 0, ErrIndex
	}
	tape, err1 := blob.ParseDigest(words[0])
	size, err2 := natural(words[1], math.MaxInt64)
	n, err3 := natural(words[2], math.MaxInt32)
	x.Tape, x.Size = tape, size
	return int(n), errors.Join(err1, err2, err3)
}

// mostPacked is the most bytes that a piece has when it is compressed, or with its numbers as distances:
// both may make a text a little longer.
const mostPacked = Most + Most/8

func (x *Index) parseEntry(words []string) error {
	if len(words) != 5 {
		return ErrIndex
	}
	name, err1 := blob.ParseDigest(words[0])
	packed, err2 := positive(words[1], mostPacked)
	text, err3 := blob.ParseDigest(words[2])
	size, err4 := positive(words[3], mostPacked)
	base, err5 := int64(Verbatim), error(nil)
	if words[4] != "-" {
		base, err5 = natural(words[4], math.MaxInt32)
	}
	x.Entries = append(x.Entries, Entry{
		Blob: blob.Blob{Digest: name, Size: packed}, Text: text, TextSize: int(size), Base: int(base),
	})
	return errors.Join(err1, err2, err3, err4, err5)
}

// positive reads a number from 1 up: no piece is empty, and a size of 0 would be one that nobody knows.
func positive(text string, most int64) (int64, error) {
	n, err := natural(text, most)
	if n == 0 {
		err = ErrIndex
	}
	return n, err
}

// natural reads a number from 0 up.
func natural(text string, most int64) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > most {
		return 0, ErrIndex
	}
	return n, nil
}

// MostIndex bounds an index, in bytes, compressed or not: some hundred thousand pieces.
const MostIndex = 32 << 20

// Codec compresses texts and makes them large again. It is safe for concurrent use; NewCodec makes one.
type Codec struct {
	out *zstd.Encoder
	in  *zstd.Decoder
}

// NewCodec returns a Codec, to be closed.
func NewCodec() (*Codec, error) {
	out, err := zstd.NewWriter(nil)
	if err != nil {
		return nil, err
	}
	in, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(MostIndex), zstd.WithDecodeAllCapLimit(true))
	if err != nil {
		return nil, errors.Join(err, out.Close())
	}
	return &Codec{out, in}, nil
}

// Close lets go of what the Codec holds.
func (c *Codec) Close() error {
	c.in.Close()
	return c.out.Close()
}

// Pack compresses a text.
func (c *Codec) Pack(text []byte) []byte {
	return c.out.EncodeAll(text, make([]byte, 0, len(text)/4+64))
}

// ErrPacked is returned for bytes that Pack has not made.
var ErrPacked = errors.New("it is not compressed as a tape is")

// untold is how many bytes a text has at the most whose size zstd does not tell in its header.
const untold = 255

// Unpack makes a text of a known size large again. A size of 0 is not known, and bounded by MostIndex.
// What tells another size, or becomes larger than it tells, is not made large.
func (c *Codec) Unpack(packed []byte, size int) ([]byte, error) {
	var head zstd.Header
	if head.Decode(packed) != nil || head.FrameContentSize > MostIndex {
		return nil, ErrPacked
	}
	most := untold
	if head.HasFCS {
		most = int(head.FrameContentSize)
	}
	if size > most || size > 0 && size < most && head.HasFCS {
		return nil, ErrPacked
	}
	text, err := c.in.DecodeAll(packed, make([]byte, 0, most))
	if err != nil || size > 0 && len(text) != size {
		return nil, ErrPacked
	}
	return text, nil
}
