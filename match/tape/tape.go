package tape

import (
	"cmp"
	"iter"
	"slices"

	"github.com/paytape/paytape/internal/digests"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
)

// Cassette is a named recording: what Compile takes. The exchanges are clean and are not
// changed.
type Cassette struct {
	Name      string
	Exchanges []*leaf.Exchange
	// Read takes the place of Exchanges where it is set. It yields the exchanges by number, and
	// yields them again whenever it is called, so that a large recording need not be held in
	// memory.
	Read iter.Seq[*leaf.Exchange]
	// Profiles are editions of profiles that the cassette tells beside those that its exchanges tell.
	Profiles []string
}

// All yields the exchanges in the order in which their requests began.
func (c Cassette) All() iter.Seq[*leaf.Exchange] {
	if c.Read != nil {
		return c.Read
	}
	ordered := slices.Clone(c.Exchanges)
	slices.SortStableFunc(ordered, func(a, b *leaf.Exchange) int {
		return cmp.Compare(a.Meta.Number, b.Meta.Number)
	})
	return slices.Values(ordered)
}

// Options say how cassettes are compiled.
type Options struct {
	Profiles *profile.Set
	// Failures has failures of the sandbox compiled like its answers.
	Failures bool
	// KeepDates leaves the dates of APIs that no profile knows as they are on tape.
	KeepDates bool
}

// Tape is one or more cassettes, compiled. It does not change afterwards and is safe for
// concurrent use.
type Tape struct {
	Recordings []*Recording
	Entities   []*Entity
	KeyReuses  []KeyReuse // in the order of the tape

	hosts    hosts
	routes   map[string]*route
	called   map[*profile.Operation]string // the names of operations that profiles have
	places   map[position]*Place
	fields   map[position]bool     // by which requests name entities
	tied     []*Source             // what parameters of requests are tied to
	scopes   []configKey           // that were there from the start
	config   digests.Map[struct{}] // they, and what else was there from the start
	slots    map[string]int        // how many slots of a name holes are filled from
	events   int                   // how many events of one entity answers tell
	says     map[configKey]bool    // values of nouns that are no entities, such as logins
	issued   map[string]bool       // kinds of scopes of which answers have brought names
	series   map[string]*Series
	steps    map[string]bool          // kinds of entities to which ways lead over others
	expiries map[string]request.Class // what the expiries of the tape were when it was made
	failures int
	orphans  []Recorded // callbacks without a cause
	profiles []string   // with which it was recorded, as exchanges tell

	cells   map[*Recording][]cell    // of answers, until their classes are known
	headers map[string]*answerHeader // those without variables, while compiling
	words   *words                   // while compiling
	slabs   *slabs                   // while compiling
	starts  map[start]*Ref           // the ways without steps, while compiling
	lists   inferredLists            // while compiling
	nothing []nothingSent            // while compiling
}

// position is a parameter of an operation.
type position struct{ op, path string }

// Place is what the tape knows of a parameter of an operation, in all recordings.
type Place struct {
	// Named says that some recording has the name of an entity there. Renderings are the ways in
	// which the name is written there, apart from the name as it is.
	Named      bool
	Renderings []Rendering
	// Free says that anything will do there, Chosen that the client makes up a name, Card that it
	// is the number of a card.
	Free, Chosen, Card bool
	// Optional says that a request with nothing there is answered as others are; see Apart.
	Optional bool
	// Embeds says that some recording has there, inside a longer text, a name which the same request
	// gives to what it bears: "Order SO-77120".
	Embeds bool
	// Ties are the values of what is named beside it that are sent back there.
	Ties []Tie
	// Strangers are the tokens there that no answer has brought.
	Strangers []Stranger
}

type configKey struct{ kind, text string }

// Compile makes a tape of cassettes. Exchanges that are not whole (failed, cut, withheld) are left
// out, but for writes whose answer nobody read.
func Compile(o Options, cassettes ...Cassette) *Tape {
	t := compileOpen(o, cassettes)
	t.close()
	t.cells, t.headers, t.words, t.slabs, t.starts, t.lists = nil, nil, nil, nil, nil, inferredLists{}
	t.nothing = nil
	return t
}

// compileOpen makes a tape whose templates are open, and whose entities have their notes.
func compileOpen(o Options, cassettes []Cassette) *Tape {
	t := &Tape{
		hosts: newHosts(), routes: map[string]*route{}, called: map[*profile.Operation]string{},
		places: map[position]*Place{}, fields: map[position]bool{},
		slots: map[string]int{}, says: map[configKey]bool{}, series: map[string]*Series{},
		issued: map[string]bool{}, headers: map[string]*answerHeader{}, slabs: &slabs{}, starts: map[start]*Ref{},
		expiries: map[string]request.Class{}, steps: map[string]bool{}, cells: map[*Recording][]cell{},
		lists: inferredLists{shown: map[string]shownList{}},
	}
	t.words = newWords(t.slabs)
	for _, c := range cassettes {
		t.profiles = append(t.profiles, c.Profiles...)
		newCompiler(t, o, c.Name).run(c.All())
	}
	t.lists.settle(t.slabs)
	t.findConfigured()
	finish(t.series)
	t.classify()
	t.settleOptional()
	for _, p := range t.places {
		p.settleStrangers()
	}
	return t
}

// Failures returns how many failures of the sandbox were recorded that could be replayed,
// whether this tape replays them or not.
func (t *Tape) Failures() int { return t.failures }
