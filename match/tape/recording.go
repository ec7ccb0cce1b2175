package tape

import (
	"cmp"
	"net/http"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// Recording is one exchange on tape, compiled.
//
// What serving looks at comes first, and lies together in memory: a tape has recordings by the hundred
// thousand, which are in no cache when they are asked for.
type Recording struct {
	*Frame
	header *answerHeader
	body   Template
	*Rest
	Roles  []*Entity     // the entities that the request names, each once, in the order of its labels
	Number int           // in its cassette
	Took   time.Duration // how long the sandbox took
	// Class is equal for congruent answers.
	Class uint64

	// Reads says that the call changes nothing, whatever the answer is. Failed says that the
	// answer tells of a failure. Denied says that the answer refuses the credentials.
	Reads, Failed, Denied bool
	// Lost says that nobody read the answer: what the call did is known by what came after, and
	// the recording is never served.
	Lost bool

	Missing  int32 // how many calls came before it of which nobody knows what they did
	Shown    int32 // how many of Births, from the first, the answer shows
	surveyed int32 // its place among all exchanges of the cassette, from 1
	Place    int   // among all of the tape, from 0
	Target   string

	began, answered int64 // as nanoseconds has them

	Request Params
	Births  []*Entity // that the exchange bears; behind Shown stand the births that only later exchanges show
}

// Rest is of a recording what like requests have alike, and what few recordings have. Recordings that
// have it alike share it once the tape is compiled.
type Rest struct {
	// Attributes are the values of the request that stay with the entities it moves and bears.
	Attributes []Attribute
	// Namings are the parameters by which the client has named the entities that the exchange
	// bears.
	Namings []Naming
	Listing *Listing // nil unless the answer lists entities
	// Callbacks are what the exchange has caused the sandbox to tell the shop, in the order in
	// which that came.
	Callbacks []*Callback
	// Makes are digests of values that the answer to a write shows first and that may be numbers or ids of one
	// thing each. The tape does not tell: no request sends them. They are served as recorded.
	Makes []uint64
	// Repeats are digests of what the answer shows of the values in Makes of earlier recordings.
	Repeats []uint64

	tokens []string // the credentials of the request, as they stand on tape
}

// Frame is what many recordings of a tape have in common, and share.
type Frame struct {
	Cassette  string
	Session   string // of the sandbox: a cassette of two sandboxes, one after the other, has two sessions
	operation string // for people, of one that a profile knows
	Op        string // names the operation in keys
	Method    string
	Status    string // "200 OK" as it was recorded; empty where the tape does not say
	Coding    string
	Charset   string
	Fault     string // see leaf.Meta; empty for an answer that is whole
	Host      string // the name of its host; see leaf.Meta
	Address   string // the base address of its host
	Code      int
	Broken    bool           // the body of the request is XML that is not well-formed
	Infers    bool           // what no row says of the operation is inferred
	call      *profile.Call  // what the profiles recognise of the request
	zone      *time.Location // of the clock by which it is told when a call was made; UTC where none is
}

// Asked is a parameter of a recorded request, and what the tape knows of it.
type Asked struct {
	Argument
	// Names are the names of entities that the text holds, in their order.
	Names []Named
	tie   *Source
}

// Argument is a parameter with its value, whatever entities that names.
type Argument struct {
	*Parameter // recorded arguments share it; one of a live request has one of its own
	// Unborn says that the text would name an entity that is not there.
	Unborn bool
	// Free says that anything will do: a nonce, what cleaning left of a secret.
	Free bool
	// Secret says that cleaning took the value out. The value may have been another in each
	// request.
	Secret bool
	// Tied says that the parameter is what the tape, or this run, has of the entity named beside it; see
	// Tie.
	Tied     bool
	Class    request.Class
	Text     string
	Deciding string // see request.Param.Deciding
}

// Parameter is where arguments of a call stand, and what is known of them there.
type Parameter struct {
	Path  string
	Label string // of a name: where it stands and what kind it names; else Path
	Place leaf.Place
	Kind  leaf.Kind
	Known bool // a profile has a row for it
	Field profile.Field
}

// Named is the name of an entity in a text.
type Named struct {
	From, To int
	Role     int    // which of Recording.Roles
	Noun     string // the name of the slot
	Behind   int    // how many names of the noun the entity has got since
	Rendering
}

// Attribute is a parameter whose value stays with the entities of a write.
type Attribute struct {
	Path string
	Name string // of the slot
}

// Naming is a parameter that names an entity from its birth on.
type Naming struct {
	Path  string
	Noun  string // the name of the slot
	Birth int    // which of Recording.Births
}

// Whole reports whether one name is all of the parameter.
func (a *Asked) Whole() bool {
	return len(a.Names) == 1 && a.Names[0].From == 0 && a.Names[0].To == len(a.Text)
}

// Spelling returns how a card number is written that is not digits alone, with zeros in place of its
// digits: "0000 0000 0000 0000". An API may refuse such a number. It is "" for plain digits, and for any
// other parameter.
func (a *Asked) Spelling() string {
	if a.Field.Secret != profile.PAN || request.IsDigits(a.Text) {
		return ""
	}
	return shapeOf(a.Text)
}

// TiedTo returns what a recorded parameter is tied to: the event that a date tells, or a Value, what the
// client chose when the entity named beside it, or a whole of that, was born. Nil: it is not tied.
func (a *Asked) TiedTo() *Source { return a.tie }

// Scheme returns the scheme of credentials in a header (RFC 9110, 11.1), which is no secret; "" for a
// key alone, and for any other parameter.
func (a *Asked) Scheme() string {
	scheme, _, found := strings.Cut(a.Text, " ")
	if !found || a.Place != leaf.Header || a.Field.Secret != profile.Token {
		return ""
	}
	return strings.ToLower(scheme)
}

// Param returns the parameter of the request that has a path, or nil.
func (r *Recording) Param(path string) *Asked { return r.Request.At(path) }

// Param returns the parameter of a path, or nil.
func Param(asked []Asked, path string) *Asked {
	for i := range asked {
		if asked[i].Path == path {
			return &asked[i]
		}
	}
	return nil
}

// ParamOfKey returns the first parameter whose path ends with a key, or nil.
func ParamOfKey(asked []Asked, key string) *Asked {
	for i := range asked {
		if request.LastName(asked[i].Path) == key {
			return &asked[i]
		}
	}
	return nil
}

// Call returns what the profiles recognise of the request.
func (r *Recording) Call() profile.Call { return *r.call }

// Surveyed returns the place of the recording among all exchanges of its cassette, from 1.
func (r *Recording) Surveyed() int { return int(r.surveyed) }

// Began returns when the request was sent; the zero time if nobody knows.
func (r *Recording) Began() time.Time { return r.time(r.began) }

// Answered returns when the request was answered; the zero time if nobody knows.
func (r *Recording) Answered() time.Time { return r.time(r.answered) }

// time returns a time by the clock of the recording.
func (f *Frame) time(ns int64) time.Time {
	if ns == never {
		return time.Time{}
	}
	return time.Unix(0, ns).In(f.zone)
}

// Writes reports whether the recording moves entities.
func (r *Recording) Writes() bool { return !r.Reads && !r.Failed && !r.Denied }

// Tokens returns the credentials of the request, as they stand on tape.
func (r *Recording) Tokens() []string { return r.tokens }

// Body returns the template of the body.
func (r *Recording) Body() Template { return r.body }

// Header returns the header of the answer, with its holes filled as Template.Append fills them. It may be
// shared and must not be changed.
func (r *Recording) Header(value func(*Hole) string) http.Header { return r.header.write(value) }

// Trailer returns the trailer of the answer, which must not be changed; nil for none.
func (r *Recording) Trailer() http.Header { return r.header.trailer }

// Holes calls f for every hole of the answer, which is good until f returns.
func (r *Recording) Holes(f func(*Hole)) {
	r.body.Holes(f)
	for _, v := range r.header.values {
		v.text.Holes(f)
	}
}

// Did names the call for people, in words that are the same for every call of the operation: of an
// operation that no profile knows it is the pattern of the path, without recorded ids.
func (r *Recording) Did() string {
	if r.call.Operation == nil {
		return r.Op
	}
	return r.Operation()
}

// Operation names the operation for people: that of a profile, or the method and the path.
func (r *Recording) Operation() string {
	if r.operation != "" {
		return r.operation
	}
	return r.Method + " " + r.Target
}

// Reference names the recording as people find it.
func (r *Recording) Reference() Recorded {
	return Recorded{Cassette: r.Cassette, Number: r.Number, Operation: r.Operation()}
}

// Recorded names a recorded exchange.
type Recorded struct {
	Cassette  string
	Number    int
	Operation string
}

// AnsweredAt returns when a recorded exchange was answered: its own note, or the Date
// header of a tape that another program wrote, or the zero time.
func AnsweredAt(x *leaf.Exchange) time.Time {
	if !x.Meta.At.IsZero() {
		return tellable(x.Meta.At.Add(x.Duration))
	}
	date := x.Response.Headers.Get("Date")
	if date == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC1123, date)
	if err != nil {
		return time.Time{}
	}
	return tellable(t)
}

// tellable returns a time, or the zero time in place of one that a Source cannot tell (see Source.At).
func tellable(t time.Time) time.Time {
	if nanoseconds(t) == never {
		return time.Time{}
	}
	return t
}

// Final reports whether a status ends an exchange. Only a tape that was made by hand has a status
// that does not, such as 100.
func Final(code int) bool { return code >= 200 && code < 600 }

// operationName returns the name of an operation that a profile knows; else "".
func operationName(c *profile.Call) string {
	if c.Operation != nil {
		return c.Operation.Name
	}
	return ""
}

// toldAt returns when a recording was answered, or was begun; the zero time for configuration.
func (r *Recording) toldAt() time.Time {
	if r == nil {
		return time.Time{}
	}
	return cmp.Or(r.Answered(), r.Began())
}
