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

// errChanged is returned for a file that somebody writes to while it is read.
var errChanged = errors.New("the file has changed while it was read")

// entry returns the entry. One that is read from its file is as it was when it was found.
func (s span) entry() (entry, error) { return s.read(nil) }

// read returns the entry, whose text lies in room if it is read from its file and fits.
func (s span) read(room []byte) (entry, error) {
	if s.held != nil {
		return *s.held, nil
	}
	text := slices.Grow(room[:0], s.size)[:s.size]
	if n, err := s.file.ReadAt(text, s.at); n < len(text) {
		return entry{}, cmp.Or(err, errChanged)
	}
	if crc32.Checksum(text, crcTable) != s.crc {
		return entry{}, errChanged
	}
	return entry{number: s.number, text: text, seal: s.seal}, nil
}

// exchanges goes through parsed entries, in order, and holds none of them.
type exchanges struct {
	spans    []span
	formless bool  // without the forms of requests
	err      error // why not all of them came
}

// Reading goes ahead of those who take the exchanges, in batches.
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
	var room []byte // parsing copies what it keeps
	for spans := range slices.Chunk(x.spans, batchLength) {
		b := batch{exchanges: make([]redact.Clean, 0, len(spans))}
		for _, s := range spans {
			var c redact.Clean
			if c, room, b.err = x.read(s, room); b.err != nil {
				break
			}
			b.exchanges = append(b.exchanges, c)
		}
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

// read reads an exchange, its text into room, and returns the room for the next.
func (x *exchanges) read(s span, room []byte) (redact.Clean, []byte, error) {
	item := readItem
	if x.formless {
		item = readFormless
	}
	e, err := s.read(room)
	if err != nil {
		return redact.Clean{}, room, err
	}
	if s.held == nil {
		room = e.text
	}
	c, err := e.openBy(item)
	return c, room, err
}

// merge puts the entries of a journal among those of a tape, by number. An entry that is on
// the tape already, because a fold was interrupted before it removed the journal, is left
// out. One whose number another exchange has is kept under the next free number.
func merge(tape, journal []span) ([]span, error) {
	all := slices.Clone(tape)
	taken := make(map[int]span, len(tape)+len(journal))
	for _, s := range tape {
		taken[s.number] = s
	}
	next := max(highest(tape), highest(journal)) + 1
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
	slices.SortStableFunc(all, func(a, b span) int { return cmp.Compare(a.number, b.number) })
	return all, nil
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
