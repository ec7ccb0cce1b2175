package view

import (
	"time"

	"github.com/paytape/paytape/redact"
)

// Sign says at a glance what became of an exchange. A list shows it as a shape or a letter.
type Sign string

// The signs. A row has the first that fits, in this order.
const (
	SignMiss     Sign = "miss"     // nothing on tape agreed
	SignFailed   Sign = "failed"   // the deck gave an answer of its own, or none
	SignCallback Sign = "callback" // the shop was told something, or was to be
	SignRule     Sign = "rule"     // a rule of the run has made the answer, or changed it
	SignDeclined Sign = "declined" // answered, and the answer says no
	SignMarked   Sign = "marked"   // answered from tape, by likeness
	SignWaits    Sign = "waits"    // answered, and somebody else is to act: the customer, the ACS
	SignHit      Sign = "hit"      // answered
	SignNote     Sign = "note"     // no exchange: something that the operator should know
)

// Tone says whether an outcome is good news.
type Tone string

// The tones. An outcome that is neither good nor bad, and waits for nobody, has none.
const (
	Plain Tone = ""
	Good  Tone = "good"
	Bad   Tone = "bad"
	Waits Tone = "waits"
)

// Outcome is what an answer says in words: "declined: insufficient funds".
type Outcome struct {
	// Words are the sentence, without a full stop; empty where nothing is known of it.
	Words redact.Safe `json:"words,omitzero"`
	Tone  Tone        `json:"tone,omitempty"`
	// Codes are those that the words stand for: "6/116" is orderStatus and actionCode. Empty: none.
	Codes redact.Safe `json:"codes,omitzero"`
	// Fields are the codes with their names: "orderStatus=6 actionCode=116".
	Fields redact.Safe `json:"fields,omitzero"`
}

// Amount is a sum of money.
type Amount struct {
	Text     redact.Safe `json:"text,omitzero"`      // "125.00 EUR"
	Minor    int64       `json:"minor"`              // 12500: in the smallest unit of the currency
	Currency string      `json:"currency,omitempty"` // "EUR"; empty if nobody knows
}

// Who is what an exchange is about, as people call it.
type Who struct {
	// Kind is the kind of thing: "order", "card", "transfer". Empty: it is about nothing that is
	// known.
	Kind  string      `json:"kind,omitempty"`
	Label redact.Safe `json:"label,omitzero"` // the number that the shop gave, else the short id
	ID    redact.Safe `json:"id,omitzero"`    // the id that the sandbox gave, whole
	Card  redact.Safe `json:"card,omitzero"`  // a mask: "400000******1118"; never more
}

// Fired is a rule of the run that has fired for an exchange.
type Fired struct {
	Name  string `json:"name"`
	Count string `json:"count,omitempty"` // "1/2": the first of two times; empty where it is not counted
}

// Row is a line of the list: an exchange, an attempt of a callback, or something that the operator
// should know.
type Row struct {
	// ID is the number of the event; a page calls the exchange #52, and so does "paytape why 52".
	ID   uint64    `json:"id"`
	At   time.Time `json:"at"` // the request came
	Sign Sign      `json:"sign"`
	// Kind is the kind of the event, in a word of package proxy.
	Kind string `json:"kind"`
	// Group is the flow that the row belongs to; see Group.ID. Empty: none.
	Group     string      `json:"group,omitempty"`
	Session   string      `json:"session,omitempty"`
	Profile   string      `json:"profile,omitempty"`
	Operation string      `json:"operation,omitempty"` // as the profile has it; of a callback what it tells
	Short     string      `json:"short,omitempty"`     // the operation in a word for narrow lists: "status"
	Method    string      `json:"method,omitempty"`    // one of the methods of HTTP, or "other"
	Target    redact.Safe `json:"target,omitzero"`     // the path of a call that no profile knows
	Who       Who         `json:"who,omitzero"`
	Code      int         `json:"code,omitempty"` // the status; 0: no answer was sent
	Outcome   Outcome     `json:"outcome,omitzero"`
	Amount    *Amount     `json:"amount,omitempty"`
	// Cassette and Number are the recording: that from which it was served, or that which it made.
	Cassette string `json:"cassette,omitempty"`
	Number   int    `json:"number,omitempty"`
	// Served says where the answer came from: "tape", "rule", "upstream", "deck" (an answer of its
	// own) or "nothing".
	Served string `json:"served,omitempty"`
	// State tells what was done to what the exchange is about before.
	State string `json:"state,omitempty"`
	// Mark is what the answer stands on beside the tape, one of match.Marks; MarkWords say it.
	Mark      string  `json:"mark,omitempty"`
	MarkWords string  `json:"markWords,omitempty"`
	Rules     []Fired `json:"rules,omitempty"`
	// Reason is why a request was missed. Fields are those that differ. Nearest is the recording that
	// came closest: "checkout#4". Sentence and Hint tell more about a miss, a failure or a note.
	Reason   string        `json:"reason,omitempty"`
	Fields   []redact.Safe `json:"fields,omitempty"`
	Nearest  string        `json:"nearest,omitempty"`
	Sentence redact.Safe   `json:"sentence,omitzero"`
	Hint     redact.Safe   `json:"hint,omitzero"`
	// Mend is a row of a rules file, or a profile, that would mend a miss, on one line of YAML.
	Mend    redact.Safe `json:"mend,omitzero"`
	Problem string      `json:"problem,omitempty"`
	// Cause is what kind of fault of an upstream it was, Withheld why the exchange is on tape without a
	// body, Checksum what became of the check of a relayed callback, and Where the file and line of a
	// defect: see proxy.Event. Each is mostly empty.
	Cause    string        `json:"cause,omitempty"`
	Withheld string        `json:"withheld,omitempty"`
	Checksum string        `json:"checksum,omitempty"`
	Where    string        `json:"where,omitempty"`
	Took     time.Duration `json:"took"` // in nanoseconds
	// Miss counts the misses of the run: 1 for the first. "why/m3" leads to the third; 0 for no miss.
	Miss uint64 `json:"miss,omitempty"`
	// Callback is the number of the callback, Attempt that of the attempt, Attempts how many there are
	// at most (0: nobody knows). CallbackOutcome is one of proxy.Outcomes.
	Callback        int    `json:"callback,omitempty"`
	Attempt         int    `json:"attempt,omitempty"`
	Attempts        int    `json:"attempts,omitempty"`
	CallbackOutcome string `json:"callbackOutcome,omitempty"`
	// From and To are who speaks to whom, for a diagram: see Actor.
	From Actor `json:"from,omitempty"`
	To   Actor `json:"to,omitempty"`
	// Read says that the exchange was looked at. Where traffic was faster than whoever looks, a row
	// has what its event tells, and no outcome, amount or names.
	Read bool `json:"read"`
}

