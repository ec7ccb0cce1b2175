package deck

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/callback"
)

// callbackDoor is where a sandbox brings its callbacks to a deck that asks it. A nil callbackDoor
// is that of a deck which relays none.
type callbackDoor struct {
	ln        net.Listener
	addresses *callback.Addresses
	causes    *callback.Causes
	served    *Service // nil until it serves
	relay     *callback.Relay
}

// relays reports whether callbacks of the sandbox come through the deck: to the addresses that it
// puts into requests, or to its static address.
func (c *Callbacks) relays() bool {
	return c.Mode == CallbacksRelay || c.Mode != CallbacksOff && c.To != ""
}

// openCallbacks begins to listen for callbacks, for a door that opens when the mode is there.
func (d *Deck) openCallbacks() error {
	o := &d.options
	c := &o.Callbacks
	if !c.relays() {
		return nil
	}
	at := ServeOptions{
		Listen: c.Listen, Observe: o.Observe, Tell: o.Tell, ln: o.owner.listener(addressCallbacks),
	}
	ln, err := at.listen()
	if err != nil {
		return wrong("Callbacks.Listen", fmt.Errorf("listening for callbacks: %w", err))
	}
	d.callbackDoor = &callbackDoor{ln: ln, causes: callback.NewCauses(o.Knowledge.profiles)}
	key := callback.NewKey()
	switch {
	case o.owner != nil:
		key = o.owner.callbackKey
	case c.Install != "":
		if key, err = callback.InstallKey(c.Install); err != nil {
			return err
		}
	}
	public := c.PublicURL
	if public == "" {
		public = addressOf(ln)
	}
	if d.callbackDoor.addresses, err = callback.NewAddresses(public, key); err != nil {
		return wrong("Callbacks.PublicURL", err)
	}
	d.callbackDoor.addresses.Local = c.PublicURL == ""
	return nil
}

// route has callbacks come through the deck, if its mode says so. Nil: they go to the shops.
func (b *callbackDoor) route(c *Callbacks) *proxy.CallbackRoute {
	if b == nil || c.Mode != CallbacksRelay {
		return nil
	}
	return &proxy.CallbackRoute{Addresses: b.addresses}
}

// watch is what is told of exchanges while they are recorded; nil if nobody is.
func (b *callbackDoor) watch() proxy.Watch {
	if b == nil {
		return nil
	}
	return b.causes
}

// own returns the address on which it listens, if it does.
func (b *callbackDoor) own() []net.Addr {
	if b == nil {
		return nil
	}
	return []net.Addr{b.ln.Addr()}
}

// static returns the URL of the callback door: where a sandbox calls that is told nothing in
// requests.
func (b *callbackDoor) static() string {
	if b == nil {
		return ""
	}
	return b.addresses.Public()
}

// relayer is a mode that passes callbacks on.
type relayer interface {
	Relay(req *http.Request, cb proxy.RelayedCallback) (*http.Response, error)
}

// relayCallbacks opens the callback door, for a mode that passes callbacks on.
func (d *Deck) relayCallbacks(ctx context.Context, mode relayer) error {
	if d.callbackDoor == nil {
		return nil
	}
	o := &d.options
	tries := callback.NewTries(o.Knowledge.profiles)
	if d.recorder != nil {
		if err := d.triedBefore(tries); err != nil {
			return err
		}
	}
	relay, err := callback.NewRelay(callback.RelayOptions{
		Addresses: d.callbackDoor.addresses, Profiles: o.Knowledge.profiles, Mode: mode,
		To: o.Callbacks.To, Keys: o.Callbacks.Keys, Allow: o.Callbacks.Allow,
		Own: d.own(), TLS: o.UpstreamTLS,
		Causes: d.callbackDoor.causes, Tries: tries, Observe: o.Observe, Rules: d.rules,
	})
	if err != nil {
		return err
	}
	d.callbackDoor.relay = relay
	// It outlives ctx: what clients have done may still bring callbacks.
	d.callbackDoor.served = serve(context.WithoutCancel(ctx), d.callbackDoor.ln, relay, o.Observe)
	return nil
}

// triedBefore tells of the callbacks that are on the tape, in case that one of them comes again.
func (d *Deck) triedBefore(tries *callback.Tries) error {
	o := &d.options
	r, err := d.library.Read(o.Cassettes[0], o.Knowledge.Redactor(nil))
	if errors.Is(err, cassettes.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	r.Formless = true
	for c := range r.All {
		tries.OnTape(c.Exchange())
	}
	return r.Err()
}

// leastWait is how long callbacks of the built-in sandbox that are due have to be brought when a
// deck stops.
const leastWait = time.Second

// close gives callbacks that are due a chance to be brought, and closes the door. Those of the
// built-in sandbox are waited for until each was tried once; of another sandbox nobody knows
// whether there are any, so that it has all of the wait.
func (b *callbackDoor) close(o *Options, own *standIn) error {
	wait := o.Callbacks.Wait
	switch {
	case b == nil:
		return nil
	case b.served == nil:
		return b.ln.Close()
	case own != nil:
		ctx, cancel := context.WithTimeout(context.Background(), max(wait, leastWait))
		own.box.Settle(ctx)
		cancel()
	case wait > 0:
		o.tell("waiting %v for callbacks of the sandbox (--callback-wait)", wait)
		time.Sleep(wait)
	}
	err := b.served.Close()
	b.relay.Close()
	return err
}
