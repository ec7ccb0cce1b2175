package deck

import (
	"github.com/paytape/paytape/cassettes"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/redact"
)

// Summary is what a deck came to. It holds nothing secret.
type Summary struct {
	// Recorded says where the recording is and how long. It is zero for a deck that records
	// nothing, and for any deck before Close.
	Recorded cassettes.Summary
	// Rules are those of redaction, with how often each took something out of the recording. Nil
	// for a deck that records nothing.
	Rules []redact.Rule
	// RunRules are the rules in force (Options.RuleFiles), with what they have done.
	RunRules []rules.Status

	// Stats count the requests that were answered from tape and those that were misses.
	proxy.Stats
	// Reasons count misses by reason, and Marks answers by what they stand on beside the tape.
	Reasons []proxy.MissCount
	Marks   []proxy.MarkCount
	// Refused counts requests that asked for a proxy and were refused: tunnels and absolute addresses
	// of hosts to which the deck does not lead.
	Refused int64
	// Unserved counts other requests that the deck refused: a body above Options.MaxBody, a path that
	// names no session, what is no HTTP. No answer to them was looked for anywhere.
	Unserved int64
	// Callbacks count what was sent to shops of what is on tape. Under a strict run Undelivered and
	// Differing must be 0.
	Callbacks callback.Counts
	// Exchanges is how many can be asked for, and Unused are those of which none was served, nor
	// any that serves alike.
	Exchanges int
	Unused    []match.Recorded
}

// Summary returns what the deck has come to so far.
func (d *Deck) Summary() Summary {
	d.mu.Lock()
	s := Summary{
		Exchanges: d.Exchanges(), Recorded: d.recorded, RunRules: d.Rules(),
		Refused: d.refused.Load(), Unserved: d.unserved.Load(),
	}
	d.mu.Unlock()
	if d.recorder != nil {
		s.Rules = d.cleaner.Rules()
	}
	if d.replay != nil {
		s.Stats, s.Unused = d.replay.Stats(), d.replay.Unused()
		s.Reasons, s.Marks = d.replay.MissCounts(), d.replay.MarkCounts()
	}
	if d.sender != nil {
		s.Callbacks = d.sender.Counts()
	}
	return s
}
