package main

import (
	"context"
	"errors"
	"net"
	"net/http"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/admin"
	"github.com/spf13/cobra"
)

const passLong = `pass forwards requests to the sandbox, logs which operations were called and how
they were answered, and records nothing.`

// passer is the command "pass" with its flags.
type passer struct {
	deckCommand
	upstreams []string
}

func passCommand(a *app) *cobra.Command {
	p := &passer{deckCommand: deckCommand{app: a}}
	cmd := &cobra.Command{
		Use:   "pass --upstream URL",
		Short: "look at traffic without recording it",
		Long:  passLong,
		Example: `  paytape pass --upstream https://sandbox.example
  paytape pass --upstream sandbox --log-format json`,
		Args: arguments(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error { return p.run(cmd.Context()) },
	}
	fs := cmd.Flags()
	upstreamFlag(cmd, &p.upstreams)
	p.secure.flags(fs)
	p.passage.forwardFlag(fs)
	p.deckFlags(fs, "127.0.0.1:8080")
	return cmd
}

func (p *passer) run(ctx context.Context) error {
	err := p.deckCheck("pass", func() error { return checkUpstreams(&p.knowledge, p.upstreams) })
	if err != nil {
		return err
	}
	return p.during(ctx, p.voice, func() error {
		ln, err := p.front.open(p.voice, p.observer(p.log))
		if err != nil {
			return err
		}
		return p.pass(ctx, ln)
	})
}

// pass passes requests on until ctx ends.
func (p *passer) pass(ctx context.Context, ln net.Listener) error {
	o := deckOptions{&p.knowledge, p.upstreams, p.observer(p.log), p.passage, &p.desk}
	to, err := reach(ctx, ln, o)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	door, err := p.doorTo(to.route)
	if err != nil {
		return errors.Join(err, ln.Close(), to.close())
	}
	deck := serve(ctx, ln, door, o.observe)
	p.tend(deck, admin.Deck{})
	p.voice.say("passing requests on at %s", deck.url)
	p.announce(p.voice, to.route.Upstreams)
	at := ready{Proxy: deck.url, Sandbox: to.address(), Admin: p.desk.url()}
	err = at.while(p.ready, deck.done)
	return errors.Join(err, deck.close(), to.close())
}

// doorTo returns the handler that passes requests on.
func (p *passer) doorTo(route proxy.Route) (http.Handler, error) {
	cleaner := p.redactor(nil)
	mode, err := proxy.NewPass(proxy.PassOptions{Route: route, Cleaner: cleaner})
	if err != nil {
		return nil, err
	}
	return p.passage.open(entry{
		p.counts(proxy.NewDoor(mode, route.Observe)), route.Upstreams, cleaner, route.Observe,
	})
}
