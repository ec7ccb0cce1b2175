package match

import (
	"net/http"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Callback is what the sandbox says to the shop by itself, with this run's values: the request of a
// recorded callback. Header may be shared and must not be changed.
type Callback struct {
	leaf.Unprinted
	Operation string // what it tells: "deposited"; empty where no profile knows
	Cassette  string
	Number    int // of the first attempt on tape
	// Flow is the number of the live entity that it is about. Callbacks of one flow go out one
	// after another, in their order.
	Flow int
	// Profile knows how it is signed. Nil: none does.
	Profile *profile.Profile

	Method string
	// Address is where the live client wants to be called, with a query of its own perhaps; empty
	// if the recorded one went to the sandbox's static address.
	Address string
	// Path and Query are what the sandbox puts behind the address: "" or "/paid"; and the raw query.
	Path, Query string
	Header      http.Header
	Body        string
	// Signed says that the recorded one had a checksum. In its place stands what cleaning left.
	Signed bool

	// Gap is how long after the answer it came on tape; negative for one that came before.
	Gap time.Duration
	// Attempts are those on tape, in their order.
	Attempts []CallbackAttempt
	// Mark is that of the answer that brings it.
	Mark string
}

// CallbackAttempt is how a shop answered one attempt on tape.
type CallbackAttempt struct {
	Gap    time.Duration // after the attempt before; 0 for the first
	Status int           // 0: there was no answer
}
