package deck

import (
	"context"
	"sync"
	"time"

	"github.com/paytape/paytape/proxy/cluster"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// owners tells which deck has what, of decks that share sessions or a recording. Nil is that of a deck
// which shares nothing.
type owners struct {
	status func(context.Context) cluster.Status
	clean  func(name string) string

	mu     sync.Mutex      // guards the rest
	last   *cluster.Status // as it was told last; nil before
	asked  time.Time       // when that was
	asking bool
}

// Owners tells which deck has which session, or the recording; nil for a deck that shares none. Names
// are cleaned.
func (d *Deck) Owners(ctx context.Context) *cluster.Status { return d.owners.now(ctx) }

// shareOwners has the deck tell who the owners are.
func (d *Deck) shareOwners(status func(context.Context) cluster.Status) {
	d.owners = &owners{
		status: status, clean: func(name string) string { return d.hubRedactor.Text(name).String() },
	}
}

func (o *owners) now(ctx context.Context) *cluster.Status {
	if o == nil {
		return nil
	}
	s := o.status(ctx)
	for i := range s.Sessions {
		s.Sessions[i].Session = o.clean(s.Sessions[i].Session)
	}
	return &s
}

// tell is now with how much each deck has, by where it is.
func (o *owners) tell(ctx context.Context) (any, map[string]int) {
	s, counts := o.now(ctx), map[string]int{}
	for _, d := range s.Decks {
		counts[d.At] += 0
	}
	for _, one := range s.Sessions {
		counts[one.At]++
	}
	return s, counts
}

// recent is now as it was a moment ago: whoever looks all the time does not ask NATS each time.
func (o *owners) recent() *cluster.Status {
	const fresh = 2 * time.Second
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.asking && time.Since(o.asked) > fresh {
		o.asking = true
		go func() {
			now := o.now(context.Background())
			o.mu.Lock()
			defer o.mu.Unlock()
			o.last, o.asked, o.asking = now, time.Now(), false
		}()
	}
	return o.last
}

// sharing says in view's words who has what; nil for a deck that shares nothing.
func (o *owners) sharing() *view.Sharing {
	if o == nil {
		return nil
	}
	s := o.recent()
	if s == nil {
		return &view.Sharing{}
	}
	shown := &view.Sharing{Decks: len(s.Decks), Connected: s.Connected}
	for _, one := range s.Sessions {
		shown.Sessions = append(shown.Sessions, view.Owner{
			Session: one.Session, At: one.At, Here: one.Here,
		})
	}
	return shown
}
