package redact

import (
	"iter"
	"runtime"
	"strings"
	"sync"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
	"github.com/paytape/paytape/redact/surrogate"
)

// Options say what a Redactor knows and how it errs.
type Options struct {
	// Profiles tell which fields are secret. Nil: only keys that are unmistakable,
	// credential headers and shapes are known.
	Profiles *profile.Set
	// Prefixes are those of the sandbox's own card numbers. A number of 13 to 19 digits
	// that begins with such a prefix is a card whatever its Luhn sum.
	Prefixes []string
	// KeepPII leaves personal data as it is. Card data and credentials cannot be kept.
	KeepPII bool
	// Report receives a sentence for each value that the gate had to withhold. It is
	// called by whoever cleans, possibly from many goroutines. Nil: none.
	Report func(Safe)
}

// Redactor cleans what belongs to one tape. It is safe for concurrent use. Make one with
// New. It holds live secrets, and prints as a marker whatever prints it.
type Redactor struct {
	leaf.Unprinted
	s *state
}

// state is what a Redactor knows.
type state struct {
	leaf.Unprinted
	Options
	tape *tape
	// decoders are those that nobody uses at the moment: they are large, and without the pool
	// BenchmarkHostile/streams takes 60 percent longer.
	decoders  sync.Pool
	rooms     sync.Pool // of *room
	counts    ruleCounts
	judges    [verified + 1]scan.Judge
	runs      *scan.Memo // which runs may hold something under an encoding: see scan.Look
	quiet     *scan.Memo // which texts are quiet: see isQuiet
	knowledge knowledgeCache
}

// New returns a Redactor for a tape that is empty.
func New(o Options) *Redactor {
	if o.Profiles == nil {
		o.Profiles = &profile.Set{}
	}
	s := &state{Options: o, tape: newTape(), runs: scan.NewMemo(), quiet: scan.NewMemo()}
	for t := range s.judges {
		s.judges[t] = s.newJudge(trust(t))
	}
	return &Redactor{s: s}
}

// Resume lets the numbering go on after what is on a tape, which it goes through twice: a tape
// may be larger than what should be held in memory.
func (r *Redactor) Resume(tape iter.Seq[Clean]) {
	inParallel(tape, r.Note)
	inParallel(tape, func(x *leaf.Exchange) { r.reclean(x) })
}

// inParallel calls a function with the exchanges of a tape, with as many at once as there are
// processors: whoever starts to record waits for it, and what is on the tape may be learned in any
// order.
func inParallel(tape iter.Seq[Clean], f func(*leaf.Exchange)) {
	todo := make(chan *leaf.Exchange)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for x := range todo {
				f(x)
			}
		})
	}
	for c := range tape {
		if c.x != nil {
			todo <- c.x
		}
	}
	close(todo)
	wg.Wait()
}

// Text cleans text that belongs to no field: errors, log values, the output of a program.
// It goes by shape, by taint and by keywords such as "password=".
func (r *Redactor) Text(s string) Safe {
	c := cleaning{state: r.s}
	return Safe{c.text(scan.Printable(s))}
}

// Field cleans one value of a known field.
func (r *Redactor) Field(f profile.Field, value string) Safe {
	c := cleaning{state: r.s}
	value = scan.Printable(value)
	if c.secret(f.Secret) {
		got := c.replace(f.Secret, fieldValue{text: value})
		return Safe{got.Text}
	}
	return Safe{c.text(value)}
}

// prefixOf returns the prefix of the sandbox's own cards that digits begin with, the longest of
// several; "" if there is none.
func (s *state) prefixOf(digits string) string {
	if len(digits) < pan.MinLength || len(digits) > pan.MaxLength || pan.IsTemplate(digits) {
		return ""
	}
	longest := ""
	for _, p := range s.Prefixes {
		if len(p) > len(longest) && strings.HasPrefix(digits, p) {
			longest = p
		}
	}
	return longest
}

// trust says what a text may contain.
type trust uint8

const (
	live     trust = iota // captured: every number is live
	ours                  // read from a file: surrogates and fakes recognise themselves
	verified              // at the gate: only what was given out is a surrogate
)

// judge returns the judge of numbers in text of some trust. The tape's lock must be held
// while it is used.
func (s *state) judge(t trust) scan.Judge {
	j := s.judges[t]
	if len(s.tape.cards) == 0 && len(s.tape.issued) == 0 {
		j.Exact = nil
	}
	return j
}

// newJudge makes the judge of text of some trust.
func (s *state) newJudge(t trust) scan.Judge {
	return scan.Judge{
		Exact: func(digits []byte) scan.Verdict { return s.tape.exact(digits, t == live) },
		Shape: func(digits string) scan.Verdict {
			listed := s.prefixOf(digits) != ""
			if t == ours && surrogate.IsCardNumber(digits) && (listed || pan.Issued(digits)) {
				return scan.Surrogate
			}
			if listed || pan.IsCard(digits) {
				return scan.Card
			}
			return scan.Nothing
		},
	}
}
