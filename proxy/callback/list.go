package callback

import (
	"cmp"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
)

// Counts say what a Sender has come to so far. Events counts callbacks, and Sent attempts.
type Counts struct {
	Events   int `json:"events"`
	Pending  int `json:"pending"` // not over, and not held
	Held     int `json:"held"`
	Sent     int `json:"sent"`
	Accepted int `json:"accepted"`
	Refused  int `json:"refused"`
	GivenUp  int `json:"givenUp"`
	Dropped  int `json:"dropped"`
	// Undelivered are those of which no shop has heard and should have: given up, though the shop on
	// tape has answered, and dropped for another reason than a reset or because they were switched off.
	Undelivered int `json:"undelivered"`
	// Differing are those that the shop takes here and did not take on tape, and the other way round.
	Differing int `json:"differing"`
}

// LogValue gives a log the counts by the names that they have in JSON.
func (c Counts) LogValue() slog.Value {
	return slog.GroupValue(
		slog.Int("events", c.Events), slog.Int("pending", c.Pending), slog.Int("held", c.Held),
		slog.Int("sent", c.Sent), slog.Int("accepted", c.Accepted), slog.Int("refused", c.Refused),
		slog.Int("givenUp", c.GivenUp), slog.Int("dropped", c.Dropped),
		slog.Int("undelivered", c.Undelivered), slog.Int("differing", c.Differing),
	)
}

// end counts an event that has come to its end.
func (c *Counts) end(e *event) {
	switch e.state {
	case Accepted:
		c.Accepted++
	case Refused:
		c.Refused++
	case GivenUp:
		c.GivenUp++
	case Dropped:
		c.Dropped++
	}
	if e.undelivered() {
		c.Undelivered++
	}
	if e.differs() {
		c.Differing++
	}
}

// Add adds what another Sender has come to.
func (c *Counts) Add(o Counts) {
	c.Events += o.Events
	c.Pending += o.Pending
	c.Held += o.Held
	c.Sent += o.Sent
	c.Accepted += o.Accepted
	c.Refused += o.Refused
	c.GivenUp += o.GivenUp
	c.Dropped += o.Dropped
	c.Undelivered += o.Undelivered
	c.Differing += o.Differing
}

// Entry is what people see of a callback. It has been cleaned.
type Entry struct {
	Number    int       `json:"number"` // among those of the deck, from 1
	At        time.Time `json:"at"`     // the answer that brings it was delivered
	Session   string    `json:"session,omitempty"`
	Flow      int       `json:"flow,omitempty"`
	Cassette  string    `json:"cassette"`
	OnTape    int       `json:"onTape"` // the number of its exchange
	Profile   string    `json:"profile,omitempty"`
	Operation string    `json:"operation,omitempty"`
	// Names are the fields that say what it is about, such as mdOrder and orderNumber.
	Names []Named     `json:"names,omitempty"`
	To    redact.Safe `json:"to,omitzero"` // scheme, host and port
	State State       `json:"state"`
	// Problem says why it was dropped, in a word of package proxy.
	Problem  string  `json:"problem,omitempty"`
	Attempts []Tried `json:"attempts,omitempty"`
	// Answer is the beginning of what the shop has said last.
	Answer redact.Safe `json:"answer,omitzero"`
	// Expected is how the shop answered the last attempt on tape; 0 if it gave no answer, or if the
	// tape does not tell.
	Expected int  `json:"expected,omitempty"`
	Differs  bool `json:"differs,omitempty"` // the shop has done otherwise than on tape
	Again    bool `json:"again,omitempty"`   // somebody has asked for it to be sent once more
	Copy     bool `json:"copy,omitempty"`    // a rule has it sent once more
	// Rules tells which rules fired for its attempts: "told-late(1/2)". Empty: none did.
	Rules string `json:"rules,omitempty"`
}

// Named is a field and its value.
type Named struct {
	Name  string      `json:"name"`
	Value redact.Safe `json:"value"`
}

