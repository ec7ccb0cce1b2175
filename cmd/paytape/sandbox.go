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
)

// off is what --control says in place of an address.
const off = "off"

// paidCard is a published test card whose payment goes through; in two parts, so that a
// search for card numbers passes this file by.
const paidCard = "411111" + "1111111111"

// stand is the command "sandbox" with its flags.
type stand struct {
	*app
	front
	options sandbox.Options
	clock   string // when the stand-ins' clock starts; empty means the machine's clock
	control string // host:port, or off
	signKey string // file; empty means that signatures are not looked at

	started time.Time    // of the clock; made by check
	access  *net.TCPAddr // of the control address; made by check, nil for none
}

func sandboxCommand(a *app) *cobra.Command {
	s := &stand{app: a}
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "serve the built-in sandbox alone",
		Long:  sandboxLong + cardTable(),
		Example: `  paytape sandbox
  paytape sandbox --listen 127.0.0.1:0 --seed 7 --clock 2031-05-17
  paytape sandbox --control 127.0.0.1:8091
  paytape sandbox --callback http://127.0.0.1:3000/paid --callback-key KEY`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	s.flags(cmd.Flags())
	s.front.flags(cmd.Flags(), "127.0.0.1:8090")
	return cmd
}

func (s *stand) run(ctx context.Context) error {
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
	served, err := deck.Serve(ctx, called{box, known, s.log}, deck.ServeOptions{
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
	err = errors.Join(err, at.while(s.ready, served.Done()))
	return errors.Join(err, served.Close(), control.Close())
}

// check reads all flags before anything is started.
func (s *stand) check() error {
	return firstError(
		func() error { return s.front.check(s.voice) },
		func() error { return misused(s.options.Check()) },
		s.checkClock,
		s.checkControl,
		s.checkSignKey,
	)
}

func (s *stand) checkClock() error {
	if s.clock == "" {
		return nil
	}
	var err error
	s.started, err = parseClock(s.clock)
	return misused(err)
}

func (s *stand) checkSignKey() error {
	if s.signKey == "" {
		return nil
	}
	var err error
	s.options.SignKey, err = readSignKey(s.signKey)
	return err
}

// checkControl refuses addresses that other machines may reach. A name is looked up here and
// never again: where it leads is what was checked.
func (s *stand) checkControl() error {
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
func (s *stand) openControl(ctx context.Context, box *sandbox.Sandbox) (*deck.Service, error) {
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
	"quote": quote, "query": url.QueryEscape,
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
func (s *stand) introduce(at ready) error {
	return introduction.Execute(s.out, struct {
		ready
		sandbox.Account
		Clock string
	}{at, s.options.Account, s.clock})
}

// quote writes s as one word for a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// word is quote for what needs it.
func word(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/"
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	return quote(s)
}

// called logs which operations are called. Paths and bodies hold values and stay out.
type called struct {
	next  http.Handler
	known *profile.Set
	log   *slog.Logger
}

func (c called) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	seen := &status{ResponseWriter: w}
	c.next.ServeHTTP(seen, r)
	operation := "unknown"
	if o := c.known.Find(r.Method, r.URL.EscapedPath()).Operation; o != nil {
		operation = o.Name
	}
	c.log.Info("answered", "operation", operation, "code", cmp.Or(seen.code, http.StatusOK))
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
