package deck

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"sync"
	"time"

	"github.com/paytape/paytape/proxy/cluster"
)

// The addresses of a deck.
const (
	addressDoor      = "door"
	addressAdmin     = "admin"
	addressInspector = "inspector"
	addressCallbacks = "callbacks"
)

// ownerOptions are what a deck has from the SharedRecording that opens it. Nil is that of a deck alone.
type ownerOptions struct {
	queues      map[string]*queue // by address
	tokens      map[string]string // by address
	callbackKey []byte            // of the addresses that stand in requests
	status      func(context.Context) cluster.Status
}

// listener returns the listener of an address; nil for a deck that has to listen itself.
func (o *ownerOptions) listener(address string) net.Listener {
	if o == nil || o.queues[address] == nil {
		return nil
	}
	return o.queues[address]
}

// token returns the token of an address where the operator gave none.
func (o *ownerOptions) token(address string) string {
	if o == nil {
		return rand.Text()
	}
	return o.tokens[address]
}

// queue is a listener of connections that were accepted before.
type queue struct {
	addr   net.Addr
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newQueue(addr net.Addr) *queue {
	return &queue{addr: addr, conns: make(chan net.Conn), closed: make(chan struct{})}
}

// give hands a connection to whoever accepts. It returns false if nobody does any more.
func (q *queue) give(conn net.Conn) bool {
	select {
	case q.conns <- conn:
		return true
	case <-q.closed:
		return false
	}
}

// Accept waits for a connection.
func (q *queue) Accept() (net.Conn, error) {
	select {
	case conn := <-q.conns:
		return conn, nil
	case <-q.closed:
		return nil, net.ErrClosed
	}
}

// Close lets nobody accept any more.
func (q *queue) Close() error {
	q.once.Do(func() { close(q.closed) })
	return nil
}

// Addr returns the address at which the connections have come in.
func (q *queue) Addr() net.Addr { return q.addr }

// sharedAddress is an address of this deck, whose connections end at the owner.
type sharedAddress struct {
	name string
	ln   net.Listener
	// unserved is where connections end that find no owner.
	unserved *queue
	service  *Service // of unserved
}

// acceptAgain is the pause after an error that may pass, such as too many open files.
const acceptAgain = 50 * time.Millisecond

// accept leads the connections that come in, until the listener is closed.
func (a *sharedAddress) accept(lead func(address string, conn net.Conn) error, conns *sync.WaitGroup) {
	for {
		conn, err := a.ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			time.Sleep(acceptAgain)
			continue
		}
		conns.Go(func() {
			if lead(a.name, conn) != nil && !a.unserved.give(conn) {
				_ = conn.Close()
			}
		})
	}
}

// close lets nobody in, and ends what was unserved.
func (a *sharedAddress) close() error {
	err := a.service.Close()
	return errors.Join(err, a.unserved.Close())
}
