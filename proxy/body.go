package proxy

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/paytape/paytape/internal/leaf"
)

// spool keeps a copy of a body up to a limit, and as long as the budget has room. Otherwise
// nothing is kept, not even the start: a piece of a body can be neither cleaned nor replayed.
type spool struct {
	leaf.Unprinted
	pieces  [][]byte // full, except the last: nothing is moved while the body grows
	n       int64    // bytes seen
	limit   int64
	budget  *budget
	held    int64 // bytes taken of the budget
	starved bool  // it had no room
	freed   bool  // nothing more is kept
}

// The sizes of pieces: they grow with the body.
const (
	minPiece = 512
	maxPiece = 1 << 20
)

func (s *spool) add(p []byte) {
	kept := s.n
	if s.n += int64(len(p)); s.over() {
		s.free()
	}
	for len(p) > 0 && !s.freed {
		last := len(s.pieces) - 1
		if last < 0 || len(s.pieces[last]) == cap(s.pieces[last]) {
			s.grow(min(max(kept, int64(len(p)), minPiece), maxPiece))
			continue
		}
		piece := s.pieces[last]
		n := min(len(p), cap(piece)-len(piece))
		s.pieces[last] = append(piece, p[:n]...)
		p, kept = p[n:], kept+int64(n)
	}
}

// adopt is add for a body that is read already and that nobody changes: it is kept without a copy.
func (s *spool) adopt(body []byte) {
	s.n += int64(len(body))
	switch {
	case s.over():
		s.free()
	case !s.budget.reserve(int64(len(body))):
		s.starve()
	default:
		s.held += int64(len(body))
		s.pieces = append(s.pieces, body[:len(body):len(body)])
	}
}

// grow adds an empty piece.
func (s *spool) grow(size int64) {
	if !s.budget.reserve(size) {
		s.starve()
		return
	}
	s.held += size
	s.pieces = append(s.pieces, make([]byte, 0, size))
}

