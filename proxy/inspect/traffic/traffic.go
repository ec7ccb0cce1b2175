package traffic

import (
	"context"
	"sync"
	"time"
	"unique"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy/hub"
	"github.com/paytape/paytape/proxy/inspect/view"
	"github.com/paytape/paytape/redact"
)

// DefaultKeep is how many rows are held where Options say nothing.
const DefaultKeep = 100_000

// Options are what a Traffic is made of. Hub must be there.
type Options struct {
	Hub *hub.Hub
	// Profiles tell what exchanges mean. Nil: nobody knows, and nothing is read.
	Profiles *profile.Set
	// Redactor is that of the hub, which knows the secrets that were learned from exchanges. Nil: one
	// that knows none.
	Redactor *redact.Redactor
	// Keep is how many rows are held; 0 means DefaultKeep. A row outlives its exchange, which the hub
	// holds.
	Keep int
	// Eager says that rows are made from the beginning. Else they are made when somebody looks for
	// the first time, of the events that the hub holds then.
	Eager bool
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Traffic makes rows of the events of a hub. It is safe for concurrent use; New makes one.
type Traffic struct {
	hub      *hub.Hub
	profiles *profile.Set
	keep     int
	now      func() time.Time
	words    *redact.Redactor  // of what people type, and of words of ours
	shorts   map[string]string // short names of operations, by profile and name

	start  sync.Once
	ctx    context.Context
	cancel context.CancelFunc
	runs   sync.WaitGroup
	queue  queue
	looks  sync.Mutex // held while rows are read because somebody looks at them

	mu      sync.Mutex    // guards the rest
	rows    []row         // a ring; the oldest is at first
	first   int           // 0 until the ring is full
	lost    uint64        // events that the hub had no room for before they were rows
	next    chan struct{} // closed by the next change; nil while nobody waits
	ended   bool          // no rows come any more
	groups  groups
	all     *result                     // of the filter that wants all
	results []*result                   // of other filters, the one that was asked for last at the end
	kinds   map[unique.Handle[look]]int // how many rows have each look
	fired   map[string]int              // how many rows have each rule
}

// New returns a Traffic that follows a hub.
func New(o Options) *Traffic {
	t := &Traffic{
		hub: o.Hub, profiles: o.Profiles, keep: o.Keep, now: o.Now,
		words: o.Redactor, shorts: map[string]string{},
		groups: newGroups(), all: newResult(nil),
		kinds: map[unique.Handle[look]]int{}, fired: map[string]int{},
	}
	if t.words == nil {
		t.words = redact.New(redact.Options{Profiles: o.Profiles})
	}
	if t.keep <= 0 {
		t.keep = DefaultKeep
	}
	if t.now == nil {
		t.now = time.Now
	}
	if o.Profiles != nil {
		for _, p := range o.Profiles.Profiles() {
			for _, op := range p.Operations {
				t.shorts[p.Name+"/"+op.Name] = op.ShortName()
			}
		}
	}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.queue.init()
	if o.Eager {
		t.begin()
	}
	return t
}

// begin begins to follow the hub, once.
func (t *Traffic) begin() {
	t.start.Do(func() {
		t.runs.Go(t.follow)
		if t.profiles != nil {
			t.runs.Go(t.readAll)
		}
	})
	t.awaitHeld()
}

// Close ends the making of rows, when all events that the hub has are rows if anybody has looked, and
// waits until it has ended. Rows stay to be looked at.
func (t *Traffic) Close() {
	begun := true
	t.start.Do(func() { begun = false })
	if begun {
		t.awaitHeld()
	}
	t.cancel()
	t.runs.Wait()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	t.wakeLocked()
}

// follow makes rows of all events, until the hub is closed or the Traffic is.
func (t *Traffic) follow() {
	for e, lost := range t.hub.Follow(t.ctx, 0) {
		r := t.made(e)
		t.mu.Lock()
		t.lost += lost
		t.addLocked(r, e.Flow)
		t.wakeLocked()
		t.mu.Unlock()
		t.queue.came(e.Took)
		if e.Exchange != nil && t.profiles != nil {
			t.queue.add(e.ID, urgent(r.look.Value().sign))
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	t.wakeLocked()
}

// urgent reports whether rows of a sign are read before others.
func urgent(s view.Sign) bool { return s == view.SignMiss || s == view.SignFailed }

// wakeLocked lets those go on who wait for a change.
func (t *Traffic) wakeLocked() {
	if t.next != nil {
		close(t.next)
		t.next = nil
	}
}

// changeLocked returns what the next change closes; nil if there is none any more.
func (t *Traffic) changeLocked() <-chan struct{} {
	if t.ended {
		return nil
	}
	if t.next == nil {
		t.next = make(chan struct{})
	}
	return t.next
}

// awaitHeld waits until the events are rows that the hub had when it was called: whoever has an
// answer of the deck finds its row.
func (t *Traffic) awaitHeld() {
	last := t.hub.LastID()
	for {
		t.mu.Lock()
		reached := t.lastLocked() >= last
		next := t.changeLocked()
		t.mu.Unlock()
		if reached || next == nil {
			return
		}
		<-next
	}
}

// lastLocked returns the ID of the newest row; 0 for none.
func (t *Traffic) lastLocked() uint64 {
	if len(t.rows) == 0 {
		return 0
	}
	return t.atLocked(len(t.rows) - 1).id
}

// atLocked returns the row with an index, from the oldest.
func (t *Traffic) atLocked(i int) *row { return &t.rows[(t.first+i)%len(t.rows)] }

// indexLocked returns the index of the first row with an ID, or with one above it.
func (t *Traffic) indexLocked(id uint64) int {
	low, high := 0, len(t.rows)
	for low < high {
		if mid := (low + high) / 2; t.atLocked(mid).id < id {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// findLocked returns the row with an ID; nil if it is not held. The row is valid until the lock is
// given up.
func (t *Traffic) findLocked(id uint64) *row {
	if i := t.indexLocked(id); i < len(t.rows) && t.atLocked(i).id == id {
		return t.atLocked(i)
	}
	return nil
}

// addLocked adds a row to the ring, in place of the oldest where there is no room.
func (t *Traffic) addLocked(r row, flow int) {
	at := t.first
	if len(t.rows) < t.keep {
		at = len(t.rows)
		t.rows = append(t.rows, row{})
	} else {
		t.dropLocked(&t.rows[at])
		t.first = (t.first + 1) % t.keep
	}
	t.rows[at] = r
	held := &t.rows[at]
	t.kinds[r.look]++
	for _, f := range r.fired() {
		t.fired[f.Name]++
	}
	t.groups.place(held, nil, flow)
	held.group.add(held)
	t.all.consider(held)
	for _, res := range t.results {
		res.consider(held)
	}
}

// dropLocked takes a row out of everything that holds it.
func (t *Traffic) dropLocked(r *row) {
	t.all.forget(r)
	for _, res := range t.results {
		res.forget(r)
	}
	t.forgetLook(r)
	for _, f := range r.fired() {
		if t.fired[f.Name]--; t.fired[f.Name] == 0 {
			delete(t.fired, f.Name)
		}
	}
	r.group.remove(r)
	t.groups.tidy(r.group)
}

// forgetLook takes the look of a row from the counts of looks.
func (t *Traffic) forgetLook(r *row) {
	if t.kinds[r.look]--; t.kinds[r.look] == 0 {
		delete(t.kinds, r.look)
	}
}

// alterLocked lets a row be altered, and asks all filters about it again.
func (t *Traffic) alterLocked(r *row, alter func()) {
	t.all.leave(r)
	for _, res := range t.results {
		res.leave(r)
	}
	t.forgetLook(r)
	r.group.remove(r)
	was := r.group
	alter()
	if r.id < r.group.born {
		t.backdateLocked(r.group, r.id)
	}
	r.group.add(r)
	t.groups.tidy(was)
	t.kinds[r.look]++
	t.all.enter(r)
	for _, res := range t.results {
		res.enter(r)
	}
}

// backdateLocked has a group begin with a row that was before its first.
func (t *Traffic) backdateLocked(g *group, born uint64) {
	results := append([]*result{t.all}, t.results...)
	rows := make([]int, len(results))
	for i, res := range results {
		rows[i] = res.withdraw(g)
	}
	g.born = born
	for i, res := range results {
		if rows[i] > 0 {
			res.share(g, rows[i])
		}
	}
}

// Row returns the row with an ID, if it is held. Its exchange is read first, if that is to be had.
func (t *Traffic) Row(id uint64) (view.Row, bool) {
	t.begin()
	t.readNow([]uint64{id})
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.findLocked(id); r != nil {
		return r.view(), true
	}
	return view.Row{}, false
}
