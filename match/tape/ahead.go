package tape

import (
	"iter"

	"github.com/paytape/paytape/internal/leaf"
)

// Exchanges are taken apart ahead of whoever needs them in their order, in rows.
const (
	rowLength = 8
	rowsAhead = 3
)

// ahead yields what ready makes of exchanges, but for those of which it returns false. What is yielded
// is good until the next is asked for, and is then made of another exchange. A goroutine of its own
// runs ready; it has ended when the last was yielded.
func ahead[T any](
	xs iter.Seq[*leaf.Exchange], ready func(*T, *leaf.Exchange) bool,
) iter.Seq[*T] {
	return func(yield func(*T) bool) {
		full, free := make(chan []T, rowsAhead), make(chan []T, rowsAhead)
		for range rowsAhead {
			free <- make([]T, 0, rowLength)
		}
		go func() {
			defer close(full)
			fill(xs, ready, full, free)
		}()
		more := true
		for row := range full { // until it is closed, in any case
			for i := 0; i < len(row) && more; i++ {
				more = yield(&row[i])
			}
			free <- row[:0]
		}
	}
}

// fill sends full rows, each made of a free one, and the last as full as it gets.
func fill[T any](
	xs iter.Seq[*leaf.Exchange], ready func(*T, *leaf.Exchange) bool, full chan<- []T, free <-chan []T,
) {
	row := <-free
	for x := range xs {
		row = row[:len(row)+1]
		if !ready(&row[len(row)-1], x) {
			row = row[:len(row)-1]
			continue
		}
		if len(row) == rowLength {
			full <- row
			row = <-free
		}
	}
	full <- row
}
