package deck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/proxy/admin"
	"github.com/paytape/paytape/proxy/callback"
)

// Each deck has the callbacks of its sessions. Whoever looks at the callbacks of one, or has one sent,
// sees those of all, with the deck that has each, and the deck that has a callback sends it.

// whenCallback is a question to a deck: when was the callback brought that it would send?
const whenCallback = "when "

// callbackReply is what a deck says of its callbacks to another. What people see has been cleaned.
type callbackReply struct {
	When   time.Time         `json:"when,omitzero"`
	Counts callback.Counts   `json:"counts"`
	Shown  []json.RawMessage `json:"shown,omitempty"`
	None   bool              `json:"none,omitempty"` // there is none
}

// shownCallback is a callback of one of several decks.
type shownCallback struct {
	callback.Entry
	Deck string `json:"deck"` // where clients reach it
}

// callbackShareTime is how long it may take to have a callback sent by another deck: its shop may be slow.
const callbackShareTime = 30 * time.Second

// Inquired answers people at another deck.
func (c *clusterDeck) Inquired(question []byte) []byte {
	var ask admin.CallbackInquiry
	said := callbackReply{None: true}
	if s := c.deck.sender; s != nil && json.Unmarshal(question, &ask) == nil {
		said = c.ownCallbacks(s, ask)
	}
	data, err := json.Marshal(said)
	if err != nil {
		return nil // what people see always marshals
	}
	return data
}

// ownCallbacks does with the callbacks of this deck what is asked for.
func (c *clusterDeck) ownCallbacks(s *callback.Sender, ask admin.CallbackInquiry) callbackReply {
	switch ask.Do {
	case whenCallback + admin.NextCallback:
		at, ok := s.OldestHeld()
		return callbackReply{When: at, None: !ok}
	case whenCallback + admin.ResendCallback:
		at, ok := s.LatestAbout(ask.Order)
		return callbackReply{When: at, None: !ok}
	}
	got, err := ask.Answer(s)
	if err != nil {
		return callbackReply{None: true}
	}
	said := callbackReply{}
	var entries []callback.Entry
	switch got := got.(type) {
	case callback.List:
		said.Counts, entries = got.Counts, got.Callbacks
	case []callback.Entry:
		entries = got
	case callback.Entry:
		entries = []callback.Entry{got}
	}
	for _, e := range entries {
		if data, err := json.Marshal(shownCallback{e, addressFor(c.deck.listener)}); err == nil {
			said.Shown = append(said.Shown, data)
		}
	}
	return said
}

// allCallbacks does with the callbacks of all decks what is asked for: admin.Deck.AllCallbacks.
func (c *clusterDeck) allCallbacks(ctx context.Context, ask admin.CallbackInquiry) (any, error) {
	ctx, cancel := context.WithTimeout(ctx, callbackShareTime)
	defer cancel()
	if ask.Do == admin.ListCallbacks {
		return c.listCallbacks(ctx, ask)
	}
	for {
		deck, err := c.deckToSend(ctx, ask)
		if err != nil {
			return nil, err
		}
		data, err := c.node.InquireOf(ctx, deck, encodeInquiry(ask))
		if err != nil {
			return nil, err
		}
		var said callbackReply
		switch err := json.Unmarshal(data, &said); {
		case err != nil:
			return nil, err
		case said.None || len(said.Shown) == 0:
			continue // somebody else has had it sent meanwhile
		case ask.Do == admin.NextCallback:
			return said.Shown[0], nil
		}
		return said.Shown, nil
	}
}

// listCallbacks returns the callbacks of all decks, in the order in which they came, and tells of whom it
// knows nothing.
func (c *clusterDeck) listCallbacks(ctx context.Context, ask admin.CallbackInquiry) (any, error) {
	all, silent, err := c.inquire(ctx, ask)
	if err != nil {
		return nil, err
	}
	var list struct {
		Counts    callback.Counts   `json:"counts"`
		Callbacks []json.RawMessage `json:"callbacks"`
		Silent    []string          `json:"silent,omitempty"` // decks whose callbacks are missing
	}
	list.Callbacks, list.Silent = []json.RawMessage{}, silent
	for _, said := range all {
		list.Counts.Add(said.Counts)
		list.Callbacks = append(list.Callbacks, said.Shown...)
	}
	at := map[string]time.Time{}
	for _, shown := range list.Callbacks {
		var e struct{ At time.Time }
		_ = json.Unmarshal(shown, &e) // a deck has written it
		at[string(shown)] = e.At
	}
	slices.SortStableFunc(list.Callbacks, func(a, b json.RawMessage) int {
		return at[string(a)].Compare(at[string(b)])
	})
	return list, nil
}

// deckToSend returns the deck that has the callback which is asked for: the oldest that is held, or the
// latest about an order. While one of the decks is silent nobody knows which that is.
func (c *clusterDeck) deckToSend(ctx context.Context, ask admin.CallbackInquiry) (deck string, err error) {
	oldest := ask.Do == admin.NextCallback
	ask.Do = whenCallback + ask.Do
	all, silent, err := c.inquire(ctx, ask)
	if err != nil {
		return "", err
	}
	if len(silent) > 0 {
		return "", fmt.Errorf("%s does not answer", strings.Join(silent, ", "))
	}
	var when time.Time
	for id, said := range all {
		if !said.None && (deck == "" || said.When.Before(when) == oldest) {
			deck, when = id, said.When
		}
	}
	if deck == "" {
		return "", callback.ErrNone
	}
	return deck, nil
}

// inquire asks all decks, and returns what they say by their ids, and the addresses of those that say
// nothing.
func (c *clusterDeck) inquire(ctx context.Context, ask admin.CallbackInquiry,
) (said map[string]callbackReply, silent []string, err error) {
	all, err := c.node.Inquire(ctx, encodeInquiry(ask))
	if err != nil {
		return nil, nil, err
	}
	said = map[string]callbackReply{}
	for id, data := range all.Of {
		var one callbackReply
		if json.Unmarshal(data, &one) != nil {
			return nil, nil, errors.New("a deck has answered otherwise than this version of paytape does")
		}
		said[id] = one
	}
	return said, all.Silent, nil
}

func encodeInquiry(ask admin.CallbackInquiry) []byte {
	data, err := json.Marshal(ask)
	if err != nil {
		return nil // a struct of texts always marshals
	}
	return data
}
