// Package sandbox holds stand-ins for the three APIs: the payment gateway
// (document 3), version 1 of the card service (document 1) and version 2 (document 2).
//
// The idea: a client should not be able to tell a stand-in from the sandbox by anything
// that the documents or the domain facts state. So the stand-ins keep state (orders,
// bindings, cards, balances, histories), move it by the documented transitions, check
// credentials, and answer in the field order and with the JSON types stated there. They
// are written from the documents and know nothing of the profiles; that makes them an
// independent witness when recording and replay are tested against them.
//
// The parts: packages gateway, cardv1 and cardv2 are the stand-ins, one for each document;
// package mint makes the values that they invent, and package wire reads calls, writes answers
// and checks values. Where the documents are silent, something had to be chosen. Each such
// place says so in a comment, most are rows of a table, and the comment of each stand-in tells
// where its tables are.
//
// What the stand-ins hold can be seen and emptied at a control address (control.go).
//
// The limits: everything is in memory and gone with the process. The three APIs share the
// card-number prefix and nothing else; a card issued by one is unknown to the others.
// There is one gateway merchant, one v1 account and one v2 account. Callbacks of the gateway go
// to this machine unless Options say otherwise. Times are printed in the zone of Options.Now.
// What each stand-in leaves out stands in its package.
package sandbox

import (
	"cmp"
	"context"
	"crypto/rsa"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/paytape/paytape/internal/sandbox/cardv1"
	"github.com/paytape/paytape/internal/sandbox/cardv2"
	"github.com/paytape/paytape/internal/sandbox/gateway"
	"github.com/paytape/paytape/internal/sandbox/mint"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// Account holds the credentials that the stand-ins accept. An empty field means the
// published one, so the zero value is the published account.
type Account struct {
	GatewayUser     string // "sandbox-api"
	GatewayPassword string // "sandbox-password"
	V1User          string // "sandbox"
	V1Token         string // "sandbox-token"
	V2Key           string // "sandbox-key"
}

// Options configure a Sandbox. The zero value is usable.
type Options struct {
	// Account is what clients log in with.
	Account Account
	// Prefix begins every issued card number; ten digits follow it. 4 to 9 digits;
	// empty means "427600".
	Prefix string
	// Seed decides every minted value: equal seeds, clocks and requests in the same order
	// give equal answers. 0 picks a random seed.
	Seed uint64
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// SignKey is the public key that the shop signs its gateway calls by; nil means that no
	// signature is looked at.
	SignKey *rsa.PublicKey
	// Callbacks say how the gateway calls the shop back. With the zero value an order's
	// dynamicCallbackUrl is called if it is on this machine.
	Callbacks Callbacks
}

const defaultPrefix = "427600"

var errPrefix = errors.New("card-number prefix must be 4 to 9 digits")

// Check tells whether New can use the options.
func (o Options) Check() error {
	prefix := cmp.Or(o.Prefix, defaultPrefix)
	if len(prefix) < 4 || len(prefix) > 9 || !wire.IsDigits(prefix) {
		return errPrefix
	}
	return o.Callbacks.Check()
}

func (o Options) withDefaults() Options {
	a := &o.Account
	a.GatewayUser = cmp.Or(a.GatewayUser, "sandbox-api")
	a.GatewayPassword = cmp.Or(a.GatewayPassword, "sandbox-password")
	a.V1User = cmp.Or(a.V1User, "sandbox")
	a.V1Token = cmp.Or(a.V1Token, "sandbox-token")
	a.V2Key = cmp.Or(a.V2Key, "sandbox-key")
	o.Prefix = cmp.Or(o.Prefix, defaultPrefix)
	for o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Callbacks say how the gateway calls the shop back.
type Callbacks = gateway.Callbacks

// TestCard is a published test number of the gateway and what comes of paying with it.
type TestCard = gateway.TestCard

// TestCards lists the numbers that choose the outcome of a payment at the gateway.
func TestCards() []TestCard { return gateway.TestCards() }

// Sandbox serves the three APIs on one listener, told apart by path. It is safe for many
// clients at once.
type Sandbox struct {
	options Options // with defaults
	// world is replaced whole by a reset. A call that is under way ends in the world that it
	// began in.
	world atomic.Pointer[world]
}

// Each API draws from its own stream of the seed, so that calls to one do not change what
// another mints.
const (
	streamCards uint64 = iota + 1
	streamGateway
	streamV1
	streamV2
	streamV1Extra
)

// world is the state of the three APIs.
type world struct {
	gateway *gateway.Gateway
	v1      *cardv1.API
	v2      *cardv2.API
}

func newWorld(o Options) *world {
	numbers := mint.NewIssuer(o.Prefix, mint.NewSource(o.Seed, streamCards))
	return &world{
		gateway: gateway.New(gateway.Options{
			User:     o.Account.GatewayUser,
			Password: o.Account.GatewayPassword,
			Source:   mint.NewSource(o.Seed, streamGateway),
			Now:      o.Now,
			SignKey:  o.SignKey,

			Callbacks: o.Callbacks,
		}),
		v1: cardv1.New(cardv1.Options{
			User:    o.Account.V1User,
			Token:   o.Account.V1Token,
			Numbers: numbers,
			Source:  mint.NewSource(o.Seed, streamV1),
			Extra:   mint.NewSource(o.Seed, streamV1Extra),
			Now:     o.Now,
		}),
		v2: cardv2.New(cardv2.Options{
			Key:     o.Account.V2Key,
			Numbers: numbers,
			Source:  mint.NewSource(o.Seed, streamV2),
			Now:     o.Now,
		}),
	}
}

// New returns a Sandbox with no orders, customers or cards. It panics if o.Check fails:
// options come from the program, which can check them before.
func New(o Options) *Sandbox {
	if err := o.Check(); err != nil {
		panic("sandbox: " + err.Error())
	}
	s := &Sandbox{options: o.withDefaults()}
	s.reset()
	return s
}

// reset empties all state and starts the seed again. What happened before is told to nobody
// after it.
func (s *Sandbox) reset() {
	if old := s.world.Swap(newWorld(s.options)); old != nil {
		old.gateway.Close()
	}
}

// Close stops callbacks and waits until they have stopped; without it they go on when nobody
// calls any more. It belongs after the last call and the last reset.
func (s *Sandbox) Close() {
	s.world.Load().gateway.Close()
}

// Settle waits until each callback that is due was tried once, or ctx ends. Attempts that follow one
// which failed are not waited for.
func (s *Sandbox) Settle(ctx context.Context) { s.world.Load().gateway.Settle(ctx) }

// ServeHTTP answers one call of any of the three APIs.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := s.world.Load()
	for _, api := range []struct {
		prefix  string // of the paths it serves
		handler http.Handler
	}{
		{"/payment/", now.gateway},
		{"/v1/", now.v1},
		{"/v2/", now.v2},
	} {
		if strings.HasPrefix(r.URL.Path, api.prefix) {
			api.handler.ServeHTTP(w, r)
			return
		}
	}
	wire.WritePage(w, http.StatusNotFound)
}
