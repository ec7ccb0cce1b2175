package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/proxy/internal/http1"
	"github.com/paytape/paytape/proxy/internal/problem"
)

// Bounds of a client's connection and of stopping.
const (
	keepAlive = 2 * time.Minute  // for the next request on a connection
	drainTime = 10 * time.Second // for exchanges under way when the deck stops
	closeTime = 5 * time.Second  // for their handlers, once connections are closed
)

// NewServer returns a server for a door. It answers nothing by itself that a door could
// answer, and its own error texts, which repeat what clients sent, are discarded.
func NewServer(h http.Handler) *http.Server {
	srv := &http.Server{
		Handler:                      h,
		ReadHeaderTimeout:            http1.HeadTimeout,
		IdleTimeout:                  keepAlive,
		MaxHeaderBytes:               http1.MaxHead,
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     log.New(io.Discard, "", 0),
	}
	if f, ok := h.(*Forward); ok {
		srv.RegisterOnShutdown(f.drain) // its tunnels are no connections of the server's
	}
	return srv
}

// errStopping is why the exchanges end that were still under way when the deck stopped.
var errStopping = errors.New("the deck stops")

// Serve serves until ctx ends. Then it takes no more requests, gives those under way ten
// seconds, and ends what still goes on, such as event streams. When it returns no handler
// runs any more, so the tape may be closed. observe is told of requests that are refused while
// they are read, by many goroutines; nil means that nobody is told.
func Serve(ctx context.Context, ln net.Listener, srv *http.Server, observe func(Event)) error {
	running, stopped := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stopped(errStopping)
	refused := func(p *problem.Problem) { tell(observe, refusal(p)) }
	fresh := newFreshConns()
	under := &underway{next: http1.Handler(originForm(srv.Handler), refused), empty: make(chan struct{})}
	srv.Handler, srv.ConnContext, srv.ConnState = under, fresh.withConn, fresh.see
	srv.BaseContext = func(net.Listener) context.Context { return running }

	failed := make(chan error, 1)
	plain := http1.Listen(ln, srv, refused)
	go func() { failed <- srv.Serve(plain) }()
	var err error
	select {
	case err = <-failed:
		err = fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
		_ = plain.Stop() // what was accepted is served
		fresh.wait(freshTime)
		err = drain(running, plain, srv, under)
	}
	stopped(errStopping) // before connections go: it was not their clients who left
	_ = plain.Close()    // connections are gone whatever it says
	_ = srv.Close()
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
	defer cancel()
	if !under.wait(limit) {
		err = errors.Join(err, errors.New("stopping: an exchange did not end"))
	}
	return err
}

// drain lets exchanges end, those on connections that were taken over too. Those that go on
// are ended by the caller, which is no failure.
func drain(ctx context.Context, plain *http1.Listener, srv *http.Server, under *underway) error {
	limit, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	plain.Drain(limit)
	if err := srv.Shutdown(limit); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("stopping: %w", err)
	}
	under.wait(limit)
	return nil
}

// underway counts the requests that are being handled, which http.Server does not for
// hijacked connections nor after Close. No request waits for another to be counted.
type underway struct {
	next http.Handler
	// n is how many there are, and closing besides when no more are let in.
	n     atomic.Int64
	once  sync.Once     // of empty
	empty chan struct{} // closed when n is closing alone
}

// closing is a number that no count of requests comes near.
const closing = 1 << 62

func (u *underway) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	defer u.end()
	if u.n.Add(1) >= closing {
		panic(http.ErrAbortHandler)
	}
	begun(req)
	u.next.ServeHTTP(w, req)
}

func (u *underway) end() {
	if u.n.Add(-1) == closing {
		u.once.Do(func() { close(u.empty) })
	}
}

// wait lets no more requests in and waits until the last has left, or ctx ends.
func (u *underway) wait(ctx context.Context) bool {
	if u.n.Or(closing)&^closing == 0 {
		return true
	}
	select {
	case <-u.empty:
		return true
	case <-ctx.Done():
		return false
	}
}

// originForm hands requests to a handler, those for the deck's own address always with a path as
// their target. A server takes such a request in absolute form too, and what the target says counts
// and not the Host (RFC 9112, section 3.2.2):
//
//	GET http://127.0.0.1:8080/payment/rest/getOrderStatus.do?orderId=1 HTTP/1.1
//
// A target with any other authority is one for a proxy, and stays as it is. The deck looks up no
// names: an authority is its own that has the port of the connection, and the address of the
// connection, the name of this machine, or at a loopback address "localhost".
func originForm(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !strings.HasPrefix(req.RequestURI, "/") && req.Method != http.MethodConnect {
			if origin, target := splitAbsolute(req.Method, req.RequestURI); ownOrigin(req, origin) {
				req.RequestURI = target
			}
		}
		next.ServeHTTP(w, req)
	})
}

// ownOrigin reports whether an origin, in canonical form, is that of the deck itself.
func ownOrigin(req *http.Request, origin string) bool {
	local, _ := req.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if local == nil || origin == "" {
		return false
	}
	at, err := netip.ParseAddrPort(local.String())
	to, bad := url.Parse(origin)
	if err != nil || bad != nil || to.User != nil || (to.Scheme == "https") != (req.TLS != nil) {
		return false
	}
	port := to.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[to.Scheme]
	}
	return port == strconv.Itoa(int(at.Port())) && ownHost(to.Hostname(), at.Addr().Unmap())
}

// ownHost reports whether a host is this machine, for a client that came to one of its addresses.
func ownHost(host string, at netip.Addr) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap() == at
	}
	name, err := os.Hostname()
	return host == "localhost" && at.IsLoopback() || err == nil && strings.EqualFold(host, name)
}
