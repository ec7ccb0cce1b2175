package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
)

// forward has another deck answer a request. It returns nil if that deck does not; sent says that the
// deck may have served the request.
func (n *Node) forward(ctx context.Context, owner string, r *Request, wait time.Duration,
) (a *Answer, sent bool) {
	subject := n.bus.prefix + ".ask." + owner
	var m *nats.Msg
	err := n.room.inTurn(ctx, len(r.Body), func() (err error) {
		ctx, cancel := context.WithTimeout(ctx, wait)
		defer cancel()
		m, err = n.bus.message(ctx, subject, subject, r.requestFields)
		return err
	})
	if err != nil {
		return nil, false
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
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
	size := len(m.Data)
	if m.Header.Get(objectHeader) != "" {
		size = int(n.bus.conn.MaxPayload()) // at least
	}
	if n.room.inTurn(ctx, size, func() error {
		return n.bus.read(ctx, m, m.Subject, true, &r.requestFields)
	}) != nil {
		return // who asks is no deck, or has given up
	}
	held := int64(len(r.Body))
	fits := n.room.take(held)
	if fits {
		defer n.room.give(held)
	} else {
		said = reply{Answer: &busyAnswer(r).answerFields}
	}
	n.mu.Lock()
	c := n.owned[r.Session]
	n.mu.Unlock()
	if c != nil && fits {
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
