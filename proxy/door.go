package proxy

import (
	"context"
	"errors"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"path"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/paytape/paytape/proxy/internal/http1"
)

// Door is the reverse door: clients use its address as the base URL of the API. It keeps
// requests and answers as they are and leaves all else to its mode.
type Door struct {
	proxy   httputil.ReverseProxy
	source  directMode // the mode, if it has its answers itself; else nil
	observe func(Event)
}

// NewDoor returns a door that holds a mode. observe is told of what the mode is not asked for,
// and if a defect of ours ends an exchange; nil means that nobody is told.
func NewDoor(mode http.RoundTripper, observe func(Event)) *Door {
	source, _ := mode.(directMode)
	return &Door{
		source:  source,
		observe: observe,
		proxy: httputil.ReverseProxy{
			Transport: statusKeeper{mode}, Rewrite: keep, ErrorHandler: fail,
			BufferPool: &buffers{}, FlushInterval: longestHeld,
			// What ReverseProxy would log are error texts of net, with addresses.
			ErrorLog: log.New(io.Discard, "", 0),
		},
	}
}

// longestHeld is how long a door may hold what has come of an answer whose length is known. Nearly all
// such answers are whole by then, and leave with their head in one write, where a flush for each piece
// costs two writes and a goroutine. An answer without a length, and an event stream, may go on for
// ever: of them ReverseProxy passes each piece at once.
const longestHeld = 5 * time.Millisecond

// ServeHTTP refuses what only a forward proxy can serve and hands the rest to the mode.
func (d *Door) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	defer d.contain()
	answer := &exactWriter{
		ResponseWriter: w, old: !req.ProtoAtLeast(1, 1), owed: req.Header.Get("Expect") != "",
	}
	defer answer.cut()
	switch {
	case req.Method == http.MethodConnect:
		w.Header().Set("Connection", "close") // what follows is meant for a tunnel
		refuse(d.observe, w, req, problemConnect)
	case req.RequestURI != "*" && !strings.HasPrefix(req.RequestURI, "/"):
		refuse(d.observe, w, req, problemAbsolute)
	case d.source != nil:
		d.direct(answer, req)
	default:
		// Otherwise net/http throws away what has not come of a request when its answer begins,
		// and the sandbox would miss that. HTTP/2 has no such need.
		_ = http.NewResponseController(w).EnableFullDuplex()
		d.proxy.ServeHTTP(answer, req.WithContext(context.WithValue(req.Context(), writerKey{}, answer)))
	}
	answer.whole = true
}

// contain turns a panic into a closed connection. What panicked is not repeated, because it
// may hold traffic; where it happened is told.
func (d *Door) contain() {
	switch cause := recover(); cause {
	case nil:
	case http.ErrAbortHandler:
		panic(http.ErrAbortHandler)
	default:
		tell(d.observe, Event{Kind: Failed, Note: NoteDefect, Where: origin()})
		panic(http.ErrAbortHandler)
	}
}

// forwarded are headers that ReverseProxy takes off a request. This deck is not there, as
// far as sandbox and client can tell.
var forwarded = [...]string{
	"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
}

// rawUserAgent is a spelling of User-Agent that net/http does not know. Under the usual one it
// sends one value at most, and none that is empty.
var rawUserAgent = strings.ToLower("User-Agent")

// keep undoes what ReverseProxy does to a request: the mode sees the raw target, with the
// deck's own address as the host.
func keep(r *httputil.ProxyRequest) {
	target := addressed(r.In)
	r.Out.URL = &target
	if agent, ok := r.In.Header["User-Agent"]; ok && (len(agent) != 1 || agent[0] == "") {
		r.Out.Header["User-Agent"], r.Out.Header[rawUserAgent] = []string{""}, slices.Clone(agent)
	}
	for _, name := range forwarded {
		if values, ok := r.In.Header[name]; ok {
			r.Out.Header[name] = slices.Clone(values) // its memory is the connection's
		}
	}
	r.Out.Trailer = r.In.Trailer // one map: it is filled when the body has been read
	if asked := r.Out.Header.Get("Upgrade"); asked != "" {
		upgrade(r.Out.Header, asked)
	}
}

// upgrade keeps of the protocols that a client would switch to those that a sandbox may be asked
// for. Over HTTP of another version, and over TLS, more requests would follow, which would pass
// unread and be on no tape: they are between two neighbours, and a server may ignore them
// (RFC 9110, section 7.8). Java's client asks for h2c with each request that is not over TLS.
func upgrade(h http.Header, asked string) {
	protocols := slices.DeleteFunc(strings.Split(asked, ","), func(protocol string) bool {
		name, _, _ := strings.Cut(strings.TrimSpace(protocol), "/")
		switch strings.ToLower(name) {
		case "", "h2c", "h2", "http", "tls":
			return true
		}
		return false
	})
	if len(protocols) > 0 {
		h.Set("Upgrade", strings.TrimSpace(strings.Join(protocols, ",")))
		return
	}
	h.Del("Upgrade")
	h.Del("Connection")
}

// hostOf returns the host by which the client reached the deck. HTTP/1.0 need not tell.
func hostOf(req *http.Request) string {
	if req.Host != "" {
		return req.Host
	}
	if local, ok := req.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return local.String()
	}
	return ""
}

// fail ends an exchange for which the mode, or ReverseProxy after it, had no answer.
func fail(w http.ResponseWriter, req *http.Request, err error) {
	switch {
	case errors.Is(err, errReset), errors.Is(err, errGarbage):
		breakConnection(w, err)
		return
	case errors.Is(err, ErrAbort):
		panic(http.ErrAbortHandler)
	}
	problemDoor.Write(w, req.Method)
}

