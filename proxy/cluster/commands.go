package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// commands are what was said to all sessions, such as that a rule holds, in the order in which all
// decks have heard it. A session obeys a command at a point of its own, which its log tells.
type commands struct {
	mu       sync.Mutex // guards the rest
	heard    []uint64   // their sequences in the stream, which name them in all decks
	sequence uint64     // as far as the stream was read
}

// last returns the name of the last command; 0 if there is none.
func (c *commands) last() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.heard) == 0 {
		return 0
	}
	return c.heard[len(c.heard)-1]
}

// count returns how many commands there are up to one of them.
func (c *commands) count(upTo uint64) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, found := slices.BinarySearch(c.heard, upTo)
	if found {
		n++
	}
	return n
}

// forget drops all commands, which NATS has lost, and tells the deck.
func (c *commands) forget(tell func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.heard, c.sequence = nil, 0
	tell()
}

// subject of the commands in the log. Decks with other facts have other commands.
func (n *Node) commandSubject() string { return n.bus.prefix + ".commands" }

// said is a command in the log.
type said struct {
	Facts   string // the token of the facts of the decks that are told
	Command []byte
}

// Command has all sessions of all decks obey a command, and returns when the sessions of this deck
// do: those of others do a moment later, and a session that is taken over at the same point again.
func (n *Node) Command(ctx context.Context, command []byte) error {
	data, err := n.bus.close("command", said{n.factsToken(), command})
	if err != nil {
		return err
	}
	// An object expires, which a command must not.
	if most := n.bus.conn.MaxPayload() - headRoom; int64(len(data)) > most {
		return fmt.Errorf("telling the other decks: %d bytes are more than the %d of a message of NATS",
			len(data), most)
	}
	m := nats.NewMsg(n.commandSubject())
	m.Data = data
	ack, err := n.bus.js.PublishMsg(ctx, m, jetstream.WithMsgID(nuid.Next()))
	if err != nil {
		return fmt.Errorf("telling the other decks: %w", err)
	}
	return n.hear(ctx, ack.Sequence)
}

// facts returns a token of the facts.
func (n *Node) factsToken() string {
	text, err := json.Marshal(n.options.Facts)
	if err != nil {
		return ""
	}
	return n.bus.token(string(text))
}

// hear reads commands up to one of them, and has the sessions of this deck obey.
func (n *Node) hear(ctx context.Context, upTo uint64) error {
	if err := n.readCommands(ctx, upTo); err != nil {
		return err
	}
	for _, c := range n.claims() {
		c.obey()
	}
	return nil
}

// readCommands reads commands up to one of them. What cannot be opened is no command: that depends on
// the message and the key alone, so all decks skip the same.
func (n *Node) readCommands(ctx context.Context, upTo uint64) error {
	c := &n.commands
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sequence >= upTo {
		return nil
	}
	tell := func(m *nats.Msg, at uint64) error {
		var s said
		if err := n.bus.open("command", m.Data, &s); err != nil {
			n.options.Warn(fmt.Sprintf("command %d to all sessions is skipped, by all decks: %v", at, err))
			return nil
		}
		if s.Facts == n.factsToken() {
			n.deck.Command(s.Command)
			c.heard = append(c.heard, at)
		}
		return nil
	}
	var err error
	c.sequence, err = n.bus.each(ctx, n.bus.said, n.commandSubject(), c.sequence, tell)
	return err
}

// know has this deck know a command of which a log tells: who wrote the log has heard more than a deck
// that was cut off.
func (n *Node) know(ctx context.Context, command uint64) error {
	if command <= n.commands.last() {
		return nil
	}
	if err := n.readCommands(ctx, command); err != nil {
		return err
	}
	if command > n.commands.last() {
		return fmt.Errorf("%w: NATS has lost command %d to all sessions", errBroken, command)
	}
	return nil
}

// obeyOthers reads what was said before, and listens to what is said from now on.
func (n *Node) obeyOthers(ctx context.Context) error {
	come := make(chan struct{}, 1)
	_, err := n.bus.conn.Subscribe(n.commandSubject(), func(*nats.Msg) { poke(come) })
	if err != nil {
		return err
	}
	const all = ^uint64(0)
	if err := n.readCommands(ctx, all); err != nil {
		return err
	}
	n.runs.Go(func() {
		// A command that was said while NATS was away has come to nobody's ears.
		look := time.NewTicker(n.options.Lease)
		defer look.Stop()
		for {
			select {
			case <-n.ctx.Done():
				return
			case <-come:
			case <-look.C:
			}
			ctx, cancel := context.WithTimeout(n.ctx, n.options.Lease)
			if err := n.hear(ctx, all); err != nil && errors.Is(err, context.Canceled) {
				cancel()
				return
			}
			cancel()
		}
	})
	return nil
}

func poke(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
