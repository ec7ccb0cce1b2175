package match

import (
	"io"
	"iter"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/paytape/paytape/internal/codec"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// What other packages compile and send is what package tape and package request read.
type (
	// Cassette is a named recording.
	Cassette = tape.Cassette
	// Recorded names a recorded exchange.
	Recorded = tape.Recorded
	// Request is a live request in canonical form.
	Request = request.Request
	// Incoming is a request that a client has sent, as it came.
	Incoming = request.Incoming
	// Choice asks for another branch of the tape than the one that a request leads to.
	Choice = request.Choice
	// Param is a parameter of a request.
	Param = request.Param
	// Host is a host beside the APIs on a tape.
	Host = request.Host
)

// MaxParams is how many parameters a live request may have.
const MaxParams = request.MaxParams

// NewRequest reads a request into canonical form. body has no content coding any more.
func NewRequest(set *profile.Set, method, target string, h http.Header, body string) *Request {
	return request.New(set, method, target, h, body)
}

// NewLiveRequest is NewRequest for a request that is not on tape; it returns false for one that
// has more than MaxParams parameters.
func NewLiveRequest(set *profile.Set, in Incoming) (*Request, bool) { return request.NewLive(set, in) }

func pathOf(r *Request) string { return request.PathOf(r.Target) }

// Options say how a tape is compiled and played.
type Options struct {
	Profiles *profile.Set
	// Now is the clock of replay; nil means time.Now.
	Now func() time.Time
	// Seed makes fresh values repeatable; 0 takes a random one.
	Seed uint64
	// RecordedIDs leaves the ids that the sandbox made as they are on tape.
	RecordedIDs bool
	// Failures has failures of the sandbox replayed like its answers.
	Failures bool
	// KeepDates leaves the dates of APIs that no profile knows as they are on tape.
	KeepDates bool
	// RefuseMarked turns answers with a mark into misses.
	RefuseMarked bool
	// Credentials say which logins are good. Nil: all are taken for good.
	Credentials Credentials
	// Says tells what an answer on tape calls the state of what it shows: "paid 125.00 EUR"; "" if it
	// does not tell. Nil: states are told by what was done.
	Says func(*leaf.Exchange) string
}

// Tape is one or more cassettes compiled for replay. It does not change afterwards and is
// safe for concurrent use.
type Tape struct {
	opts    Options
	machine *machine.Machine
	words   requestWords
	states  func() *States // makes them at the first call
	likes   likenesses
	layouts layouts       // of live requests
	paths   func() *paths // makes them at the first call
	served  func() int    // counts the exchanges at the first call

	addresses []string // of the sandboxes on it
	missRows  missRows
}

// Compile makes a tape of cassettes. Each keeps its own values: two that were recorded apart have
// nothing in common but the machine that they make together.
func Compile(o Options, cassettes ...Cassette) *Tape {
	t := tape.Compile(tape.Options{
		Profiles: o.Profiles, Failures: o.Failures, KeepDates: o.KeepDates,
	}, cassettes...)
	return newTape(o, t)
}

func newTape(o Options, t *tape.Tape) *Tape {
	made := &Tape{opts: o, machine: machine.Build(t), addresses: t.Addresses()}
	made.states = sync.OnceValue(made.makeStates)
	made.paths = sync.OnceValue(made.makePaths)
	made.served = sync.OnceValue(made.countServed)
	return made
}

// Read makes the tape that Write has written under the same key. The options of it that say how a tape
// is compiled (Profiles, Failures, KeepDates) must be the same too: the key has to tell. Any other file
// is codec.ErrDamaged.
func Read(o Options, in io.ReaderAt, size int64, key codec.Key) (*Tape, error) {
	t, err := tape.Read(in, size, key, o.Profiles)
	if err != nil {
		return nil, err
	}
	return newTape(o, t), nil
}

// Write writes what Compile has made of the cassettes, for Read. What a key must tell, package tape
// says.
func (t *Tape) Write(out io.Writer, key codec.Key) error {
	return t.machine.Tape.Write(out, key, t.opts.Profiles)
}

// refused reports whether an answer with a mark is a miss.
func (t *Tape) refused(mark string) bool { return mark != "" && t.opts.RefuseMarked }

// Recorded yields the names of all exchanges that can be replayed, in the order of the cassettes and in
// that of each, with the class of recordings that serve alike: one of a class is used if any of the class
// is. Classes are numbers from 1, and no greater than the number of recordings.
func (t *Tape) Recorded() iter.Seq2[Recorded, uint64] {
	return func(yield func(Recorded, uint64) bool) {
		for _, r := range t.machine.All {
			if !r.Lost && !yield(r.Reference(), r.Use()) {
				return
			}
		}
	}
}

// Exchanges returns how many exchanges can be replayed.
func (t *Tape) Exchanges() int { return t.served() }

func (t *Tape) countServed() int {
	n := 0
	for range t.Recorded() {
		n++
	}
	return n
}

// Failures returns how many failures of the sandbox were recorded that could be replayed,
// whether this tape replays them or not.
func (t *Tape) Failures() int { return t.machine.Tape.Failures() }

// CallbackSummary says what callbacks a tape has.
type CallbackSummary struct {
	Events int // with all their attempts
	// Signed counts those that were signed, by the profile that knows how; "" where none does.
	Signed map[string]int
	// Apart are those that name nothing known, or that no call can have caused: they are never sent.
	Apart []Recorded
}

// Callbacks says what callbacks the tape has.
func (t *Tape) Callbacks() CallbackSummary {
	s := CallbackSummary{Signed: map[string]int{}, Apart: slices.Clone(t.machine.Tape.Orphans())}
	for _, r := range t.machine.All {
		for _, cb := range r.Recording.Callbacks {
			s.Events++
			if !cb.Signed {
				continue
			}
			name := ""
			if cb.Profile != nil {
				name = cb.Profile.Name
			}
			s.Signed[name]++
		}
	}
	return s
}

// Hosts returns the hosts with a name on a tape.
func (t *Tape) Hosts() []Host { return t.machine.Tape.Hosts() }

// Aliases returns the names that stood for the sandboxes of the APIs while they were recorded.
func (t *Tape) Aliases() []string { return t.machine.Tape.Aliases() }

// Addresses returns the base addresses of the sandboxes on the tape, sorted.
func (t *Tape) Addresses() []string { return slices.Sorted(slices.Values(t.machine.Tape.Addresses())) }

// Began returns when the first exchange of some cassettes was answered; the zero time if no
// exchange tells.
func Began(cassettes ...Cassette) time.Time {
	var first time.Time
	for _, c := range cassettes {
		for x := range c.All() {
			at := tape.AnsweredAt(x)
			if !at.IsZero() && (first.IsZero() || at.Before(first)) {
				first = at
			}
		}
	}
	return first
}