// Actor is who takes part in a flow.
type Actor string

// The actors.
const (
	ActorClient  Actor = "client"  // the shop's server
	ActorDeck    Actor = "deck"    // paytape
	ActorTape    Actor = "tape"    // what it answers from
	ActorSandbox Actor = "sandbox" // the upstream
	ActorBrowser Actor = "browser" // the customer's
	ActorACS     Actor = "acs"     // the issuer's pages
	ActorShop    Actor = "shop"    // where callbacks go
)

// Group is a flow: the exchanges about an order or a card.
type Group struct {
	// ID names the flow in addresses: "g12". It is the same for as long as one of its rows is held.
	ID      string        `json:"id"`
	Who     Who           `json:"who,omitzero"`
	Session string        `json:"session,omitempty"`
	Profile string        `json:"profile,omitempty"`
	At      time.Time     `json:"at"`   // its first row
	Took    time.Duration `json:"took"` // from its first row to the end of its last, in nanoseconds
	Outcome Outcome       `json:"outcome,omitzero"`
	Amount  *Amount       `json:"amount,omitempty"`
	Rows    int           `json:"rows"`
	Hits    int           `json:"hits"`  // from tape
	Asked   int           `json:"asked"` // answered by a sandbox
	Misses  int           `json:"misses"`
	Marked  int           `json:"marked"`
	Ruled   int           `json:"ruled"`
	Failed  int           `json:"failed"`
	// Steps are the signs of its rows, the oldest first, MaxSteps at most.
	Steps []Sign `json:"steps"`
}

// MaxSteps bounds the signs of a group.
const MaxSteps = 24

// Line is a line of a grouped list: a group, or a row below it.
type Line struct {
	// Index is its place in the whole list, from 0; Level is 1 for a group and 2 for a row.
	Index int    `json:"index"`
	Level int    `json:"level"`
	Group *Group `json:"group,omitempty"`
	Row   *Row   `json:"row,omitempty"`
	// Folded says that the rows of a group are not in the list.
	Folded bool `json:"folded,omitempty"`
}

// Window is a part of a list.
type Window struct {
	Total int    `json:"total"` // lines of the whole list
	At    int    `json:"at"`    // index of the first line here
	Lines []Line `json:"lines"`
	// Last is the ID of the newest event that the list knows. Lost counts exchanges that traffic has
	// carried away before anybody looked.
	Last   uint64 `json:"last"`
	Lost   uint64 `json:"lost,omitempty"`
	Counts Counts `json:"counts"`
	// New counts flows, or rows, that wait because the list is frozen. Pending counts rows of which it
	// is not known yet whether the filter wants them: it looks into exchanges.
	New     int `json:"new,omitempty"`
	Pending int `json:"pending,omitempty"`
}

// Counts count rows by their signs, under a filter.
type Counts struct {
	All       int `json:"all"` // exchanges, not callbacks
	Groups    int `json:"groups"`
	Declined  int `json:"declined"`
	Misses    int `json:"misses"`
	Marked    int `json:"marked"`
	Ruled     int `json:"ruled"`
	Failed    int `json:"failed"`
	Callbacks int `json:"callbacks"`
	Refused   int `json:"refused"` // callbacks that the shop has refused, or never answered
}
