package cassettes

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/paytape/paytape/redact"
)

// A cassette file is, from top to bottom:
//
//	# paytape cassette, ...                       the head: says what the file is
//	# profiles: gateway@1a2b3c4d5e6f              with which profiles a stable tape was recorded
//	---
//	version: 1
//	interactions:
//	- request:                                    the entries, by number, as emit draws them
//	    ...
//	- request:
//	    ...
//	# paytape: 2 exchanges, sha256 jpigmaibij...  the end mark: the seal of all above it
//
// go-vcr takes head and end mark for the comments they are. A YAML file that was cut off
// often parses all the same; the end mark is what tells a whole one.
const head = "# paytape cassette, readable by go-vcr v2; the last line seals it, and an" +
	" edited file is cleaned again when it is loaded\n---\nversion: 1\ninteractions:\n"

const (
	headStart  = "# paytape cassette"
	itemsStart = "interactions:\n"
	markStart  = "# paytape: "
	markSum    = " exchanges, sha256 "
)

func endMark(exchanges int, sum string) string {
	return fmt.Sprintf("%s%d%s%s\n", markStart, exchanges, markSum, sum)
}

// shortestItem is less than any item takes, in bytes.
const shortestItem = 128

// Buffers of files that are read and written from one end to the other, in bytes.
const buffered = 128 << 10

// tapeWriter writes a whole file, entry by entry.
type tapeWriter struct {
	to  *bufio.Writer
	sum *redact.Summer
	n   int
}

// newTapeWriter begins a file whose head tells editions of profiles.
func newTapeWriter(w io.Writer, editions []string) *tapeWriter {
	t := &tapeWriter{bufio.NewWriterSize(w, buffered), redact.NewSummer(), 0}
	first, rest, _ := strings.Cut(head, "\n")
	t.write([]byte(first + "\n" + editionsLine(editions) + rest))
	return t
}

// write adds text; the writer below keeps an error until the end.
func (t *tapeWriter) write(text []byte) {
	_, _ = t.sum.Write(text)
	_, _ = t.to.Write(text)
}

func (t *tapeWriter) add(e entry) {
	t.write(e.text)
	t.n++
}

// end writes the end mark and returns what went wrong on the way.
func (t *tapeWriter) end() error {
	t.write([]byte(endMark(t.n, t.sum.Sum())))
	return t.to.Flush()
}

// Why a file is not taken as ours.
var (
	errNoMark   = errors.New("no end mark")
	errBadMark  = errors.New("end mark does not agree")
	errNoLayout = errors.New("not laid out by this version")
)

// unseal finds the entries of a file whose end mark agrees.
func unseal(f io.ReaderAt, size int64) ([]span, error) {
	mark, err := lastLine(f, size)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(mark, markStart) || !strings.HasSuffix(mark, "\n") {
		return nil, errNoMark
	}
	told, sum, _ := strings.Cut(mark[len(markStart):len(mark)-1], markSum)
	count, _ := strconv.Atoi(told) // of a mark that is wrong in any way it is found out below
	whole := redact.NewSummer()
	items := itemFinder{file: f, spans: make([]span, 0, max(0, min(count, int(size)/shortestItem)))}
	blocks := blockReader{in: io.NewSectionReader(f, 0, size-int64(len(mark)))}
	var summing sync.WaitGroup // of one block, while items are found in it and the next is read
	for blocks.next() {
		block := blocks.block
		summing.Wait()
		summing.Go(func() { _, _ = whole.Write(block) })
		items.find(block)
	}
	summing.Wait()
	if blocks.err != nil {
		return nil, blocks.err
	}
	items.endItem()
	seal, err := whole.CheckSeal(sum)
	switch {
	case err != nil:
		return nil, errBadMark
	case items.bad || !items.headed:
		return nil, errNoLayout
	case mark != endMark(len(items.spans), sum):
		return nil, errBadMark
	}
	for i := range items.spans {
		items.spans[i].seal = seal
	}
	return items.spans, nil
}

// lastLine returns the last line of a file, if it is no longer than an end mark can be.
func lastLine(f io.ReaderAt, size int64) (string, error) {
	tail := make([]byte, min(size, 256))
	if n, err := f.ReadAt(tail, size-int64(len(tail))); n < len(tail) {
		return "", err
	}
	start := bytes.LastIndexByte(bytes.TrimSuffix(tail, []byte("\n")), '\n') + 1
	return string(tail[start:]), nil
}
