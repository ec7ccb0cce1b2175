package cluster

import (
	"net/http"
	"time"

	"github.com/paytape/paytape/internal/leaf"
)

// Request is a request of a client, whole.
type Request struct {
	leaf.Unprinted
	requestFields
}

// requestFields are what is sealed of a Request, which keeps them out of logs.
type requestFields struct {
	ID      string // a number that no other request has
	Session string // empty for a client that names none
	// Read is the request before on the same connection: its client has the answer. Empty: unknown.
	Read   string `json:",omitempty"`
	Method string
	Target string // as it was on the request line
	Host   string
	Proto  string
	TLS    bool // the client speaks TLS with its deck
	Header http.Header
	Body   []byte
}

// Answer is the answer to a request, with the times at which the client is to have its pieces.
type Answer struct {
	leaf.Unprinted
	answerFields
}

// answerFields are what is sealed of an Answer, which keeps them out of logs.
type answerFields struct {
	Code    int         // 0: there is no head, and End says what happens
	Status  string      // "200 OK"; empty: as usual
	Header  http.Header // with nil for what net/http must not add
	Trailer http.Header
	Wait    time.Duration // before the head
	Pieces  []Piece
	End     End
	Raw     []byte // what is sent under EndRaw
}

// Piece is a part of a body, and how long the client waits for it from the beginning.
type Piece struct {
	After time.Duration
	Data  []byte
}

// End is how an answer ends.
type End string

// The ends.
const (
	EndWhole End = ""      // with its last byte
	EndCut   End = "cut"   // the connection is closed
	EndReset End = "reset" // the connection is reset
	EndRaw   End = "raw"   // what is no HTTP is sent, and the connection is closed
	EndHang  End = "hang"  // nothing comes as long as the client waits
)

// entry is one thing that happened in a session, in the order in which it has to happen again.
type entry struct {
	N  uint64    // from 1, in its session
	At time.Time // the clock
	// Delivered are the requests whose answers have got to their clients since the entry before.
	Delivered []string `json:",omitempty"`
	// Broken are those whose answers have come to another end.
	Broken []string `json:",omitempty"`

	// One of these is set, or none where the entry has receipts alone.
	Opened  string         `json:",omitempty"` // the deck that has the session from now on
	Request *requestFields `json:",omitempty"`
	Begun   string         `json:",omitempty"` // the callback that goes out
	Advance bool           `json:",omitempty"` // what comes by itself until At has come
	// Anew says that the session begins here, in a generation. Nothing before counts but Remains, which
	// is what a reset has left.
	Anew       bool   `json:",omitempty"`
	Generation uint64 `json:",omitempty"`
	Remains    []byte `json:",omitempty"`
	// Commands is the last command to all sessions that is obeyed from now on, by its sequence in the
	// stream of commands. 0: as before.
	Commands uint64 `json:",omitempty"`
}

// reply is what an owner says to a deck that has forwarded a request.
type reply struct {
	// Answer is nil if the deck does not have the session.
	Answer *answerFields `json:",omitempty"`
}

// receipt says that an answer has come to an end at its client.
type receipt struct {
	Session, ID string
	Whole       bool // the client has all of it
}
