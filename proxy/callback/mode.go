package callback

import "fmt"

// Mode says when callbacks go out. It is switched while the deck runs.
type Mode string

// The modes.
const (
	Now      Mode = "now"      // when the answer that brings them has gone out
	Recorded Mode = "recorded" // as long after it as on tape
	Hold     Mode = "hold"     // each attempt waits until somebody asks for it
	Off      Mode = "off"      // not at all: they are dropped, which is told
)

// Modes returns the words of Mode: all that there are.
func Modes() []Mode { return []Mode{Now, Recorded, Hold, Off} }

// Mode returns when callbacks go out now.
func (s *Sender) Mode() Mode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode
}

// SetMode says when callbacks go out from now on. Those that are held go out then, in their order,
// unless the mode is Hold or Off: under Off they stay held, and Next sends them. What is on its way
// goes on.
func (s *Sender) SetMode(m Mode) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch m {
	case Hold, Off:
	case Now, Recorded:
		for _, e := range s.held {
			e.state = Pending
			s.enterLocked(e)
		}
		s.held = nil
		s.wakeLocked()
	default:
		return fmt.Errorf("expected now, recorded, hold or off, found %q", m)
	}
	s.mode = m
	return nil
}
