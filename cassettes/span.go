package cassettes

import (
	"bytes"
	"cmp"
	"errors"
	"hash/crc32"
	"io"
	"slices"

	"github.com/paytape/paytape/redact"
)

// span is an entry or where one lies. A tape may be larger than what should be held in
// memory, so an entry stays in its file until it is wanted.
type span struct {
	number int
	held   *entry      // the entry itself; nil if it lies in a file
	file   io.ReaderAt // the file that it lies in,
	at     int64       // from this byte on,
	size   int         // for so many,
	crc    uint32      // in which it is what it was when it was found,
	seal   redact.Seal // which was sealed
}

// crcTable is of the checksum that tells whether a file has changed meanwhile. It proves no
// more than that.
var crcTable = crc32.MakeTable(crc32.Castagnoli)

// hold returns the span of an entry that is in no file.
func hold(e entry) span { return span{number: e.number, held: &e} }

// length is how much text the entry has, in bytes.
func (s span) length() int {
	if s.held != nil {
		return len(s.held.text)
	}
	return s.size
}

// errChanged is returned for a file that somebody writes to while it is read.
var errChanged = errors.New("the file has changed while it was read")

// entry returns the entry. One that is read from its file is as it was when it was found.
func (s span) entry() (entry, error) {
	if s.held != nil {
		return *s.held, nil
	}
	text := make([]byte, s.size)
	n, err := s.file.ReadAt(text, s.at)
	return s.within(text[:n], err)
}

// within returns the entry whose text is what a file has from where the entry begins; err is why the
// file has not all of it.
func (s span) within(text []byte, err error) (entry, error) {
	if s.held != nil {
		return *s.held, nil
	}
	if len(text) < s.size {
		return entry{}, cmp.Or(err, errChanged)
	}
	text = text[:s.size]
	if crc32.Checksum(text, crcTable) != s.crc {
		return entry{}, errChanged
	}
	return entry{number: s.number, text: text, seal: s.seal}, nil
}

// stretch returns as many of the first spans as are read at once: they lie one behind the other in
// one file, or are all held.
func stretch(spans []span) []span {
	first := spans[0]
	n, end := 1, first.at+int64(first.size)
	for n < min(len(spans), batchLength) {
		s := spans[n]
		if s.file != first.file || s.at != end || end-first.at > buffered {
			break
		}
		end += int64(s.size)
		n++
	}
	return spans[:n]
}

// exchanges goes through parsed entries, in order, and holds none of them.
type exchanges struct {
	spans    []span
	formless bool  // without the forms of requests
	err      error // why not all of them came
}

// Reading goes ahead of those who take the exchanges, in batches of a length at the most.
const (
	batchLength  = 64
	batchesAhead = 2
)

// batch is some exchanges in order, and why no more follow; nil if others may.
type batch struct {
	exchanges []redact.Clean
	err       error
}

// all reads ahead in a goroutine of its own while yield is busy: a large tape takes as long to
// read as to compile. It has ended when all returns.
func (x *exchanges) all(yield func(redact.Clean) bool) {
	batches, quit := make(chan batch, batchesAhead), make(chan struct{})
	go func() {
		defer close(batches)
		x.readAhead(batches, quit)
	}()
	defer func() {
		close(quit)
		for range batches { // until it is closed
		}
	}()
	for b := range batches {
		for _, c := range b.exchanges {
			if !yield(c) {
				return
			}
		}
		x.err = b.err
	}
}

// readAhead sends batches until the end, a failure, or until it is told to quit.
func (x *exchanges) readAhead(batches chan<- batch, quit <-chan struct{}) {
	reader := batchReader{items: itemReader{formless: x.formless, shared: newShared()}}
	for rest := x.spans; len(rest) > 0; {
		spans := stretch(rest)
		rest = rest[len(spans):]
		b := reader.read(spans)
		select {
		case batches <- b:
		case <-quit:
			return
		}
		if b.err != nil {
			return
		}
	}
}

// batchReader reads batches, one after the other.
type batchReader struct {
	items itemReader
	room  []byte // in which the text of a batch lies: items keep nothing of it
}

// read reads a stretch of spans, as far as it can be read.
func (r *batchReader) read(spans []span) (b batch) {
	first, last := spans[0], spans[len(spans)-1]
	var failed error
	if first.held == nil {
		size := int(last.at-first.at) + last.size
		r.room = slices.Grow(r.room[:0], size)[:size]
		var n int
		n, failed = first.file.ReadAt(r.room, first.at)
		r.room = r.room[:n]
	}
	b.exchanges = make([]redact.Clean, 0, len(spans))
	for _, s := range spans {
		var e entry
		var c redact.Clean
		if e, b.err = s.within(r.room[min(int(s.at-first.at), len(r.room)):], failed); b.err == nil {
			c, b.err = e.openBy(&r.items)
		}
		if b.err != nil {
			break
		}
		b.exchanges = append(b.exchanges, c)
	}
	return b
}

// merge puts the entries of a journal among those of a tape, by number. An entry that is on
// the tape already, because a fold was interrupted before it removed the journal, is left
// out. One whose number another exchange has is kept under the next free number. Without a journal
// the tape is sorted where it lies.
func merge(tape, journal []span) ([]span, error) {
	if len(journal) == 0 {
		sortSpans(tape)
		return tape, nil
	}
	taken := make(map[int]span, len(tape)+len(journal))
	for _, s := range tape {
		taken[s.number] = s
	}
	next := max(highest(tape), highest(journal)) + 1
	all := slices.Clone(tape)
	for _, s := range journal {
		other, clash := taken[s.number]
		if clash {
			same, fresh, err := s.sameOrRenumbered(other, next)
			if err != nil {
				return nil, err
			}
			if same {
				continue
			}
			s = fresh
			next++
		}
		taken[s.number] = s
		all = append(all, s)
	}
	sortSpans(all)
	return all, nil
}

// sortSpans sorts spans by number.
func sortSpans(all []span) {
	slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(a.number, b.number) })
}

// sameOrRenumbered compares an entry with one of the same number: it is the same, or gets a fresh one.
func (s span) sameOrRenumbered(other span, number int) (same bool, fresh span, err error) {
	mine, err := s.entry()
	if err != nil {
		return false, span{}, err
	}
	theirs, err := other.entry()
	if err != nil || bytes.Equal(mine.text, theirs.text) {
		return err == nil, span{}, err
	}
	e, err := mine.renumber(number)
	return false, hold(e), err
}

// highest returns the highest number of some entries, and 0 for none.
func highest(spans []span) int {
	n := 0
	for _, s := range spans {
		n = max(n, s.number)
	}
	return n
}
