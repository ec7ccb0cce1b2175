package traffic

import (
	"slices"
	"time"

	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/inspect/filter"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// result are the rows that a filter wants, among those that are held.
type result struct {
	filter *filter.Filter // nil: it wants all
	ids    []uint64       // of the rows, ascending
	shares []share        // the groups that have such rows, the oldest first
	counts view.Counts
	calls  map[int32][]try // the callbacks among the rows, by their numbers
	// pending are rows of which nobody has asked yet what the filter says: it looks into exchanges,
	// which takes its time.
	pending []uint64
	made    time.Time     // when all rows were asked last
	took    time.Duration // to ask them
}

// share is how many rows of a group a filter wants.
type share struct {
	group *group
	rows  int
}

// try is an attempt of a callback.
type try struct {
	id      uint64
	refused bool
}

func newResult(f *filter.Filter) *result { return &result{filter: f, calls: map[int32][]try{}} }

// consider asks whether the filter wants a row that is new.
func (res *result) consider(r *row) {
	if res.filter != nil && res.filter.Body() {
		res.pending = append(res.pending, r.id)
		return
	}
	if res.wants(r) {
		res.take(r)
	}
}

// wants reports whether the filter wants a row, if it need not look into the exchange.
func (res *result) wants(r *row) bool {
	if res.filter == nil {
		return true
	}
	v := r.view()
	return res.filter.Match(&v, nil)
}

// has reports whether a row is one of those that the filter wants.
func (res *result) has(id uint64) bool {
	_, there := slices.BinarySearch(res.ids, id)
	return there
}

// take adds a row, if it is not there.
func (res *result) take(r *row) {
	if n := len(res.ids); n == 0 || res.ids[n-1] < r.id {
		res.ids = append(res.ids, r.id)
	} else if i, there := slices.BinarySearch(res.ids, r.id); !there {
		res.ids = slices.Insert(res.ids, i, r.id)
	} else {
		return
	}
	res.count(r, 1)
}

// forget takes a row out that is held no longer. It is the oldest.
func (res *result) forget(r *row) {
	if len(res.pending) > 0 && res.pending[0] == r.id {
		res.pending = res.pending[1:]
	}
	if len(res.ids) > 0 && res.ids[0] == r.id {
		res.ids = res.ids[1:]
		res.count(r, -1)
	}
}

// leave and enter are called before and after a row is altered.
func (res *result) leave(r *row) {
	if res.has(r.id) {
		res.count(r, -1)
	}
}

func (res *result) enter(r *row) {
	i, there := slices.BinarySearch(res.ids, r.id)
	wants := there
	if res.filter != nil && !res.filter.Body() {
		wants = res.wants(r)
	} else if res.filter != nil && !there {
		res.reconsider(r.id)
	}
	switch {
	case wants && !there:
		res.ids = slices.Insert(res.ids, i, r.id)
	case !wants && there:
		res.ids = slices.Delete(res.ids, i, i+1)
	}
	if wants {
		res.count(r, 1)
	}
}

// reconsider has a row asked again, whose exchange must be looked into.
func (res *result) reconsider(id uint64) {
	if i, there := slices.BinarySearch(res.pending, id); !there {
		res.pending = slices.Insert(res.pending, i, id)
	}
}

// decide takes what the filter says of a row that was pending.
func (res *result) decide(r *row, wants bool) {
	if i, there := slices.BinarySearch(res.pending, r.id); there {
		res.pending = slices.Delete(res.pending, i, i+1)
	}
	if wants {
		res.take(r)
	} else if i, there := slices.BinarySearch(res.ids, r.id); there {
		res.ids = slices.Delete(res.ids, i, i+1)
		res.count(r, -1)
	}
}

// count counts a row, or takes it from the counts where n is -1.
func (res *result) count(r *row, n int) {
	c := &res.counts
	l := r.look.Value()
	switch l.sign {
	case view.SignMiss:
		c.Misses += n
	case view.SignDeclined:
		c.Declined += n
	case view.SignMarked:
		c.Marked += n
	case view.SignRule:
		c.Ruled += n
	case view.SignFailed:
		c.Failed += n
	case view.SignCallback:
		res.countCall(r, &l, n)
	}
	if l.sign != view.SignCallback && l.sign != view.SignNote {
		c.All += n
	}
	res.share(r.group, n)
	c.Groups = len(res.shares)
}

// shareOf returns where the share of a group is, or would be.
func (res *result) shareOf(g *group) (at int, there bool) {
	if n := len(res.shares); n > 0 && res.shares[n-1].group == g {
		return n - 1, true // mostly a row comes to the newest group
	}
	return slices.BinarySearchFunc(res.shares, g, func(s share, g *group) int {
		return s.group.order(g)
	})
}

// withdraw takes the share of a group out and returns how many rows it had.
func (res *result) withdraw(g *group) (rows int) {
	at, there := res.shareOf(g)
	if !there {
		return 0
	}
	rows = res.shares[at].rows
	res.shares = slices.Delete(res.shares, at, at+1)
	return rows
}

// share counts rows of a group.
func (res *result) share(g *group, n int) {
	at, there := res.shareOf(g)
	if !there {
		res.shares = slices.Insert(res.shares, at, share{group: g})
	}
	if res.shares[at].rows += n; res.shares[at].rows == 0 {
		res.shares = slices.Delete(res.shares, at, at+1)
	}
}

// countCall counts callbacks, of which each has one number and a row for each attempt. The last row
// says whether the shop has refused it. A callback without a number is one of its own.
func (res *result) countCall(r *row, l *look, n int) {
	c := &res.counts
	tries := res.calls[r.callback]
	alone := r.callback == 0
	one := try{r.id, refuses(l)}
	if alone {
		tries = nil
		if n < 0 {
			tries = []try{one}
		}
	}
	if len(tries) > 0 {
		c.Callbacks--
		c.Refused -= toInt(tries[len(tries)-1].refused)
	}
	i, there := slices.BinarySearchFunc(tries, r.id, func(t try, id uint64) int {
		return int(int64(t.id) - int64(id))
	})
	switch {
	case n > 0 && !there:
		tries = slices.Insert(tries, i, one)
	case n < 0 && there:
		tries = slices.Delete(tries, i, i+1)
	}
	if len(tries) > 0 {
		c.Callbacks++
		c.Refused += toInt(tries[len(tries)-1].refused)
	}
	switch {
	case alone:
	case len(tries) == 0:
		delete(res.calls, r.callback)
	default:
		res.calls[r.callback] = tries
	}
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// refuses reports whether the shop has refused a callback, or has never answered.
func refuses(l *look) bool {
	switch l.callbackOutcome {
	case proxy.OutcomeRefused, proxy.OutcomeUnanswered, proxy.OutcomeGivenUp:
		return true
	case proxy.OutcomeRelayed:
		return l.outcome.Tone == view.Bad
	}
	return false
}
