package admin

import (
	"encoding/json"
	"errors"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/rules"
)

// Change is what somebody has asked a deck to change, as one deck tells it to those that share its
// sessions. It holds what a rules file may hold.
type Change struct {
	Do     string       `json:"do"` // a word below
	Origin rules.Origin `json:"origin,omitempty"`
	Name   string       `json:"name,omitempty"` // of a rule; empty: of all
	Text   string       `json:"text,omitempty"` // of rules to be added
	Times  int          `json:"times,omitempty"`
}

// The words of Change.Do.
const (
	Reset  = "reset" // all that is live, and what rules have counted
	Add    = "add"
	Remove = "remove"
	Arm    = "arm"
	Disarm = "disarm"
)

var errChange = errors.New("a change that this version of paytape does not know")

// Encode writes a change for other decks.
func (c Change) Encode() []byte {
	data, err := json.Marshal(c)
	if err != nil {
		return nil // a struct of texts always marshals
	}
	return data
}

// DecodeChange reads what Encode has written.
func DecodeChange(data []byte) (Change, error) {
	var c Change
	if json.Unmarshal(data, &c) != nil {
		return c, errChange
	}
	return c, nil
}

// Apply makes the change in an engine, whose operations set has.
func (c Change) Apply(e *rules.Engine, set *profile.Set) error {
	switch c.Do {
	case Reset:
		e.Reset()
	case Add:
		f, err := rules.ParseSome(string(c.Origin), []byte(c.Text), c.Name, rules.Source{Profiles: set})
		if err != nil {
			return err
		}
		return e.Add(c.Origin, f)
	case Remove:
		e.Remove(c.Origin, c.Name)
	case Arm:
		return e.Arm(c.Name, c.Times)
	case Disarm:
		return e.Disarm(c.Name)
	default:
		return errChange
	}
	return nil
}

// apply makes a change in the deck, and in those that share its sessions: in one that they would refuse
// nothing is changed.
func (a *Admin) apply(e *rules.Engine, c Change) error {
	if share := a.deck.Load().Share; share != nil {
		return share(c)
	}
	return c.Apply(e, a.profiles)
}
