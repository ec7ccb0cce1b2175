package main

import (
	"context"
	"errors"

	"github.com/paytape/paytape/proxy/deck"
)

// recordTogether serves a deck that records with others until ctx ends. Each time that it has the
// recording it tells what it does, as a deck alone, and what came of it.
func (c *deckCommand) recordTogether(ctx context.Context, o deck.Options) error {
	var failed error
	recorded := false
	owned := func(d *deck.Deck) (closed func()) {
		recorded = true
		c.voice.say("this deck records cassette %q in %q now", o.Cassettes[0], o.Dir)
		c.announce(o, d)
		logged := follow(c.log, d.Events())
		return func() {
			<-logged
			s := d.Summary()
			c.print("%s\n", recordingLine(s.Recorded))
			c.warnOfUnstable(s.Recorded)
			if s.Recorded.New > 0 {
				c.tellRules(c.app, s.Rules)
			}
			failed = errors.Join(failed, c.verdictOfRules(c.app, s.RunRules, false))
		}
	}
	s, err := deck.JoinRecording(ctx, o, owned)
	if err != nil && ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return byFlag(err)
	}
	c.voice.say("recording cassette %q with other decks at %s", o.Cassettes[0], s.URL)
	if s.Inspector != "" {
		c.voice.say("inspector at %s", s.Inspector)
	}
	addresses := ready{Proxy: s.URL, Admin: s.Admin, Inspect: s.Inspector, Callbacks: s.CallbackURL}
	err = addresses.publish(c.ready, s.Done())
	err = errors.Join(err, s.Close())
	if !recorded {
		c.voice.say("other decks have recorded: see what they tell")
	}
	return errors.Join(err, failed)
}
