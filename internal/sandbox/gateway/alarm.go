package gateway

import "time"

// unlock lets the book go: first what was noted in it is handed over to be delivered, in the
// order in which it happened.
func (g *Gateway) unlock() {
	for _, t := range g.book.takeEvents() {
		o := g.book.byID[t.orderID]
		if address := g.options.Callbacks.address(o, t.event); address != "" {
			g.courier.send(newCallback(o, t.event, address))
		}
	}
	g.wait()
	g.mu.Unlock()
}

// wait sets the alarm for the next time-out. The clock may run otherwise than the machine's,
// or stand still; then the alarm comes early and is set again. The lock is held.
func (g *Gateway) wait() {
	if len(g.book.deadlines) == 0 || g.closed {
		return
	}
	next := g.book.deadlines[0].deadline
	if g.alarm != nil && next.Equal(g.alarmAt) {
		return
	}
	if g.alarm != nil {
		g.alarm.Stop()
	}
	g.alarmAt = next
	g.alarm = time.AfterFunc(next.Sub(g.options.Now()), g.wake)
}

// wake is what the alarm does.
func (g *Gateway) wake() {
	g.mu.Lock()
	defer g.unlock()
	if g.closed {
		return
	}
	g.alarm = nil
	g.book.expire(g.options.Now())
}

// Close stops callbacks, those that are under way and those that would follow, and waits
// until they have stopped. Calls are still answered.
func (g *Gateway) Close() {
	g.mu.Lock()
	g.closed = true
	if g.alarm != nil {
		g.alarm.Stop()
	}
	g.mu.Unlock()
	g.courier.close()
}
