package leaf

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// ErrCoding is returned for a content coding that paytape does not know or bytes that are
// not in it.
var ErrCoding = errors.New("content coding cannot be undone")

// ErrTooLarge is returned where a decoded body would be larger than the limit.
var ErrTooLarge = errors.New("decoded body is over the limit")

// Unlabelled is the content coding of a body in gzip of which no header tells: a file that is gzip in
// itself, or the answer of a server that forgets to say so.
const Unlabelled = "unlabelled gzip"

// gzipMagic is how gzip begins: its mark and the method of compression (RFC 1952, section 2.3.1).
const gzipMagic = "\x1f\x8b\x08"

// CodingOf returns the content coding of a body with a Content-Encoding header, which may be empty.
func CodingOf(contentEncoding, body string) string {
	if len(codings(contentEncoding)) == 0 && strings.HasPrefix(body, gzipMagic) {
		return Unlabelled
	}
	return contentEncoding
}

// Decode undoes the content codings of a Content-Encoding header, last applied first, and
// reads at most limit bytes of each. The empty header and "identity" return body itself.
func Decode(contentEncoding string, body []byte, limit int64) ([]byte, error) {
	names := codings(contentEncoding)
	for i := len(names) - 1; i >= 0; i-- {
		r, err := decoder(names[i], body)
		if err != nil {
			return nil, err
		}
		decoded, err := io.ReadAll(io.LimitReader(r, limit+1))
		if c, ok := r.(interface{ Close() }); ok {
			c.Close()
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s", ErrCoding, names[i])
		}
		if int64(len(decoded)) > limit {
			return nil, ErrTooLarge
		}
		body = decoded
	}
	return body, nil
}

// Encode applies the content codings of a Content-Encoding header in its order.
func Encode(contentEncoding string, body []byte) ([]byte, error) {
	for _, name := range codings(contentEncoding) {
		var b bytes.Buffer
		w, err := encoder(name, &b)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(body); err != nil {
			return nil, fmt.Errorf("encoding a body as %s: %w", name, err)
		}
		if err := w.Close(); err != nil {
			return nil, fmt.Errorf("encoding a body as %s: %w", name, err)
		}
		body = b.Bytes()
	}
	return body, nil
}

// codings lists the codings of a Content-Encoding header that change bytes.
func codings(header string) []string {
	var names []string
	for name := range strings.SplitSeq(strings.ToLower(header), ",") {
		if name = strings.TrimSpace(name); name != "" && name != "identity" {
			names = append(names, name)
		}
	}
	return names
}

func decoder(name string, body []byte) (io.Reader, error) {
	var r io.Reader
	var err error
	switch name {
	case "gzip", "x-gzip", Unlabelled:
		r, err = gzip.NewReader(bytes.NewReader(body))
	case "deflate":
		// Some servers send the raw stream, some the zlib one that the standard asks for.
		if r, err = zlib.NewReader(bytes.NewReader(body)); err != nil {
			return flate.NewReader(bytes.NewReader(body)), nil
		}
	case "br":
		return brotli.NewReader(bytes.NewReader(body)), nil
	case "zstd":
		r, err = zstd.NewReader(bytes.NewReader(body), zstd.WithDecoderConcurrency(1))
	default:
		return nil, fmt.Errorf("%w: unknown name", ErrCoding)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrCoding, name)
	}
	return r, nil
}

func encoder(name string, w io.Writer) (io.WriteCloser, error) {
	switch name {
	case "gzip", "x-gzip", Unlabelled:
		return gzip.NewWriter(w), nil
	case "deflate":
		return zlib.NewWriter(w), nil
	case "br":
		return brotli.NewWriter(w), nil
	case "zstd":
		return zstd.NewWriter(w)
	}
	return nil, fmt.Errorf("%w: unknown name", ErrCoding)
}
