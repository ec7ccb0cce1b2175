package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

func encodeClaim(c claimed) []byte {
	data, err := json.Marshal(c)
	if err != nil {
		return nil // a struct of texts always marshals
	}
	return data
}

func decodeClaim(data []byte) claimed {
	var c claimed
	_ = json.Unmarshal(data, &c) // what is none belongs to nobody
	return c
}

// Status is what people see of decks that share sessions.
type Status struct {
	// Deck is this deck, as the others know it.
	Deck string `json:"deck"`
	// Connected says whether NATS can be reached.
	Connected bool `json:"connected"`
	// Decks are all that have a lease, by their ids.
	Decks []DeckStatus `json:"decks"`
	// Sessions are those that somebody has, sorted by name.
	Sessions []SessionStatus `json:"sessions"`
}

// DeckStatus is one of the decks.
type DeckStatus struct {
	Deck string `json:"deck"`
	// At is where clients reach it.
	At   string `json:"at,omitempty"`
	Here bool   `json:"here,omitempty"` // it is the one that tells
}

// SessionStatus is a session and who has it.
type SessionStatus struct {
	Session string `json:"session"` // empty for clients that name none
	Deck    string `json:"deck"`
	At      string `json:"at,omitempty"`
	Here    bool   `json:"here,omitempty"`
}

// Status asks NATS who has what. Without NATS it tells what this deck knows.
func (n *Node) Status(ctx context.Context) Status {
	s := Status{Deck: n.name(), Connected: n.bus.connected()}
	ctx, cancel := context.WithTimeout(ctx, n.options.Lease)
	defer cancel()
	if !s.Connected || n.look(ctx, &s) != nil {
		s.Decks, s.Sessions = []DeckStatus{{Deck: s.Deck, Here: true}}, nil
		for _, name := range n.Owned() {
			s.Sessions = append(s.Sessions, SessionStatus{Session: name, Deck: s.Deck, Here: true})
		}
	}
	s.sort()
	return s
}

func (s *Status) sort() {
	slices.SortFunc(s.Sessions, func(a, b SessionStatus) int { return strings.Compare(a.Session, b.Session) })
	slices.SortFunc(s.Decks, func(a, b DeckStatus) int { return strings.Compare(a.Deck, b.Deck) })
}

// addDecks adds the decks that have a lease.
func (s *Status) addDecks(decks map[string]*member) {
	for id, m := range decks {
		s.Decks = append(s.Decks, DeckStatus{Deck: id, At: m.At, Here: id == s.Deck})
	}
}

// look asks NATS for decks and sessions.
func (n *Node) look(ctx context.Context, s *Status) error {
	decks, err := n.members(ctx)
	if err != nil {
		return err
	}
	s.addDecks(decks)
	claims, err := n.bus.claimed(ctx)
	if err != nil {
		return err
	}
	for _, key := range claims {
		if !strings.HasPrefix(key, "session.") {
			continue
		}
		found, err := n.bus.claims.Get(ctx, key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			continue // it was given back
		}
		if err != nil {
			return err
		}
		c, name := decodeClaim(found.Value()), ""
		if n.bus.open(key, c.Session, &name) != nil {
			continue
		}
		if d := decks[c.Deck]; d != nil && key == "session."+n.logOf(name) {
			s.Sessions = append(s.Sessions, SessionStatus{name, c.Deck, d.At, c.Deck == s.Deck})
		}
	}
	return nil
}

// Owned returns the names of the sessions that this deck has, sorted.
func (n *Node) Owned() []string {
	names := []string{}
	for _, c := range n.claims() {
		names = append(names, c.name)
	}
	slices.Sort(names)
	return names
}

// claims returns the sessions that this deck has.
func (n *Node) claims() []*claim {
	n.mu.Lock()
	defer n.mu.Unlock()
	var all []*claim
	for _, c := range n.owned {
		if isClosed(c.ready) && c.err == nil && c.deck == "" && !c.isLost() {
			all = append(all, c)
		}
	}
	return all
}

// claimOf returns a session that this deck has; nil if it does not.
func (n *Node) claimOf(name string) *claim {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.owned[name]
	if c == nil || !isClosed(c.ready) || c.err != nil || c.deck != "" || c.isLost() {
		return nil
	}
	return c
}

// Begin notes that a callback of a session goes out, and reports whether it may: not if the session is
// another deck's by now, which sends the callback itself.
func (n *Node) Begin(session, id string) bool {
	c := n.claimOf(session)
	if c == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(n.ctx, 2*n.options.Lease)
	defer cancel()
	return c.begin(ctx, id)
}

// Advance lets come what comes by itself in a session that this deck has.
func (n *Node) Advance(session string) {
	if c := n.claimOf(session); c != nil {
		c.advance()
	}
}
