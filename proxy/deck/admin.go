package deck

import (
	"context"
	"fmt"
	"net"
	"net/http"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/admin"
	"github.com/paytape/paytape/redact"
)

// adminAddress serves health, metrics and reset. A nil adminAddress is that of a deck which has
// none.
type adminAddress struct {
	*admin.Admin
	served *Service
	url    string
}

// openAdmin begins to serve the admin address, before the deck serves, and whatever becomes of ctx
// until it is closed. No address is no error.
func openAdmin(ctx context.Context, o *Options) (*adminAddress, error) {
	if o.Admin == nil {
		return nil, nil
	}
	token := o.Admin.Token
	if token == "" {
		token = o.owner.token(addressAdmin)
	}
	a, err := admin.New(admin.Options{
		Mode: string(o.Mode), Profiles: o.Knowledge.profiles, Token: token, Hosts: o.Admin.Hosts,
		Version: o.Admin.Version,
	})
	if err != nil {
		return nil, wrong("Admin.Token", err)
	}
	at := ServeOptions{Listen: o.Admin.Listen, Tell: o.Tell, ln: o.owner.listener(addressAdmin)}
	ln, err := at.listen()
	if err != nil {
		return nil, wrong("Admin.Listen", fmt.Errorf("listening for admin: %w", err))
	}
	served := serve(context.WithoutCancel(ctx), ln, a, nil)
	url := served.URL
	if o.Admin.Token == "" {
		// Whoever gave a token knows it, and it stays out of logs.
		url += "/" + token
	}
	if o.owner == nil { // or it was told when the addresses were opened
		o.tell("admin at %s", url)
	}
	return &adminAddress{a, served, url}, nil
}

func (a *adminAddress) close() error {
	if a == nil {
		return nil
	}
	return a.served.Close()
}

// address returns the URL that it takes to ask; empty if there is none.
func (a *adminAddress) address() string {
	if a == nil {
		return ""
	}
	return a.url
}

// own returns the address on which it listens, if it does.
func (a *adminAddress) own() []net.Addr {
	if a == nil {
		return nil
	}
	return []net.Addr{a.served.addr}
}

// counter returns what counts events; nil if nobody asks for the counts.
func (a *adminAddress) counter() func(proxy.Event) {
	if a == nil {
		return nil
	}
	return a.Observe
}

// withheld returns what tells of withheld values and counts them.
func (a *adminAddress) withheld(tell func(redact.Safe)) func(redact.Safe) {
	if a == nil {
		return tell
	}
	return func(s redact.Safe) {
		a.Withheld()
		if tell != nil {
			tell(s)
		}
	}
}

// counts returns a door whose requests are counted.
func (a *adminAddress) counts(door http.Handler) http.Handler {
	if a == nil {
		return door
	}
	return a.Count(door)
}

// tend says that a deck serves.
func (a *adminAddress) tend(d admin.Deck) {
	if a != nil {
		a.Tend(d)
	}
}
