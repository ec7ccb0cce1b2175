package natsconn

import (
	"context"
	"crypto/rand"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/leaf"
)

// Messages carry bytes from one side to the other, at most once: NATS.
type Messages interface {
	// Publish sends a message to whoever has subscribed. An error says that nobody gets it, or that
	// nobody knows.
	Publish(subject string, data []byte) error
	// Request sends a message and returns the answer to it.
	Request(ctx context.Context, subject string, data []byte) ([]byte, error)
	// Subscribe has f get the messages of a subject, one after another, until stop is called. An answer
	// goes to answer; nil for a message that is no request.
	Subscribe(subject string, f func(data []byte, answer func([]byte))) (stop func(), err error)
	// Largest returns how many bytes a message may have.
	Largest() int
}

// Options say what an Endpoint is.
type Options struct {
	leaf.Unprinted
	Messages Messages
	// Prefix is what the subjects of all endpoints begin with.
	Prefix string
	// Name is that of this endpoint among those of the prefix.
	Name string
	// Key is what all endpoints know and NATS does not, 32 random bytes.
	Key []byte
	// Silence is how long a side may say nothing until it is taken for gone.
	Silence time.Duration
	// Take is given the connections that others make to this endpoint, by a goroutine each, and reports
	// whether it has taken them. Nil: none is taken.
	Take func(*Conn) bool
}

// Head says of a connection whose it is.
type Head struct {
	Address string `json:"address"` // the name of the address at which the client came in
	Remote  string `json:"remote"`  // IP:PORT of the client
	Local   string `json:"local"`   // IP:PORT to which it has connected
}

// Why there is no connection.
var (
	// ErrRefused says that the other side is there and does not take connections.
	ErrRefused = errors.New("the other side takes no connection")

	errSilent   = errors.New("the other side has said nothing for too long")
	errLost     = errors.New("messages of the connection were lost")
	errForeign  = errors.New("a message was not sealed with the key of these decks")
	errProtocol = errors.New("the other side does not keep to the protocol")
)

// Endpoint is one side of connections. It is safe for concurrent use, and must be closed.
type Endpoint struct {
	leaf.Unprinted
	options  Options
	sealer   sealer
	unlisten []func()
	stopped  chan struct{} // closed by Close
	runs     sync.WaitGroup

	mu     sync.Mutex // guards the rest
	conns  map[connID]*Conn
	closed bool
}

// Open makes an endpoint that other endpoints reach by its name.
func Open(o Options) (*Endpoint, error) {
	s, err := newSealer(o.Key)
	if err != nil {
		return nil, err
	}
	e := &Endpoint{options: o, sealer: s, conns: map[connID]*Conn{}, stopped: make(chan struct{})}
	for subject, f := range map[string]func([]byte, func([]byte)){
		e.openSubject(o.Name): e.accept, e.frameSubject(o.Name): e.receive,
	} {
		stop, err := o.Messages.Subscribe(subject, f)
		if err != nil {
			e.stopListening()
			return nil, err
		}
		e.unlisten = append(e.unlisten, stop)
	}
	e.runs.Go(e.beat)
	return e, nil
}

func (e *Endpoint) openSubject(name string) string  { return e.options.Prefix + ".open." + name }
func (e *Endpoint) frameSubject(name string) string { return e.options.Prefix + ".frame." + name }

func (e *Endpoint) stopListening() {
	for _, stop := range e.unlisten {
		stop()
	}
}

