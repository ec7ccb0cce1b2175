package natsconn

import (
	"context"

	"github.com/nats-io/nats.go"
)

// OverNATS returns Messages over a connection to NATS, which keeps nothing for later: what cannot be
// sent now is an error.
func OverNATS(conn *nats.Conn) Messages { return overNATS{conn} }

type overNATS struct{ conn *nats.Conn }

func (m overNATS) Publish(subject string, data []byte) error { return m.conn.Publish(subject, data) }

func (m overNATS) Request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	got, err := m.conn.RequestWithContext(ctx, subject, data)
	if err != nil {
		return nil, err
	}
	return got.Data, nil
}

func (m overNATS) Subscribe(subject string, f func([]byte, func([]byte))) (func(), error) {
	s, err := m.conn.Subscribe(subject, func(msg *nats.Msg) {
		if msg.Reply == "" {
			f(msg.Data, nil)
			return
		}
		f(msg.Data, func(answer []byte) { _ = m.conn.Publish(msg.Reply, answer) }) // who asks will ask again
	})
	if err != nil {
		return nil, err
	}
	// The windows of connections bound what waits here.
	if err := s.SetPendingLimits(-1, -1); err != nil {
		return nil, err
	}
	return func() { _ = s.Unsubscribe() }, nil // a connection that is gone has none
}

func (m overNATS) Largest() int { return int(m.conn.MaxPayload()) }
