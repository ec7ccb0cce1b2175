package http1

import (
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/paytape/paytape/internal/leaf"
)

// maxChunkLine bounds a line of a chunked body, and all of its trailers together: net/http
// takes no more of either.
const maxChunkLine = 4 << 10

// errFraming ends a body in chunks that could be read in two ways.
var errFraming = errors.New("the chunks of the body are malformed")

// chunks follows a body in chunks (RFC 9112, section 7.1) to find its end. It changes
// nothing; it is stricter than net/http about sizes and ends of lines.
type chunks struct {
	leaf.Unprinted
	left    int64 // bytes of the chunk's data that have not come
	line    []byte
	phase   chunkPhase
	trailer int // bytes of the trailer section
}

// chunkPhase says what comes next where no data does.
type chunkPhase byte

const (
	chunkSize    chunkPhase = iota // the line with the size of a chunk
	chunkEnd                       // the end of line behind the data
	chunkTrailer                   // a trailer, or the empty line that ends the body
)

// feed takes what came and returns how much of it is of this body. Its error is io.EOF when
// the body has ended and errFraming when it is malformed.
func (c *chunks) feed(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		if c.left > 0 {
			data := min(c.left, int64(len(p)-n))
			c.left -= data
			n += int(data)
			continue
		}
		err = c.octet(p[n])
		n++
	}
	return n, err
}

// octet takes a byte that is no data.
func (c *chunks) octet(b byte) error {
	c.line = append(c.line, b)
	switch {
	case len(c.line) > maxChunkLine, b != '\n' && bytes.HasSuffix(c.line[:len(c.line)-1], crlf[:1]):
		return errFraming // too long, or a CR that ends no line
	case b != '\n':
		return nil
	case !bytes.HasSuffix(c.line, crlf):
		return errFraming
	}
	line := bytes.TrimSuffix(c.line, crlf)
	c.line = c.line[:0]
	return c.whole(line)
}

// whole takes a line without its end.
func (c *chunks) whole(line []byte) error {
	switch c.phase {
	case chunkSize:
		return c.size(line)
	case chunkEnd:
		if len(line) > 0 {
			return errFraming
		}
		c.phase = chunkSize
		return nil
	}
	if len(line) == 0 {
		return io.EOF
	}
	return c.field(line)
}

// size reads the size of a chunk. An extension behind it is let through: it means nothing
// to net/http, which drops it.
func (c *chunks) size(line []byte) error {
	digits, extension, _ := bytes.Cut(line, []byte(";"))
	if len(digits) == 0 || !all(digits, hexDigit) || !all(extension, inValue) {
		return errFraming
	}
	n, err := strconv.ParseInt(string(digits), 16, 64)
	if err != nil {
		return errFraming
	}
	c.left, c.phase = n, chunkEnd
	if n == 0 {
		c.phase = chunkTrailer
	}
	return nil
}

// notTrailers are fields that must not come behind a body, where they would frame or route a
// request that has been read (RFC 9110, section 6.5.1).
var notTrailers = [...]string{
	"Content-Length", "Transfer-Encoding", "Host", "Trailer", "Connection", "Content-Encoding",
}

func (c *chunks) field(line []byte) error {
	name, value, found := bytes.Cut(line, []byte(":"))
	if c.trailer += len(line); c.trailer > maxChunkLine {
		return errFraming
	}
	if !found || !IsToken(name) || !all(value, inValue) {
		return errFraming
	}
	for _, forbidden := range notTrailers {
		if is(name, forbidden) {
			return errFraming
		}
	}
	return nil
}
