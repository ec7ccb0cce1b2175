package view

import (
	"time"

	"github.com/paytape/paytape/redact"
)

// ValueKind says where a value of a served answer, or of a request, comes from.
type ValueKind string

// The kinds of values.
const (
	Fresh    ValueKind = "fresh"    // made by the sandbox on tape, made anew here
	Echo     ValueKind = "echo"     // the client's own value, followed
	Moved    ValueKind = "moved"    // a date, moved with the clock
	Mask     ValueKind = "mask"     // a part of a live value: a mask, the last digits
	Constant ValueKind = "constant" // as recorded
	Redacted ValueKind = "redacted" // taken out while recording
)

// Field is a place of a message, with what was sent, what is on tape and what was served.
type Field struct {
	Place string `json:"place"` // "form", "json", "header", "query", "path" ...
	Path  string `json:"path"`  // "cardAuthInfo.pan"; cleaned like a value
	Depth int    `json:"depth"` // of objects around it
	// Live is what the client sent, or what it was served. Tape is what is on tape in this place. Each
	// is missing (false in Has) where there is no such field.
	Live    redact.Safe `json:"live,omitzero"`
	HasLive bool        `json:"hasLive"`
	Tape    redact.Safe `json:"tape,omitzero"`
	HasTape bool        `json:"hasTape"`
	Type    string      `json:"type,omitempty"` // "string", "number", "bool", "null" of JSON; else empty
	Kind    ValueKind   `json:"kind"`
	// Human is the value as people say it: "49.00 EUR", "22 Nov 11:25:21", "paid".
	Human redact.Safe `json:"human,omitzero"`
	// Noun is what the value names: "order", "rrn". Row is what a profile says of the field, and where:
	// "minted order, gateway.yaml:138". Both may be empty.
	Noun string `json:"noun,omitempty"`
	Row  string `json:"row,omitempty"`
	// Differs says that the recording has another value where it had to be equal.
	Differs bool `json:"differs,omitempty"`
}

// Message is a request or an answer.
type Message struct {
	Line    redact.Safe   `json:"line,omitzero"` // "POST /payment/rest/register.do" or "200 OK"
	Header  []HeaderField `json:"header"`
	Body    redact.Safe   `json:"body,omitzero"`
	Pretty  redact.Safe   `json:"pretty,omitzero"` // the body laid out; empty if that adds nothing
	Media   string        `json:"media,omitempty"` // "JSON", "form", "HTML" ...
	Size    int           `json:"size"`            // of the body, in bytes, without content coding
	Cut     bool          `json:"cut,omitempty"`   // Body is the beginning of it
	Trailer []HeaderField `json:"trailer,omitempty"`
}

// HeaderField is a line of a header.
type HeaderField struct {
	Name  redact.Safe `json:"name"`
	Value redact.Safe `json:"value"`
}

// Timing is where the time went. What is not known is 0.
type Timing struct {
	Took   time.Duration `json:"took"`   // from request to end of answer, here
	OnTape time.Duration `json:"onTape"` // the same, when it was recorded
}

// Exchange is an exchange in full.
type Exchange struct {
	Row      Row     `json:"row"`
	Request  Message `json:"request"`
	Response Message `json:"response"`
	// Recorded are the messages on tape that the answer was made of; nil where there are none.
	RecordedRequest  *Message `json:"recordedRequest,omitempty"`
	RecordedResponse *Message `json:"recordedResponse,omitempty"`
	RequestFields    []Field  `json:"requestFields"`
	ResponseFields   []Field  `json:"responseFields"`
	// More says that a message has further fields, which are not shown.
	More   int    `json:"more,omitempty"`
	Before string `json:"before,omitempty"` // the state in which the request found what it is about
	After  string `json:"after,omitempty"`
	Timing Timing `json:"timing"`
	// Gone says that the exchange is held no longer, and only its row is known.
	Gone bool `json:"gone,omitempty"`
	// Curl, HAR and Rule are for copying: a command, an archive, and rows for a rules file. The values
	// of secrets are placeholders.
	Curl redact.Safe `json:"curl,omitzero"`
	Rule redact.Safe `json:"rule,omitzero"`
}

// Value is a value with its birth and its uses among the exchanges of its flow.
type Value struct {
	Text redact.Safe `json:"text"`
	Tape redact.Safe `json:"tape,omitzero"`
	Kind ValueKind   `json:"kind"`
	Noun string      `json:"noun,omitempty"`
	Row  string      `json:"row,omitempty"`
	Says string      `json:"says"` // "minted for this order, in the shape of the recorded one"
	Born *Use        `json:"born,omitempty"`
	Used []Use       `json:"used"`
}

// Use is a place where a value stands.
type Use struct {
	ID   uint64 `json:"id"` // of the row
	What string `json:"what"`
	Side string `json:"side"` // "request" or "answer"
	Path string `json:"path"`
	How  string `json:"how,omitempty"` // "masked", "inside a longer text"; empty: as it is
}

// Flow is a group with its rows, its states and its callbacks.
type Flow struct {
	Group  Group   `json:"group"`
	Rows   []Row   `json:"rows"`
	States []Stage `json:"states"`
	// Actors are those that take part, from left to right.
	Actors []Actor `json:"actors"`
	// More counts rows that are not in Rows.
	More int `json:"more,omitempty"`
}

// Stage is a state that a flow has reached.
type Stage struct {
	Words redact.Safe   `json:"words"`
	Code  redact.Safe   `json:"code,omitzero"` // "2"
	Tone  Tone          `json:"tone,omitempty"`
	After time.Duration `json:"after"` // from the beginning of the flow, in nanoseconds
	ID    uint64        `json:"id"`    // of the row that showed it
}

// Comparison is two flows side by side.
type Comparison struct {
	A        Group  `json:"a"`
	B        Group  `json:"b"`
	Sentence string `json:"sentence"`
	Steps    []Pair `json:"steps"`
	// FirstSent and FirstAnswered are indexes in Steps: where the client first sent something else,
	// and where an answer first differs. -1: nowhere.
	FirstSent     int `json:"firstSent"`
	FirstAnswered int `json:"firstAnswered"`
	Folded        int `json:"folded"` // values that are fresh in each, and no difference
}

// Pair is a step of two flows; a flow that has no such step has the ID 0.
type Pair struct {
	Operation string  `json:"operation"`
	A         uint64  `json:"a"`
	B         uint64  `json:"b"`
	OutcomeA  Outcome `json:"outcomeA,omitzero"`
	OutcomeB  Outcome `json:"outcomeB,omitzero"`
	Sent      []Delta `json:"sent,omitempty"`
	Answered  []Delta `json:"answered,omitempty"`
}

// Delta is a field in which two messages differ.
type Delta struct {
	Path string      `json:"path"`
	A    redact.Safe `json:"a,omitzero"`
	B    redact.Safe `json:"b,omitzero"`
}
