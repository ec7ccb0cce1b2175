package deck

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/admin"
	"github.com/paytape/paytape/proxy/cluster"
)

// clusterSession is a session that this deck has among several. Its methods are called one after
// another, but for dueAt.
type clusterSession struct {
	of     *clusterDeck
	name   string
	player *match.Sessions
	rules  *rules.Engine
	// pending are callbacks that the session has brought and that were not begun, by id.
	pending map[string]numbered
	brought uint64 // callbacks so far
	came    uint64 // how often something came by itself
	due     atomic.Int64
}

// numbered is a callback and its place among those of its session.
type numbered struct {
	nth      uint64
	callback match.Callback
}

// Serve answers a request in its turn.
func (s *clusterSession) Serve(r *cluster.Request, at time.Time, again bool) *cluster.Served {
	turn := &proxy.Turn{Now: at, Player: s.player, Rules: s.rules}
	door := s.of.live
	if again {
		door = s.of.mute
	}
	a := cluster.Record(door, requestOf(r, turn), func() time.Duration { return turn.Waited })
	a.Status = turn.Status
	if turn.Hangs {
		a.End = cluster.EndHang
	}
	made := &cluster.Served{Answer: a, Reads: reads(r, turn)}
	served := turn.Announced.Answer
	if served == nil {
		return made
	}
	if a.End == cluster.EndWhole {
		served.Delivered(false) // until the deck of the client says so
		made.Delivered = func() { served.Delivered(true) }
	}
	sender := s.of.deck.sender
	if sender == nil {
		return made
	}
	s.bring(r.ID, served.Callbacks)
	s.await(served.Due)
	if !again {
		made.Announce = func() func() {
			if gone := sender.Announce(context.Background(), turn.Announced); gone != nil {
				return gone
			}
			return func() { sender.Deliver(served) }
		}
	}
	return made
}

// requestOf returns a request as a door gets it from a client.
func requestOf(r *cluster.Request, turn *proxy.Turn) *http.Request {
	u, err := url.ParseRequestURI(r.Target)
	if err != nil {
		u = &url.URL{Opaque: r.Target} // a door looks at the target
	}
	req := &http.Request{
		Method: r.Method, URL: u, RequestURI: r.Target, Host: r.Host, Proto: r.Proto, Header: r.Header,
		Body: http.NoBody, ContentLength: int64(len(r.Body)),
	}
	if req.Header == nil {
		req.Header = http.Header{}
	}
	req.ProtoMajor, req.ProtoMinor, _ = http.ParseHTTPVersion(r.Proto)
	if len(r.Body) > 0 {
		req.Body = &wholeBody{bytes.NewReader(r.Body)}
	}
	if r.TLS {
		req.TLS = &tls.ConnectionState{}
	}
	return req.WithContext(proxy.WithTurn(context.Background(), turn))
}

// wholeBody is a body that is there.
type wholeBody struct{ *bytes.Reader }

// Close does nothing: a text needs no closing.
func (*wholeBody) Close() error { return nil }

// reads reports whether a request asks and changes nothing.
func reads(r *cluster.Request, turn *proxy.Turn) bool {
	if op := turn.Announced.Call.Operation; op != nil {
		return !op.Writes
	}
	return r.Method == http.MethodGet || r.Method == http.MethodHead
}

// bring keeps callbacks until they are begun, and gives them ids: a deck that serves the session again
// gives them the same.
func (s *clusterSession) bring(cause string, callbacks []match.Callback) {
	for i := range callbacks {
		callbacks[i].ID = fmt.Sprintf("%s/%d", cause, i)
		if s.pending == nil {
			s.pending = map[string]numbered{}
		}
		s.brought++
		s.pending[callbacks[i].ID] = numbered{s.brought, callbacks[i]}
	}
}

// await notes when something comes by itself.
func (s *clusterSession) await(at time.Time) {
	if now := s.dueAt(); !at.IsZero() && (now.IsZero() || at.Before(now)) {
		s.due.Store(at.UnixNano())
	}
}

// dueAt returns when something comes by itself; zero if nothing does. Any goroutine may ask.
func (s *clusterSession) dueAt() time.Time {
	if ns := s.due.Load(); ns != 0 {
		return time.Unix(0, ns)
	}
	return time.Time{}
}

