package proxy

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	"github.com/paytape/paytape/proxy/internal/http1"
)

// taken is a response writer whose connection, when it is taken over, still yields what the
// client has sent behind its request. goproxy would lose that.
type taken struct{ http.ResponseWriter }

// Hijack takes over the connection.
func (t *taken) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(t.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	ahead, _ := rw.Reader.Peek(rw.Reader.Buffered()) // what is there already
	from := io.MultiReader(bytes.NewReader(bytes.Clone(ahead)), conn)
	return &tunnel{Conn: conn, from: from, closed: make(chan struct{})}, rw, nil
}

// tunnel is a client's connection that tells when it is closed.
type tunnel struct {
	net.Conn
	from   io.Reader
	closed chan struct{}
	once   sync.Once
}

// NetConn returns the connection that the tunnel lies in.
func (t *tunnel) NetConn() net.Conn { return t.Conn }

func (t *tunnel) Read(p []byte) (int, error) { return t.from.Read(p) }

func (t *tunnel) Close() error {
	err := t.Conn.Close()
	t.once.Do(func() { close(t.closed) })
	return err
}

// serve serves a tunnel until its client leaves or the deck stops. It is a server of one
// connection, so all that holds for the deck's server holds inside a tunnel too.
func (f *Forward) serve(req *http.Request, client net.Conn, origin string) {
	defer client.Close()
	t, ok := client.(*tunnel)
	if !ok {
		return // nobody but connect asks goproxy for a tunnel
	}
	if _, err := io.WriteString(t, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	ctx, stop := context.WithCancel(req.Context())
	defer stop()
	defer context.AfterFunc(f.stopping, stop)()
	var conn net.Conn = t
	if host, secure := strings.CutPrefix(origin, "https://"); secure {
		if conn, ok = f.secure(ctx, t, host); !ok {
			return
		}
	}
	// It ends with an error whenever the client leaves.
	_ = Serve(ctx, &singleListener{conn: conn, tunnel: t, ended: make(chan struct{})},
		NewServer(f.inside(origin)), f.o.Observe)
}

// secure agrees with a client on TLS. A client that does not trust the authority ends this,
// which is the first thing to go wrong with a proxy like this one: the operator is told.
func (f *Forward) secure(ctx context.Context, t *tunnel, host string) (net.Conn, bool) {
	host = withoutPort(host)
	conn := tls.Server(t, f.signer.Config(host))
	ctx, cancel := context.WithTimeout(ctx, http1.HeadTimeout)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		tell(f.o.Observe, Event{
			Kind: Refused, Problem: problemHandshake.Kind, Note: NoteHandshake,
			Method: f.o.Cleaner.Text(http.MethodConnect), Target: f.o.Cleaner.Text(host),
		})
		return nil, false
	}
	return conn, true
}

// withoutPort returns a host alone, an IPv6 address without its brackets.
func withoutPort(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// inside returns the handler of a tunnel to an origin.
func (f *Forward) inside(origin string) http.Handler {
	_, host, _ := strings.Cut(origin, "://")
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		target, same := req.RequestURI, true
		switch {
		case req.Method == http.MethodConnect:
			f.refuse(w, req, problemTunnel)
			return
		case target != "*" && !strings.HasPrefix(target, "/"):
			var at string
			at, target = splitAbsolute(req.Method, target)
			same = at == origin
		case req.Host != "": // only HTTP/1.0 need not tell
			// Node says port 80 on a connection that was made for it.
			same = strings.EqualFold(withoutPort(req.Host), withoutPort(host))
		}
		if !same {
			f.refuse(w, req, problemMisdirected)
			return
		}
		by, rest, ok := f.o.Hosts.through(origin, target)
		if !ok { // a path beside the base path of the upstream
			f.refuse(w, req, problemForward)
			return
		}
		f.hand(w, by.by(req), rest)
	})
}

// singleListener is a listener of one connection. It lasts as long as the connection.
type singleListener struct {
	conn   net.Conn // nil once it has been accepted
	tunnel *tunnel  // below conn
	ended  chan struct{}
	once   sync.Once
}

// Accept returns the connection, and after that the end.
func (o *singleListener) Accept() (net.Conn, error) {
	if conn := o.conn; conn != nil {
		o.conn = nil
		return conn, nil
	}
	select {
	case <-o.ended:
	case <-o.tunnel.closed:
	}
	return nil, net.ErrClosed
}

// Close ends the listener and not the connection.
func (o *singleListener) Close() error {
	o.once.Do(func() { close(o.ended) })
	return nil
}

// Addr returns the address at which the client came in.
func (o *singleListener) Addr() net.Addr { return o.tunnel.LocalAddr() }
