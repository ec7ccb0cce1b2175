package cluster

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/nats-io/nats.go"
)

// inquirySubject is where a deck is asked what it alone knows.
func (n *Node) inquirySubject(deck string) string { return n.bus.prefix + ".inquiry." + deck }

// Said is what decks have answered.
type Said struct {
	Answers map[string][]byte // by the ids of the decks
	Silent  []string          // where clients reach those that live and have not answered, sorted
}

// Inquire asks all decks that serve, this one too, and those that come meanwhile. Who has a lease and does
// not answer for as long as a request may take is silent. The error says that NATS cannot be asked which
// decks there are.
func (n *Node) Inquire(ctx context.Context, question []byte) (Said, error) {
	// This deck may have no lease just now, or get another while others are asked.
	said := Said{Answers: map[string][]byte{n.name(): n.deck.Inquired(question)}}
	for asked := map[string]bool{}; ; {
		decks, err := n.members(ctx)
		if err != nil {
			return said, err
		}
		var missing []string
		said.Silent = nil
		for deck, m := range decks {
			if _, answered := said.Answers[deck]; answered || deck == n.name() || m.At == "" {
				continue
			}
			if said.Silent = append(said.Silent, m.At); !asked[deck] {
				missing = append(missing, deck)
			}
			asked[deck] = true
		}
		if len(missing) == 0 {
			slices.Sort(said.Silent)
			return said, nil
		}
		maps.Copy(said.Answers, n.inquire(ctx, missing, question))
	}
}

// inquire asks decks, all at once, and returns what they say by their ids.
func (n *Node) inquire(ctx context.Context, decks []string, question []byte) map[string][]byte {
	ctx, cancel := context.WithTimeout(ctx, n.patience())
	defer cancel()
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
	return said
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