// Advance lets come what comes by itself.
func (s *clusterSession) Advance(at time.Time, again bool) {
	callbacks, next := s.player.Advance(at)
	s.came++
	s.bring(fmt.Sprintf("by-itself-%d", s.came), callbacks)
	s.due.Store(0)
	s.await(next)
	if sender := s.of.deck.sender; sender != nil && !again {
		sender.Deliver(&match.Answer{Callbacks: callbacks, Due: next})
	}
}

// Begun says that a callback is begun, and reports whether it was not before.
func (s *clusterSession) Begun(id string) bool {
	_, waits := s.pending[id]
	delete(s.pending, id)
	return waits
}

// Obey applies a command, and reports whether that has reset the session.
func (s *clusterSession) Obey(nth int) (reset bool) {
	v := s.of.version(nth)
	s.rules.Adopt(v.rules)
	if v.reset {
		s.player.Reset()
		s.rules.Reset()
		s.pending = nil
		s.due.Store(0)
	}
	return v.reset
}

// remains is what a reset leaves of a session.
type remains struct {
	Player  json.RawMessage // match.Sessions.Remains
	Armings []int           // rules.Engine.Armings
	Brought uint64          // the numbers in ids of callbacks
	Came    uint64
}

// Remains returns what a reset has left.
func (s *clusterSession) Remains() []byte {
	data, err := json.Marshal(remains{s.player.Remains(), s.rules.Armings(), s.brought, s.came})
	if err != nil {
		return nil // what match has written is JSON
	}
	return data
}

// Recall goes on from what a reset has left at another deck.
func (s *clusterSession) Recall(left []byte) error {
	var r remains
	if json.Unmarshal(left, &r) != nil {
		return errors.New("reading what a reset has left: expected what another deck has written")
	}
	s.rules.SetArmings(r.Armings)
	s.brought, s.came = r.Brought, r.Came
	return s.player.Recall(r.Player)
}

// Resume sends what the deck that had the session has not sent.
func (s *clusterSession) Resume() {
	if sender := s.of.deck.sender; sender != nil {
		sender.Deliver(&match.Answer{Callbacks: sortedByNumber(s.pending), Due: s.dueAt()})
	}
}

// Idle reports whether nothing waits to go out.
func (s *clusterSession) Idle() bool { return len(s.pending) == 0 && s.due.Load() == 0 }

// Close drops the session, which goes on elsewhere.
func (s *clusterSession) Close() {
	s.of.mu.Lock()
	delete(s.of.sessions, s)
	s.of.mu.Unlock()
	if sender := s.of.deck.sender; sender != nil {
		sender.Leave(s.name)
	}
}

// obey makes a change that some deck has told, and reports whether it is a reset. What cannot be done
// here, every deck refuses alike: the one that has told it has tried.
func (d *Deck) obey(command []byte) (reset bool) {
	c, err := admin.DecodeChange(command)
	if err == nil {
		err = c.Apply(d.rules, d.options.Knowledge.profiles)
	}
	if err != nil {
		d.options.warn("a change that was made at another deck cannot be made here: " +
			d.hubRedactor.Text(err.Error()).String())
		return false
	}
	if c.Do == admin.Reset && d.sender != nil {
		d.sender.Reset()
	}
	return c.Do == admin.Reset
}

// checkShared refuses rules that count together what happens in all sessions: these are at several decks,
// each of which is served again in an order of its own.
func checkShared(e *rules.Engine) error {
	if names := e.CountedPerDeck(); len(names) > 0 {
		return fmt.Errorf("rule %q counts per deck, and with --cluster a deck has some of the sessions: "+
			"say per: session", names[0])
	}
	return nil
}

// shareTime is how long it may take to tell other decks of a change.
const shareTime = 10 * time.Second

// share makes a change in all decks that share the sessions. What cannot be done is tried on a copy of
// the rules, and told to nobody.
func (d *Deck) share(c admin.Change) error {
	trial := d.rules.Follower(1)
	trial.Adopt(d.rules.Version())
	if err := c.Apply(trial, d.options.Knowledge.profiles); err != nil {
		return err
	}
	if err := checkShared(trial); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), shareTime)
	defer cancel()
	return d.cluster.node.Command(ctx, c.Encode())
}
