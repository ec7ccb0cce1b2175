package gateway

// callbacksState is what the control address shows of callbacks: no address and no
// parameters, which hold whatever the shop has put there.
type callbacksState struct {
	Counts callbackCounts  `json:"counts"`
	Latest []callbackState `json:"latest"` // oldest first
}

type callbackCounts struct {
	Delivered int `json:"delivered"`
	Pending   int `json:"pending"`
	Failed    int `json:"failed"`
}

type callbackState struct {
	OrderID   string `json:"orderId"`
	Operation string `json:"operation"`
	State     string `json:"state"`    // delivered, pending or failed
	Attempts  int    `json:"attempts"` // that have ended
	Reason    string `json:"reason,omitempty"`
}

func (c *courier) state() callbacksState {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := callbacksState{Counts: c.counts, Latest: []callbackState{}}
	for _, d := range c.shown {
		s.Latest = append(s.Latest, callbackState{
			OrderID: d.orderID, Operation: d.operation, State: d.state,
			Attempts: d.attempts, Reason: d.reason,
		})
	}
	return s
}
