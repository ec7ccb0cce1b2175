package proxy

import (
	"context"
	"net/http"
	"time"

	"github.com/paytape/paytape/match/rules"
)

// Turn is the turn of one request in a session whose requests are served one after another, so that
// they can be served again, in the same order and with the same clock, and come to the same answers.
// A mode that was made with Turns does for a request with a Turn all that it does for others, but for
// three things: it takes session and clock from the Turn, it does not wait, and it hands over what
// goes out beside the answer.
type Turn struct {
	// Now is what the clock shows.
	Now time.Time
	// Player and Rules are those of the session.
	Player Player
	Rules  *rules.Engine

	// The mode tells the rest. Waited is how long a client would have waited so far.
	Waited time.Duration
	// Hangs says that the client is to wait in vain.
	Hangs bool
	// Status is the status line of the answer, such as "200 OK"; empty: as usual.
	Status string
	// Announced is the answer from tape; its Answer is nil if there was none.
	Announced Announced
}

type turnKey struct{}

// WithTurn returns a context of a request that has a turn.
func WithTurn(ctx context.Context, t *Turn) context.Context {
	return context.WithValue(ctx, turnKey{}, t)
}

// turnOf returns the turn of a request; nil if it has none.
func turnOf(req *http.Request) *Turn {
	t, _ := req.Context().Value(turnKey{}).(*Turn)
	return t
}
