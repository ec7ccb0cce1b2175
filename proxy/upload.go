package proxy

import (
	"github.com/paytape/paytape/internal/leaf"
	"io"
	"net/http"
	"sync"
)

// upload is the body of a request on its way to a sandbox. The transport reads it in a
// goroutine of its own, which may outlive the answer.
type upload struct {
	leaf.Unprinted
	mu      sync.Mutex // guards the rest
	sent    spool
	whole   bool        // it was read to its end
	err     error       // the client's side failed
	trailer http.Header // set when whole
}

// watch puts an upload between a request and its body, and keeps up to limit bytes of it.
func watch(out *http.Request, limit int64) *upload {
	u := &upload{sent: spool{limit: limit}}
	if out.Body == nil || out.Body == http.NoBody {
		u.whole = true
		return u
	}
	out.Body = &tap{src: out.Body, data: u.add, end: func(err error) {
		u.mu.Lock()
		defer u.mu.Unlock()
		switch err {
		case io.EOF:
			u.whole, u.trailer = true, out.Trailer.Clone()
		case errClosed: // the transport has had enough of it
		default:
			u.err = err
		}
	}}
	return u
}

func (u *upload) add(p []byte) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sent.add(p)
}

// failed reports whether the client's side of the body failed.
func (u *upload) failed() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.err != nil
}
