package deck

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
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
	"github.com/paytape/paytape/proxy/inspect/view"
)

// Cluster makes a deck one of several that serve the same sessions. Package cluster says how.
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

// checkCluster looks at what a deck needs that is one of several.
func (o *Options) checkCluster() error {
	switch c := o.Cluster; {
	case c == nil:
		return nil
	case o.Mode != Replay:
		return wrong("Cluster", fmt.Errorf("decks share sessions in a replay, and not to %s", o.Mode))
	case o.Tape != nil:
		return wrong("Cluster", errors.New("the decks compare cassettes: give their names in place of a Tape"))
	case o.Authority != nil:
		return wrong("Cluster", errors.New("a deck that shares sessions is no forward proxy"))
	case len(c.Key) < cluster.LeastKey:
		return wrong("Cluster.Key", fmt.Errorf("expected %d bytes or more, found %d", cluster.LeastKey,
			len(c.Key)))
	default:
		if err := cluster.CheckServers(c.Servers); err != nil {
			return wrong("Cluster.Servers", err)
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
	owners   *cluster.Status // as they were told last; nil before
	asked    time.Time       // when that was
	asking   bool
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

// facts are what decks must have in common, because answers depend on it.
func (o *Options) facts() ([]cluster.Fact, error) {
	program, err := programSum()
	if err != nil {
		return nil, fmt.Errorf("summing up the program: %w", err)
	}
	tapes, err := o.tapesSum()
	if err != nil {
		return nil, err
	}
	read, err := readRules(o.Knowledge.profiles, o.RuleFiles)
	if err != nil {
		return nil, wrong("RuleFiles", err)
	}
	p, c := &o.Play, &o.Callbacks
	var facts []cluster.Fact
	fact := func(name string, of ...any) {
		sum := sha256.New()
		for _, v := range of {
			enter(sum, fmt.Sprint(v))
		}
		facts = append(facts, cluster.Fact{Name: name, Digest: hex.EncodeToString(sum.Sum(nil)[:16])})
	}
	fact("the program", program)
	fact("the tapes", tapes)
	known := []any{o.Knowledge.prefixes, o.Knowledge.keepPII}
	for _, p := range o.Knowledge.profiles.Profiles() {
		known = append(known, p.Name, p.Digest)
	}
	fact("the profiles", known...)
	fact("the rules", len(o.RuleFiles), read.sum)
	fact("--seed", p.Seed)
	fact("--ids", p.RecordedIDs)
	fact("--clock", p.RecordedClock, p.Now != nil)
	fact("--marked", p.RefuseMarked)
	fact("--unknown-dates", p.KeepDates)
	fact("--failures", p.Failures, p.AtOnce)
	fact("--latency", p.Latency)
	fact("--quiet-headers", p.Quiet)
	credentials := []any{len(p.Credentials)}
	for _, one := range p.Credentials {
		credentials = append(credentials, one.Name, one.Value, one.Bad)
	}
	fact("--credentials", credentials...)
	fact("--host", o.Hosts)
	fact("--max-body", cmp.Or(o.MaxBody, proxy.DefaultLimit))
	called := []any{c.Mode, c.To}
	for _, k := range c.Keys {
		called = append(called, k.Profile, k.Text)
	}
	fact("the options for callbacks", called...)
	return facts, nil
}

// tapesSum sums up the cassettes as they lie in their folder, with what was left in a journal.
func (o *Options) tapesSum() (string, error) {
	sum := sha256.New()
	for _, name := range o.Cassettes {
		for _, ending := range []string{".yaml", ".journal"} {
			file := filepath.Join(o.Dir, filepath.FromSlash(name)+ending)
			f, err := os.Open(file)
			if errors.Is(err, fs.ErrNotExist) {
				enter(sum, name, ending, "none") // loading tells if it had to be there
				continue
			}
			if err != nil {
				return "", fmt.Errorf("summing up a cassette: %w", err)
			}
			own := sha256.New()
			_, err = io.Copy(own, f)
			if err = errors.Join(err, f.Close()); err != nil {
				return "", fmt.Errorf("summing up a cassette: %w", err)
			}
			enter(sum, name, ending, string(own.Sum(nil)))
		}
	}
	return string(sum.Sum(nil)), nil
}

// Owners tells which deck has which session; nil for a deck that shares none. Names of sessions are
// cleaned.
func (d *Deck) Owners(ctx context.Context) *cluster.Status {
	if d.cluster == nil {
		return nil
	}
	s := d.cluster.node.Status(ctx)
	for i := range s.Sessions {
		s.Sessions[i].Session = d.hubRedactor.Text(s.Sessions[i].Session).String()
	}
	return &s
}

// tellOwners is Owners with the number of sessions that each deck has, by where it is.
func (c *clusterDeck) tellOwners(ctx context.Context) (any, map[string]int) {
	owners, counts := c.deck.Owners(ctx), map[string]int{}
	for _, d := range owners.Decks {
		counts[d.At] += 0
	}
	for _, s := range owners.Sessions {
		counts[s.At]++
	}
	return owners, counts
}

// lastOwners is Owners as it was a moment ago: whoever looks all the time does not ask NATS each time.
func (c *clusterDeck) lastOwners() *cluster.Status {
	const fresh = 2 * time.Second
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.asking && time.Since(c.asked) > fresh {
		c.asking = true
		go func() {
			now := c.deck.Owners(context.Background())
			c.mu.Lock()
			defer c.mu.Unlock()
			c.owners, c.asked, c.asking = now, time.Now(), false
		}()
	}
	return c.owners
}

// sharing says in view's words who has which session; nil for a deck that shares none.
func (c *clusterDeck) sharing() *view.Sharing {
	if c == nil {
		return nil
	}
	owners := c.lastOwners()
	if owners == nil {
		return &view.Sharing{}
	}
	shown := &view.Sharing{Decks: len(owners.Decks), Connected: owners.Connected}
	for _, s := range owners.Sessions {
		shown.Sessions = append(shown.Sessions, view.Owner{
			Session: s.Session, At: s.At, Here: s.Here,
		})
	}
	return shown
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
