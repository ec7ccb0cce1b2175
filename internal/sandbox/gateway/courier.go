package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A callback that is answered by anything but 200 has failed; it is repeated after the pause,
// and given up after the last of its attempts (domain facts, Callbacks).
const (
	maxAttempts  = 3
	attemptPause = 30 * time.Second
)

// Bounds of the delivery. The family's are not shown.
const (
	attemptTime = 10 * time.Second // of one attempt, from dialling to the answer's head
	maxSending  = 16               // attempts under way at once
	maxPending  = 10_000           // callbacks that wait; what comes beyond has failed
	maxShown    = 1000             // callbacks that the state shows, the latest ones
)

// errCrowded is why a callback was never tried.
var errCrowded = errors.New("too many callbacks are pending")

// notOK is an answer that makes an attempt fail: its HTTP status.
type notOK int

func (n notOK) Error() string {
	return fmt.Sprintf("answered %d", int(n))
}

// courier brings callbacks to shops. Those of one order go out one after the other in the
// order of their events, so that a shop that fails gets the next only when the one before was
// delivered or given up; those of different orders do not wait for each other. Nothing runs
// while there is nothing to bring.
//
// Pauses are by the machine's clock, whatever the clock of the stand-in says.
type courier struct {
	callbacks Callbacks
	shops     *http.Client
	slots     chan struct{} // one for each attempt under way

	ctx  context.Context // of all attempts; over when the courier stops
	stop context.CancelFunc
	runs sync.WaitGroup // the lanes

	mu      sync.Mutex // guards what follows
	stopped bool
	lanes   map[string][]*delivery // by orderId, what has not begun; an entry is a running lane
	shown   []*delivery            // oldest first
	counts  callbackCounts
	untried int             // deliveries of which no attempt has ended
	settled []chan struct{} // closed when untried is 0
}

func newCourier(c Callbacks, carrier http.RoundTripper) *courier {
	ctx, stop := context.WithCancel(context.Background())
	return &courier{
		callbacks: c,
		shops: &http.Client{
			Transport: carrier,
			// A redirect is an answer like any other.
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse
			},
		},
		slots: make(chan struct{}, maxSending),
		ctx:   ctx, stop: stop,
		lanes: map[string][]*delivery{},
	}
}

// delivery is a callback on its way. The courier's lock guards what changes.
type delivery struct {
	callback
	state    string // of the three below
	attempts int
	reason   string // why the last attempt failed, in our words; empty if none did
}

const (
	statePending   = "pending"
	stateDelivered = "delivered"
	stateFailed    = "failed"
)

// send takes a callback and returns at once.
func (c *courier) send(cb callback) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return
	}
	d := &delivery{callback: cb, state: statePending}
	if c.shown = append(c.shown, d); len(c.shown) > maxShown {
		c.shown = append([]*delivery(nil), c.shown[1:]...)
	}
	if c.counts.Pending >= maxPending {
		d.state, d.reason = stateFailed, errCrowded.Error()
		c.counts.Failed++
		return
	}
	c.counts.Pending++
	c.untried++
	waiting, running := c.lanes[cb.orderID]
	c.lanes[cb.orderID] = append(waiting, d)
	if !running {
		c.runs.Go(func() { c.run(cb.orderID) })
	}
}

// triedLocked counts a first attempt that has ended.
func (c *courier) triedLocked() {
	if c.untried--; c.untried > 0 {
		return
	}
	for _, done := range c.settled {
		close(done)
	}
	c.settled = nil
}

