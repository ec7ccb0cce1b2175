package callback

import (
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
	"github.com/paytape/paytape/proxy"
)

// State is where a callback is on its way.
type State string

// The states. The last four are ends.
const (
	Pending  State = "pending"  // its turn or its time has not come
	Held     State = "held"     // it waits until somebody asks for the next
	Waiting  State = "waiting"  // a rule has it wait for a call of the shop
	Sending  State = "sent"     // an attempt is under way, or has failed and another follows
	Accepted State = "accepted" // the shop has taken it
	Refused  State = "refused"  // the shop has answered the last attempt otherwise
	GivenUp  State = "given up" // the last attempt has got no answer
	Dropped  State = "dropped"  // it was not sent, or not to its end
)

// over reports whether a state is an end.
func (s State) over() bool {
	switch s {
	case Accepted, Refused, GivenUp, Dropped:
		return true
	}
	return false
}

// event is a callback on its way. The lock of the Sender guards what changes.
type event struct {
	leaf.Unprinted
	match.Callback
	number int       // among those of the Sender, from 1
	batch  int       // those that one answer has brought have one number
	at     time.Time // it was handed over
	due    time.Time // it is not sent before
	again  bool      // somebody has asked for it, after it was sent before
	reset  <-chan struct{}
	// unasked says that the rules have not been asked yet about the coming attempt: the event is held,
	// or was.
	unasked bool
	// begun says that Begin has let it go out. The goroutine that sends the event owns it.
	begun bool

	state    State
	attempts []attempt
	ruled
	problem string // why it was dropped
	answer  string // the beginning of what the shop has said last
}

// attempt is how an attempt went.
type attempt struct {
	at             time.Time
	code           int // 0: there was no answer
	took           time.Duration
	problem, cause string
}

// lane is what callbacks have in common that go out one after another.
type lane struct {
	session string
	flow    int
}

func (e *event) lane() lane { return lane{e.Session, e.Flow} }

// size is about how many bytes of memory an event takes.
func (e *event) size() int64 {
	const rest = 2 << 10 // a header, an address
	return int64(len(e.Query)+len(e.Body)) + rest
}

// accepts reports whether a status of the shop says that it has taken the callback.
func (e *event) accepts(status int) bool { return e.Profile.AcceptsCallback(status) }

// onTape returns how the shop answered the last attempt on tape; false if the tape does not tell.
func (e *event) onTape() (status int, known bool) {
	if len(e.Attempts) == 0 {
		return 0, false
	}
	return e.Attempts[len(e.Attempts)-1].Status, true
}

// tapped reports whether the tap has taken the event in place of a shop, which says nothing of a
// shop.
func (e *event) tapped() bool {
	return e.state == Accepted && e.attempts[len(e.attempts)-1].code == 0
}

// differs reports whether the shop has done otherwise than on tape, now that it has done all that
// it will do.
func (e *event) differs() bool {
	status, known := e.onTape()
	if !known || e.extra() || e.altered || e.tapped() {
		return false
	}
	switch e.state {
	case Accepted:
		return !e.accepts(status)
	case Refused:
		return e.accepts(status)
	}
	return false
}

// undelivered reports whether the shop has not been told what it should have been told.
func (e *event) undelivered() bool {
	switch status, known := e.onTape(); e.state {
	case Dropped:
		return !e.extra() && !e.waits && !e.silenced() && e.problem != proxy.ProblemReset &&
			e.problem != proxy.ProblemOff && e.problem != proxy.ProblemMoved
	case GivenUp:
		return !e.extra() && !e.silenced() && !(known && status == 0)
	}
	return false
}

// mostAttempts is how often it is sent, at most: as often as the API does it, or did it on tape.
func (e *event) mostAttempts() int {
	if e.copied {
		return 1
	}
	most := max(1, len(e.Attempts))
	if e.Profile != nil && e.Profile.Callbacks != nil {
		most = max(most, e.Profile.Callbacks.Attempts)
	}
	return most
}

// defaultRetry is the longest pause between two attempts where nobody has said another.
const defaultRetry = time.Second

// pause returns how long the next attempt waits: as on tape or, beyond that, in the profile, and
// not longer than the operator wants. A negative bound is none.
func (e *event) pause(longest time.Duration) time.Duration {
	var pause time.Duration
	switch n := len(e.attempts); {
	case n < len(e.Attempts):
		pause = e.Attempts[n].Gap
	case e.Profile != nil && e.Profile.Callbacks != nil:
		pause = e.Profile.Callbacks.Pause
	}
	switch {
	case longest < 0:
		return pause
	case longest == 0:
		longest = defaultRetry
	}
	return min(pause, longest)
}