// Tried is an attempt.
type Tried struct {
	At      time.Time     `json:"at"`
	Code    int           `json:"code,omitempty"` // 0: there was no answer
	Took    time.Duration `json:"took"`           // in nanoseconds
	Problem string        `json:"problem,omitempty"`
	Cause   string        `json:"cause,omitempty"`
}

// List is what people see of a Sender: the latest callbacks, the oldest first.
type List struct {
	Counts    Counts  `json:"counts"`
	Callbacks []Entry `json:"callbacks"`
}

// Counts returns what the Sender has come to so far.
func (s *Sender) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.countsLocked()
}

func (s *Sender) countsLocked() Counts {
	c := s.counts
	c.Held = len(s.held)
	c.Pending = len(s.open) - c.Held
	return c
}

// List returns what there is to see.
func (s *Sender) List() List {
	s.mu.Lock()
	list := List{Counts: s.countsLocked(), Callbacks: []Entry{}}
	shown := make([]event, 0, len(s.shown))
	for _, e := range s.shown {
		shown = append(shown, e.copyLocked())
	}
	s.mu.Unlock()
	for i := range shown {
		list.Callbacks = append(list.Callbacks, s.entry(&shown[i]))
	}
	return list
}

// Entry returns what there is to see of one callback; false if it is no longer shown.
func (s *Sender) Entry(number int) (Entry, bool) {
	s.mu.Lock()
	at := slices.IndexFunc(s.shown, func(e *event) bool { return e.number == number })
	if at < 0 {
		s.mu.Unlock()
		return Entry{}, false
	}
	e := s.shown[at].copyLocked()
	s.mu.Unlock()
	return s.entry(&e), true
}

// copyLocked returns an event that does not change.
func (e *event) copyLocked() event {
	c := *e
	c.attempts = slices.Clone(e.attempts)
	return c
}

const (
	maxKept  = 4 << 10 // bytes of an answer that are kept
	maxTold  = 200     // bytes of an answer that people see
	maxNames = 10      // fields that they see
)

// entry cleans an event.
func (s *Sender) entry(e *event) Entry {
	r := s.options.Redactor
	v := Entry{
		Number: e.number, At: e.at, Session: r.Text(e.Session).String(), Flow: e.Flow,
		Cassette: e.Cassette, OnTape: e.Number, Operation: e.Operation, State: e.state, Problem: e.problem,
		To:      r.Text(originOf(cmp.Or(e.Address, s.options.To))),
		Answer:  r.Text(e.answer).Clip(maxTold),
		Differs: e.differs(), Again: e.again, Copy: e.copied, Rules: strings.Join(e.explained, ", "),
	}
	if e.Profile != nil {
		v.Profile = e.Profile.Name
	}
	v.Expected, _ = e.onTape()
	for _, a := range e.attempts {
		v.Attempts = append(v.Attempts, Tried{a.at, a.code, a.took, a.problem, a.cause})
	}
	for _, n := range s.names(e) {
		if len(v.Names) < maxNames {
			v.Names = append(v.Names, Named{n.key, r.Field(n.field, n.value)})
		}
	}
	return v
}

// name is a field of a callback that says what it is about.
type name struct {
	field      profile.Field
	key, value string
}

// names returns the fields that name something of the client's or of the sandbox's making. Of an
// API that nobody has described these are all fields.
func (s *Sender) names(e *event) []name {
	m := leaf.Read(leaf.Message{
		Target: "/?" + e.Query, Header: e.Header, Headless: true, Body: e.Body,
	})
	call := profile.Call{}
	if e.Profile != nil {
		call = s.options.Profiles.FindCallback(e.Profile.Name)
	}
	var all []name
	for i := range m.Leaves {
		l := &m.Leaves[i]
		f, _ := s.options.Profiles.Field(call, profile.Request, profile.At{Key: l.Key, Shape: l.Shape})
		names := f.Of != "" && (f.From == profile.Minted || f.From == profile.Unique)
		if l.Value != "" && (names || call.Operation == nil) {
			all = append(all, name{f, l.Key, l.Value})
		}
	}
	return all
}
