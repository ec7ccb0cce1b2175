package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
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
	r, ok := n.request(req, session)
	if !ok {
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
	// net/http sends an answer when its handler has returned. A deck that dies before that must not
	// have said that the client has the answer.
	defer func() {
		if whole {
			n.noteSent(conn, sent{session, r.ID})
		}
		time.AfterFunc(sending, func() { got(whole) })
	}()
	whole = a.play(w, req)
}

// sending is how long it takes to send an answer that is there.
const sending = 2 * time.Millisecond

// sent is an answer that was sent to its end.
type sent struct{ session, id string }

// noteSent notes the last answer of a connection. A receipt may be on its way when the next request is
// there, and that request proves that the answer was read: so it has the receipt with it.
func (n *Node) noteSent(conn *http1.Conn, s sent) {
	if conn == nil {
		return // of HTTP/2, a request proves nothing of others
	}
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

// request reads a request to its end. Of a request that is too large, or that breaks off, the body is
// still there, for whoever says so.
func (n *Node) request(req *http.Request, session string) (*Request, bool) {
	var body []byte
	if req.Body != nil && req.Body != http.NoBody {
		var err error
		body, err = io.ReadAll(io.LimitReader(req.Body, n.options.Limit+1))
		if err != nil || int64(len(body)) > n.options.Limit {
			req.Body = restOf{io.MultiReader(bytes.NewReader(body), brokenOr(req.Body, err)), req.Body}
			return nil, false
		}
	}
	return &Request{requestFields: requestFields{
		ID: nuid.Next(), Session: session, Method: req.Method, Target: req.RequestURI,
		Host: hostOf(req), Proto: req.Proto, TLS: req.TLS != nil, Header: req.Header, Body: body,
	}}, true
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
func (n *Node) patience() time.Duration { return 3*n.options.Lease + 5*time.Second }

// find returns the session at this deck, or the deck that has it.
func (n *Node) find(ctx context.Context, name string) (here *claim, owner string, err error) {
	n.mu.Lock()
	if n.trouble != "" {
		n.mu.Unlock()
		return nil, "", errForgotten
	}
	if owner := n.elsewhere[name]; owner != "" {
		n.mu.Unlock()
		return nil, owner, nil
	}
	c, found := n.owned[name]
	if !found {
		if n.closed || !n.bus.connected() || !time.Now().Before(n.until) {
			n.mu.Unlock()
			return nil, "", errNATS
		}
		c = n.newClaim(name)
		n.owned[name] = c
		n.runs.Go(func() { n.acquire(c) })
	}
	n.mu.Unlock()
	select {
	case <-c.ready:
	case <-ctx.Done():
		return nil, "", ctx.Err()
	}
	if c.err != nil || c.deck != "" {
		return nil, c.deck, c.err
	}
	return c, "", nil
}

// forget forgets where a session is.
func (n *Node) forget(name, owner string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.elsewhere[name] == owner {
		delete(n.elsewhere, name)
	}
}

// name returns the id of the lease.
func (n *Node) name() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.id
}

// mostElsewhere bounds what is remembered of the sessions of other decks.
const mostElsewhere = 100_000

// acquire finds out who has a session, or makes it this deck's.
func (n *Node) acquire(c *claim) {
	ctx, cancel := context.WithCancel(n.ctx)
	defer cancel()
	// A long log takes longer than a client waits: it may as long as it goes on.
	watch := time.AfterFunc(n.patience(), cancel)
	defer watch.Stop()
	c.deck, c.err = n.claim(ctx, c)
	if c.err == nil && c.deck == "" {
		c.err = c.open(ctx, func() { watch.Reset(n.patience()) })
		if c.err != nil && !c.isLost() {
			n.release(n.ctx, c)
		}
	}
	n.tellCause(c)
	n.mu.Lock()
	if c.err != nil || c.deck != "" {
		if n.owned[c.name] == c {
			delete(n.owned, c.name)
		}
		if c.deck != "" {
			if len(n.elsewhere) >= mostElsewhere {
				clear(n.elsewhere)
			}
			n.elsewhere[c.name] = c.deck
		}
	}
	n.mu.Unlock()
	close(c.ready)
	if c.isLost() {
		c.lose() // while it was opened
	}
	n.shrink()
}

// tellCause warns of why a session cannot be opened, once for each cause.
func (n *Node) tellCause(c *claim) {
	n.mu.Lock()
	before := n.warned[c.name]
	switch {
	case c.err == nil || n.ctx.Err() != nil || !n.bus.connected():
		delete(n.warned, c.name)
		n.mu.Unlock()
		return
	case len(n.warned) >= mostElsewhere:
		clear(n.warned)
	}
	n.warned[c.name] = c.err.Error()
	n.mu.Unlock()
	if before != c.err.Error() {
		n.options.Warn(fmt.Sprintf("session %q cannot be opened: %v", c.name, c.err))
	}
}

// claim claims a session, unless a deck with a lease has it: then it returns that deck.
func (n *Node) claim(ctx context.Context, c *claim) (owner string, err error) {
	key := c.key()
	for ctx.Err() == nil {
		id := n.name()
		mine, err := c.value()
		if err != nil {
			return "", err
		}
		found, err := n.bus.claims.Get(ctx, key)
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
			c.revision, err = n.bus.claims.Create(ctx, key, mine)
		case err != nil:
			return "", err
		default:
			has := decodeClaim(found.Value()).Deck
			if has != id {
				m, err := n.member(ctx, has)
				if err != nil {
					return "", err
				}
				if m != nil {
					return has, nil
				}
			}
			c.revision, err = n.bus.claims.Update(ctx, key, mine, found.Revision())
		}
		if err == nil {
			c.renewed = time.Now()
			return "", nil
		}
		if !wrongSequence(err) {
			return "", err
		}
	}
	return "", ctx.Err()
}

