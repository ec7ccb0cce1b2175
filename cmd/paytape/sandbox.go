package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"text/template"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/sandbox"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// off is what --control says in place of an address.
const off = "off"

// paidCard is a published test card whose payment goes through; in two parts, so that a
// search for card numbers passes this file by.
const paidCard = "411111" + "1111111111"

// sandboxServer is the command "sandbox" with its flags.
type sandboxServer struct {
	*app
	serveFlags
	options sandbox.Options
	clock   string // when the stand-ins' clock starts; empty means the machine's clock
	control string // host:port, or off
	signKey string // file; empty means that signatures are not looked at
	keyFile string // of the key for callbacks; empty means that they have no checksum

	started time.Time    // of the clock; made by check
	access  *net.TCPAddr // of the control address; made by check, nil for none
}

func sandboxCommand(a *app) *cobra.Command {
	s := &sandboxServer{app: a}
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "serve the built-in sandbox alone",
		Long:  sandboxLong + cardTable(),
		Example: `  paytape sandbox
  paytape sandbox --listen 127.0.0.1:0 --seed 7 --clock 2031-05-17
  paytape sandbox --control 127.0.0.1:8091
  paytape sandbox --callback http://127.0.0.1:3000/paid --callback-key-file key.txt`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	s.flags(cmd.Flags())
	s.serveFlags.flags(cmd.Flags(), "127.0.0.1:8090")
	return cmd
}

func (s *sandboxServer) run(ctx context.Context) error {
	if err := s.check(); err != nil {
		return err
	}
	known, err := profile.Builtin()
	if err != nil {
		return err
	}
	if s.clock != "" {
		s.options.Now = deck.ClockFrom(s.started)
	}
	box := sandbox.New(s.options)
	defer box.Close() // when nobody calls any more
	served, err := deck.Serve(ctx, operationLog{box, known, s.log}, deck.ServeOptions{
		Listen: s.listen, Certificate: s.identity.certificate, Observe: observer(s.log),
		Tell: s.voice.notice,
	})
	if err != nil {
		return byFlag(err)
	}
	control, err := s.openControl(ctx, box)
	if err != nil {
		return errors.Join(err, served.Close())
	}
	at := ready{Sandbox: served.URL}
	if control != nil {
		at.Control = control.URL
	}
	err = s.introduce(at)
	err = errors.Join(err, at.publish(s.ready, served.Done()))
	return errors.Join(err, served.Close(), control.Close())
}

// check reads all flags before anything is started.
func (s *sandboxServer) check() error {
	return firstError(
		func() error { return s.serveFlags.check(s.voice) },
		s.checkCallbackKey,
		func() error { return misused(s.options.Check()) },
		s.checkClock,
		s.checkControl,
		s.checkSignKey,
	)
}

func (s *sandboxServer) checkClock() error {
	if s.clock == "" {
		return nil
	}
	var err error
	s.started, err = parseClock(s.clock)
	return misused(err)
}

func (s *sandboxServer) checkCallbackKey() (err error) {
	s.options.Callbacks.Key, err = readOwnCallbackKey(s.keyFile)
	return err
}

func (s *sandboxServer) checkSignKey() error {
	if s.signKey == "" {
		return nil
	}
	var err error
	s.options.SignKey, err = readSignKey(s.signKey)
	return err
}

// checkControl refuses addresses that other machines may reach. A name is looked up here and
// never again: where it leads is what was checked.
func (s *sandboxServer) checkControl() error {
	if s.control == off {
		return nil
	}
	at, err := net.ResolveTCPAddr("tcp", s.control)
	switch {
	case err != nil:
		return misused(fmt.Errorf("--control: expected HOST:PORT or %s, found %q", off, s.control))
	case !at.IP.IsLoopback():
		return withHint(misused(fmt.Errorf("--control: expected an address that only this machine "+
			"reaches, found %q", s.control)), "--control 127.0.0.1:0")
	}
	s.access = at
	return nil
}

// openControl serves the control address; nil means that there is none.
func (s *sandboxServer) openControl(ctx context.Context, box *sandbox.Sandbox) (*deck.Service, error) {
	if s.access == nil {
		return nil, nil
	}
	served, err := deck.Serve(ctx, box.Control(), deck.ServeOptions{Listen: s.access.String()})
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		return nil, withHint(fmt.Errorf("listening for control: %w", failed),
			"choose another port with --control, or a free one with --control 127.0.0.1:0")
	}
	return served, err
}