// settle waits until every delivery was tried once, or ctx ends.
func (c *courier) settle(ctx context.Context) {
	c.mu.Lock()
	if c.untried == 0 {
		c.mu.Unlock()
		return
	}
	done := make(chan struct{})
	c.settled = append(c.settled, done)
	c.mu.Unlock()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// close stops everything and waits until it has stopped: attempts under way are cut short,
// and what is pending stays pending.
func (c *courier) close() {
	c.mu.Lock()
	c.stopped = true
	c.mu.Unlock()
	c.stop()
	c.runs.Wait()
}

// run brings what is in a lane until there is nothing left.
func (c *courier) run(lane string) {
	for d := c.next(lane); d != nil; d = c.next(lane) {
		c.deliver(d)
	}
}

// next takes the first delivery of a lane; nil ends the lane.
func (c *courier) next(lane string) *delivery {
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting := c.lanes[lane]
	if len(waiting) == 0 || c.stopped {
		delete(c.lanes, lane)
		return nil
	}
	c.lanes[lane] = waiting[1:]
	return waiting[0]
}

// deliver tries until one of the ends of a delivery, or until the courier stops.
func (c *courier) deliver(d *delivery) {
	for {
		err := c.attempt(d.callback)
		if c.ctx.Err() != nil || c.note(d, err) {
			return
		}
		select {
		case <-c.ctx.Done():
			return
		case <-time.After(attemptPause):
		}
	}
}

// maxAnswer is how many bytes of a shop's answer are read.
const maxAnswer = 64 << 10

// attempt calls the shop once.
func (c *courier) attempt(cb callback) error {
	select {
	case <-c.ctx.Done():
		return c.ctx.Err()
	case c.slots <- struct{}{}:
	}
	defer func() { <-c.slots }()
	ctx, cancel := context.WithTimeout(c.ctx, attemptTime)
	defer cancel()
	r, err := c.callbacks.request(ctx, cb)
	if err != nil {
		return err
	}
	answer, err := c.shops.Do(r)
	if err != nil {
		return err
	}
	// The head has said it all. The body is read so that a deck between sees a whole answer.
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer))
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return notOK(answer.StatusCode)
	}
	return nil
}

// note writes down how an attempt went and tells whether it was the last. An address that may
// not be called is not tried again.
func (c *courier) note(d *delivery, err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if d.attempts++; d.attempts == 1 {
		c.triedLocked()
	}
	d.reason = reason(err)
	switch {
	case err == nil:
		d.state = stateDelivered
		c.counts.Delivered++
	case d.attempts == maxAttempts || errors.Is(err, errForeign):
		d.state = stateFailed
		c.counts.Failed++
	default:
		return false
	}
	c.counts.Pending--
	return true
}

// reason says why an attempt failed. Other errors than ours repeat the address, which may
// hold secrets of the shop.
func reason(err error) string {
	var code notOK
	switch {
	case err == nil:
		return ""
	case errors.As(err, &code):
		return code.Error()
	case errors.Is(err, errForeign):
		return errForeign.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "took too long"
	}
	return "gave no answer"
}

// errForeign is why an address is not called.
var errForeign = errors.New("the address is neither on this machine nor allowed")

// newCarrier returns the way to the shops. Whoever can register an order can name an address
// to call, so that only this machine is reached unless the operator has allowed more. What is
// checked is the address that is dialled, after names were looked up. There is no proxy, and
// no connection is used twice, for a request that finds one closed would be sent again unseen.
func newCarrier(c Callbacks) *http.Transport {
	return &http.Transport{
		DialContext:            reachOf(c).dial,
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// hostPort is what a URL has dialled.
func hostPort(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// reach is how far callbacks go.
type reach struct {
	allowed []string // HOST or HOST:PORT
}

// reachOf adds the static address to what is allowed: the operator has named it.
func reachOf(c Callbacks) reach {
	allowed := slices.Clone(c.Allow)
	if u, err := url.Parse(c.Address); err == nil && c.Address != "" {
		allowed = append(allowed, hostPort(u))
	}
	return reach{allowed}
}

func (r reach) dial(ctx context.Context, network, address string) (net.Conn, error) {
	dialer := net.Dialer{Control: onlyHere}
	if r.allows(address) {
		dialer.Control = nil
	}
	return dialer.DialContext(ctx, network, address)
}

// allows tells whether the operator has named an address of the form HOST:PORT.
func (r reach) allows(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && slices.ContainsFunc(r.allowed, func(named string) bool {
		return strings.EqualFold(named, address) || strings.EqualFold(named, host)
	})
}

// onlyHere refuses a connection that leaves this machine.
func onlyHere(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().Unmap().IsLoopback() {
		return errForeign
	}
	return nil
}
