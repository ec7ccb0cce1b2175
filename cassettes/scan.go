package cassettes

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/redact"
)

// A journal is a head line and frames. A frame is a line, the text of an entry and a line
// feed:
//
//	paytape journal 1
//	entry 1 1033 9f86d081884c7d65...     number, length of the text in bytes, its SHA-256
//	- request:
//	    ...
//	    number: 1
//	                                     the line feed after the text
//	entry 2 981 60303ae22b998861...
//	...
//
// No line of an entry begins with "entry": where the next frame begins is seen even if the
// one before it is damaged.
//
// The head line of a recording whose tape is to be stable has a 2 in place of the 1. It is as long, and a
// version that does not know it leaves the journal alone.
const (
	journalHead = "paytape journal 1\n"
	stableHead  = "paytape journal 2\n"
	frameStart  = "entry "
)

// headOf returns the head line of a journal.
func headOf(stable bool) string {
	if stable {
		return stableHead
	}
	return journalHead
}

// frame returns the frame of an entry.
func frame(e entry) []byte { return appendFrame(nil, e) }

// appendFrame appends the frame of an entry.
func appendFrame(b []byte, e entry) []byte {
	b = slices.Grow(b, len(e.text)+128)
	b = append(b, frameStart...)
	b = strconv.AppendInt(b, int64(e.number), 10)
	b = append(b, ' ')
	b = strconv.AppendInt(b, int64(len(e.text)), 10)
	b = append(b, ' ')
	b = append(b, redact.Sum(e.text)...)
	b = append(b, '\n')
	b = append(b, e.text...)
	return append(b, '\n')
}

// scanned is what a journal holds.
type scanned struct {
	spans  []span
	torn   int64 // bytes behind the last whole entry; 0 if the journal is whole
	stable bool  // the tape is to be stable
}

// scan finds every whole entry of a journal. What is behind the last of them is torn: a write
// that the end of the process cut, or one of which a disk that lost its power has kept the
// length and left zeros. A bad entry with others behind it cannot be explained so; it is
// refused, and the journal is left for someone to look at. Scanning gives up at a time, unless that
// is zero: a journal of a gigabyte takes seconds.
func scan(f io.ReaderAt, size int64, until time.Time) (scanned, error) {
	end, err := beforeZeros(f, size)
	if err != nil {
		return scanned{}, err
	}
	start := make([]byte, min(end, int64(len(journalHead))))
	if n, err := f.ReadAt(start, 0); n < len(start) {
		return scanned{}, err
	}
	switch {
	case !strings.HasPrefix(journalHead, string(start)) && string(start) != stableHead:
		return scanned{}, errors.New("it does not begin like a journal")
	case len(start) < len(journalHead):
		return scanned{torn: size}, nil
	}
	s := scanned{stable: string(start) == stableHead}
	frames := newFrames(f, int64(len(journalHead)), end)
	for frames.next() {
		if passed(until) {
			return scanned{}, errNoTime
		}
		s.spans = append(s.spans, frames.span)
	}
	if frames.err != nil {
		return scanned{}, frames.err
	}
	s.torn = size - frames.at
	follow, err := othersFollow(io.NewSectionReader(f, frames.at, end-frames.at))
	if err == nil && (follow || frames.inner) {
		err = fmt.Errorf("the entry at byte %d is damaged and others follow it: move the file "+
			"away, or cut it off there to keep what is before", frames.at)
	}
	if err != nil {
		return scanned{}, err
	}
	return s, nil
}

// beforeZeros returns where the zeros begin in which a file ends. Entries are text, and end
// in none.
func beforeZeros(f io.ReaderAt, size int64) (int64, error) {
	b := make([]byte, buffered)
	for size > 0 {
		b = b[:min(size, buffered)]
		size -= int64(len(b))
		if n, err := f.ReadAt(b, size); n < len(b) {
			return 0, err
		}
		if left := bytes.TrimRight(b, "\x00"); len(left) > 0 {
			return size + int64(len(left)), nil
		}
	}
	return 0, nil
}

// othersFollow reports whether a frame begins behind the first line.
func othersFollow(r io.Reader) (follow bool, err error) {
	first := true
	err = pieces(r, func(piece []byte, starts bool) {
		follow = follow || starts && !first && bytes.HasPrefix(piece, []byte(frameStart))
		first = false
	})
	return follow, err
}

// pieces reads to the end, line by line; a line that is longer than the buffer comes in
// pieces, of which only the first starts a line.
func pieces(r io.Reader, take func(piece []byte, starts bool)) error {
	lines := bufio.NewReaderSize(r, buffered)
	starts := true
	for {
		piece, err := lines.ReadSlice('\n')
		if len(piece) > 0 {
			take(piece, starts)
		}
		switch err {
		case nil, bufio.ErrBufferFull:
			starts = err == nil
		case io.EOF:
			return nil
		default:
			return err
		}
	}
}

// frames reads the frames of a journal from one to the next.
type frames struct {
	file io.ReaderAt
	in   *bufio.Reader
	size int64 // where the journal ends

	at    int64 // where the next frame begins; size if all were whole
	entry entry // of the frame that was read last
	span  span  // and where it lies
	inner bool  // the journal goes on behind the frame that was read last, whole or not
	err   error // of the file; a frame that is not whole is none
}

func newFrames(f io.ReaderAt, from, size int64) *frames {
	in := bufio.NewReaderSize(io.NewSectionReader(f, from, size-from), buffered)
	return &frames{file: f, in: in, at: from, size: size}
}

// next reads the next frame and reports whether it is whole.
func (f *frames) next() bool {
	f.inner = false
	line, err := f.in.ReadSlice('\n')
	if err != nil {
		return f.stop(err)
	}
	began := f.at + int64(len(line))
	number, length, sum, ok := frameLine(string(line))
	if !ok || int64(length) >= f.size-began {
		return false
	}
	f.inner = int64(length)+1 < f.size-began
	text := make([]byte, length+1)
	if _, err := io.ReadFull(f.in, text); err != nil {
		return f.stop(err)
	}
	text, ended := bytes.CutSuffix(text, []byte("\n"))
	seal, err := redact.CheckSeal(text, sum)
	in, numbered := numberIn(text)
	if !ended || err != nil || !numbered || in != number ||
		!bytes.HasPrefix(text, []byte(itemStart)) {
		return false
	}
	f.entry = entry{number: number, text: text, seal: seal}
	f.span = span{
		number: number, file: f.file, at: began, size: length,
		crc: crc32.Checksum(text, crcTable), seal: seal,
	}
	f.at = began + int64(length) + 1
	return true
}

// stop ends the reading; that the bytes end is no error.
func (f *frames) stop(err error) bool {
	switch err {
	case io.EOF, io.ErrUnexpectedEOF, bufio.ErrBufferFull:
	default:
		f.err = err
	}
	return false
}

// frameLine reads the line that a frame begins with.
func frameLine(line string) (number, length int, sum string, ok bool) {
	words := strings.Split(strings.TrimSuffix(line, "\n"), " ")
	if len(words) != 4 || words[0]+" " != frameStart {
		return 0, 0, "", false
	}
	number, err := strconv.Atoi(words[1])
	if err != nil || strconv.Itoa(number) != words[1] {
		return 0, 0, "", false
	}
	length, err = strconv.Atoi(words[2])
	return number, length, words[3], err == nil && length > 0 && strconv.Itoa(length) == words[2]
}
