package cluster

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/paytape/paytape/proxy"
)

// smallBody is the size up to which a body waits for no other.
const smallBody = 64 << 10

// errBusy says that there is no room for a request.
var errBusy = errors.New("the bodies of the requests under way are more than are kept at once")

// room is for the bodies of the requests under way. What is sealed and opened of a large body takes several
// times its size, so large bodies go through one by one.
type room struct {
	turn chan struct{} // full while a large body is sealed or opened

	mu   sync.Mutex // guards left
	left int64      // bytes that may still be kept
}

// newRoom returns a room in which one request fits, whatever its body.
func newRoom(limit int64) *room {
	return &room{turn: make(chan struct{}, 1), left: max(proxy.DefaultBudget, 2*limit)}
}

// take reports whether n more bytes may be kept.
func (r *room) take(n int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left < n {
		return false
	}
	r.left -= n
	return true
}

// give says that n bytes are no longer kept.
func (r *room) give(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.left += n
}

// inTurn does something with a body of a size, when it is its turn.
func (r *room) inTurn(ctx context.Context, size int, do func() error) error {
	if size <= smallBody {
		return do()
	}
	select {
	case r.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-r.turn }()
	return do()
}

// heldReader is a body whose bytes take room while it is read.
type heldReader struct {
	io.Reader
	room *room
	held int64
}

func (h *heldReader) Read(p []byte) (int, error) {
	p = p[:min(len(p), smallBody)] // a client that is slow takes room for what it has sent
	if !h.room.take(int64(len(p))) {
		return 0, errBusy
	}
	n, err := h.Reader.Read(p)
	h.room.give(int64(len(p) - n))
	h.held += int64(n)
	return n, err
}

// busyAnswer is what a client gets for whom there is no room.
func busyAnswer(r *Request) *Answer {
	busy := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { problemBusy.Write(w, r.Method) })
	return Record(busy, nil, func() time.Duration { return 0 })
}
