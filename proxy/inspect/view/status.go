package view

import (
	"time"

	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/redact"
)

// Status is what a deck is, and what it has come to so far. Its counts are exact, whatever the list
// has lost.
type Status struct {
	Mode      string    `json:"mode"`
	Cassettes []string  `json:"cassettes"`
	Exchanges int       `json:"exchanges"` // on tape, that can be asked for
	URL       string    `json:"url"`       // of the deck
	Version   string    `json:"version"`
	Since     time.Time `json:"since"`
	Requests  int64     `json:"requests"`
	Hits      int64     `json:"hits"`
	Misses    int64     `json:"misses"`
	Marked    int64     `json:"marked"`
	Ruled     int64     `json:"ruled"`
	Failed    int64     `json:"failed"`
	Recorded  int64     `json:"recorded"`
	Passed    int64     `json:"passed"`
	// Reasons count misses by reason.
	Reasons   map[string]int64 `json:"reasons,omitempty"`
	Callbacks CallbackCounts   `json:"callbacks"`
	Rules     int              `json:"rules"` // in force
	Armed     int              `json:"armed"`
	Keep      int              `json:"keep"` // how many exchanges are held at most
	Stopped   bool             `json:"stopped"`
	// CanResend says that the deck may be asked to send an exchange again; Asks that it goes to a
	// sandbox, so that a person is asked first.
	CanResend bool `json:"canResend"`
	Asks      bool `json:"asks"`
	// CallbackMode is what the deck does about callbacks: "now", "recorded", "hold" or "off"; in other
	// modes "relay" or empty.
	CallbackMode string `json:"callbackMode,omitempty"`
	// Sharing says which deck has which session, of decks that share their sessions; nil for others.
	Sharing *Sharing `json:"sharing,omitempty"`
}

// Sharing is what decks have that share their sessions, as it was a moment ago.
type Sharing struct {
	Decks     int     `json:"decks"`
	Connected bool    `json:"connected"` // NATS can be reached
	Sessions  []Owner `json:"sessions,omitempty"`
}

// Owner tells which deck has a session.
type Owner struct {
	Session string `json:"session"`      // empty for clients that name none
	At      string `json:"at,omitempty"` // where the deck is
	Here    bool   `json:"here,omitempty"`
}

// CallbackCounts count callbacks by what became of them.
type CallbackCounts struct {
	Accepted int `json:"accepted"`
	Refused  int `json:"refused"`
	Pending  int `json:"pending"`
	Held     int `json:"held"`
	Dropped  int `json:"dropped"`
}

// Machine is a tape as people look at it: states and what leads from one to another.
type Machine struct {
	Cassette  string    `json:"cassette"`
	Exchanges int       `json:"exchanges"`
	Callbacks int       `json:"callbacks"`
	At        time.Time `json:"at,omitzero"` // its first exchange
	From      string    `json:"from,omitempty"`
	Sealed    bool      `json:"sealed"`
	Kinds     []string  `json:"kinds"` // "gateway order", "gateway binding"
	Nodes     []Node    `json:"nodes"`
	Edges     []Edge    `json:"edges"`
	More      int       `json:"more,omitempty"` // states that are not drawn
	Asked     int       `json:"asked"`          // recordings of which one of the class was served
	Unused    []Unused  `json:"unused"`
	Mermaid   string    `json:"mermaid"`
}

// Node is an own state. Column and Row say where it is drawn, from 0.
type Node struct {
	ID     string `json:"id"` // "k1s2"
	Kind   string `json:"kind"`
	Number int    `json:"number"`
	Words  string `json:"words"` // what was done before: "register.do, paymentorder.do"
	// Name is what an answer in this state calls it: "paid"; Code is its code: "2".
	Name       string      `json:"name,omitempty"`
	Code       string      `json:"code,omitempty"`
	Tone       Tone        `json:"tone,omitempty"`
	Recordings []Recording `json:"recordings"`
	Live       []Who       `json:"live,omitempty"` // live entities that are here, some
	LiveCount  int         `json:"liveCount"`
	Asked      int         `json:"asked"`
	Column     int         `json:"column"`
	Row        int         `json:"row"`
}

// Recording is an exchange on tape.
type Recording struct {
	Number    int    `json:"number"`
	Operation string `json:"operation"`
	Answer    string `json:"answer,omitempty"` // its outcome in words
	Asked     int    `json:"asked"`
}

// Edge leads from one state to another. From is empty for a birth.
type Edge struct {
	From      string `json:"from,omitempty"`
	To        string `json:"to"`
	Operation string `json:"operation"`
	Label     string `json:"label"` // "paymentorder.do, card 400000******1118"
	Silent    bool   `json:"silent"`
	// Recordings are the numbers of the exchanges on tape.
	Recordings []int `json:"recordings"`
	Asked      int   `json:"asked"`
}

// Unused is a recording that nobody has asked for.
type Unused struct {
	Number    int    `json:"number"`
	Operation string `json:"operation"`
}

// Rules are the rules of the run in the order in which they apply.
type Rules struct {
	Rules []Rule `json:"rules"`
	// Broken tells that the rules files were read again and are broken; what was in force stays.
	Broken redact.Safe `json:"broken,omitzero"`
}

// Rule is a rule of the run.
type Rule struct {
	rules.Status
	Armed bool `json:"armed"`
	// Source are the lines of the rule as its file has them.
	Source redact.Safe `json:"source,omitzero"`
}

// Saved is what the answer to a change says.
type Saved struct {
	OK      bool        `json:"ok"`
	Message redact.Safe `json:"message,omitzero"`
	// ID is the row of what was sent again; 0 for none.
	ID uint64 `json:"id,omitempty"`
}

// Completion is what a filter means so far, and how it may go on.
type Completion struct {
	// Text is the filter with card numbers as masks. Column, From and To are places in it, in bytes.
	Text redact.Safe `json:"text"`
	// Reads says in words what the filter shows. Error says what is wrong, and Column where, from 0;
	// Error is empty for a filter that can be applied.
	Reads  string `json:"reads"`
	Error  string `json:"error,omitempty"`
	Column int    `json:"column"`
	// Words may stand at the cursor, in place of the bytes from From to To.
	From  int    `json:"from"`
	To    int    `json:"to"`
	Words []Word `json:"words"`
}

// Word may stand at the cursor of a filter.
type Word struct {
	Text  redact.Safe `json:"text"`
	Says  string      `json:"says,omitempty"`
	Count int         `json:"count"` // rows that have it; -1 if that is not counted
}
