package leaf

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/dnaeon/go-vcr/v2/cassette"
)

// Exchange is one request and its answer: go-vcr's own type, and beside it what go-vcr has
// no place for. It is the exchange type everywhere in paytape; there is no second model.
//
// In memory of the recorder an Exchange holds live secrets. Whatever leaves the process
// takes a redact.Clean instead, and an Exchange prints as a marker. Its Request and Response are
// go-vcr's types, which print what they hold: print neither.
type Exchange struct {
	cassette.Interaction `yaml:",inline"`

	Meta Meta `yaml:"paytape"`
}

// Format prints a marker for every verb: an exchange may hold live secrets.
func (Exchange) Format(f fmt.State, verb rune) { Unprinted{}.Format(f, verb) }

// MarshalText writes a marker into JSON and YAML. Whoever stores an exchange writes its parts.
func (Exchange) MarshalText() ([]byte, error) { return Unprinted{}.MarshalText() }

// LogValue writes a marker into structured logs.
func (Exchange) LogValue() slog.Value { return Unprinted{}.LogValue() }

// Meta is what paytape notes of an exchange under the extra key "paytape", which go-vcr
// ignores. The duration stands in go-vcr's own response.duration.
type Meta struct {
	// Number is the place of the exchange on its tape, from 1, in the order in which the
	// requests began.
	Number int `yaml:"number"`
	// At is the time at which the request began, with the zone of the recording machine:
	// calendar dates move in that zone. Zero in files that go-vcr wrote.
	At time.Time `yaml:"at"`
	// Profile and Operation name what a profile recognised; both are empty where none did.
	Profile   string `yaml:"profile,omitempty"`
	Operation string `yaml:"operation,omitempty"`
	// Profiles tell which profiles were in force from this exchange on, as package profile writes
	// their editions. Nil: those that the exchanges before tell; in tapes of earlier versions nobody
	// knows.
	Profiles []string `yaml:"profiles,omitempty"`
	// Base is the path of the upstream's base URL, which requests to the deck do not have and
	// the recorded URL does: "/sandbox". Empty means none.
	Base string `yaml:"base,omitempty"`
	// Host is the name of the host, if it is one beside the APIs that paths do not lead to, such
	// as the page of an issuer: replay finds its exchanges under that name alone. Empty for the
	// APIs, and in tapes of earlier versions.
	Host string `yaml:"host,omitempty"`
	// Aliases are names that stood for the upstream itself while it was recorded: clients with a
	// hard-coded host find it under these names in replay too. Nil means none.
	Aliases []string `yaml:"aliases,omitempty"`
	// RequestCoding and Coding are the content codings as they were on the wire; the
	// bodies on tape are decoded. Empty means identity.
	RequestCoding string `yaml:"requestCoding,omitempty"`
	Coding        string `yaml:"coding,omitempty"`
	// RequestCharset and Charset are the charsets that the bodies were in, as DecodeText
	// names them; on tape they are UTF-8. Empty means that they were so on the wire.
	RequestCharset string `yaml:"requestCharset,omitempty"`
	Charset        string `yaml:"charset,omitempty"`
	// Trailers are the answer's trailers. Nil means none.
	Trailers http.Header `yaml:"trailers,omitempty"`
	// Redactions says what was taken out: place and kind, never a value.
	Redactions []string `yaml:"redactions,omitempty"`
	// Failure says how the exchange failed or was cut; such an exchange is shown but not
	// replayed. Empty means that the answer was read to its end.
	Failure string `yaml:"failure,omitempty"`
	// Fault is what kind of failure of the sandbox it was, one of the constants, and empty if
	// it was none: a client that leaves has failed by itself. Tapes of earlier versions do
	// not tell.
	Fault string `yaml:"fault,omitempty"`
	// Rules are the names of the rules of the run that fired: the request is as they let it go on,
	// and the answer is that of the sandbox, which the client may have got changed or not at all. A
	// callback is as the sandbox sent it. Nil: none.
	Rules []string `yaml:"rules,omitempty"`
	// Relayed names the field of the request that reached the sandbox with an address of the deck in
	// place of the shop's, so that callbacks came through the deck. On tape is the shop's. Empty:
	// the sandbox got the request as it is here.
	Relayed string `yaml:"relayed,omitempty"`
	// Callback is set for what the sandbox said to the shop by itself. Nil: the client has sent the
	// request.
	Callback *Callback `yaml:"callback,omitempty"`
	// Withheld says why a body is a marker instead of what was sent; the exchange is kept
	// for reading and is not replayed. Empty means that the exchange is whole.
	Withheld string `yaml:"withheld,omitempty"`
}

// The faults of a sandbox.
const (
	// FaultNoAnswer: the sandbox gave no answer; the one on tape is the deck's own.
	FaultNoAnswer = "no answer"
	// FaultTimeout: the same, and the duration is how long the deck waited.
	FaultTimeout = "timeout"
	// FaultCut: the answer ended in the middle; on tape is what came of it.
	FaultCut = "cut"
)

// FailureReplayable reports whether the exchange holds a failure of the sandbox that replay may
// repeat, if it is asked to.
func (x *Exchange) FailureReplayable() bool {
	switch x.Meta.Fault {
	case FaultNoAnswer, FaultTimeout, FaultCut:
		return x.Meta.Withheld == ""
	}
	return false
}

// Why says why an exchange is not replayed; empty for one that is.
func (m *Meta) Why() string {
	if m.Failure != "" && m.Withheld != "" {
		return m.Failure + "; " + m.Withheld
	}
	return m.Failure + m.Withheld
}

// Replayable reports whether the exchange holds a complete answer that replay may serve.
func (x *Exchange) Replayable() bool { return x.Meta.Failure == "" && x.Meta.Withheld == "" }

// Target returns the request target as a client of the deck sends it: the URL without
// scheme, host and the upstream's base path.
func (x *Exchange) Target() string { return x.URL[x.skip():] }

// skip returns the length of what Target leaves out.
func (x *Exchange) skip() int {
	n := PathStart(x.URL)
	if strings.HasPrefix(x.URL[n:], x.Meta.Base) {
		n += len(x.Meta.Base)
	}
	return n
}

// RequestMessage reads the request of an exchange.
func (x *Exchange) RequestMessage() *Message { return Read(x.Asked()) }

// ResponseMessage reads the answer of an exchange.
func (x *Exchange) ResponseMessage() *Message { return Read(x.Answered()) }

// Asked returns the request of an exchange, to be read.
func (x *Exchange) Asked() Message {
	return Message{
		Target: x.URL, Skip: x.skip(), Header: x.Request.Headers, Body: x.Request.Body,
	}
}

// Answered returns the answer of an exchange, to be read.
func (x *Exchange) Answered() Message {
	return Message{Header: x.Response.Headers, Body: x.Response.Body}
}
