package match

import (
	"cmp"
	"iter"
	"net/http"
	"slices"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Cassette is a named recording: what Compile takes. The exchanges are clean and are not
// changed.
type Cassette struct {
	Name      string
	Exchanges []*leaf.Exchange
	// Read takes the place of Exchanges where it is set: it yields the exchanges by number, and
	// again whenever it is called, so that none of a large recording need be held in memory.
	Read iter.Seq[*leaf.Exchange]
}

// all yields the exchanges in the order in which their requests began.
func (c Cassette) all() iter.Seq[*leaf.Exchange] {
	if c.Read != nil {
		return c.Read
	}
	ordered := slices.Clone(c.Exchanges)
	slices.SortStableFunc(ordered, func(a, b *leaf.Exchange) int {
		return cmp.Compare(a.Meta.Number, b.Meta.Number)
	})
	return slices.Values(ordered)
}

// Options say how a tape is compiled and played.
type Options struct {
	Profiles *profile.Set
	// Now is the clock of replay; nil means time.Now.
	Now func() time.Time
	// Seed makes fresh values repeatable; 0 takes a random one.
	Seed uint64
	// RecordedIDs leaves the ids that the sandbox made as they are on tape. A recorded thread
	// can then be live once at a time: opened again, it takes its ids from the one before.
	RecordedIDs bool
	// SkipWrites lets a write be served before those recorded ahead of it.
	SkipWrites bool
	// Failures has failures of the sandbox replayed like its answers.
	Failures bool
}

// Tape is one or more cassettes compiled for replay. It does not change afterwards and is
// safe for concurrent use.
type Tape struct {
	opts      Options
	exchanges []*exchange
	threads   []*thread
	openers   map[uint64]*openers // entries to threads, by key
	likely    *resembling
	widest    map[string]int           // by operation: the most threads an exchange joins
	wide      map[uint64]bool          // keys of reads that belong to several threads
	variants  map[string][]variant     // by operation
	headers   map[string]*answerHeader // those without variables, while compiling
	compact   *compactor               // while compiling
	failures  int
	hosts     hosts
	named     []Host
	origins   []string     // the base addresses of all hosts, the longest first
	words     requestWords // made when a spy asks
	notes     *notes       // nil but for Describe
}

// exchange is a recorded exchange, compiled.
type exchange struct {
	*frame
	place    int // among all exchanges of the tape, from 0
	number   int
	target   string
	key      uint64
	class    int // of the first of a class: how many it has; see classify
	writes   bool
	opens    bool
	denied   bool      // the answer refuses the credentials
	tokens   []string  // the credentials of the request, as they stand on tape
	began    time.Time // zero if unknown, as below
	answered time.Time

	request []want
	header  *answerHeader
	trailer http.Header
	body    template
	took    time.Duration // how long the sandbox took

	threads []*thread // whose values its request carries, or that it opens
	before  []int     // for each thread: how many of its writes come before this exchange
	// tied are further threads, whose values its answer brings. In replay they count if they
	// are there; a client who did without them gets values of its own.
	tied       []*thread
	tiedBefore []int
	// among are the threads to which a read belongs alike, as it carries no id of one thread's
	// own, and those it shows. Nil for a read of one thread.
	among []standin
	loose bool // it carries no id of one thread's own
	// whole says that the values of the request tell whose the threads among are: all of them
	// must be there, as the client has not made what another has.
	whole bool
}

// frame is what many exchanges of a tape have in common, and share.
type frame struct {
	cassette  string
	operation string // for people
	op        string
	method    string
	status    string // "200 OK" as it was recorded; empty where the tape does not say
	coding    string
	charset   string
	fault     string // see leaf.Meta; empty for an answer that is whole
	host      string // the name of its host; see leaf.Meta
	address   string // the base address of its host
	code      int
	unknown   bool // no profile knows the operation
}

// want is one parameter that a recorded request has. Its value has no encoding: a live
// parameter is compared decoded.
type want struct {
	*wanted
	text  string
	value template
}

// wanted is what the tape knows of a parameter but for its value. Wants share it.
type wanted struct {
	path    string
	field   profile.Field
	place   leaf.Place
	assumed bool // as of a param
}

// param returns the parameter as it was sent.
func (w *want) param() param {
	return param{place: w.place, path: w.path, text: w.text, field: w.field, assumed: w.assumed}
}

// whole returns the hole that is all of the value, or nil.
func (w *want) whole() *hole {
	if len(w.value) == 2 && w.value[0].literal == "" && w.value[1].literal == "" {
		return w.value[0].hole
	}
	return nil
}

// fill makes a hole, if there is one, all of the value.
func (w *want) fill(h *hole) {
	if h != nil {
		w.value = template{{hole: h}, {}}
	}
}

// thread is what one opening request started on tape.
type thread struct {
	index     int
	silent    bool      // it holds the exchanges of an API without values
	tied      *thread   // one it is connected with; nil for the one all are connected with
	members   []*thread // all that are connected with it, itself too; kept in the one alone
	exchanges []*exchange
	writes    []*exchange
	concerns  []uint64                 // keys of all exchanges that it has a part in, sorted
	byKey     []*exchange              // by key, state and class; see arrange
	spreads   map[*exchange]*spreading // of the groups with many classes, by the first
	among     []*exchange              // reads that belong to others too, by key and state
}

// flow returns the thread that stands for all that are connected on tape.
func (t *thread) flow() *thread {
	for t.tied != nil {
		t = t.tied
	}
	return t
}

// tie notes that an exchange belongs to both threads.
func (t *thread) tie(o *thread) {
	a, b := t.flow(), o.flow()
	switch {
	case a.index < b.index:
		b.tied = a
		a.members, b.members = append(a.members, b.members...), nil
	case a.index > b.index:
		a.tied = b
		b.members, a.members = append(b.members, a.members...), nil
	}
}

// Recorded names a recorded exchange.
type Recorded struct {
	Cassette  string
	Number    int
	Operation string
}

// Recorded names all exchanges that can be replayed, in the order of the cassettes and in
// that of each.
func (t *Tape) Recorded() []Recorded {
	all := make([]Recorded, 0, len(t.exchanges))
	for _, e := range t.exchanges {
		all = append(all, Recorded{e.cassette, e.number, e.operation})
	}
	return all
}

// Began returns when the first exchange of some cassettes was answered; the zero time if no
// exchange tells.
func Began(cassettes ...Cassette) time.Time {
	var first time.Time
	for _, c := range cassettes {
		for x := range c.all() {
			at := answeredAt(x)
			if !at.IsZero() && (first.IsZero() || at.Before(first)) {
				first = at
			}
		}
	}
	return first
}

// Exchanges returns how many exchanges can be replayed.
func (t *Tape) Exchanges() int { return len(t.exchanges) }

// Failures returns how many failures of the sandbox were recorded that could be replayed,
// whether this tape replays them or not.
func (t *Tape) Failures() int { return t.failures }

// Addresses returns the base addresses of the sandboxes on the tape, sorted.
func (t *Tape) Addresses() []string {
	return slices.Sorted(slices.Values(t.origins))
}