// release lets any deck claim a session.
func (n *Node) release(ctx context.Context, c *claim) {
	c.holding.Lock()
	defer c.holding.Unlock()
	_ = n.bus.claims.Delete(ctx, c.key(), jetstream.LastRevision(c.revision)) // the lease ends some day
}

// maxOwned is how many sessions a deck keeps. Others stay in their logs, and are served again from
// there when somebody asks.
const maxOwned = 256

// shrink gives back the session that was used least recently, if there are too many.
func (n *Node) shrink() {
	n.mu.Lock()
	var all []*claim
	for _, c := range n.owned {
		all = append(all, c)
	}
	n.mu.Unlock()
	if len(all) <= maxOwned {
		return
	}
	var oldest *claim
	var since time.Time
	for _, c := range all {
		if !isClosed(c.ready) || c.err != nil || c.deck != "" {
			continue
		}
		c.mu.Lock()
		idle := !c.isLost() && len(c.queue) == 0 && c.session.Idle()
		used := c.used
		c.mu.Unlock()
		if idle && (oldest == nil || used.Before(since)) {
			oldest, since = c, used
		}
	}
	if oldest != nil {
		ctx, cancel := context.WithTimeout(n.ctx, n.options.Lease)
		defer cancel()
		oldest.giveBack(ctx)
	}
}

// forward has another deck answer a request. It returns nil if that deck does not; sent says that the
// deck may have served the request.
func (n *Node) forward(ctx context.Context, owner string, r *Request, wait time.Duration,
) (a *Answer, sent bool) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	subject := n.bus.prefix + ".ask." + owner
	m, err := n.bus.message(ctx, subject, subject, r.requestFields)
	if err != nil {
		return nil, false
	}
	got, err := n.bus.conn.RequestMsgWithContext(ctx, m)
	if err != nil {
		refused := errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrConnectionClosed) ||
			errors.Is(err, nats.ErrConnectionReconnecting)
		return nil, !refused
	}
	var said reply
	if err := n.bus.read(ctx, got, subject+" reply", true, &said); err != nil {
		return nil, true
	}
	if said.Answer == nil {
		return nil, false // it had the session no longer
	}
	return &Answer{answerFields: *said.Answer}, true
}

// answerDeck answers a request that another deck has forwarded.
func (n *Node) answerDeck(m *nats.Msg) {
	ctx, cancel := context.WithTimeout(n.ctx, n.patience())
	defer cancel()
	r, said := &Request{}, reply{}
	if n.bus.read(ctx, m, m.Subject, true, &r.requestFields) != nil {
		return // who asks is no deck
	}
	n.mu.Lock()
	c := n.owned[r.Session]
	n.mu.Unlock()
	if c != nil {
		select {
		case <-c.ready:
		case <-ctx.Done():
			return
		}
		if c.err == nil && c.deck == "" {
			if s, err := c.serve(ctx, r); err == nil {
				said = reply{Answer: &s.Answer.answerFields}
			}
		}
	}
	back, err := n.bus.message(ctx, m.Reply, m.Subject+" reply", said)
	if err == nil {
		_ = n.bus.conn.PublishMsg(back) // who asks will ask again
	}
}

// tellReceipt tells the owner of a session that an answer has come to its end.
func (n *Node) tellReceipt(owner string, r receipt) {
	subject := n.bus.prefix + ".got." + owner
	if data, err := n.bus.close(subject, r); err == nil {
		_ = n.bus.conn.Publish(subject, data) // an owner without it takes the answer for lost
	}
}

// receive takes a receipt of another deck.
func (n *Node) receive(m *nats.Msg) {
	var r receipt
	if n.bus.open(m.Subject, m.Data, &r) != nil {
		return
	}
	n.mu.Lock()
	c := n.owned[r.Session]
	n.mu.Unlock()
	if c != nil && isClosed(c.ready) && c.err == nil && c.deck == "" {
		c.received(r.ID, r.Whole)
	}
}
