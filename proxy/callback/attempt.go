package callback

import (
	"errors"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/proxy"
)

// deliver tries until one of the ends of an event, or until the Sender is reset or closed.
func (s *Sender) deliver(e *event) {
	if e.unasked && s.askAgain(e, 0) {
		return // it goes on beside its lane
	}
	for s.sleep(e, time.Until(e.due)) {
		if _, ok := s.attempts(e); !ok {
			return
		}
		s.mu.Lock()
		over, pause := e.state.over(), e.pause(s.options.Retry)
		s.mu.Unlock()
		if over {
			s.repeat(e)
			return
		}
		if s.askAgain(e, pause) {
			return // it goes on beside its lane
		}
	}
}

// sleep waits for the next attempt of an event. It returns false if there is none.
func (s *Sender) sleep(e *event, d time.Duration) bool {
	if d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		select {
		case <-t.C:
		case <-e.reset:
		case <-s.ctx.Done():
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !e.state.over()
}

// attempt calls the shop once, and tells how that went. It returns false if there was no attempt,
// or if nobody wants to know any more: the Sender was reset or closed.
func (s *Sender) attempt(e *event) (*Sent, bool) {
	select {
	case <-s.ctx.Done():
		return nil, false
	case <-e.reset:
		return nil, false
	case s.slots <- struct{}{}:
	}
	defer func() { <-s.slots }()
	if !s.mayBegin(e) {
		return nil, false
	}
	s.mu.Lock()
	if e.state.over() {
		s.mu.Unlock()
		return nil, false
	}
	e.state = Sending
	if !e.aside {
		s.busy[e.lane()]++
	}
	tap := s.tap
	s.mu.Unlock()

	begun := time.Now()
	out, err := s.composeRuled(e)
	got := answered{err: err}
	switch {
	case errors.Is(err, errLost):
		got = answered{lost: true}
	case err == nil:
		got = s.call(s.ctx, out)
	case tap != nil && errors.Is(err, errNoAddress):
		got = answered{tapped: true} // the tap is the shop
	}

	s.mu.Lock()
	if !e.aside {
		s.idleLocked(e.lane())
	}
	if e.state.over() { // dropped meanwhile, which was told
		s.mu.Unlock()
		return nil, false
	}
	told := s.noteLocked(e, begun, got)
	sent := e.sent(out, got)
	s.telling++
	s.mu.Unlock()
	defer s.hasTold()
	if tap != nil && out != nil {
		tap(sent)
	}
	if out != nil {
		told.Exchange = e.exchange(out, got, begun)
	}
	s.tell(told)
	return sent, true
}

// hasTold notes that what became of an attempt was told.
func (s *Sender) hasTold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.telling--
	s.wakeLocked()
}

// idleLocked takes back what was counted in busy.
func (s *Sender) idleLocked(l lane) {
	if s.busy[l]--; s.busy[l] == 0 {
		delete(s.busy, l)
	}
}

// noteLocked writes down how an attempt went, and returns what there is to tell of it.
func (s *Sender) noteLocked(e *event, begun time.Time, got answered) proxy.Event {
	problem, cause, again := got.problem()
	if !again {
		told := s.dropLocked(e, problem)
		told.Cause = cause
		return told
	}
	e.attempts = append(e.attempts, attempt{begun, got.code, got.took, problem, cause})
	e.answer = leaf.Clip(got.body, maxKept)
	s.counts.Sent++
	last := len(e.attempts) >= e.mostAttempts()
	outcome := proxy.OutcomeRefused
	switch {
	case got.tapped || e.accepts(got.code):
		outcome = proxy.OutcomeAccepted
		s.endLocked(e, Accepted)
	case got.code != 0 && last:
		s.endLocked(e, Refused)
	case last:
		outcome = proxy.OutcomeGivenUp
		s.endLocked(e, GivenUp)
	case got.code == 0:
		outcome = proxy.OutcomeUnanswered
	}
	told := s.tells(e, outcome)
	told.Code, told.Took, told.Problem, told.Cause = got.code, got.took, problem, cause
	return told
}

// endLocked brings an event to an end.
func (s *Sender) endLocked(e *event, end State) {
	e.state = end
	delete(s.open, e.number)
	s.bytes -= e.size()
	s.counts.end(e)
	s.wakeLocked()
}

// dropLocked ends an event that goes out no more, and returns what there is to tell of it.
func (s *Sender) dropLocked(e *event, problem string) proxy.Event {
	e.problem = problem
	s.endLocked(e, Dropped)
	e.endFirst()
	told := s.tells(e, proxy.OutcomeDropped)
	told.Problem = problem
	if !s.told[problem] {
		s.told[problem] = true
		told.Note = dropNotes[problem]
	}
	return told
}

// dropNotes say what the operator can do about callbacks that are not sent.
var dropNotes = map[string]proxy.Note{
	proxy.ProblemNoAddress: proxy.NoteCallbackAddress,
	proxy.ProblemAddress:   proxy.NoteCallbackAddress,
	proxy.ProblemForbidden: proxy.NoteCallbackForbidden,
	proxy.ProblemNoKey:     proxy.NoteCallbackKey,
	proxy.ProblemFull:      proxy.NoteCallbackFull,
}
