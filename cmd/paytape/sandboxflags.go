package main

import (
	"fmt"
	"strings"

	"github.com/paytape/paytape/internal/sandbox"
	"github.com/spf13/pflag"
)

// sandboxLong describes the command; the test cards stand below it.
const sandboxLong = `sandbox serves stand-ins for the three APIs: the payment gateway, version 1 and
version 2 of the card service. They keep state, check credentials, and forget
everything when they stop. Equal seeds, clocks and requests give equal answers.

The gateway calls the shop back at an order's dynamicCallbackUrl, or at
--callback. It is not to be a means to reach others: only addresses of this
machine are called, that of --callback, and hosts that --callback-allow names.
With --sign-key it wants signatures (X-Hash, X-Signature) on transfers.

With --control an address of its own shows what they hold (GET /state, without
card numbers, CVCs, PINs and keys) and empties them (POST /reset, which starts
the seed again). It asks for no credentials, so only this machine may reach it.

In the gateway the card decides what becomes of a payment. These are published
test numbers; any CVC and any expiry that is not past will do:

`

// cardTable lists the test cards, for people to copy from.
func cardTable() string {
	var out strings.Builder
	for _, card := range sandbox.TestCards() {
		fmt.Fprintf(&out, "  %s  %s\n", card.Number, card.Outcome)
	}
	return out.String()
}

// flags adds what the stand-ins can be told; where they listen is front's.
func (s *stand) flags(fs *pflag.FlagSet) {
	to := &s.options.Account
	fs.StringVar(&to.GatewayUser, "gateway-user", "sandbox-api", "`NAME` for the gateway")
	fs.StringVar(&to.GatewayPassword, "gateway-password", "sandbox-password",
		"`PASSWORD` for the gateway")
	fs.StringVar(&to.V1User, "v1-user", "sandbox", "`NAME` for version 1")
	fs.StringVar(&to.V1Token, "v1-token", "sandbox-token", "`TOKEN` for version 1")
	fs.StringVar(&to.V2Key, "v2-key", "sandbox-key", "`KEY` for version 2")
	fs.StringVar(&s.options.Prefix, "prefix", "427600", "`DIGITS` that issued card numbers begin "+
		"with")
	fs.Uint64Var(&s.options.Seed, "seed", 0, "make minted values repeatable; 0 takes a random "+
		"`NUMBER`")
	fs.StringVar(&s.clock, "clock", "", "`TIME`, such as 2031-05-17 or 2031-05-17T09:30:00Z, that "+
		"their\nclock starts at; without it they use the machine's")
	fs.StringVar(&s.control, "control", off, "`HOST:PORT` to see and empty them at, or off")
	fs.StringVar(&s.signKey, "sign-key", "", "`FILE` with the public RSA key, in PEM, that transfers "+
		"must be signed\nby; without it signatures are not looked at")
	s.callbackFlags(fs)
	for _, name := range []string{"gateway-password", "v1-token", "v2-key", "callback-key"} {
		keepSecret(fs.Lookup(name))
	}
}

func (s *stand) callbackFlags(fs *pflag.FlagSet) {
	how := &s.options.Callbacks
	fs.StringVar(&how.Address, "callback", "", "`URL` of the shop that is called back unless an "+
		"order names another;\nbindings are told here alone")
	fs.StringVar(&how.Key, "callback-key", "", "`KEY` for the checksum of callbacks; without it "+
		"they have none")
	fs.StringVar(&how.Alias, "callback-alias", "", "`NAME` of that key, sent as sign_alias")
	fs.BoolVar(&how.Post, "callback-post", false, "call back by POST with a form, not by GET")
	fs.StringSliceVar(&how.Allow, "callback-allow", nil, "`HOST` or HOST:PORT beyond this machine "+
		"that may be called\nback; repeatable")
}
