package tape

import (
	"iter"
	"runtime"

	"github.com/paytape/paytape/internal/leaf"
)

// Exchanges are taken apart ahead of whoever needs them in their order, in rows.
const (
	rowLength = 64
	rowsAhead = 2 // for each goroutine that takes them apart
)

// row is a few exchanges, one behind the other, and what was made of them.
type row[T any] struct {
	first     int // the place of the first in the order of requests, from 1
	exchanges []*leaf.Exchange
	made      []T
	done      chan struct{} // has a value when the row is made
}

// make makes what ready makes of the exchanges, in the order of these.
func (r *row[T]) make(ready func(made *T, x *leaf.Exchange, place int) bool) {
	for i, x := range r.exchanges {
		n := len(r.made)
		if r.made = r.made[:n+1]; !ready(&r.made[n], x, r.first+i) {
			r.made = r.made[:n]
		}
	}
	r.done <- struct{}{}
}

// ahead yields what ready makes of exchanges, but for those of which it returns false. What is yielded
// is good until the next is asked for, and is then made of another exchange. Goroutines of its own run
// ready, in no order, and have done so when the last was yielded.
func ahead[T any](
	xs iter.Seq[*leaf.Exchange], ready func(made *T, x *leaf.Exchange, place int) bool,
) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		workers := runtime.GOMAXPROCS(0)
		rows := workers * rowsAhead
		ordered, work, free := make(chan *row[T], rows), make(chan *row[T], rows), make(chan *row[T], rows)
		for range rows {
			free <- &row[T]{made: make([]T, 0, rowLength), done: make(chan struct{}, 1)}
		}
		for range workers {
			go func() {
				for r := range work {
					r.make(ready)
				}
			}()
		}
		go func() {
			defer close(ordered)
			defer close(work)
			fill(xs, free, func(r *row[T]) { work <- r; ordered <- r })
		}()
		more := true
		for r := range ordered { // until it is closed, in any case
			<-r.done
			for i := 0; i < len(r.made) && more; i++ {
				more = yield(&r.made[i])
			}
			free <- r
		}
	}
}

// fill gives out rows, each made of a free one, and the last as full as it gets.
func fill[T any](xs iter.Seq[*leaf.Exchange], free <-chan *row[T], give func(*row[T])) {
	place := 1
	empty := func() *row[T] {
		r := <-free
		r.first, r.exchanges, r.made = place, r.exchanges[:0], r.made[:0]
		return r
	}
	r := empty()
	for x := range xs {
		r.exchanges = append(r.exchanges, x)
		if place++; len(r.exchanges) == rowLength {
			give(r)
			r = empty()
		}
	}
	give(r)
}
