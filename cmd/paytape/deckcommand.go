package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/deck"
	"github.com/spf13/pflag"
)

// deckCommand is what commands that serve a deck have in common: where it listens and what it
// tells, what is known of the APIs, how clients get to it, and where it is looked after.
type deckCommand struct {
	*app
	front
	knowledge
	passage
	desk
}

// deckFlags adds the flags of all such commands. listen is where the deck listens by default.
func (c *deckCommand) deckFlags(fs *pflag.FlagSet, listen string) {
	c.passage.flags(fs)
	c.front.flags(fs, listen)
	c.desk.flags(fs)
	c.knowledge.flags(fs)
	c.piiFlag(fs)
}

// deckOptions looks at these flags, and between them at what a command has beside, and returns
// options of a deck with all that they say. beside may add to the options.
func (c *deckCommand) deckOptions(o deck.Options, beside func(*deck.Options) error,
) (deck.Options, error) {
	err := firstError(
		func() error { return c.front.check(c.voice) },
		c.knowledge.check,
		func() error { return beside(&o) },
		c.desk.check,
		c.secure.check,
	)
	if err != nil {
		return o, err
	}
	o.Listen, o.Certificate, o.Knowledge = c.listen, c.front.identity.certificate, c.known
	o.Hosts, o.UpstreamTLS, o.MaxBody = c.passage.hosts, c.secure.config, int64(c.maxBody)
	o.Admin = c.desk.options()
	o.Observe, o.Withheld, o.Tell = observer(c.log), withheld(c.log), c.voice.notice
	o.TuneGC = true
	if err := o.Check(); err != nil {
		return o, byFlag(err)
	}
	o.Authority, err = c.passage.authority(c.voice)
	return o, err
}

// startDeck starts a deck, and says in the words of the command line why it does not start.
func startDeck(ctx context.Context, o deck.Options) (*deck.Deck, error) {
	d, err := deck.Start(ctx, o)
	return d, byFlag(err)
}

// announce tells which hosts the proxy serves: clients are refused all others.
func (c *deckCommand) announce(o deck.Options, d *deck.Deck) {
	if o.Authority == nil {
		return
	}
	names := d.Hosts()
	if len(names) == 0 {
		c.voice.warn("no host can be asked of the proxy: none is on tape, and none is named with --host")
		return
	}
	c.voice.say("as a proxy it serves %s", strings.Join(names, ", "))
}

// optionFlags say how the options of a deck are given, and what to type where one is wrong.
var optionFlags = map[string]struct {
	flag string // that an error begins with; empty where the error says by itself what is meant
	hint string // empty for none
	busy bool   // it was given as it should be, and cannot be had
}{
	"Profiles":     {flag: "--profile"},
	"CardPrefixes": {flag: "--card-prefix"},
	"Sync":         {flag: "--sync"},
	"Admin.Token":  {flag: "--admin-token"},
	"Upstreams":    {hint: "--upstream sandbox, or --upstream https://HOST"},
	"Hosts":        {hint: "--host acs=https://HOST, or --host HOST=sandbox"},
	"Listen": {busy: true,
		hint: "choose another port with --listen, or a free one with --listen 127.0.0.1:0"},
	"Admin.Listen": {busy: true,
		hint: "choose another port with --admin, or a free one with --admin 127.0.0.1:0"},
}

// byFlag puts the error of a deck into the words of the command line: it names the flag of an
// option, and tells what to type.
func byFlag(err error) error {
	wrong, option := errors.AsType[*deck.OptionError](err)
	switch {
	case errors.Is(err, proxy.ErrExpired):
		return withHint(err, "paytape ca rotate")
	case !option:
		return hintFolder(err)
	}
	at := optionFlags[wrong.Option]
	err = wrong.Err
	if at.flag != "" {
		err = fmt.Errorf("%s: %w", at.flag, err)
	}
	if !at.busy {
		err = misused(err)
	}
	if at.hint != "" {
		err = withHint(err, "%s", at.hint)
	}
	return err
}
