package callback

import (
	"cmp"
	"errors"
	"slices"
	"time"
)

// ErrNone is returned where there is no callback that could be sent.
var ErrNone = errors.New("no callback waits")

// Next sends the oldest callback that is held, once, and returns when the shop has answered. A
// callback that the shop refuses is held again while an attempt is left, so that the one who asks
// decides when the next attempt comes. Of a flow in which an attempt is under way nothing is sent.
func (s *Sender) Next() (*Sent, error) {
	s.mu.Lock()
	at := slices.IndexFunc(s.held, func(e *event) bool { return s.busy[e.lane()] == 0 })
	if at < 0 {
		s.mu.Unlock()
		return nil, ErrNone
	}
	e := s.held[at]
	s.held = slices.Delete(s.held, at, at+1)
	s.busy[e.lane()]++ // until e is held again: a slot may have to be waited for, too
	s.mu.Unlock()
	s.ask(e)
	sent, ok := s.attempts(e)
	s.repeat(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idleLocked(e.lane())
	if !ok {
		return nil, ErrNone
	}
	if !e.state.over() && s.mode != Hold {
		e.state, e.unasked = Pending, true // the mode was switched meanwhile
		s.enterLocked(e)
	} else if !e.state.over() {
		e.state, e.unasked = Held, true
		at, _ := slices.BinarySearchFunc(s.held, e.number,
			func(h *event, number int) int { return cmp.Compare(h.number, number) })
		s.held = slices.Insert(s.held, at, e)
		s.wakeLocked()
	}
	return sent, nil
}

// OldestHeld returns when the callback was brought that Next would send; false if there is none.
func (s *Sender) OldestHeld() (at time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.held, func(e *event) bool { return s.busy[e.lane()] == 0 })
	if i < 0 {
		return time.Time{}, false
	}
	return s.held[i].at, true
}

// LatestAbout returns when the latest callback about an order was brought; false if there is none. Order is
// that of Resend.
func (s *Sender) LatestAbout(order string) (at time.Time, ok bool) {
	shown, last := s.shownAbout(order)
	if last < 0 {
		return time.Time{}, false
	}
	return shown[last].at, true
}

// shownAbout returns what is shown, and the place of the latest about an order; below 0 if there is none.
func (s *Sender) shownAbout(order string) (shown []*event, last int) {
	s.mu.Lock()
	shown = slices.Clone(s.shown)
	s.mu.Unlock()
	isAbout := func(e *event) bool { // what is looked at does not change
		return slices.ContainsFunc(s.names(e), func(n name) bool { return n.value == order })
	}
	last = len(shown) - 1
	for last >= 0 && !isAbout(shown[last]) {
		last--
	}
	return shown, last
}

// Changed returns a channel that is closed when another callback is held, or has come to its end.
func (s *Sender) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changesLocked()
}

// Resend sends once more what the latest answer about an order has brought: order is a value by
// which callbacks name it, such as the order's id or number. It returns the numbers of the new
// callbacks.
func (s *Sender) Resend(order string) ([]int, error) {
	shown, last := s.shownAbout(order)
	if last < 0 {
		return nil, ErrNone
	}
	return s.sendAgain(slices.DeleteFunc(slices.Clone(shown), func(e *event) bool {
		return e.copied || e.batch != shown[last].batch || e.lane() != shown[last].lane()
	})), nil
}

// ResendNumber sends a callback once more, by its number, and returns that of the new one.
func (s *Sender) ResendNumber(number int) (int, error) {
	s.mu.Lock()
	at := slices.IndexFunc(s.shown, func(e *event) bool { return e.number == number })
	if at < 0 {
		s.mu.Unlock()
		return 0, ErrNone
	}
	e := s.shown[at]
	s.mu.Unlock()
	return s.sendAgain([]*event{e})[0], nil
}

// sendAgain sends events once more, and returns the numbers of what is sent.
func (s *Sender) sendAgain(events []*event) []int {
	var numbers []int
	batch := s.batch()
	var fresh []*event
	for _, e := range events {
		again := &event{Callback: e.Callback, batch: batch, again: true, begun: true}
		s.ask(again)
		fresh = append(fresh, again)
	}
	s.take(fresh)
	for _, e := range fresh {
		numbers = append(numbers, e.number)
	}
	return numbers
}
