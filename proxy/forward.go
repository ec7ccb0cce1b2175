package proxy

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/elazarl/goproxy"

	"github.com/paytape/paytape/proxy/internal/authority"
	"github.com/paytape/paytape/proxy/internal/problem"
)

// ForwardOptions are what a Forward is made of.
type ForwardOptions struct {
	// Door takes all requests, whichever way they come; it is the reverse door.
	Door http.Handler
	// Hosts are the addresses that clients may name. In replay they are those on tape.
	Hosts *Upstreams
	// Authority signs for the hosts inside tunnels.
	Authority *Authority
	// Now is the clock of the deck, if that is not this machine's: certificates are valid by both.
	// Nil: it is.
	Now func() time.Time
	// Cleaner cleans what events tell of requests that were refused.
	Cleaner textCleaner
	// Observe is told of them. Nil: nobody is told.
	Observe func(Event)
}

// Forward is the forward door, for clients whose hosts are hard-coded: it serves what a
// proxy is asked for, requests in absolute form and tunnels, as if the client had come to
// the reverse door, and the reverse door's own requests beside. In a tunnel it speaks TLS
// under its own authority, and HTTP/1.1 or HTTP/2. Nothing leads anywhere but to the
// configured hosts and ports, and no bytes are ever passed on unread.
//
// goproxy decides on tunnels and takes over their connections. It is given no transport and
// no dialer, and none of its own certificates is used.
type Forward struct {
	o       ForwardOptions
	signer  *authority.Signer
	tunnels *goproxy.ProxyHttpServer

	stopping context.Context // ends when tunnels shall
	stop     context.CancelFunc
}

// NewForward returns a forward door. It refuses to be made without an authority that is
// still valid.
func NewForward(o ForwardOptions) (*Forward, error) {
	switch {
	case o.Door == nil || o.Hosts == nil:
		return nil, errors.New("a forward door needs a door and hosts")
	case o.Authority == nil:
		return nil, errors.New("a forward door needs a certificate authority")
	case o.Cleaner == nil:
		return nil, errors.New("a forward door needs a cleaner")
	}
	clocks := []func() time.Time{time.Now}
	if o.Now != nil {
		clocks = append(clocks, o.Now)
	}
	s, err := authority.NewSigner(o.Authority, clocks...)
	if err != nil {
		return nil, err
	}
	f := &Forward{o: o, signer: s}
	f.stopping, f.stop = context.WithCancel(context.Background())
	f.tunnels = &goproxy.ProxyHttpServer{
		Logger:          log.New(io.Discard, "", 0), // it quotes what peers send
		NonproxyHandler: o.Door,
		Tr:              &http.Transport{DialContext: noDial},
	}
	f.tunnels.OnRequest().HandleConnectFunc(f.decide)
	return f, nil
}

// noDial is a dialer for a proxy that must not dial.
func noDial(context.Context, string, string) (net.Conn, error) {
	return nil, errors.New("the forward door dials nobody")
}

// ServeHTTP serves a request of a proxy's client, or hands one of the deck's own to the door.
func (f *Forward) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	switch {
	case req.Method == http.MethodConnect:
		f.connect(w, req)
	case req.RequestURI == "*" || strings.HasPrefix(req.RequestURI, "/"):
		f.o.Door.ServeHTTP(w, req)
	default:
		f.absolute(w, req)
	}
}

// connect opens a tunnel to a configured host, and refuses others with an answer that can
// be read: a connection that has been taken over cannot be closed as gently.
func (f *Forward) connect(w http.ResponseWriter, req *http.Request) {
	if _, ok := f.target(req); !ok {
		w.Header().Set("Connection", "close") // what follows is meant for a tunnel
		f.refuse(w, req, problemForward)
		return
	}
	if req.ProtoMajor != 1 {
		f.refuse(w, req, problemTunnel)
		return
	}
	f.tunnels.ServeHTTP(&taken{ResponseWriter: w}, req)
}

// target returns the origin to which a tunnel shall lead, if that is a configured one. Of
// two schemes at one address the one with TLS counts, because tunnels are made for it.
func (f *Forward) target(req *http.Request) (origin string, ok bool) {
	for _, scheme := range [...]string{"https", "http"} {
		if at, valid := connectTarget(scheme, req.RequestURI); valid && f.o.Hosts.knows(at) {
			return at, true
		}
	}
	return "", false
}

