package cluster

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// inquirySubject is where a deck is asked what it alone knows.
func (n *Node) inquirySubject(deck string) string { return n.bus.prefix + ".inquiry." + deck }

// Replies are what decks have answered.
type Replies struct {
	Of     map[string][]byte // by the ids of the decks
	Silent []string          // where clients reach those that have a lease and have not answered, sorted
}

// inquiryTime is how long a deck may take to tell what it knows.
const inquiryTime = 5 * time.Second

// Inquire asks all decks that serve, this one too, and those that come meanwhile. A deck is silent if it has a
// lease and does not answer in time, or does not listen any more. The error says that NATS cannot be asked
// which decks there are.
func (n *Node) Inquire(ctx context.Context, question []byte) (Replies, error) {
	// This deck may have no lease just now, or get another while others are asked.
	replies := Replies{Of: map[string][]byte{n.name(): n.deck.Inquired(question)}}
	for asked := map[string]bool{}; ; {
		decks, err := n.members(ctx)
		if err != nil {
			return replies, err
		}
		var unasked []string
		replies.Silent = nil
		for deck, m := range decks {
			if _, answered := replies.Of[deck]; answered || deck == n.name() || m.At == "" {
				continue
			}
			if replies.Silent = append(replies.Silent, m.At); !asked[deck] {
				unasked = append(unasked, deck)
			}
			asked[deck] = true
		}
		if len(unasked) == 0 {
			slices.Sort(replies.Silent)
			return replies, nil
		}
		maps.Copy(replies.Of, n.inquire(ctx, unasked, question))
	}
}

// inquire asks decks, all at once, and returns what they say by their ids.
func (n *Node) inquire(ctx context.Context, decks []string, question []byte) map[string][]byte {
	ctx, cancel := context.WithTimeout(ctx, inquiryTime)
	defer cancel()
	var mu sync.Mutex // guards replies
	replies := map[string][]byte{}
	var asked sync.WaitGroup
	for _, deck := range decks {
		asked.Go(func() {
			answer, err := n.InquireOf(ctx, deck, question)
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			replies[deck] = answer
		})
	}
	asked.Wait()
	return replies
}

// InquireOf asks one deck.
func (n *Node) InquireOf(ctx context.Context, deck string, question []byte) (answer []byte, err error) {
	if deck == n.name() {
		return n.deck.Inquired(question), nil
	}
	subject := n.inquirySubject(deck)
	m, err := n.bus.message(ctx, subject, subject, question)
	if err != nil {
		return nil, err
	}
	got, err := n.bus.conn.RequestMsgWithContext(ctx, m)
	if err != nil {
		return nil, err
	}
	return answer, n.bus.read(ctx, got, subject+" reply", true, &answer)
}

// answerInquiry answers another deck.
func (n *Node) answerInquiry(m *nats.Msg) {
	ctx, cancel := context.WithTimeout(n.ctx, n.patience())
	defer cancel()
	var question []byte
	if n.bus.read(ctx, m, m.Subject, true, &question) != nil {
		return // who asks is no deck
	}
	back, err := n.bus.message(ctx, m.Reply, m.Subject+" reply", n.deck.Inquired(question))
	if err == nil {
		_ = n.bus.conn.PublishMsg(back) // who asks may ask again
	}
}
