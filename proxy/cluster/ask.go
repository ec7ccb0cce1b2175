package cluster

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/nats-io/nuid"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/internal/http1"
	"github.com/paytape/paytape/proxy/internal/problem"
)

// The problems of decks that share sessions.
var (
	problemUnreachable = &problem.Problem{
		Code: http.StatusServiceUnavailable, Kind: "cluster",
		Message: "the session is not at this deck, and NATS, which leads to the others, cannot be reached",
		Hint:    "send the request again; see whether nats-server runs",
	}
	problemUnlogged = &problem.Problem{
		Code: http.StatusServiceUnavailable, Kind: "cluster",
		Message: "the request may have been served, but no deck has come to answer it in time",
		Hint:    "send the request again as after a connection that was lost; see whether nats-server runs",
	}

	problemUnopened = &problem.Problem{
		Code: http.StatusServiceUnavailable, Kind: "cluster",
		Message: "no deck has opened the session in time: its log may be long, or the decks say why they cannot",
		Hint:    "send the request again; see what the decks have written",
	}
	problemBusy = &problem.Problem{
		Code: http.StatusServiceUnavailable, Kind: "busy",
		Message: "the bodies of the requests under way are more than are kept at once",
		Hint:    "send the request again",
	}
	problemForgotten = &problem.Problem{
		Code: http.StatusServiceUnavailable, Kind: "cluster", Message: lostStorage,
	}
	problemBroken = &problem.Problem{
		Code: http.StatusInternalServerError, Kind: "cluster",
		Message: "the log of the session cannot be served again; the decks say why",
		Hint:    "use another session",
	}
)

// Why a request was given to nobody.
var (
	errUnreachable = errors.New("no deck can be reached")
	errForgotten   = errors.New(lostStorage)
	errUnopened    = errors.New("no deck has opened the session in time")
)

// ServeHTTP answers a request of a client, at this deck or through the owner of its session.
func (n *Node) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	session, err := proxy.SessionOf(req.RequestURI)
	if err != nil || req.Method == http.MethodConnect || !strings.HasPrefix(req.RequestURI, "/") {
		n.deck.ServeHTTP(w, req) // which says what is wrong
		return
	}
	r, held, err := n.request(req, session)
	defer func() { n.room.give(held) }()
	switch {
	case errors.Is(err, errBusy):
		problemBusy.Write(w, req.Method)
		return
	case err != nil:
		n.deck.ServeHTTP(w, req)
		return
	}
	conn := http1.ConnOf(req)
	r.Read = n.readBefore(conn, session)
	a, got, err := n.ask(req.Context(), r)
	switch {
	case errors.Is(err, errUnreachable):
		problemUnreachable.Write(w, req.Method)
		return
	case errors.Is(err, errForgotten):
		problemForgotten.Write(w, req.Method)
		return
	case errors.Is(err, errUnopened):
		problemUnopened.Write(w, req.Method)
		return
	case errors.Is(err, errBroken):
		problemBroken.Write(w, req.Method)
		return
	case req.Context().Err() != nil:
		panic(http.ErrAbortHandler)
	case err != nil:
		problemUnlogged.Write(w, req.Method)
		return
	}
	whole := false
	// An answer is sent when its handler has returned. A deck that dies before that must not have said
	// that the client has the answer.
	defer func() {
		switch {
		case !whole:
			go got(false)
		case conn != nil:
			n.noteSent(conn, sent{session, r.ID})
			conn.WhenAnswered(got)
		default: // HTTP/2, where a request proves nothing of others
			time.AfterFunc(sending, func() { got(true) })
		}
	}()
	whole = a.play(w, req)
}

// sending is how long it takes, most times, to send an answer that is there: in HTTP/2 nobody tells.
const sending = 2 * time.Millisecond

// sent is an answer that was sent to its end.
type sent struct{ session, id string }

// noteSent notes the last answer of a connection. A receipt may be on its way when the next request is
// there, and that request proves that the answer was read: so it has the receipt with it.
func (n *Node) noteSent(conn *http1.Conn, s sent) {
	n.mu.Lock()
	n.sent[conn] = s
	n.mu.Unlock()
	time.AfterFunc(patient, func() { // the receipt has come long ago
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.sent[conn] == s {
			delete(n.sent, conn)
		}
	})
}

