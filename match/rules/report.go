package rules

import "time"

// Status is what a rule in force has done. It holds nothing of the traffic.
type Status struct {
	Name    string    `json:"name"`
	Origin  Origin    `json:"origin"`
	File    string    `json:"file"`
	Line    int       `json:"line"`
	Does    string    `json:"does"`             // its effects in a few words: "answer 503, delay 2s"
	Matched int64     `json:"matched"`          // attempts: requests of which all its tests held
	Fired   int64     `json:"fired"`            // attempts for which its conditions held too
	Resent  int64     `json:"resent,omitempty"` // attempts that a client's library has sent again
	Last    time.Time `json:"last,omitzero"`    // when it fired last; zero: never
	Failed  string    `json:"failed,omitempty"` // the test or condition that failed most often
	// StoppedBy is the earlier rule that, last of all, ended the look at rules before this one could look
	// at a request that it means; empty: none has.
	StoppedBy string   `json:"stoppedBy,omitempty"`
	Missed    []string `json:"missed,omitempty"` // fields that it was to change and that were not there
	// Armed says that the rule may fire for a request that does not name it: it is not disarmed, and if
	// it has the condition "asked" somebody has armed it.
	Armed bool `json:"armed"`
	// Left is how often an armed rule with the condition "asked" may still fire; -1: for good. It is 0
	// for other rules.
	Left int `json:"left,omitempty"`
	// Source are the rows of the rule as YAML, without comments.
	Source string `json:"source,omitempty"`
}

// CountedPerDeck returns the names of the rules in force that count together what happens in all
// sessions.
func (e *Engine) CountedPerDeck() []string {
	var names []string
	for _, r := range e.current.Load().rules {
		if r.per.what == byDeck {
			names = append(names, r.Name)
		}
	}
	return names
}

// Report returns the status of every rule in force, in the order in which they apply.
func (e *Engine) Report() []Status {
	if e == nil {
		return nil
	}
	all := []Status{}
	e.mu.Lock()
	defer e.mu.Unlock()
	set := e.current.Load()
	first := set.failedFirst()
	for _, r := range set.rules {
		s := Status{
			Name: r.Name, Origin: r.origin, File: r.File, Line: r.Line, Does: r.then.String(),
			Matched: r.matched.Load(), Fired: r.fired.Load(), Resent: r.resent.Load(),
			Left: e.armed[r.progress].times, Source: r.text,
			Armed: !e.disarmed[r.Name] && (e.armed[r.progress].times != 0 || !r.waitsToBeAsked()),
		}
		if ms := r.last.Load(); ms != 0 {
			s.Last = time.UnixMilli(ms)
		}
		if by := r.stopper.Load(); by != nil {
			s.StoppedBy = by.Name
		}
		most := int64(0)
		for i := range r.failed {
			n := r.failed[i].Load()
			if i == 0 {
				n += first[r.progress]
			}
			if n > most {
				most, s.Failed = n, r.conditionText(i)
			}
		}
		places := r.then.places()
		for i := range r.missed {
			if r.missed[i].Load() > 0 {
				s.Missed = append(s.Missed, places[i])
			}
		}
		all = append(all, s)
	}
	return all
}

// Unused returns the rules in force that have never fired.
func (e *Engine) Unused() []Status {
	var out []Status
	for _, s := range e.Report() {
		if s.Fired == 0 {
			out = append(out, s)
		}
	}
	return out
}

// places returns the texts of the places that a rule changes, in the order in which it counts those
// that are not there: of the request first.
func (e *effects) places() []string {
	var out []string
	for _, c := range [...]*change{&e.ask, &e.answer} {
		for i := range c.set {
			out = append(out, c.set[i].at.text)
		}
		for i := range c.remove {
			out = append(out, c.remove[i].text)
		}
	}
	return out
}
