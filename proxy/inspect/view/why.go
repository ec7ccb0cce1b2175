package view

import "github.com/paytape/paytape/redact"

// Verdict is what a check came to.
type Verdict string

// The verdicts.
const (
	Yes      Verdict = "yes"
	No       Verdict = "no"
	NotTried Verdict = "-"
)

// Why explains an answer, or a miss: which checks were made, and what decided.
type Why struct {
	Row Row `json:"row"`
	// Title is a line: "miss: field amount". Sentence tells what happened, in one or two sentences
	// with their full stops.
	Title    redact.Safe `json:"title"`
	Sentence redact.Safe `json:"sentence"`
	// Rungs are the checks in their order: operation, what it is about, state, fields, likeness, rules.
	// A miss stops at the first no.
	Rungs []Rung `json:"rungs"`
	// Compared is the request as it was compared.
	Compared []Compared `json:"compared"`
	// Candidates are the recordings that came nearest; of a hit the first is the one that was served.
	Candidates []Candidate `json:"candidates"`
	// Mends are what would mend a miss or a mark, in the order of effort. A hit has none.
	Mends  []Mend `json:"mends"`
	Before string `json:"before,omitempty"` // the state before, and after
	After  string `json:"after,omitempty"`
	// Same counts the misses of the run with the same reason and operation.
	Same int `json:"same,omitempty"`
	// Gone says that what the explanation needs is held no longer.
	Gone bool `json:"gone,omitempty"`
}

// Rung is a check.
type Rung struct {
	Name    string      `json:"name"` // "operation", "order", "state", "fields", "likeness", "rules"
	Verdict Verdict     `json:"verdict"`
	Text    redact.Safe `json:"text"`
}

// Compared is a parameter of a request as replay looks at it.
type Compared struct {
	Place string      `json:"place"`
	Path  string      `json:"path"`
	Sent  redact.Safe `json:"sent,omitzero"`
	Role  string      `json:"role"`          // "must be equal", "names the order", "follows the client" ...
	Row   string      `json:"row,omitempty"` // "exact (gateway.yaml:753)"
	// Differs says that it kept the nearest recording from serving.
	Differs bool `json:"differs,omitempty"`
}

// Candidate is a recording of the same call.
type Candidate struct {
	Exchange string   `json:"exchange"` // "checkout#4"
	State    string   `json:"state"`    // in which it was recorded
	Equal    bool     `json:"equal"`    // in the state that the request was made in
	Differs  []Differ `json:"differs"`
	Answers  string   `json:"answers,omitempty"` // what it would have answered: "200, errorCode 0"
	Served   bool     `json:"served,omitempty"`
}

// Differ is a field in which a request differs from a recorded one.
type Differ struct {
	Path    redact.Safe `json:"path"`
	Problem string      `json:"problem"`
	Tape    redact.Safe `json:"tape,omitzero"`
	Sent    redact.Safe `json:"sent,omitzero"`
}

// Mend is something that would change the answer.
type Mend struct {
	Text redact.Safe `json:"text"`
	Code redact.Safe `json:"code,omitzero"` // a command, or rows for a file; empty for none
	Kind string      `json:"kind"`          // "client", "command", "rules" or "profile"
}
