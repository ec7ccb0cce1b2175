package tape

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/redact/surrogate"
)

// Base is where the way from an exchange to an entity begins.
type Base uint8

// The bases.
const (
	Role     Base = iota // an entity that the request names
	Birth                // an entity that the exchange bears
	Member               // the entity of an item of a list
	Follower             // the live entity that follows a recorded entity, to which no relation leads
)

// Relation is one step of the way from an entity to another.
type Relation uint8

// The relations.
const (
	ToWhole Relation = iota
	ToScope
	ToPart
	ToLink
)

// Step leads from an entity to the N-th of a kind in a relation.
type Step struct {
	To   Relation
	Kind string
	N    int
}

// Ref says whose value fills a hole. It says so by the way from the exchange to the entity, so
// that it holds for every live entity that stands in the same place.
type Ref struct {
	Base  Base
	N     int // of the role, the birth, the item; the ID of a followed entity
	Steps []Step
}

// appendKey appends what is equal for equal refs.
func (r *Ref) appendKey(b []byte) []byte {
	n := r.N
	if r.Base == Follower {
		n = 0 // who it was is no difference
	}
	b = strconv.AppendInt(append(b, "rbmf"[r.Base]), int64(n), 10)
	for _, s := range r.Steps {
		b = append(append(b, "wspl"[s.To]), s.Kind...)
		b = strconv.AppendInt(append(b, '.'), int64(s.N), 10)
	}
	return b
}

// What says what fills a hole.
type What uint8

// What fills a hole.
const (
	Literal  What = iota // what stands on tape
	Sent                 // a parameter of the request
	Header               // a header of the request
	Value                // a value of an entity
	Event                // the time of something that was done to an entity
	Now                  // the time of the answer
	PerOne               // a value that every answer has anew
	Leads                // an address of the sandbox
	Document             // a document that the value packs
	Count                // how many items a list has
)

// Source says what fills a hole, and what to do where nothing is known yet.
type Source struct {
	*Filling         // holes that are filled alike share it
	Text     string  // as recorded, canonical
	at       int64   // nanoseconds from 1970 to At; never for a time that nobody knows
	owner    *Entity // whose value or event it is
}

// never stands for the zero time, and for one that nanoseconds cannot tell.
const never = math.MinInt64

// nanoseconds returns how long after 1970 a time is.
func nanoseconds(t time.Time) int64 {
	if ns := t.UnixNano(); time.Unix(0, ns).Equal(t) {
		return ns
	}
	return never
}

// At returns when the recorded value was born, by a clock in the zone of the filling; the zero time if
// nobody knows. So is a time before 1678 or after 2262, which no tape was recorded at.
func (s *Source) At() time.Time {
	if s.at == never {
		return time.Time{}
	}
	return time.Unix(0, s.at).In(s.Zone)
}

// Owner returns the recorded entity whose value or event a source is; nil where the value is nobody's.
func (s *Source) Owner() *Entity { return s.owner }

// Filling is what the sources of like values have in common.
type Filling struct {
	What What
	Ref  *Ref
	Slot Slot
	// Param is the path of the parameter, or the name of the header, that is repeated.
	Param string
	// Mint says that the sandbox makes the value: if an entity does not have the value yet, a
	// value like Text is made.
	Mint bool
	// Renewed says that every answer of this write makes another value, because on tape the value
	// was first shown by such an answer.
	Renewed bool
	Secret  profile.Sensitivity
	Form    profile.Form // of a date
	// K is the number of the event among the events of the entity; 0 is its birth.
	K int
	// Cause says of an event that a callback tells that it is what the callback was caused by.
	Cause bool
	// Term says of a date that it was reckoned from the event that it tells: whole months stay whole months.
	Term bool
	// Home says of an address that it leads to the host which gave the answer.
	Home bool
	// Name says that requests find the entity by the value. Noun is the noun of the value; ""
	// where no profile has a noun for it.
	Name bool
	Noun string
	// Series is what the values of the noun have in common; nil where the tape does not tell.
	Series *Series
	// Rival is another value of the entity, or by its path another parameter of the request, that had the same
	// text on tape; the zero slot for none. Which of the two is shown, the tape does not tell.
	Rival Slot
	// Zone is that of At. Zones that tell the same time are one; UTC where nobody knows At.
	Zone *time.Location
}

// source returns a source that shares its filling with like sources.
func (c *compiler) source(f Filling, text string, at time.Time) *Source {
	f.Zone = c.tape.words.zone(at)
	return c.tape.slabs.sources.Put(Source{Filling: c.tape.words.filling(f), Text: text, at: nanoseconds(at)})
}

// now returns the source of the time of the answer at hand, which is the k-th event of an entity.
func (a *answerReader) now(k int) *Source {
	return a.source(Filling{What: Now, K: k}, "", a.rec.Answered())
}

// eventOf returns the source of the time of the k-th event of an entity.
func (a *answerReader) eventOf(e *Entity, k int, at time.Time) *Source {
	s := a.source(Filling{What: Event, Ref: a.ref(e), K: k, Cause: a.causes(e, k)}, "", at)
	s.owner = e
	return s
}

// causes reports whether the k-th event of an entity is what the callback at hand was caused by.
func (a *answerReader) causes(e *Entity, k int) bool {
	return a.callback != nil && k >= 0 && k < len(e.events) && e.events[k] == a.rec
}

// Recorded returns what a fresh value must look like.
func (s *Source) Recorded() fresh.Recorded {
	return fresh.Recorded{
		Text: s.Text, Card: s.Secret == profile.PAN, Token: s.Token(), Born: s.At(),
		Apart: s.Series != nil && s.Series.Apart,
	}
}

// Moved returns the text of a date that is told of an event, when that takes place at a time.
func (s *Source) Moved(at time.Time) string {
	if s.Term {
		return dates.MoveTerm(s.Form, s.Text, s.At(), at)
	}
	return dates.Move(s.Form, s.Text, s.At(), at)
}

// Token reports whether a source is a token that cleaning took out. What replay makes in its place is as
// secret.
func (s *Source) Token() bool { return strings.HasPrefix(s.Text, surrogate.Prefix) }

// Card reports whether a source is the number of a card.
func (s *Source) Card() bool { return s.Secret == profile.PAN }

// OnWire returns the recorded text as a client may have it. The surrogate of a card number that was
// valid becomes valid by the one digit that made it a surrogate, and agrees with every mask as before.
func (s *Source) OnWire() string {
	last := len(s.Text) - pan.KeptLast - 1
	stands, _ := pan.StandsFor(s.Text)
	if !s.Card() || last < pan.KeptFirst || s.Text != pan.Digits(s.Text) || stands != pan.Surrogate {
		return s.Text
	}
	return pan.WithResidue(s.Text, last, pan.Valid)
}
