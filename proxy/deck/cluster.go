package deck

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/cluster"
)

// Cluster makes a deck one of several that serve the same sessions, or that record one cassette together.
// Package cluster says how.
type Cluster struct {
	leaf.Unprinted
	// Servers are addresses of NATS: nats://HOST, or several separated by commas.
	Servers string
	// Credentials is the name of a file with credentials for NATS. Empty: none are needed.
	Credentials string
	// Key is what all decks know and NATS does not, cluster.LeastKey random bytes or more.
	Key []byte
	// Lease is how long other decks wait for one that has died. 0: cluster.DefaultLease.
	Lease time.Duration
	// Replicas is on how many servers of NATS everything is kept. 0: one.
	Replicas int
}

// CanShare tells why decks of a mode share nothing; nil if they can.
func CanShare(m Mode) error {
	switch m {
	case Spy:
		return errors.New("spying decks share nothing: which orders live at the sandbox and which on tape " +
			"would be lost with the deck that knows it")
	case Pass:
		return errors.New("decks that pass requests on have nothing to share: start as many as you like")
	}
	return nil
}

// checkCluster looks at what a deck needs that is one of several.
func (o *Options) checkCluster() error {
	switch c := o.Cluster; {
	case c == nil:
		return nil
	case CanShare(o.Mode) != nil:
		return wrong("Cluster", CanShare(o.Mode))
	case o.Mode == Replay && o.Tape != nil:
		return wrong("Cluster", errors.New("the decks compare cassettes: give their names in place of a Tape"))
	case o.Mode == Replay && o.Authority != nil:
		return wrong("Cluster", errors.New("a deck that shares sessions is no forward proxy"))
	case len(c.Key) < cluster.LeastKey:
		return wrong("Cluster.Key", fmt.Errorf("expected %d bytes or more, found %d", cluster.LeastKey,
			len(c.Key)))
	default:
		if err := cluster.CheckServers(c.Servers); err != nil {
			return wrong("Cluster.Servers", err)
		}
		if _, builtin := upstreamSpecs(slices.Concat(o.Upstreams, o.Hosts), ""); builtin && o.Mode == Record {
			return wrong("Cluster.Upstreams", errors.New("the built-in sandbox lives in one deck, and would forget its "+
				"orders with it: start paytape sandbox beside the decks, and give its URL"))
		}
		return wrong("Cluster.Lease", cluster.CheckLease(c.Lease))
	}
}

// clusterDeck is a deck as the sessions see it that it shares with others.
type clusterDeck struct {
	deck *Deck
	node *cluster.Node
	live http.Handler // answers, and tells of it
	mute http.Handler // answers again what was told of before

	mu       sync.Mutex // guards the rest
	sessions map[*clusterSession]bool
	versions []sessionVersion // what sessions obey, by the number of the command; the first is the start
}

// sessionVersion is what holds in a session from a command on.
type sessionVersion struct {
	rules rules.Version
	reset bool // the session forgets what clients have done
}

// joinCluster makes the deck one of several, before there is anything that a seed or a clock belongs to.
func (d *Deck) joinCluster(ctx context.Context) error {
	o := &d.options
	if o.Cluster == nil {
		return nil
	}
	facts, err := o.facts()
	if err != nil {
		return err
	}
	c := o.Cluster
	joining := cluster.Options{
		Servers: c.Servers, Credentials: c.Credentials, Key: c.Key, Lease: c.Lease, Replicas: c.Replicas,
		Facts: facts, Limit: o.MaxBody, Seed: o.Play.Seed,
		Warn: func(text string) { o.warn(d.hubRedactor.Text(text).String()) }, // it may name a session
	}
	if o.Play.Now != nil {
		joining.Clock = o.Play.Now()
	}
	node, err := cluster.Join(ctx, joining)
	if err != nil {
		return wrong("Cluster", err)
	}
	d.shareOwners(node.Status)
	origin := node.Origin()
	o.Play.Seed = origin.Seed
	if o.Play.Now != nil {
		o.Play.Now = func() time.Time {
			now := node.Origin()
			return now.Clock.Add(time.Since(now.Began))
		}
	}
	o.clockBegan = func() time.Time { return node.Origin().Began }
	d.cluster = &clusterDeck{deck: d, node: node, sessions: map[*clusterSession]bool{}}
	return nil
}

