package cassettes

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"go.yaml.in/yaml/v3"

	"github.com/paytape/paytape/cassettes/har"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/parallel"
	"github.com/paytape/paytape/redact"
)

// Recording is what another program has recorded, in the order of the requests.
type Recording struct {
	exchanges []*leaf.Exchange
	// ours says that it is a cassette or an archive of ours, edited perhaps: its surrogates stay.
	ours bool
	// missing has the calls that a file of ours lacks before an exchange, by its numbers.
	missing map[*leaf.Exchange]int
	// Warnings are sentences for the operator: what of the file was not taken. Nil: all was.
	Warnings []string
}

// ReadRecording reads an HTTP archive, or a cassette of any go-vcr. Errors say where something is
// wrong, and never what stands there.
func ReadRecording(data []byte) (Recording, error) {
	start := bytes.TrimLeft(data, "\ufeff \t\r\n")
	var r Recording
	var err error
	switch {
	case len(start) == 0:
		return r, errors.New("the file is empty")
	case start[0] == '{':
		r, err = recordedHAR(data)
	default:
		r, err = recordedVCR(data)
	}
	if err == nil && len(r.exchanges) == 0 {
		err = errors.New("the file holds no exchange")
	}
	if r.ours {
		r.findMissing()
	}
	return r, err
}

func recordedHAR(data []byte) (Recording, error) {
	items, err := har.Read(data)
	if err != nil {
		return Recording{}, err
	}
	var r Recording
	timeless := 0
	for i, item := range items {
		if item.BadTime {
			if timeless++; timeless <= mostFlaws {
				r.Warnings = append(r.Warnings, fmt.Sprintf("entry %d: its startedDateTime is no time such as "+
					"2026-03-01T10:00:00Z; the exchange has none", i+1))
			}
		}
		if item.Err != nil {
			return Recording{}, fmt.Errorf("entry %d: %w", i+1, item.Err)
		}
		r.exchanges = append(r.exchanges, item.Exchange)
		r.ours = r.ours || item.Ours
	}
	if more := timeless - len(r.Warnings); more > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("%d more entries are like that", more))
	}
	// Archives are sorted by page; a tape is in the order in which requests began.
	sortByTime(r.exchanges)
	return r, nil
}

// recordedVCR reads a cassette of go-vcr.
func recordedVCR(data []byte) (Recording, error) {
	if r, ok := recordedItems(data); ok {
		return r, nil
	}
	return recordedTree(data)
}

// recordedTree reads a cassette of go-vcr as a whole. The words of the YAML library may quote a
// value and are not repeated.
func recordedTree(data []byte) (Recording, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil || len(doc.Content) == 0 {
		what := "the file is no HTTP archive, and not valid YAML"
		if err != nil {
			what = strings.TrimSpace(what + " " + lineNumber.FindString(err.Error()))
		}
		return Recording{}, errors.New(what)
	}
	if Expands(&doc, int64(len(data))) {
		return Recording{}, errAliases
	}
	items, ok := Interactions(&doc)
	if !ok {
		return Recording{}, errors.New("neither an HTTP archive nor a cassette: " +
			"expected log.entries or interactions")
	}
	r := Recording{ours: IsOurs(data)}
	var flaws []Flaw
	for i, item := range items {
		flaws = append(flaws, itemShape.strangers(item)...)
		x, ok := ReadInteraction(item)
		if !ok || !complete(x) {
			return Recording{}, fmt.Errorf("interaction %d, line %d: it is not what a cassette "+
				"has there", i+1, item.Line)
		}
		r.ours = r.ours || x.Meta.Number > 0
		r.exchanges = append(r.exchanges, x)
	}
	r.Warnings = warnings(flaws)
	return r, nil
}

// complete reports whether an exchange has what a request cannot be without, and a status that a tape
// may hold.
func complete(x *leaf.Exchange) bool {
	return x.Request.Method != "" && x.Request.URL != "" && isStatus(x.Code)
}