// fill reads a body to its end, or until it is clear that it cannot be kept.
func (s *spool) fill(body io.Reader) error {
	buf := make([]byte, 32<<10)
	for !s.freed {
		n, err := body.Read(buf)
		s.add(buf[:n])
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// starve makes room for others.
func (s *spool) starve() {
	s.starved = true
	s.free()
}

// free forgets what was kept, and from now on bytes are only counted.
func (s *spool) free() {
	s.budget.release(s.held)
	s.pieces, s.held, s.freed = nil, 0, true
}

func (s *spool) over() bool { return s.n > s.limit }

// stored returns what a tape holds of the body: a marker where nothing was kept, which is in
// no content coding. h is the header of the message on tape.
func (s *spool) stored(h *http.Header) string {
	why := "over the limit"
	switch {
	case s.starved:
		why = "too many at once"
	case !s.over():
		return s.text()
	}
	*h = h.Clone()
	h.Del("Content-Encoding")
	return fmt.Sprintf("[paytape: body of %d bytes withheld: %s]", s.n, why)
}

func (s *spool) text() string {
	if len(s.pieces) == 1 {
		return string(s.pieces[0])
	}
	var b strings.Builder
	b.Grow(int(s.n))
	for _, piece := range s.pieces {
		b.Write(piece)
	}
	return b.String()
}

// tap is a body that tells what is read from it and, once, how the reading ended.
type tap struct {
	src  io.ReadCloser
	data func([]byte) // nil: nobody wants the bytes
	// end is called inside the Read that met the end, or inside Close, before they return:
	// with io.EOF for a body read to its end, errClosed for one closed before, or the error
	// of the source.
	end  func(error)
	once sync.Once
}

// errClosed tells that a body was closed before its end.
var errClosed = io.ErrClosedPipe

func (t *tap) Read(p []byte) (int, error) {
	n, err := t.src.Read(p)
	if n > 0 && t.data != nil {
		t.data(p[:n])
	}
	if err != nil {
		t.once.Do(func() { t.end(err) })
	}
	return n, err
}

func (t *tap) Close() error {
	t.once.Do(func() { t.end(errClosed) })
	return t.src.Close()
}

// holdback is a body whose last byte is released only with the end of the source. A source
// which does its work before it returns io.EOF has so done it before the reader can have the
// whole body. Of a body without a length any byte may be the last: the one read last is kept.
type holdback struct {
	src io.ReadCloser
	// left is how many bytes the source will still yield; -1 if nobody knows.
	left int64
	kept [1]byte
	full bool  // kept holds a byte
	err  error // how the source ended; nil while it goes on
}

func (h *holdback) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	for h.err == nil {
		if n := h.advance(p); n > 0 {
			return n, nil
		}
	}
	if h.full {
		p[0], h.full = h.kept[0], false
		return 1, nil
	}
	return 0, h.err
}

// advance reads once and returns how many bytes may go out.
func (h *holdback) advance(p []byte) int {
	if h.full && len(p) == 1 {
		return h.exchange(p)
	}
	into, ready := p, 0
	if h.full {
		p[0], into, ready = h.kept[0], p[1:], 1
	}
	n, err := h.src.Read(into)
	h.err = err
	switch {
	case n == 0:
		return 0 // what was kept stays kept
	case h.goesOn(n):
		return n // nothing was kept before either
	case err != nil:
		h.full = false // the end came with the last bytes: one write is cheaper than two
		return ready + n
	}
	h.kept[0], h.full = into[n-1], true
	return ready + n - 1
}

// goesOn counts n bytes and reports whether others are known to follow.
func (h *holdback) goesOn(n int) bool {
	if h.left < 0 {
		return false
	}
	h.left = max(0, h.left-int64(n))
	return h.left > 0
}

// exchange is advance for a reader that takes single bytes.
func (h *holdback) exchange(p []byte) int {
	var next [1]byte
	n, err := h.src.Read(next[:])
	h.err = err
	if n == 0 {
		return 0
	}
	p[0], h.kept[0] = h.kept[0], next[0] // even with the end: there is no room for both
	return 1
}

func (h *holdback) Close() error { return h.src.Close() }

// prefixedBody is a body of which a part has been read ahead.
type prefixedBody struct {
	io.Reader
	io.Closer
}

// readWhole reads the body of a request to its end, or up to one byte more than the limit. An
// error says that the end did not come.
func readWhole(req *http.Request, limit int64) ([]byte, error) {
	if n := req.ContentLength; n > 0 && n <= limit {
		body := make([]byte, n)
		read, err := io.ReadFull(req.Body, body)
		return body[:read], err
	}
	return io.ReadAll(io.LimitReader(req.Body, limit+1))
}

// readAhead reads a body to its end if that comes within limit bytes. Otherwise, or if
// reading fails, whole is false and the body it returns yields all that the source did.
func readAhead(body io.ReadCloser, limit int64) (ahead []byte, whole bool, rest io.ReadCloser) {
	ahead, err := io.ReadAll(io.LimitReader(body, limit+1))
	if err != nil {
		failed := io.MultiReader(bytes.NewReader(ahead), errorReader{err})
		return ahead, false, prefixedBody{failed, body}
	}
	if int64(len(ahead)) > limit {
		return ahead, false, prefixedBody{io.MultiReader(bytes.NewReader(ahead), body), body}
	}
	return ahead, true, prefixedBody{bytes.NewReader(ahead), body}
}

// budgetedBody is a body whose bytes take room of a budget while it is read ahead.
type budgetedBody struct {
	io.ReadCloser
	budget  *budget
	held    int64
	starved bool // the budget had no room
	passing bool // what is read now is not kept
}

// Read reserves room for all that may come before it reads: what is read is never lost.
func (m *budgetedBody) Read(p []byte) (int, error) {
	if m.passing {
		return m.ReadCloser.Read(p)
	}
	if !m.budget.reserve(int64(len(p))) {
		m.starved = true
		return 0, problemBusy
	}
	n, err := m.ReadCloser.Read(p)
	m.budget.release(int64(len(p) - n))
	m.held += int64(n)
	return n, err
}

// free gives the room back.
func (m *budgetedBody) free() {
	m.budget.release(m.held)
	m.held = 0
}

// errorReader fails as the source before it did.
type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }
