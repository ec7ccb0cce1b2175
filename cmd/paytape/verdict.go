package main

import (
	"errors"
	"fmt"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/proxy/deck"
)

// verdict tells what was served from tape by a deck that has been closed, and returns what fails by
// the flags.
//
// shown says that a terminal shows what the run came to.
func (c *deckCommand) verdict(a *app, came deck.Summary, shown bool) error {
	s := summarise(came)
	if c.live == nil {
		s.log(c.log)
	}
	if !shown {
		s.print(a)
	}
	var err error
	if c.strict && s.Misses > 0 {
		err = withHint(fmt.Errorf("%s found nothing on tape", count.Of(s.Misses, "request")),
			"see the lines with msg=missed above, then paytape record what is missing")
	}
	if c.strict && s.Refused > 0 {
		err = errors.Join(err, withHint(
			fmt.Errorf("%s asked for a host to which the proxy does not lead",
				count.Of(s.Refused, "request")),
			"see the lines with msg=refused above, then name the host with --host NAME=URL, "+
				"or keep it out of the proxy with NO_PROXY"))
	}
	if c.strict && s.Unserved > 0 {
		err = errors.Join(err, withHint(
			fmt.Errorf("the deck refused %s", count.Of(s.Unserved, "request")),
			"see the lines with msg=failed or msg=refused above, which tell the problem of each"))
	}
	if c.strict {
		err = errors.Join(err, strictCallbacks(s.Callbacks))
	}
	if c.failUnused && len(s.Unused) > 0 {
		err = errors.Join(err, withHint(
			fmt.Errorf("never asked for: %d of %s on tape", len(s.Unused),
				count.Of(s.Exchanges, "exchange")),
			"see them above; paytape flows tells what each was about"))
	}
	return err
}

// strictCallbacks returns what fails of callbacks: those of which no shop was told, and those that the
// shop takes otherwise than on tape.
func strictCallbacks(c callback.Counts) error {
	var err error
	if c.Undelivered > 0 {
		err = withHint(fmt.Errorf("no shop was told of %s", count.Of(c.Undelivered, "callback")),
			"see the lines with msg=callback above, which tell the problem of each")
	}
	if c.Differing > 0 {
		err = errors.Join(err, withHint(
			fmt.Errorf("the shop answered %s otherwise than on tape", count.Of(c.Differing, "callback")),
			"see the lines with msg=callback above, with --log-level info those of all that it took; "+
				"record anew if the shop is right"))
	}
	return err
}