// recordedItems reads the interactions of a cassette of go-vcr by themselves, on all processors.
// It reports false for a file that does not come apart, or of which something cannot be read:
// that is read as a whole, which knows more, and where something is wrong.
func recordedItems(data []byte) (Recording, bool) {
	items, ok := splitVCR(data)
	if !ok {
		return Recording{}, false
	}
	r := Recording{ours: IsOurs(data), exchanges: make([]*leaf.Exchange, len(items))}
	var failed atomic.Bool
	parallel.Stretches(len(items), atATime, func(from, to int) {
		for i := from; i < to && !failed.Load(); i++ {
			x, ok := readVCR(items[i])
			if !ok || !complete(x) {
				failed.Store(true)
				return
			}
			r.exchanges[i] = x
		}
	})
	if failed.Load() {
		return Recording{}, false
	}
	for _, x := range r.exchanges {
		r.ours = r.ours || x.Meta.Number > 0
	}
	return r, true
}

// ImportCleaner is what an import needs of a redactor; *redact.Redactor is one. It is safe for
// concurrent use.
type ImportCleaner interface {
	Cleaner
	// CleanAll cleans exchanges that have never been cleaned. What any of them teaches is taken out of
	// all of them.
	CleanAll(list []*leaf.Exchange) []redact.Clean
	// RecleanAll is CleanAll of exchanges of a file that is not sealed.
	RecleanAll(list []*leaf.Exchange) []redact.Clean
}

// Imported is what an import came to.
type Imported struct {
	Summary   Summary
	Exchanges []redact.Clean // that were added
	Recovered string         // see Recorder.Recovered; it is there even if the import failed
}

// Import cleans a recording and puts it on a cassette, behind the exchanges that the cassette
// holds. What an exchange teaches to be secret is taken out of all of them.
func (l *Library) Import(name string, r Recording, cleaner ImportCleaner) (Imported, error) {
	return l.ImportWith(Options{}, name, r, cleaner)
}

// ImportWith is Import with options.
func (l *Library) ImportWith(
	o Options, name string, r Recording, cleaner ImportCleaner,
) (Imported, error) {
	recorder, err := l.RecordWith(o, name, cleaner)
	if err != nil {
		return Imported{}, err
	}
	done := Imported{Recovered: recorder.Recovered()}
	r.number(recorder.nextBehind)
	clean := cleaner.CleanAll
	if r.ours {
		clean = cleaner.RecleanAll
	}
	cleaned := clean(r.exchanges)
	n, err := recorder.journalAll(cleaned)
	cleaned = cleaned[:n]
	done.Exchanges = cleaned
	var ended error
	done.Summary, ended = recorder.Close()
	return done, errors.Join(err, ended)
}

// atATime is how many of a list a goroutine takes at a time.
const atATime = 64

// findMissing notes the numbers that a file of ours lacks: of calls that nobody knows. Replay marks what
// they might have changed, so they are to be missing on the tape too. A part of a tape, such as one flow,
// begins with its own first call.
func (r *Recording) findMissing() {
	r.missing = map[*leaf.Exchange]int{}
	last := 0
	for _, x := range r.exchanges {
		n := x.Meta.Number
		if last > 0 && n > last+1 && n <= maxNumber {
			r.missing[x] = n - last - 1
		}
		if n <= maxNumber {
			last = max(last, n)
		}
	}
}

// number gives the exchanges numbers. In a file of ours callbacks name their causes by numbers; they
// name them by the new numbers, as far as the causes are here.
func (r Recording) number(next func(missing int) int) {
	numbers := map[int]int{}
	for _, x := range r.exchanges {
		was := x.Meta.Number
		x.Meta.Number = next(r.missing[x])
		numbers[was] = x.Meta.Number
	}
	for _, x := range r.exchanges {
		told := x.Meta.Callback
		if told == nil || told.Of == 0 || !r.ours {
			continue
		}
		moved := *told
		if moved.Of = numbers[told.Of]; moved.Of == 0 {
			moved.Gap = 0
		}
		x.Meta.Callback = &moved
	}
}