// connectTarget reads HOST:PORT, the target of a CONNECT (RFC 9110, section 9.3.6).
func connectTarget(scheme, target string) (origin string, ok bool) {
	host, port, err := net.SplitHostPort(target)
	if err != nil || host == "" || strings.ContainsAny(host, "@/?#\\% ") {
		return "", false
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || port[0] == '0' {
		return "", false
	}
	return canonicalOrigin(scheme, target), true
}

// decide is goproxy's question what to do with a tunnel: the door serves it, or nobody does.
func (f *Forward) decide(host string, c *goproxy.ProxyCtx) (*goproxy.ConnectAction, string) {
	origin, ok := f.target(c.Req)
	if !ok {
		return &goproxy.ConnectAction{Action: goproxy.ConnectReject}, host
	}
	serve := func(req *http.Request, client net.Conn, _ *goproxy.ProxyCtx) {
		f.serve(req, client, origin)
	}
	return &goproxy.ConnectAction{Action: goproxy.ConnectHijack, Hijack: serve}, host
}

// absolute serves a request for a configured host in absolute form.
func (f *Forward) absolute(w http.ResponseWriter, req *http.Request) {
	origin, target := splitAbsolute(req.Method, req.RequestURI)
	by, rest, ok := f.o.Hosts.through(origin, target)
	if !ok || origin == "" {
		f.refuse(w, req, problemForward)
		return
	}
	f.hand(w, by.by(req), rest)
}

// hand hands a request to the door, which sees a path and not a proxy's request.
func (f *Forward) hand(w http.ResponseWriter, req *http.Request, target string) {
	req.RequestURI = target
	f.o.Door.ServeHTTP(w, req)
}

// splitAbsolute takes an absolute URI apart, as raw as it is. The origin is empty for what
// is none. An empty path is "/", and "*" for OPTIONS (RFC 9112, section 3.2.4).
func splitAbsolute(method, uri string) (origin, target string) {
	origin, end := originOf(uri)
	switch rest := uri[end:]; {
	case rest != "":
		return origin, rooted(rest)
	case method == http.MethodOptions:
		return origin, "*"
	}
	return origin, "/"
}

// refuse answers with a problem and tells the operator, because many clients do not show
// what a proxy has to say.
func (f *Forward) refuse(w http.ResponseWriter, req *http.Request, p *problem.Problem) {
	place := req.RequestURI
	if req.Method != http.MethodConnect {
		place, _ = splitAbsolute(req.Method, req.RequestURI)
	}
	e := refusal(p)
	e.Method, e.Target = f.o.Cleaner.Text(req.Method), f.o.Cleaner.Text(place)
	if p == problemForward {
		e.Note = NoteForward
	}
	tell(f.o.Observe, e)
	p.Write(w, req.Method)
}

// drain lets tunnels end what they are doing and take nothing more.
func (f *Forward) drain() { f.stop() }

// Authority is the certificate authority of one install, by which the forward door shows itself to
// clients as the hosts that it stands for. Its key never leaves its file, which only the owner can
// read. It signs for nothing but servers, and no authority below it.
//
// Whoever has the key can pose as any host to whoever trusts the certificate. An authority may
// therefore be limited to hosts when it is made. An authority that is made on first use is not
// limited, because each deck has other hosts; the door signs for configured hosts alone.
type Authority = authority.Authority

var (
	// ErrNoAuthority is returned where no certificate authority has been made yet.
	ErrNoAuthority = authority.ErrNone
	// ErrExpired is returned where an authority is needed whose life is over.
	ErrExpired = authority.ErrExpired
)

// CreateAuthority makes an authority in a folder and fails if there is one already. Where hosts
// are given, names or IP addresses, clients refuse its certificates for other hosts.
func CreateAuthority(dir string, hosts []string) (*Authority, error) {
	return authority.Create(dir, hosts)
}

// OpenAuthority returns the authority in a folder and makes an authority if there is none.
// Processes that do so at the same time get the same authority.
func OpenAuthority(dir string) (*Authority, error) { return authority.Open(dir) }

// ReplaceAuthority makes a new authority in the place of that in a folder, if there is any; clients
// must be made to trust it anew.
func ReplaceAuthority(dir string, hosts []string) (*Authority, error) {
	return authority.Replace(dir, hosts)
}

// LoadAuthority reads the authority in a folder; its error is ErrNoAuthority if there is none. A
// file that others can read is refused: they may have the key.
func LoadAuthority(dir string) (*Authority, error) { return authority.Load(dir) }
