package deck

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/redact"
)

// CallbackMode says what a deck does about callbacks: what a sandbox says to the shop by itself.
type CallbackMode string

// The modes of callbacks. CallbacksRelay is for decks that ask a sandbox, and the others are for
// those that answer from tape; a Spy takes both. In a replay CallbacksRelay is CallbacksNow.
const (
	CallbacksOff      CallbackMode = "off"      // none are relayed, none are sent
	CallbacksRelay    CallbackMode = "relay"    // they pass through the deck, which records them
	CallbacksNow      CallbackMode = "now"      // sent when the answer that causes them was delivered
	CallbacksRecorded CallbackMode = "recorded" // sent as long after it as on tape
	CallbacksHold     CallbackMode = "hold"     // each waits until somebody asks for the next
	CallbacksUnsigned CallbackMode = "unsigned" // like now, without checksums: for a tape without its key
)

// Callbacks say what a deck does about callbacks. The zero Callbacks relay none while a deck
// records, and send what is on tape in a replay, to shops on this machine.
type Callbacks struct {
	leaf.Unprinted
	// Mode says what is done. Empty: CallbacksOff for what the sandbox is asked for, and
	// CallbacksNow for what is answered from tape.
	Mode CallbackMode
	// Listen is HOST:PORT of the address for callbacks of a deck that records. Empty: a free port
	// that only this machine reaches.
	Listen string
	// PublicURL is where the sandbox reaches that address. Empty: under the address itself, which
	// takes a sandbox on this machine.
	PublicURL string
	// To is the URL of the shop for callbacks that went to an address which the sandbox knows
	// without being told. Empty: the shop has none.
	To string
	// Keys sign callbacks in a replay, and check them while a deck records.
	Keys []CallbackKey
	// Install is the folder in which this install keeps the key of the addresses that stand in
	// requests, beside its certificate authority: a deck that was started again knows these
	// addresses. Empty: they last as long as the deck.
	Install string
	// Allow are hosts beyond this machine that may be called, as HOST or HOST:PORT.
	Allow []string
	// Retry is the longest pause between two attempts in a replay. 0: one second. Negative: the
	// pause is that of the profile.
	Retry time.Duration
	// Wait is how long Close waits for callbacks that were not sent yet. 0: they are dropped, which
	// is told.
	Wait time.Duration
	// Sandbox is for the built-in sandbox, which signs with Keys.
	Sandbox SandboxCallbacks
}

// CallbackKey is a key that callbacks of an API are signed with.
type CallbackKey = callback.Key

// SandboxCallbacks say how the built-in sandbox calls a shop which has not told where.
type SandboxCallbacks struct {
	// Address is the URL that is called. Empty: none.
	Address string
	// Alias is the name of the key, which the sandbox sends along as sign_alias. Empty: none.
	Alias string
	// Post has it send a form in place of a query.
	Post bool
}

// check tells what is wrong with options for callbacks, by an OptionError.
func (c *Callbacks) check(known *Profiles) error {
	modes := []CallbackMode{"", CallbacksOff, CallbacksRelay, CallbacksNow, CallbacksRecorded,
		CallbacksHold, CallbacksUnsigned}
	switch {
	case !slices.Contains(modes, c.Mode):
		return wrong("Callbacks.Mode", fmt.Errorf(
			"expected off, relay, now, recorded, hold or unsigned, found %q", c.Mode))
	case c.To != "" && !isWebURL(c.To):
		return wrong("Callbacks.To", errors.New("expected a full URL with http or https"))
	case c.Wait < 0:
		return wrong("Callbacks.Wait", errors.New("expected a duration, found one below 0"))
	case slices.ContainsFunc(c.Allow, isNoHost):
		return wrong("Callbacks.Allow", errors.New("expected HOST or HOST:PORT"))
	}
	if c.PublicURL != "" {
		if _, err := callback.NewAddresses(c.PublicURL, callback.NewKey()); err != nil {
			return wrong("Callbacks.PublicURL", err)
		}
	}
	return c.checkKeyNames(known)
}

