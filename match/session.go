package match

import (
	"container/list"
	"hash/fnv"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/leaf"
)

// Bounds of sessions. Whoever comes back to one that was dropped finds an empty one: his ids
// are unknown there, so he gets misses and never another's answers.
const (
	maxSessions = 256
	maxIdle     = 24 * time.Hour // by the clock of the replay
)

// Sessions are players of one tape that have nothing in common: a value that many clients
// share (a test card, a clientId) has an owner in each. Clients that name no session have a
// player of their own, which is never dropped. It is safe for concurrent use.
//
// Each player has its own stream of fresh values, so a seed makes a session repeatable whatever
// other sessions do, and so does the number of resets. A value that identifies an entity is still
// unique among all sessions, and new after a reset.
type Sessions struct {
	leaf.Unprinted
	tape   *Tape
	seed   uint64
	minted *ledger
	common *Player

	mu     sync.Mutex               // guards the rest
	named  map[string]*list.Element // of *session
	order  *list.List               // the most recently used in front
	resets uint64
}

type session struct {
	name   string
	player *Player
	used   time.Time
}

// NewSessions returns the sessions of a tape. There are none yet.
func NewSessions(t *Tape) *Sessions { return NewSeededSessions(t, t.opts.Seed) }

// NewSeededSessions is NewSessions with another seed than that of the tape; 0 takes a random one.
func NewSeededSessions(t *Tape, seed uint64) *Sessions {
	s := &Sessions{
		tape: t, seed: seed, minted: newLedger(), named: map[string]*list.Element{}, order: list.New(),
	}
	s.common = s.newPlayerLocked("")
	return s
}

// NewPlayer returns a player of a tape for clients that name no session.
func NewPlayer(t *Tape) *Player { return NewSessions(t).common }

// String keeps the live values that sessions hold out of logs and test failures.
func (s *Sessions) String() string { return "[sessions]" }

// GoString does for %#v what String does for the other verbs.
func (s *Sessions) GoString() string { return s.String() }

// Serve answers a request from the tape, in its session. Exactly one of the results is nil.
func (s *Sessions) Serve(r *Request) (*Answer, *Miss) { return s.of(r.Session).Serve(r) }

// Spy answers as Player.Spy does, in the session of the request.
func (s *Sessions) Spy(r *Request) (*Answer, *Miss) { return s.of(r.Session).Spy(r) }

// Adopt notes an exchange as Player.Adopt does, in the session of the request.
func (s *Sessions) Adopt(r *Request, code int, answer leaf.Message) {
	s.of(r.Session).Adopt(r, code, answer)
}

// Reset makes all sessions as they were at the beginning: no thread is open. Answers that are
// on their way to a client still arrive.
func (s *Sessions) Reset() {
	s.mu.Lock()
	clear(s.named)
	s.order.Init()
	s.resets++
	s.mu.Unlock()
	s.common.Reset()
}

// Live returns how many sessions with a name there are, and how many entities all sessions keep.
func (s *Sessions) Live() (sessions, entities int) {
	players := s.players()
	for _, p := range players {
		entities += p.kept()
	}
	return len(players) - 1, entities
}

// players returns the players of all sessions.
func (s *Sessions) players() []*Player {
	players := []*Player{s.common}
	s.mu.Lock()
	defer s.mu.Unlock()
	for e := s.order.Front(); e != nil; e = e.Next() {
		players = append(players, e.Value.(*session).player)
	}
	return players
}

// Names returns the names of the sessions that there are, the most recently used first.
func (s *Sessions) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for e := s.order.Front(); e != nil; e = e.Next() {
		names = append(names, e.Value.(*session).name)
	}
	return names
}

// of returns the player of a session, which begins when it is named first.
func (s *Sessions) of(name string) *Player {
	if name == "" {
		return s.common
	}
	now := s.common.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.named[name]
	if e == nil {
		e = s.order.PushFront(&session{name: name, player: s.newPlayerLocked(name)})
		s.named[name] = e
	}
	s.order.MoveToFront(e)
	used := e.Value.(*session)
	used.used = now
	s.expireLocked(now)
	return used.player
}

// expireLocked drops the sessions that were not used for long, and the least recently used
// one of too many.
func (s *Sessions) expireLocked(now time.Time) {
	for {
		e := s.order.Back()
		last := e.Value.(*session)
		if s.order.Len() <= maxSessions && now.Sub(last.used) <= maxIdle {
			return
		}
		s.order.Remove(e)
		delete(s.named, last.name)
	}
}

func (s *Sessions) newPlayerLocked(name string) *Player {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // a hash takes everything
	id := h.Sum64() | 1          // and so is none of the tape's own
	seed := s.seed
	if seed != 0 && name != "" {
		seed ^= id
	}
	p := &Player{
		tape: s.tape, most: maxEntities, title: name, session: id, minted: s.minted, seed: seed,
		resets: s.resets,
	}
	p.forget()
	return p
}
