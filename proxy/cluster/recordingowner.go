package cluster

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// recordingClaim says which deck records a cassette.
type recordingClaim struct {
	Deck string `json:"deck"` // the name of its lease
	// Open says that the deck has the lock of the cassette: it records.
	Open bool `json:"open"`
}

// claimedBy is the claim as it was found in NATS.
type claimedBy struct {
	recordingClaim
	revision uint64
	found    bool
	deck     *member // nil: it has no lease any more
	renewed  uint64  // the revision of its lease
}

// claimKey returns the key of the claim in NATS.
func (r *Recording) claimKey() string { return "recording." + r.bus.token("recording "+r.options.Name) }

// findClaim returns the claim.
func (r *Recording) findClaim(ctx context.Context) (c claimedBy, err error) {
	found, err := r.bus.claims.Get(ctx, r.claimKey())
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	c.found, c.revision = true, found.Revision()
	if err := r.bus.open(r.claimKey(), found.Value(), &c.recordingClaim); err != nil {
		return c, err
	}
	c.deck, c.renewed, err = r.memberAt(ctx, c.Deck)
	return c, err
}

// putClaim makes a claim, or changes the one that is there, if nobody else has done so meanwhile.
func (r *Recording) putClaim(ctx context.Context, now recordingClaim, before claimedBy) (claimedBy, error) {
	value, err := r.bus.close(r.claimKey(), now)
	if err != nil {
		return before, err
	}
	after := claimedBy{recordingClaim: now, found: true}
	if before.found {
		after.revision, err = r.bus.claims.Update(ctx, r.claimKey(), value, before.revision)
	} else {
		after.revision, err = r.bus.claims.Create(ctx, r.claimKey(), value)
	}
	return after, err
}

// run finds out who records, and has this deck do so if nobody does, until the deck stops.
func (r *Recording) run() {
	for r.ctx.Err() == nil {
		wait := r.seeOwner()
		select {
		case <-r.ctx.Done():
		case <-r.look:
		case <-time.After(wait):
		}
	}
}

// seeOwner looks who records, and returns after what time it is to be called again.
func (r *Recording) seeOwner() time.Duration {
	ctx, cancel := context.WithTimeout(r.ctx, r.length)
	defer cancel()
	c, err := r.findClaim(ctx)
	switch {
	case err != nil:
		return r.length / 20 // NATS is away, and who was the owner may be so still
	case c.deck == nil || c.Deck == r.name():
		r.set(func() { r.owner = "" })
		if !r.leased() {
			return r.length / 20
		}
		mine := recordingClaim{Deck: r.name()}
		if c, err = r.putClaim(ctx, mine, c); err == nil {
			return r.own(c)
		}
	case c.Open:
		r.set(func() {
			r.owner, r.open = c.deck.Endpoint, nil
			r.folder.look(c, r.options.Locked)
		})
		if r.isSure() {
			return r.length / 5
		}
	default:
		r.set(func() { r.owner = "" })
	}
	return dialAgain
}

// isSure reports whether the folder of this deck is known to be that of the owner.
func (r *Recording) isSure() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.folder.same
}

// own has this deck record until it is no longer the owner, and returns after what time the next owner
// is to be looked for.
func (r *Recording) own(c claimedBy) time.Duration {
	opened, err := r.openOwn(c)
	if err != nil {
		r.set(func() { r.open = err })
		r.release(c)
		if r.ctx.Err() == nil && r.keeps(c) {
			r.options.Warn("this deck cannot record: " + err.Error())
		}
		return r.length // for another deck to try
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.length)
	open, err := r.putClaim(ctx, recordingClaim{c.Deck, true}, c)
	cancel()
	if err == nil {
		r.set(func() { r.here, r.open, r.folder.same = opened, nil, true })
		r.awaitLoss(c, opened)
		r.set(func() { r.here = nil })
		c = r.closing(open)
	}
	opened.Close()
	r.release(c)
	return 0
}

// openOwn opens the recording. While somebody else has the lock of the cassette it waits: an owner that
// was cut off lets go when it sees that, and one that was stopped when it goes on.
func (r *Recording) openOwn(c claimedBy) (Opened, error) {
	for {
		opened, err := r.options.Open(r.ctx, r)
		if !errors.Is(err, ErrLocked) {
			return opened, err
		}
		r.set(func() { r.open = err })
		select {
		case <-r.ctx.Done():
			return nil, err
		case <-time.After(dialAgain):
		}
		if !r.keeps(c) {
			return nil, err
		}
	}
}

// keeps reports whether this deck has the lease under which it has made a claim.
func (r *Recording) keeps(c claimedBy) bool { return r.leased() && r.name() == c.Deck }

// awaitLoss waits until this deck is the owner no longer, or stops.
func (r *Recording) awaitLoss(c claimedBy, opened Opened) {
	look := time.NewTicker(r.length / 50)
	defer look.Stop()
	for r.keeps(c) {
		select {
		case <-r.ctx.Done():
			return
		case <-opened.Done():
			close(r.ended)
			r.stop()
			return
		case <-look.C:
		}
	}
	r.options.Warn("this deck has lost its lease and records no longer; it comes back when NATS does")
}

// closing says to the other decks that the lock is given back, if this deck is the owner still.
func (r *Recording) closing(c claimedBy) claimedBy {
	if !r.keeps(c) || !r.bus.connected() {
		return c
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), r.length/3)
	defer cancel()
	if now, err := r.putClaim(ctx, recordingClaim{Deck: c.Deck}, c); err == nil {
		return now
	}
	return c
}

// release lets any deck be the owner.
func (r *Recording) release(c claimedBy) {
	if !r.bus.connected() {
		return // the lease ends
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), r.length)
	defer cancel()
	_ = r.bus.claims.Delete(ctx, r.claimKey(), jetstream.LastRevision(c.revision)) // the lease ends
}

// folderCheck finds out whether the folder of a deck is that of the owner: there, somebody has the lock of
// the cassette. A lock that nobody has proves the opposite only if the owner had it all the time. So it
// is looked at again each time that the lease of the owner was renewed meanwhile, while its claim says
// that it records: an owner that is about to let go renews no lease under that name.
type folderCheck struct {
	same bool
	err  error

	claim   uint64 // the revision of the claim when the lock was free
	renewed uint64 // the revision of the lease then
	free    int    // how often it was, in a row
}

// freeLooks is how often a lock must be free.
const freeLooks = 3

// look looks at the lock, for a claim that says that another deck records.
func (f *folderCheck) look(c claimedBy, locked func() (bool, error)) {
	if f.same || f.err != nil {
		return
	}
	if f.claim != c.revision {
		*f = folderCheck{claim: c.revision}
	} else if f.renewed == c.renewed {
		return
	}
	f.renewed = c.renewed
	taken, err := locked()
	switch {
	case err != nil:
		f.err = err
	case taken:
		f.same = true
	default:
		if f.free++; f.free >= freeLooks {
			f.err = ErrOtherFolder
		}
	}
}
