package cassettes

import (
	"bytes"
	"errors"
	"slices"
	"strconv"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/redact"
	"go.yaml.in/yaml/v3"
)

// entry is one interaction as text: what emit wrote, whether it lies on a tape or in a
// journal. It is clean either by the seal of the file it was read from, or because it was
// written from a Clean a moment ago.
type entry struct {
	number int
	text   []byte
	seal   redact.Seal
	clean  redact.Clean // zero for an entry that was read and not parsed yet
}

// newEntry writes a clean exchange.
func newEntry(x redact.Clean) (entry, error) { return newEntryIn(nil, x) }

// newEntryIn is newEntry of an entry whose text lies in a room.
func newEntryIn(room []byte, x redact.Clean) (entry, error) {
	if x.Exchange() == nil {
		return entry{}, errors.New("an exchange that was not cleaned cannot be written")
	}
	text, err := emitInto(room, x.Exchange())
	if err != nil {
		return entry{}, err
	}
	return entry{number: x.Exchange().Meta.Number, text: text, clean: x}, nil
}

// errEntry is all that is said of an entry that cannot be parsed: a YAML library's own words
// may quote a value.
var errEntry = errors.New("not an interaction")

// open parses an entry.
func (e entry) open() (redact.Clean, error) { return e.openBy(&itemReader{}) }

func (e entry) openBy(items *itemReader) (redact.Clean, error) {
	if e.clean.Exchange() != nil {
		return e.clean, nil
	}
	x, err := e.parseBy(items)
	if err != nil {
		return redact.Clean{}, err
	}
	return e.seal.Reopen(x), nil
}

func (e entry) parse() (*leaf.Exchange, error) { return e.parseBy(&itemReader{}) }

// parseBy parses an entry by a reader of what emit writes.
func (e entry) parseBy(items *itemReader) (*leaf.Exchange, error) {
	if x, ok := items.read(e.text); ok {
		return x, nil
	}
	return readYAML(e.text)
}

// readYAML reads an item that was laid out by an earlier or a later version.
func readYAML(text []byte) (*leaf.Exchange, error) {
	var list []*leaf.Exchange
	if err := yaml.Unmarshal(text, &list); err != nil || len(list) != 1 || list[0] == nil {
		return nil, errEntry
	}
	return list[0], nil
}

// renumber returns the entry under another number.
func (e entry) renumber(number int) (entry, error) {
	old, err := e.open()
	if err != nil {
		return entry{}, err
	}
	x := *old.Exchange()
	x.Meta.Number = number
	text, err := emit(&x)
	if err != nil {
		return entry{}, err
	}
	return entry{number: number, text: text, seal: e.seal}, nil
}

// recleanStale cleans an entry again that holds what only a later exchange taught to be a secret,
// and reports whether that changed it.
func (e entry) recleanStale(r Cleaner) (entry, bool, error) {
	x := e.clean.Exchange()
	if x == nil {
		var err error
		if x, err = e.parse(); err != nil {
			return entry{}, false, err
		}
	}
	if !r.Stale(x) {
		return e, false, nil
	}
	fresh, err := newEntry(r.Reclean(x))
	return fresh, err == nil && !slices.Equal(fresh.text, e.text), err
}

const (
	itemStart  = "- request:\n"
	numberMark = "    number: "
)

// numberIn reads the number of an item from its last line.
func numberIn(item []byte) (int, bool) {
	line := item[bytes.LastIndexByte(bytes.TrimSuffix(item, []byte("\n")), '\n')+1:]
	text, ok := bytes.CutPrefix(line, []byte(numberMark))
	text, ended := bytes.CutSuffix(text, []byte("\n"))
	if !ok || !ended {
		return 0, false
	}
	number, err := strconv.Atoi(string(text))
	return number, err == nil && number > 0
}
