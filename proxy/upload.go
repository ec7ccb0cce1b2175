package proxy

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy/internal/http1"
	"github.com/paytape/paytape/proxy/internal/transport"
)

// upload is the body of a request on its way to a sandbox. The transport reads it in a
// goroutine of its own, which may outlive the answer.
type upload struct {
	leaf.Unprinted
	mu      sync.Mutex // guards the rest
	sent    spool
	given   bool        // sent is complete: what passes is not kept
	begun   bool        // the transport reads it
	drained bool        // drain reads it, and nobody else may
	whole   bool        // it was read to its end
	err     error       // the client's side failed
	trailer http.Header // set when whole
	src     io.ReadCloser
	stored  string // what was sent, once the exchange has been made of it
}

// watch puts a new upload between a request and its body, and keeps it in a spool; or instead keeps
// what the client has sent, of a request that goes on with another body.
func (u *upload) watch(out *http.Request, sent spool, instead []byte) {
	u.sent, u.src = sent, out.Body
	if instead != nil {
		u.sent.add(instead)
		u.given = true
	}
	if out.Body == nil || out.Body == http.NoBody {
		u.whole = true
		return
	}
	if !u.readArrived(out) {
		out.Body = &tap{src: clientBody{u}, data: u.add, end: func(err error) { u.ended(out, err) }}
	}
}

// readArrived reads a small body that came with the head of its request, so that both go on in one
// write. It reports false for a body that has to be waited for, which a sandbox may answer before its
// end, and for a body that the client holds back until it is told to continue.
func (u *upload) readArrived(out *http.Request) bool {
	n := out.ContentLength
	if n <= 0 || n > min(smallExchange, u.sent.limit) || len(out.Trailer) > 0 ||
		out.Header.Get("Expect") != "" || !http1.Arrived(out) {
		return false
	}
	body, err := readWhole(out, n)
	if err != nil { // somebody has closed it
		out.Body = prefixedBody{io.MultiReader(bytes.NewReader(body), errorReader{err}), out.Body}
		return false
	}
	if !u.given {
		u.sent.adopt(body)
	}
	u.whole = true
	out.Body = transport.NewWhole(body)
	return true
}

// ended notes how the body ended.
func (u *upload) ended(out *http.Request, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch err {
	case io.EOF:
		u.whole, u.trailer = true, out.Trailer.Clone()
	case errClosed: // the transport has had enough of it
	default:
		u.err = err
	}
}

func (u *upload) add(p []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.given {
		u.sent.add(p)
	}
}

// held returns how many bytes are kept.
func (u *upload) held() int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.sent.held
}

// share has both bodies of an exchange kept or none: half an exchange would take the room of a
// whole one. got is the body of the answer.
func (u *upload) share(got *spool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case u.sent.starved && !got.freed:
		got.starve()
	case got.starved && !u.sent.freed:
		u.sent.starve()
	}
}

// failed reports whether the client's side of the body failed.
func (u *upload) failed() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.err != nil
}

// begin reports whether the transport may read the body.
func (u *upload) begin() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.begun = u.begun || !u.drained
	return u.begun
}

// take reports whether the body may be drained: nobody has begun to read it.
func (u *upload) take() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.drained = !u.begun && !u.whole
	return u.drained
}

// drain reads a body that nobody has begun to read, because no sandbox could be reached, up
// to the limit: a failure can be replayed only for a request that is on tape. A client that
// waits to be told to go on is not told.
func (u *upload) drain(out *http.Request) {
	if u.src == nil || out.Header.Get("Expect") != "" || !u.take() {
		return
	}
	body := &tap{src: u.src, data: u.add, end: func(err error) { u.ended(out, err) }}
	_, _ = io.Copy(io.Discard, io.LimitReader(body, u.sent.limit+1)) // ended has the error
}

// clientBody is the client's body to a transport. It stays open for drain if the transport closes
// it without having read: whoever has made the request closes it in the end.
type clientBody struct{ u *upload }

func (b clientBody) Read(p []byte) (int, error) {
	if !b.u.begin() {
		return 0, errClosed
	}
	return b.u.src.Read(p)
}

func (b clientBody) Close() error {
	b.u.mu.Lock()
	begun := b.u.begun
	b.u.mu.Unlock()
	if !begun {
		return nil
	}
	return b.u.src.Close()
}
