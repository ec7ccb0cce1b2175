package gateway

import (
	"container/heap"
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