// introduction is what a client needs to begin. Each line can be typed as it is.
var introduction = template.Must(template.New("").Funcs(template.FuncMap{
	"quote": shellQuote, "query": url.QueryEscape,
}).Parse(`sandbox at {{.Sandbox}}
{{with .Control}}control at {{.}}
{{end}}{{with .Clock}}the clock started at {{.}}
{{end}}
# gateway: user {{.GatewayUser}}, password {{.GatewayPassword}}; test card ` + paidCard + `
# more of them: paytape sandbox --help
curl -d userName={{query .GatewayUser}} -d password={{query .GatewayPassword}} ` +
	`-d orderNumber=1 -d amount=12500 -d returnUrl=https://shop.example/ ` +
	`{{.Sandbox}}/payment/rest/register.do

# version 1: user {{.V1User}}, token {{.V1Token}}
# institution 1001 has the merchants M0000001 (terminals T0000001, T0000002), M0000002 (T0000003)
curl -u {{quote (print .V1User ":" .V1Token)}} -H 'Content-Type: application/json' ` +
	`-d '{"productName":"CRCU1001","parameters":[` +
	`{"name":"institutionId","value":"1001"},{"name":"agent_number","value":"1001"},` +
	`{"name":"customer_number","value":"100001"}]}' ` +
	`{{.Sandbox}}/v1/apigate/ws/rest/registerCustomer

# version 2: key {{.V2Key}}
curl -H {{quote (print "X-API-KEY: " .V2Key)}} -H 'Content-Type: application/json' ` +
	`-d '{"firstName":"Alex","lastName":"Sample","phoneNumber":"491700000001",` +
	`"billingAddress":{"country":"DE","postalCode":"10115"}}' ` +
	`{{.Sandbox}}/v2/cardholders

{{with .Control}}# control: what they hold, and how to empty them
curl {{.}}/state
curl -X POST {{.}}/reset
{{else}}# control: off; --control 127.0.0.1:0 shows what they hold and empties them
{{end}}`))

// introduce prints the account and lines to type.
func (s *sandboxServer) introduce(at ready) error {
	return introduction.Execute(s.out, struct {
		ready
		sandbox.Account
		Clock string
	}{at, s.options.Account, s.clock})
}

// shellQuote writes s as one word for a shell.
func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// shellWord is shellQuote for what needs it.
func shellWord(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return shellQuote(s)
}

// operationLog logs which operations are called. Paths and bodies hold values and stay out.
type operationLog struct {
	next  http.Handler
	known *profile.Set
	log   *slog.Logger
}

func (l operationLog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	seen := &status{ResponseWriter: w}
	l.next.ServeHTTP(seen, r)
	operation := "unknown"
	if o := l.known.Find(r.Method, r.URL.EscapedPath()).Operation; o != nil {
		operation = o.Name
	}
	l.log.Info("answered", "operation", operation, "code", cmp.Or(seen.code, http.StatusOK))
}

// status is a response writer that notes the status of the answer.
type status struct {
	http.ResponseWriter
	code int // 0 until it is known
}

func (s *status) WriteHeader(code int) {
	s.code = code
	s.ResponseWriter.WriteHeader(code)
}

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

// flags adds what the stand-ins can be told; where they listen is the matter of serveFlags.
func (s *sandboxServer) flags(fs *pflag.FlagSet) {
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
	for _, name := range []string{"gateway-password", "v1-token", "v2-key"} {
		markSecret(fs.Lookup(name))
	}
}

func (s *sandboxServer) callbackFlags(fs *pflag.FlagSet) {
	how := &s.options.Callbacks
	fs.StringVar(&how.Address, "callback", "", "`URL` of the shop that is called back unless an "+
		"order names another;\nbindings are told here alone")
	ownCallbackKeyFlag(fs, &s.keyFile, "without it they have none")
	fs.StringVar(&how.Alias, "callback-alias", "", "`NAME` of that key, sent as sign_alias")
	fs.BoolVar(&how.Post, "callback-post", false, "call back by POST with a form, not by GET")
	fs.StringSliceVar(&how.Allow, "callback-allow", nil, "`HOST` or HOST:PORT beyond this machine "+
		"that may be called\nback; repeatable")
}
