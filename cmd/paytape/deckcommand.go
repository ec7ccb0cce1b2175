package main

import "github.com/spf13/pflag"

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

// deckCheck looks at these flags, and between them at what a command has beside. mode is the name
// of what the deck does.
func (c *deckCommand) deckCheck(mode string, beside ...func() error) error {
	return firstError(
		func() error { return c.front.check(c.voice) },
		c.knowledge.check,
		func() error { return firstError(beside...) },
		func() error { return c.desk.check(mode, &c.knowledge) },
		func() error { return c.passage.check(c.voice) },
	)
}
