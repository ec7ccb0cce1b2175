package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strings"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/admin"
	"github.com/paytape/paytape/redact"
	"github.com/spf13/pflag"
)

// desk is where a deck is looked after: an address of its own for health, metrics and reset.
type desk struct {
	address   string // host:port, or off
	hosts     []string
	tokenFile string // empty means a new token each time

	token  string
	admin  *admin.Admin // made by check; nil for none
	served *service     // made by open
}

func (d *desk) flags(fs *pflag.FlagSet) {
	fs.StringVar(&d.address, "admin", off, "`HOST:PORT` for health, metrics and reset, or off")
	fs.StringArrayVar(&d.hosts, "admin-host", nil, "`NAME` under which that address may be asked, "+
		"beside localhost; repeatable")
	fs.StringVar(&d.tokenFile, "admin-token", "", "`FILE` with the token for it; without it one "+
		"is made each time and printed")
	keepUnlessFile(fs.Lookup("admin-token"))
}

// check looks at the flags of a command in a mode, and makes what open serves.
func (d *desk) check(mode string, k *knowledge) error {
	if d.address == off || d.admin != nil {
		return nil
	}
	if err := checkAddress("--admin", d.address); err != nil {
		return withHint(err, "--admin 127.0.0.1:0, or --admin off")
	}
	d.token = rand.Text()
	if d.tokenFile != "" {
		data, err := os.ReadFile(d.tokenFile)
		if err != nil {
			return misused(fmt.Errorf("--admin-token: reading the file it names: %w", unnamed(err)))
		}
		d.token = strings.TrimSpace(string(data))
	}
	var err error
	d.admin, err = admin.New(admin.Options{
		Mode: mode, Profiles: k.profiles, Token: d.token, Hosts: d.hosts, Version: version(),
	})
	if err != nil {
		return misused(fmt.Errorf("--admin-token: %w", err))
	}
	return nil
}

// unnamed is an error of a file without the file's name, which may be a token that was given
// where the name of its file belongs.
func unnamed(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// version is that of this binary; empty if it was not built from one.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Version
}

// open begins to serve, before the deck does and, whatever becomes of ctx, until close.
func (d *desk) open(ctx context.Context, v voice) error {
	if d.admin == nil {
		return nil
	}
	ln, err := net.Listen("tcp", d.address)
	if err != nil {
		return withHint(fmt.Errorf("listening for admin: %w", err),
			"choose another port with --admin, or a free one with --admin 127.0.0.1:0")
	}
	warnOfOthers(v, ln)
	d.served = serve(context.WithoutCancel(ctx), ln, d.admin, nil)
	v.say("admin at %s", d.url())
	return nil
}

// during does something while the address is served.
func (d *desk) during(ctx context.Context, v voice, do func() error) error {
	if err := d.open(ctx, v); err != nil {
		return err
	}
	return errors.Join(do(), d.close())
}

func (d *desk) close() error { return d.served.close() }

// url is all that it takes to ask, unless the token was given: whoever gave it knows it, and it
// stays out of logs. It is empty if there is no such address.
func (d *desk) url() string {
	switch {
	case d.served == nil:
		return ""
	case d.tokenFile != "":
		return d.served.url
	}
	return d.served.url + "/" + d.token
}

// own returns the addresses on which a desk listens; no upstream may be one. A nil desk
// has none.
func (d *desk) own() []net.Addr {
	if d == nil || d.served == nil {
		return nil
	}
	return []net.Addr{d.served.addr}
}

// observer logs events and counts them.
func (d *desk) observer(log *slog.Logger) func(proxy.Event) {
	tell := observer(log)
	if d.admin == nil {
		return tell
	}
	return func(e proxy.Event) {
		d.admin.Observe(e)
		tell(e)
	}
}

// withheld logs and counts what the redactor's gate had to keep off the tape.
func (d *desk) withheld(log *slog.Logger) func(redact.Safe) {
	tell := withheld(log)
	return func(s redact.Safe) {
		if d.admin != nil {
			d.admin.Withheld()
		}
		tell(s)
	}
}

// counts returns a door whose requests are counted. A nil desk counts none.
func (d *desk) counts(door http.Handler) http.Handler {
	if d == nil || d.admin == nil {
		return door
	}
	return d.admin.Count(door)
}

// tend says that a deck serves. A nil desk looks after none.
func (d *desk) tend(s *service, deck admin.Deck) {
	if d == nil || d.admin == nil {
		return
	}
	deck.Stopping = s.stopping
	d.admin.Tend(deck)
}
