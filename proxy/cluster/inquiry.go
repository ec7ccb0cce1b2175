package cluster

import (
	"context"
	"sync"

	"github.com/nats-io/nats.go"
)

// inquirySubject is where a deck is asked what it alone knows.
func (n *Node) inquirySubject(deck string) string { return n.bus.prefix + ".inquiry." + deck }

// Inquire asks all decks, this one too, and returns what they say by their ids. A deck that does not
// answer has nothing to say.
func (n *Node) Inquire(ctx context.Context, question []byte) (map[string][]byte, error) {
	decks, err := n.bus.keys(ctx, n.bus.leases)
	if err != nil {
		return nil, err
	}
	var mu sync.Mutex
	said := map[string][]byte{}
	var asked sync.WaitGroup
	for _, deck := range decks {
		asked.Go(func() {
			answer, err := n.InquireOf(ctx, deck, question)
			if err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			said[deck] = answer
		})
	}
	asked.Wait()
	return said, nil
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