// breakConnection breaks the connection of a client in the way that an error says. A client of HTTP/2
// sees its request reset: its connection carries others.
func breakConnection(w http.ResponseWriter, how error) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if errors.Is(how, errReset) {
		_ = http1.Reset(conn).Close()
	} else {
		_, _ = io.WriteString(conn, garbage) // a client that has gone needs none
	}
	_ = conn.Close()
}

// garbage is what no client can take for an answer.
const garbage = "\x16\x03\x00garbage\r\n\r\n"

// exactWriter is a response writer under which an answer without a Content-Type or a Date stays
// without one, where net/http would guess, and a client that waits to be told to continue is told
// once: net/http does it when the mode begins to read the body, which is when the sandbox has said
// so. What a sandbox says beyond that, or to a client that does not wait, passes.
type exactWriter struct {
	http.ResponseWriter
	old   bool // the client speaks HTTP/1.0, which has no answers before the final one
	owed  bool // net/http tells the client to continue
	began bool // the head of the answer was written
	whole bool // so was all of it
}

func (w *exactWriter) WriteHeader(code int) {
	switch {
	case w.old && code < http.StatusOK && code != http.StatusSwitchingProtocols:
		return
	case code == http.StatusContinue && w.owed:
		w.owed = false
		return
	}
	h := w.Header()
	for _, name := range [...]string{"Content-Type", "Date"} {
		if code >= http.StatusOK && h[name] == nil {
			h[name] = nil
		}
	}
	w.began = w.began || code >= http.StatusOK
	w.ResponseWriter.WriteHeader(code)
}

// WriteString writes text without a copy of it.
func (w *exactWriter) WriteString(s string) (int, error) {
	return io.WriteString(w.ResponseWriter, s)
}

// cut is deferred: an answer that is aborted is cut where it was, and what was written of it
// gets to the client, even if that is only the head.
func (w *exactWriter) cut() {
	if w.began && !w.whole {
		_ = http.NewResponseController(w.ResponseWriter).Flush()
	}
}

// Unwrap lets http.ResponseController find what lies below.
func (w *exactWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// writerKey is where a request of ReverseProxy has the exactWriter of its answer.
type writerKey struct{}

// statusKeeper is a mode whose answers leave a door with the words they came with.
type statusKeeper struct{ mode http.RoundTripper }

// RoundTrip asks the mode.
func (m statusKeeper) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := m.mode.RoundTrip(req)
	if err == nil {
		http1.SetStatus(req, res)
		if w, ok := req.Context().Value(writerKey{}).(*exactWriter); ok {
			flushInto(w, res.Body) // ReverseProxy keeps the head of an answer without a body
		}
	}
	return res, err
}

// directMode is a mode that has its answers itself. Behind it is no upstream for which a request
// would have to be readied, and its answers do not come piece by piece, so the door spares it
// the way through ReverseProxy, which takes longer than finding the answer.
type directMode interface {
	// answer is RoundTrip for a request with another URL, which it leaves as it is. An answer from
	// tape is made in served, whose header is there.
	answer(req *http.Request, u url.URL, served *servedResponse) (*http.Response, error)
}

// direct serves a request from a mode that has its answers itself.
func (d *Door) direct(w http.ResponseWriter, req *http.Request) {
	h := w.Header()
	served := servedResponses.Get().(*servedResponse)
	served.Header = h
	res, err := d.source.answer(req, addressed(req), served)
	if err != nil {
		fail(w, req, err)
		return
	}
	http1.SetStatus(req, res)
	maps.Copy(h, res.Header) // if it is another one
	for name := range res.Trailer {
		h.Add("Trailer", name)
	}
	w.WriteHeader(res.StatusCode)
	body := flushInto(w, res.Body)
	if _, slow := body.(*drip); slow {
		w = flushed{w, http.NewResponseController(w)}
	}
	_, err = io.Copy(w, body)
	if closed := res.Body.Close(); err != nil || closed != nil {
		panic(http.ErrAbortHandler) // the answer is cut, which the client must notice
	}
	maps.Copy(h, res.Trailer)
	served.free()
}

// addressed is the URL of a request as a mode sees it: the raw target, with the deck's own
// address as the host.
func addressed(req *http.Request) url.URL {
	u := url.URL{Scheme: "http", Host: hostOf(req), Opaque: req.RequestURI}
	if req.TLS != nil {
		u.Scheme = "https"
	}
	return u
}

// origin returns the file and line in which the panic now being handled began. A stack of
// Go's own would show arguments, and so addresses of traffic.
func origin() string {
	var callers [32]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers[:])])
	panicking := false
	for {
		frame, more := frames.Next()
		inRuntime := strings.HasPrefix(frame.Function, "runtime.")
		if panicking && !inRuntime {
			return path.Base(frame.File) + ":" + strconv.Itoa(frame.Line)
		}
		panicking = panicking || inRuntime
		if !more {
			return ""
		}
	}
}

// copySize is how many bytes of a body are copied at a time.
const copySize = 32 << 10

// buffers lends the buffers through which bodies are copied: without it every body, however
// short, would be given one of its own. The zero value is ready to use.
type buffers struct{ pool sync.Pool }

// Get returns a buffer.
func (b *buffers) Get() []byte {
	if buf, ok := b.pool.Get().(*[copySize]byte); ok {
		return buf[:]
	}
	return make([]byte, copySize)
}

// Put takes a buffer back. What a body left in it is overwritten by the next.
func (b *buffers) Put(buf []byte) {
	if len(buf) == copySize {
		b.pool.Put((*[copySize]byte)(buf))
	}
}
