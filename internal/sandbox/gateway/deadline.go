package gateway

import (
	"container/heap"
	"context"
	"time"
)

// deadlines are orders by the time at which they time out, a heap. An order that was paid
// stays in it until then, and nothing happens.
type deadlines []*order

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].deadline.Before(d[j].deadline) }
func (d deadlines) Swap(i, j int)      { d[i], d[j] = d[j], d[i] }
func (d *deadlines) Push(o any)        { *d = append(*d, o.(*order)) }

func (d *deadlines) Pop() any {
	last := len(*d) - 1
	o := (*d)[last]
	(*d)[last] = nil
	*d = (*d)[:last]
	return o
}

// watch makes sure that the order times out by itself, so that the shop is called back
// (document 3, Events) although nobody looks.
func (b *book) watch(o *order) {
	heap.Push(&b.deadlines, o)
}

// expire times out the watched orders whose time has come.
func (b *book) expire(now time.Time) {
	for len(b.deadlines) > 0 && !b.deadlines[0].deadline.After(now) {
		_, _ = b.current(heap.Pop(&b.deadlines).(*order), now) // fails for no order alone
	}
}

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

// Settle waits until each callback that is due was tried once, or ctx ends.
func (g *Gateway) Settle(ctx context.Context) { g.courier.settle(ctx) }

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