// checkKeyNames wants one key at most for each API that calls back.
func (c *Callbacks) checkKeyNames(known *Profiles) error {
	var names []string
	for _, p := range known.Profiles() {
		if p.Callbacks != nil {
			names = append(names, p.Name)
		}
	}
	seen := map[string]bool{}
	for _, k := range c.Keys {
		switch {
		case k.Profile != "" && !slices.Contains(names, k.Profile):
			return wrong("Callbacks.Keys", fmt.Errorf("expected the profile of an API that calls back (%s), "+
				"found %q", strings.Join(names, ", "), k.Profile))
		case strings.TrimSpace(k.Text) == "":
			return wrong("Callbacks.Keys", errors.New("the key is empty"))
		case seen[k.Profile]:
			return wrong("Callbacks.Keys", errors.New("there are two keys for one profile"))
		}
		seen[k.Profile] = true
	}
	return nil
}

// redactor returns a redactor of what passes this deck: it knows the keys of callbacks, which a shop
// may show in an answer.
func (o *Options) redactor(report func(redact.Safe)) *redact.Redactor {
	r := o.Knowledge.Redactor(report)
	for _, k := range o.Callbacks.Keys {
		r.Know(strings.TrimSpace(k.Text))
	}
	return r
}

func isWebURL(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Hostname() != "" && (u.Scheme == "http" || u.Scheme == "https")
}

func isNoHost(text string) bool { return text == "" || strings.ContainsAny(text, "/?#@ ") }

// startCallbacks makes what sends the callbacks of the tape, and returns what takes the answers
// that bring them, and what is shown all answers for the rules on callbacks; nil if there are none,
// or none are wanted.
func (d *Deck) startCallbacks() (taken func(*match.Answer),
	announced func(context.Context, proxy.Announced) func(), err error) {
	o, on := &d.options, d.tape.compiled.Callbacks()
	c := &o.Callbacks
	if n := len(on.Apart); n > 0 {
		o.warn(fmt.Sprintf("%s on tape will not be sent: there is nothing on tape that can have caused them",
			count.Of(n, "callback")))
	}
	switch {
	case on.Events == 0:
		return nil, nil, nil
	case c.Mode == CallbacksOff:
		o.tell("with --callbacks off nobody is told of %s on tape", count.Of(on.Events, "callback"))
		return nil, nil, nil
	}
	if err := c.checkKeys(on, d.options.Knowledge.profiles); err != nil {
		return nil, nil, err
	}
	advance, begin := d.player.Advance, (func(*match.Callback) bool)(nil)
	if d.cluster != nil {
		advance, begin = d.cluster.advance, d.cluster.begin
	}
	d.sender, err = callback.NewSender(callback.SenderOptions{
		Recorded: c.Mode == CallbacksRecorded, Hold: c.Mode == CallbacksHold,
		Unsigned: c.Mode == CallbacksUnsigned, To: c.To, Keys: c.Keys, Allow: c.Allow, Retry: c.Retry,
		Own: d.own(), Observe: o.Observe,
		Profiles: o.Knowledge.profiles, Redactor: o.redactor(nil), Now: d.tape.now,
		Advance: advance, Begin: begin, Rules: d.rules,
	})
	if err != nil {
		return nil, nil, err
	}
	return d.sender.Deliver, d.sender.Announce, nil
}

// checkKeys wants a key for each API whose callbacks are signed on tape.
func (c *Callbacks) checkKeys(on match.CallbackSummary, known *Profiles) error {
	if c.Mode == CallbacksUnsigned {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(on.Signed)) {
		p := known.FindCallback(name).Profile
		if p == nil || p.Callbacks.Sign == nil {
			continue // they go out as they are on tape: nobody knows what their signature is
		}
		k, ok := callback.Keys(c.Keys).Of(name)
		if !ok {
			return wrong("Callbacks", fmt.Errorf("%s of %s on tape have a checksum, and there is no key to "+
				"make it with: give --callback-key-file %s=FILE, or say --callbacks unsigned or "+
				"--callbacks off", count.Of(on.Signed[name], "callback"), name, name))
		}
		if err := k.Check(p.Callbacks.Sign); err != nil {
			return wrong("Callbacks.Keys", fmt.Errorf("the key for %s: %w", name, err))
		}
	}
	return nil
}

// waitForCallbacks waits until what is on its way to shops has arrived, or until ctx ends.
func (d *Deck) waitForCallbacks(ctx context.Context) {
	if d.sender != nil {
		d.sender.Wait(ctx)
	}
}

// Callbacks returns what sends the callbacks of the tape; nil if there are none, or none are
// wanted.
func (d *Deck) Callbacks() *callback.Sender { return d.sender }
