package match

import (
	"encoding/json"
	"errors"

	"github.com/paytape/paytape/match/tape"
)

// remains is what a reset leaves of sessions: what must not be given once more.
type remains struct {
	Flows  int               // how many entities the clients without a session have had
	Old    []byte            `json:",omitempty"` // minted values, as the ledger writes them
	Young  []byte            `json:",omitempty"`
	Series map[string]string `json:",omitempty"` // the last value of each that grows, by its name
}

// Remains returns what a reset has left of the sessions, right after it. Sessions of the same tape and
// seed that were reset as often go on from there with Recall, and answer alike.
func (s *Sessions) Remains() []byte {
	var r remains
	r.Old, r.Young = s.minted.write()
	p := s.common
	p.mu.Lock()
	defer p.mu.Unlock()
	r.Flows, r.Series = p.count, map[string]string{}
	for name, series := range p.tape.machine.Tape.Series() {
		if last, ok := p.series[series]; ok {
			r.Series[name] = last
		}
	}
	data, err := json.Marshal(r)
	if err != nil {
		return nil // a struct of texts always marshals
	}
	return data
}

// Recall has sessions know what others had left (Remains).
func (s *Sessions) Recall(left []byte) error {
	var r remains
	if json.Unmarshal(left, &r) != nil {
		return errors.New("reading what a reset has left: expected what another deck has written")
	}
	if err := s.minted.read(r.Old, r.Young); err != nil {
		return err
	}
	p := s.common
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count, p.series = r.Flows, map[*tape.Series]string{}
	for name, series := range p.tape.machine.Tape.Series() {
		if last, ok := r.Series[name]; ok {
			p.series[series] = last
		}
	}
	return nil
}
