package traffic

import (
	"context"
	"iter"
	"time"

	"github.com/paytape/paytape/proxy/inspect/filter"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// patience is how long a row is held back for its exchange to be read. Under load most rows go out
// as their events tell them.
const patience = 200 * time.Millisecond

// Follow hands out the rows after one with an ID that a filter wants, in their order, and waits for
// the next. With each it says how many events before it were lost, wanted or not, because there was
// no room for them any more. It ends with ctx, or when no rows come any more. A filter that Parse
// refuses wants nothing.
//
// Each row is handed out once, and a little later than it came: as soon as it was read, or after a
// fifth of a second.
func (t *Traffic) Follow(ctx context.Context, after uint64, text string) iter.Seq2[view.Row, uint64] {
	return func(yield func(view.Row, uint64) bool) {
		f, err := filter.Parse(text)
		if err != nil {
			return
		}
		t.begin()
		lost := uint64(0)
		for ctx.Err() == nil {
			rows, wait, next := t.after(after)
			if next == nil {
				t.readLast(rows) // no reading in the background any more
			}
			for i := range rows {
				v := &rows[i]
				lost += v.ID - after - 1
				after = v.ID
				if !f.Match(v, t.bodyOf(v.ID)) {
					continue
				}
				if ctx.Err() != nil || !yield(*v, lost) {
					return
				}
				lost = 0
			}
			if len(rows) == 0 && !await(ctx, wait, next) {
				return
			}
		}
	}
}

// readLast reads rows that nobody has come to read before the end, as far as that is done soon.
func (t *Traffic) readLast(rows []view.Row) {
	var ids []uint64
	for i := range rows {
		if !rows[i].Read {
			ids = append(ids, rows[i].ID)
		}
	}
	t.readNow(ids)
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range rows {
		if r := t.findLocked(rows[i].ID); r != nil {
			rows[i] = r.view()
		}
	}
}

// await waits for a change, or for a time to pass; 0 is no time. It returns false if there is nothing
// to wait for any more.
func await(ctx context.Context, wait time.Duration, next <-chan struct{}) bool {
	var timer <-chan time.Time
	if wait > 0 {
		timer = time.After(wait)
	}
	if timer == nil && next == nil {
		return false
	}
	select {
	case <-next:
	case <-timer:
	case <-ctx.Done():
		return false
	}
	return true
}

// after returns rows after one with an ID that may go out. If there are none, wait is how long the
// next one is held back at most, and next is closed by the next change.
func (t *Traffic) after(id uint64) (rows []view.Row, wait time.Duration, next <-chan struct{}) {
	const most = 100
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now().UnixNano()
	for i := t.indexLocked(id + 1); i < len(t.rows) && len(rows) < most; i++ {
		r := t.atLocked(i)
		held := patience - time.Duration(now-r.seen)
		if r.readable && held > 0 && !t.ended {
			wait = held
			break
		}
		rows = append(rows, r.view())
	}
	return rows, wait, t.changeLocked()
}