// Dial makes a connection to an endpoint, which has taken it when Dial returns.
func (e *Endpoint) Dial(ctx context.Context, to string, h Head) (*Conn, error) {
	o := opening{From: e.options.Name, Head: h}
	_, _ = rand.Read(o.ID[:]) // it never fails
	_, _ = rand.Read(o.Salt[:])
	asked, err := e.sealer.seal(e.openSubject(to), o)
	if err != nil {
		return nil, err
	}
	c := e.newConn(o, to)
	answer, err := e.options.Messages.Request(ctx, e.openSubject(to), asked)
	if err != nil {
		return nil, err
	}
	var a accepted
	if err := e.sealer.open(o.purpose(), answer, &a); err != nil {
		return nil, err
	}
	if a.Refused {
		return nil, ErrRefused
	}
	if c.out, c.in, err = e.sealer.keys(o, a.Salt); err != nil {
		return nil, err
	}
	if !e.add(c) {
		return nil, net.ErrClosed
	}
	_ = c.sendBeat() // without NATS there is no answer
	if err := c.awaitTaken(ctx); err != nil {
		c.abort()
		return nil, err
	}
	return c, nil
}

// accept answers an endpoint that wants a connection.
func (e *Endpoint) accept(data []byte, answer func([]byte)) {
	var o opening
	if answer == nil || e.sealer.open(e.openSubject(e.options.Name), data, &o) != nil {
		return // who asks is no deck
	}
	var a accepted
	_, _ = rand.Read(a.Salt[:]) // it never fails
	c := e.newConn(o, o.From)
	c.accepted = true
	var err error
	c.in, c.out, err = e.sealer.keys(o, a.Salt)
	if err != nil || e.options.Take == nil || !e.add(c) {
		a = accepted{Refused: true}
	}
	if said, err := e.sealer.seal(o.purpose(), a); err == nil {
		answer(said)
	}
}

// add has a connection get its frames. It returns false if there can be none.
func (e *Endpoint) add(c *Conn) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.conns[c.id] != nil {
		return false
	}
	e.conns[c.id] = c
	return true
}

// remove forgets a connection.
func (e *Endpoint) remove(c *Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.conns[c.id] == c {
		delete(e.conns, c.id)
	}
}

// receive gives a frame to its connection.
func (e *Endpoint) receive(data []byte, _ func([]byte)) {
	id, counter, sealed, ok := splitFrame(data)
	if !ok {
		return
	}
	e.mu.Lock()
	c := e.conns[id]
	e.mu.Unlock()
	if c == nil {
		return // it was closed here
	}
	if !c.receive(counter, sealed) || !c.accepted {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.runs.Go(func() { e.take(c) })
	}
}

// take hands a connection out.
func (e *Endpoint) take(c *Conn) {
	if !e.options.Take(c) {
		c.abort()
		return
	}
	c.mu.Lock()
	c.taken = true
	c.mu.Unlock()
	_ = c.sendBeat() // the next one says the same
}

// all returns the connections there are.
func (e *Endpoint) all() []*Conn {
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make([]*Conn, 0, len(e.conns))
	for _, c := range e.conns {
		all = append(all, c)
	}
	return all
}

// beatsPerSilence is how often a side tells within the time of silence that it is there: one message
// may be late.
const beatsPerSilence = 4

// beat has the connections tell that they are there, and gives up those whose other side does not.
func (e *Endpoint) beat() {
	every := time.NewTicker(e.options.Silence / beatsPerSilence)
	defer every.Stop()
	for {
		select {
		case <-e.stopped:
			return
		case <-every.C:
		}
		for _, c := range e.all() {
			c.tick(e.options.Silence)
		}
	}
}

// dialled returns the connections that this endpoint has made.
func (e *Endpoint) dialled() []*Conn {
	return slices.DeleteFunc(e.all(), func(c *Conn) bool { return c.accepted })
}

// Drain has the other sides close the connections of Dial when no request is under way, and waits for
// that until ctx ends.
func (e *Endpoint) Drain(ctx context.Context) {
	for _, c := range e.dialled() {
		c.askToDrain()
	}
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for len(e.dialled()) > 0 {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// Close ends all connections, and lets nobody make more.
func (e *Endpoint) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	e.mu.Unlock()
	for _, c := range e.all() {
		c.abort()
	}
	e.stopListening()
	close(e.stopped)
	e.runs.Wait()
	return nil
}
