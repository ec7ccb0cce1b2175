package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"text/template"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/internal/sandbox"
	"github.com/spf13/cobra"
)

const sandboxLong = `sandbox serves stand-ins for the three APIs: the payment gateway, version 1 and
version 2 of the card service. They keep state, check credentials, and forget
everything when they stop.`

// paidCard is a published test card whose payment goes through; in two parts, so that a
// search for card numbers passes this file by.
const paidCard = "411111" + "1111111111"

// stand is the command "sandbox" with its flags.
type stand struct {
	*app
	front
	options sandbox.Options
}

func sandboxCommand(a *app) *cobra.Command {
	s := &stand{app: a}
	cmd := &cobra.Command{
		Use:   "sandbox",
		Short: "serve the built-in sandbox alone",
		Long:  sandboxLong,
		Example: `  paytape sandbox
  paytape sandbox --listen 127.0.0.1:0 --seed 7`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	fs, to := cmd.Flags(), &s.options.Account
	fs.StringVar(&to.GatewayUser, "gateway-user", "sandbox-api", "`NAME` for the gateway")
	fs.StringVar(&to.GatewayPassword, "gateway-password", "sandbox-password", "`PASSWORD` for the gateway")
	fs.StringVar(&to.V1User, "v1-user", "sandbox", "`NAME` for version 1")
	fs.StringVar(&to.V1Token, "v1-token", "sandbox-token", "`TOKEN` for version 1")
	fs.StringVar(&to.V2Key, "v2-key", "sandbox-key", "`KEY` for version 2")
	fs.StringVar(&s.options.Prefix, "prefix", "427600", "`DIGITS` that issued card numbers begin "+
		"with")
	fs.Uint64Var(&s.options.Seed, "seed", 0, "make minted values repeatable; 0 takes a random "+
		"`NUMBER`")
	s.front.flags(fs, "127.0.0.1:8090")
	return cmd
}

func (s *stand) run(ctx context.Context) error {
	err := firstError(func() error { return s.front.check(s.voice) },
		func() error { return misused(s.options.Check()) })
	if err != nil {
		return err
	}
	known, err := profile.Builtin()
	if err != nil {
		return err
	}
	ln, err := s.open(s.voice)
	if err != nil {
		return err
	}
	served := serve(ctx, ln, called{sandbox.New(s.options), known, s.log})
	err = s.introduce(served.url)
	err = errors.Join(err, ready{Sandbox: served.url}.while(s.ready, served.done))
	return errors.Join(err, served.close())
}

// introduction is what a client needs to begin. Each line can be typed as it is.
var introduction = template.Must(template.New("").Funcs(template.FuncMap{
	"quote": quote, "query": url.QueryEscape,
}).Parse(`sandbox at {{.URL}}

# gateway: user {{.GatewayUser}}, password {{.GatewayPassword}}; test card ` + paidCard + `
curl -d userName={{query .GatewayUser}} -d password={{query .GatewayPassword}} ` +
	`-d orderNumber=1 -d amount=12500 -d returnUrl=https://shop.example/ ` +
	`{{.URL}}/payment/rest/register.do

# version 1: user {{.V1User}}, token {{.V1Token}}
curl -u {{quote (print .V1User ":" .V1Token)}} -H 'Content-Type: application/json' ` +
	`-d '{"productName":"CRCU1001","parameters":[` +
	`{"name":"institutionId","value":"1001"},{"name":"agent_number","value":"1001"},` +
	`{"name":"customer_number","value":"100001"}]}' ` +
	`{{.URL}}/v1/apigate/ws/rest/registerCustomer

# version 2: key {{.V2Key}}
curl -H {{quote (print "X-API-KEY: " .V2Key)}} -H 'Content-Type: application/json' ` +
	`-d '{"firstName":"Alex","lastName":"Sample","phoneNumber":"491700000001",` +
	`"billingAddress":{"country":"DE","postalCode":"10115"}}' ` +
	`{{.URL}}/v2/cardholders
`))

// introduce prints the account and a line to type for each API.
func (s *stand) introduce(at string) error {
	return introduction.Execute(s.out, struct {
		URL string
		sandbox.Account
	}{at, s.options.Account})
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