// readBefore returns the request of a session whose answer a connection had last; empty if there is none.
func (n *Node) readBefore(conn *http1.Conn, session string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if s := n.sent[conn]; s.session == session {
		return s.id
	}
	return ""
}

// errLarge says that a body is larger than any on tape.
var errLarge = errors.New("the body is too large")

// request reads a request to its end, and returns how many bytes it takes of the room. Of a request that
// is too large, or that breaks off, the body is still there, for whoever says so.
func (n *Node) request(req *http.Request, session string) (_ *Request, held int64, _ error) {
	var body bytes.Buffer
	if req.Body != nil && req.Body != http.NoBody {
		src := &heldReader{Reader: io.LimitReader(req.Body, n.options.Limit+1), room: n.room}
		if req.ContentLength > 0 {
			body.Grow(int(min(req.ContentLength, n.options.Limit)) + bytes.MinRead)
		}
		_, err := body.ReadFrom(src)
		if errors.Is(err, errBusy) {
			return nil, src.held, err
		}
		if err != nil || int64(body.Len()) > n.options.Limit {
			req.Body = restOf{io.MultiReader(&body, brokenOr(req.Body, err)), req.Body}
			return nil, src.held, cmp.Or(err, errLarge)
		}
		held = src.held
	}
	return &Request{requestFields: requestFields{
		ID: nuid.Next(), Session: session, Method: req.Method, Target: req.RequestURI,
		Host: hostOf(req), Proto: req.Proto, TLS: req.TLS != nil, Header: req.Header.Clone(), Body: body.Bytes(),
	}}, held, nil
}

// restOf is a body of which a part was read.
type restOf struct {
	io.Reader
	io.Closer
}

// brokenOr is a body, or the error that has ended it.
func brokenOr(body io.Reader, err error) io.Reader {
	if err == nil {
		return body
	}
	return broken{err}
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// hostOf returns the host by which a client has reached its deck.
func hostOf(req *http.Request) string {
	if req.Host != "" {
		return req.Host
	}
	if local, ok := req.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
		return local.String()
	}
	return ""
}

// ask has the owner of its session answer a request: again and again, if the owner is lost. got must
// be told whether the client has the whole answer.
func (n *Node) ask(ctx context.Context, r *Request) (a *Answer, got func(whole bool), err error) {
	ctx, cancel := context.WithTimeout(ctx, n.patience())
	defer cancel()
	begun := time.Now()
	tried := false // somebody may have served it
	// A message may be lost, and is sent again. Each time is longer than the one before: a large body
	// takes long.
	for wait := n.options.Lease; ; {
		c, owner, err := n.find(ctx, r.Session)
		switch {
		case errors.Is(err, errBroken), errors.Is(err, errForgotten):
			return nil, nil, err
		case err != nil:
			if !tried && !n.bus.connected() {
				return nil, nil, errUnreachable
			}
			if !tried && !n.leased() && time.Since(begun) > n.options.Lease {
				return nil, nil, errUnopened // a deck that is well has a lease by now
			}
		case c != nil:
			s, err := c.serve(ctx, r)
			if err == nil {
				return s.Answer, func(whole bool) { c.received(r.ID, whole) }, nil
			}
			if tried = tried || !errors.Is(err, errLost); !tried && !n.bus.connected() {
				return nil, nil, errUnreachable
			}
		default:
			a, sent := n.forward(ctx, owner, r, wait)
			wait *= 2
			if tried = tried || sent; a != nil {
				return a, func(whole bool) { n.tellReceipt(owner, receipt{r.Session, r.ID, whole}) }, nil
			}
			n.forget(r.Session, owner)
			if !tried && !n.bus.connected() {
				return nil, nil, errUnreachable
			}
		}
		if !sleep(ctx, 20*time.Millisecond) {
			if !tried {
				return nil, nil, errUnopened
			}
			return nil, nil, ctx.Err()
		}
	}
}

// patience is how long a request may take: the lease of an owner that has died, and that of one which
// has taken over and has died too.
func (n *Node) patience() time.Duration { return patience(n.options.Lease) }

func patience(lease time.Duration) time.Duration { return 3*lease + 5*time.Second }
