package cluster

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
)

// DefaultLease is the length of a lease where none is given.
const DefaultLease = 5 * time.Second

// Bounds of leases. A shorter one would be lost while NATS restarts, and for a longer one the sessions
// of a deck that has died would have to wait.
const leastLease, mostLease = time.Second, time.Minute

// Options say which decks belong together.
type Options struct {
	leaf.Unprinted
	// Servers are addresses of NATS, separated by commas: nats://HOST:PORT, or tls://HOST:PORT.
	Servers string
	// Credentials is the name of a file with credentials for NATS. Empty: none are needed, or they
	// stand in Servers.
	Credentials string
	// Key is what all decks know and NATS does not: LeastKey random bytes or more. Decks with one key
	// belong together.
	Key []byte
	// Lease is how long the other decks wait before they take over what a deck has. 0: DefaultLease.
	Lease time.Duration
	// Replicas is on how many servers of NATS everything is kept. 0: one.
	Replicas int
	// Facts are what decks must have in common.
	Facts []Fact
	// Limit is how many bytes the body of a request may have.
	Limit int64
	// Seed is that of all sessions. 0: the first deck takes a random one.
	Seed uint64
	// Clock is what the clock of this deck shows. The zero time: that of the machine.
	Clock time.Time
	// Warn is told what an operator should know. Nil: nobody is told.
	Warn func(text string)
}

// Start says how a Node begins to serve.
type Start struct {
	Deck Deck
	// Now is the clock of all decks.
	Now func() time.Time
	// At is where clients reach this deck, never empty; others show that to people.
	At string
}

// Fact is something on which answers depend, such as the tapes.
type Fact struct {
	Name   string // for people: "the tapes"
	Digest string // equal if the fact is; it tells nothing else
}

// Deck is what serves the sessions that a Node has. It is called by many goroutines.
type Deck interface {
	// Open returns a session as it is at its beginning. Generations of one session have nothing in
	// common: an id of one is none of another. The first is 0.
	Open(name string, generation uint64) Session
	// Command is told what was said to all sessions, one after another, before they obey.
	Command(command []byte)
	// Forget is told that all commands so far are gone, with all sessions.
	Forget()
	// Inquired is asked what this deck alone knows or can do, by people at another deck (Node.Inquire).
	Inquired(question []byte) []byte
	// ServeHTTP answers what belongs to no session: a request that cannot be served from tape.
	http.Handler
}

// Session is the state of a session. Its methods are called one after another.
type Session interface {
	// Serve answers a request at a time. again says that the answer has been given: nothing goes out
	// beside it.
	Serve(r *Request, at time.Time, again bool) *Served
	// Advance lets come what comes by itself until a time.
	Advance(at time.Time, again bool)
	// Begun says that a callback is begun, by this deck or by another, and reports whether it was not
	// begun before.
	Begun(id string) bool
	// Obey applies one of the commands to the session: the nth that the deck was told, from 0. It reports
	// whether that has reset the session: nothing before counts any more but what Remains returns.
	Obey(nth int) (reset bool)
	// Remains returns what a reset has left, right after it, and Recall has a session that has obeyed the
	// same commands go on from there.
	Remains() []byte
	Recall(remains []byte) error
	// Resume says that all that was served before has been served again: what has not gone out beside
	// the answers does now.
	Resume()
	// Idle reports whether nothing waits to go out.
	Idle() bool
	// Close drops what has not gone out: the session is gone from here.
	Close()
}

// Served is an answer that a session has made.
type Served struct {
	Answer *Answer
	// Reads says that the request asks and changes nothing.
	Reads bool
	// Delivered is told in its turn that a client has the answer. Nil: nobody needs to know.
	Delivered func()
	// Announce sends what goes out before the answer, and returns what is to be called when the answer
	// has come to its end at its client. Nil: nothing does.
	Announce func() (ended func())
}

// Origin is what the first of the decks has decided for all.
type Origin struct {
	Seed uint64 `json:"seed"`
	// Began is when it was decided, by the clock of the machine.
	Began time.Time `json:"began"`
	// Clock is what the clock of the first deck showed then: that of Began, or another time.
	Clock time.Time `json:"clock"`
	// Lost is how often NATS has lost all that it kept for the decks.
	Lost uint64 `json:"lost,omitempty"`
}

// CheckServers tells what is wrong with addresses of NATS, without repeating them.
func CheckServers(servers string) error {
	for _, text := range strings.Split(servers, ",") {
		u, err := url.Parse(strings.TrimSpace(text))
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Hostname() == "" ||
			u.Path != "" && u.Path != "/" {
			return errors.New("expected nats://HOST or tls://HOST, more of them separated by commas")
		}
	}
	return nil
}

// CheckLease tells what is wrong with the length of a lease; 0 is none.
func CheckLease(d time.Duration) error {
	if d != 0 && (d < leastLease || d > mostLease) {
		return errors.New("expected " + leastLease.String() + " to " + mostLease.String())
	}
	return nil
}
