package drift

// Report is what differs between two tapes.
type Report struct {
	Old string `json:"old"` // the names of the tapes
	New string `json:"new"`
	// Same is how many exchanges have a partner that says the same.
	Same int `json:"same"`
	// Flows are those in which something differs.
	Flows []FlowReport `json:"flows"`
	// Changes are the findings of all exchanges, each once for an operation.
	Changes []Change `json:"changes"`
}

// FlowReport is what differs between two flows.
type FlowReport struct {
	// Grade is Added or Removed for a flow that one tape has alone; empty for two flows.
	Grade Grade `json:"grade,omitempty"`
	// Old and New are the numbers of the flows on their tapes; 0 for none, and for an exchange by
	// itself.
	Old int `json:"old,omitempty"`
	New int `json:"new,omitempty"`
	// Operations are what was done in the flow.
	Operations []string         `json:"operations"`
	Exchanges  []ExchangeReport `json:"exchanges"` // in which something differs
}

// ExchangeReport is what differs between two exchanges.
type ExchangeReport struct {
	// Grade is Added or Removed for an exchange that one flow has alone; empty for two.
	Grade     Grade     `json:"grade,omitempty"`
	Old       int       `json:"old,omitempty"` // the numbers on their tapes; 0 for none
	New       int       `json:"new,omitempty"`
	Operation string    `json:"operation"`
	State     string    `json:"state,omitempty"`   // in which the old tape, or else the new, has it
	Outcome   string    `json:"outcome,omitempty"` // what it came to, of an exchange that stands alone
	Findings  []Finding `json:"findings"`
}

// Equal reports whether nothing differs.
func (r *Report) Equal() bool { return len(r.Flows) == 0 }

// Compare compares two tapes.
func Compare(old, new *Tape) *Report {
	r := &Report{Old: old.Name, New: new.Name, Flows: []FlowReport{}}
	changes := Changes{}
	for _, p := range pairFlows(old.Flows, new.Flows) {
		f := FlowReport{Exchanges: []ExchangeReport{}, Old: p.was.number(), New: p.is.number()}
		switch {
		case p.is == nil:
			f.Grade, f.Operations, f.Exchanges = Removed, p.was.Operations(), standing(p.was, Removed)
		case p.was == nil:
			f.Grade, f.Operations, f.Exchanges = Added, p.is.Operations(), standing(p.is, Added)
		default:
			f.Operations = p.was.Operations()
			c, pairs := NewComparison(old, new), pairExchanges(p.was.Exchanges, p.is.Exchanges)
			for _, q := range pairs {
				if q.was != nil && q.is != nil {
					c.Learn(q.was, q.is)
				}
			}
			for _, q := range pairs {
				x := c.report(q)
				changes.Add(x.Operation, x.Old, x.Findings)
				if x.Grade != "" || len(x.Findings) > 0 {
					f.Exchanges = append(f.Exchanges, x)
				} else {
					r.Same++
				}
			}
		}
		if len(f.Exchanges) > 0 {
			r.Flows = append(r.Flows, f)
		}
	}
	r.Changes = changes.List()
	return r
}

// number returns the number of a flow, 0 for no flow, nil.
func (f *Flow) number() int {
	if f == nil {
		return 0
	}
	return f.Number
}

// Operations lists what was done in a flow.
func (f *Flow) Operations() []string {
	var names []string
	for _, x := range f.Exchanges {
		names = append(names, x.Operation)
	}
	return names
}

// standing reports the exchanges of a flow that one tape has alone.
func standing(f *Flow, g Grade) []ExchangeReport {
	var all []ExchangeReport
	for _, x := range f.Exchanges {
		all = append(all, standsAlone(x, g))
	}
	return all
}

func standsAlone(x *Exchange, g Grade) ExchangeReport {
	r := ExchangeReport{
		Grade: g, Operation: x.Operation, State: x.State, Outcome: x.outcome(), Findings: []Finding{},
	}
	if g == Added {
		r.New = x.Number
	} else {
		r.Old = x.Number
	}
	return r
}

// report compares two exchanges.
func (c *Comparison) report(p exchangePair) ExchangeReport {
	switch {
	case p.is == nil:
		return standsAlone(p.was, Removed)
	case p.was == nil:
		return standsAlone(p.is, Added)
	}
	return ExchangeReport{
		Old: p.was.Number, New: p.is.Number, Operation: p.was.Operation, State: p.was.State,
		Findings: append([]Finding{}, c.Exchange(p.was, p.is)...),
	}
}