// share has the sessions of a door that answers live shared with other decks, and returns the door for
// all of them.
func (c *clusterDeck) share(ctx context.Context, live http.Handler) (http.Handler, error) {
	d, o := c.deck, &c.deck.options
	again, err := proxy.NewReplay(proxy.ReplayOptions{
		Player: d.player, Profiles: o.Knowledge.profiles, Cleaner: d.cleaner, Now: d.tape.now,
		Quiet: o.Play.Quiet, AtOnce: o.Play.AtOnce, Latency: o.Play.Latency, Limit: o.MaxBody,
		Hosts: d.hosts, Why: d.inspector.why(), Turns: true,
	})
	if err != nil {
		return nil, err
	}
	c.live = live
	if c.mute, err = d.ruledDoor(again, nil); err != nil {
		return nil, err
	}
	c.versions = []sessionVersion{{rules: d.rules.Version()}}
	at := addressFor(d.listener)
	if err := c.node.Start(ctx, cluster.Start{Deck: c, Now: d.tape.now, At: at}); err != nil {
		return nil, wrong("Cluster", err)
	}
	return c.node, nil
}

// ServeHTTP answers what belongs to no session.
func (c *clusterDeck) ServeHTTP(w http.ResponseWriter, req *http.Request) { c.live.ServeHTTP(w, req) }

// Open returns a session as it is at its beginning.
func (c *clusterDeck) Open(name string, generation uint64) cluster.Session {
	const apart = 0x9e3779b97f4a7c15 // odd: each generation has a seed of its own, and 0 that of the decks
	seed := c.node.Origin().Seed + apart*generation
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &clusterSession{
		of: c, name: name, player: match.NewSeededSessions(c.deck.tape.compiled, seed),
		rules: c.deck.rules.Follower(seed),
	}
	s.rules.Adopt(c.versions[0].rules)
	c.sessions[s] = true
	return s
}

// Command is told what was said to all sessions.
func (c *clusterDeck) Command(command []byte) {
	reset := c.deck.obey(command)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.versions = append(c.versions, sessionVersion{rules: c.deck.rules.Version(), reset: reset})
}

// Forget has the deck be as it was before the first command.
func (c *clusterDeck) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.versions = c.versions[:1]
	c.deck.rules.Revert(c.versions[0].rules)
}

// version returns what sessions obey from a command on. A session that was lost with its commands may
// ask for one that was forgotten.
func (c *clusterDeck) version(nth int) sessionVersion {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.versions[min(nth+1, len(c.versions)-1)]
}

// all returns the sessions that are here.
func (c *clusterDeck) all() []*clusterSession {
	c.mu.Lock()
	defer c.mu.Unlock()
	var all []*clusterSession
	for s := range c.sessions {
		all = append(all, s)
	}
	return all
}

// liveStates is match.Sessions.LiveStates of all sessions that are here.
func (c *clusterDeck) liveStates(some int) map[string]match.LiveState {
	sum := map[string]match.LiveState{}
	for _, s := range c.all() {
		for id, more := range s.player.LiveStates(some) {
			at := sum[id]
			at.Count += more.Count
			at.Some = append(at.Some, more.Some[:min(len(more.Some), max(0, some-len(at.Some)))]...)
			sum[id] = at
		}
	}
	return sum
}

// liveCount is match.Sessions.Live of all sessions that are here.
func (c *clusterDeck) liveCount() (sessions, entities int) {
	for _, s := range c.all() {
		_, n := s.player.Live()
		entities += n
		if s.name != "" {
			sessions++
		}
	}
	return sessions, entities
}

// advance lets come what comes by itself in the sessions that are here, and returns when more does.
// The sessions send what it brings.
func (c *clusterDeck) advance(now time.Time) (_ []match.Callback, next time.Time) {
	for _, s := range c.all() {
		if at := s.dueAt(); !at.IsZero() && !at.After(now) {
			c.node.Advance(s.name)
		}
		if at := s.dueAt(); !at.IsZero() && (next.IsZero() || at.Before(next)) {
			next = at
		}
	}
	return nil, next
}

// begin reports whether a callback may be sent by this deck, for the first time.
func (c *clusterDeck) begin(cb *match.Callback) bool { return c.node.Begin(cb.Session, cb.ID) }

// close gives the sessions to the other decks. None, nil, has none.
func (c *clusterDeck) close() error {
	if c == nil {
		return nil
	}
	return c.node.Close()
}

// addressFor returns where the clients of other machines reach a listener.
func addressFor(ln net.Listener) string {
	at := addressOf(ln)
	tcp, ok := ln.Addr().(*net.TCPAddr)
	name, err := os.Hostname()
	if !ok || !tcp.IP.IsUnspecified() || err != nil {
		return at
	}
	scheme, _, _ := strings.Cut(at, "://")
	return scheme + "://" + net.JoinHostPort(name, strconv.Itoa(tcp.Port))
}

// sortedByNumber sorts the ids of callbacks as they were brought.
func sortedByNumber(pending map[string]numbered) []match.Callback {
	var all []numbered
	for _, p := range pending {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b numbered) int { return cmp.Compare(a.nth, b.nth) })
	callbacks := make([]match.Callback, len(all))
	for i, p := range all {
		callbacks[i] = p.callback
	}
	return callbacks
}
