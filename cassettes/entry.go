package cassettes

import (
	"bytes"
	"cmp"
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
func newEntry(x redact.Clean) (entry, error) {
	if x.Exchange() == nil {
		return entry{}, errors.New("an exchange that was not cleaned cannot be written")
	}
	text, err := emit(x.Exchange())
	if err != nil {
		return entry{}, err
	}
	return entry{number: x.Exchange().Meta.Number, text: text, clean: x}, nil
}

// errEntry is all that is said of an entry that cannot be parsed: a YAML library's own words
// may quote a value.
var errEntry = errors.New("not an interaction")

// open parses an entry.
func (e entry) open() (redact.Clean, error) {
	if e.clean.Exchange() != nil {
		return e.clean, nil
	}
	x, err := e.parse()
	if err != nil {
		return redact.Clean{}, err
	}
	return e.seal.Reopen(x), nil
}

func (e entry) parse() (*leaf.Exchange, error) {
	if x, ok := readItem(string(e.text)); ok {
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

// openAll parses entries, in order.
func openAll(entries []entry) ([]redact.Clean, error) {
	exchanges := make([]redact.Clean, 0, len(entries))
	for _, e := range entries {
		x, err := e.open()
		if err != nil {
			return nil, err
		}
		exchanges = append(exchanges, x)
	}
	return exchanges, nil
}

const (
	itemStart  = "- request:\n"
	numberMark = "\n    number: "
)

// split takes the items of a sealed file apart. No line of an item but its first begins in
// column 0, so the first line of the next one cannot be missed or mistaken.
func split(text []byte, seal redact.Seal) ([]entry, bool) {
	var entries []entry
	for len(text) > 0 {
		end := len(text)
		if i := bytes.Index(text, []byte("\n"+itemStart)); i >= 0 {
			end = i + 1
		}
		number, ok := numberIn(text[:end])
		if !ok {
			return nil, false
		}
		entries = append(entries, entry{number: number, text: text[:end:end], seal: seal})
		text = text[end:]
	}
	return entries, true
}

// numberIn reads the number of an item from its last line.
func numberIn(item []byte) (int, bool) {
	i := bytes.LastIndex(item, []byte(numberMark))
	if i < 0 || !bytes.HasPrefix(item, []byte(itemStart)) || !bytes.HasSuffix(item, []byte("\n")) {
		return 0, false
	}
	number, err := strconv.Atoi(string(item[i+len(numberMark) : len(item)-1]))
	return number, err == nil && number > 0
}

// merge puts the entries of a journal among those of a tape, by number. An entry that is on
// the tape already, because a fold was interrupted before it removed the journal, is left
// out. One whose number another exchange has is kept under the next free number.
func merge(tape, journal []entry) ([]entry, error) {
	all := slices.Clone(tape)
	texts := make(map[int][]byte, len(tape)+len(journal))
	for _, e := range tape {
		texts[e.number] = e.text
	}
	next := max(highest(tape), highest(journal)) + 1
	for _, e := range journal {
		text, taken := texts[e.number]
		if taken && bytes.Equal(text, e.text) {
			continue
		}
		if taken {
			var err error
			if e, err = e.renumber(next); err != nil {
				return nil, err
			}
			next++
		}
		texts[e.number] = e.text
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.number, b.number) })
	return all, nil
}

// highest returns the highest number of some entries, and 0 for none.
func highest(entries []entry) int {
	n := 0
	for _, e := range entries {
		n = max(n, e.number)
	}
	return n
}
