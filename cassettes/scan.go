package cassettes

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

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
const (
	journalHead = "paytape journal 1\n"
	frameStart  = "entry "
)

// frame writes the frame of an entry.
func frame(e entry) []byte {
	b := make([]byte, 0, len(e.text)+128)
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
	entries []entry
	torn    int64 // bytes behind the last whole entry; 0 if the journal is whole
}

// scan reads every whole entry of a journal. What is behind the last of them is torn: a write
// that the end of the process cut. A bad entry with others behind it cannot be explained so;
// it is refused, and the journal is left for someone to look at.
func scan(data []byte) (scanned, error) {
	rest, ok := bytes.CutPrefix(data, []byte(journalHead))
	if !ok {
		if bytes.HasPrefix([]byte(journalHead), data) {
			return scanned{torn: int64(len(data))}, nil
		}
		return scanned{}, errors.New("it does not begin like a journal")
	}
	var s scanned
	for len(rest) > 0 {
		e, after, ok := readFrame(rest)
		if !ok && bytes.Contains(rest, []byte("\n"+frameStart)) {
			return scanned{}, fmt.Errorf("the entry at byte %d is damaged and others follow it",
				len(data)-len(rest))
		}
		if !ok {
			s.torn = int64(len(rest))
			break
		}
		s.entries = append(s.entries, e)
		rest = after
	}
	return s, nil
}

// whole reads frames of which none may be torn.
func whole(data []byte) ([]entry, error) {
	var entries []entry
	for len(data) > 0 {
		e, rest, ok := readFrame(data)
		if !ok {
			return nil, errors.New("an entry is not as it was written")
		}
		entries, data = append(entries, e), rest
	}
	return entries, nil
}

// readFrame reads the frame that data begins with.
func readFrame(data []byte) (e entry, after []byte, ok bool) {
	line, rest, found := bytes.Cut(data, []byte("\n"))
	words := bytes.Split(line, []byte(" "))
	if !found || len(words) != 4 || string(words[0])+" " != frameStart {
		return entry{}, nil, false
	}
	length, err := strconv.Atoi(string(words[2]))
	if err != nil || length < 1 || length >= len(rest) || rest[length] != '\n' {
		return entry{}, nil, false
	}
	e.text = rest[:length:length]
	if e.seal, err = redact.CheckSeal(e.text, string(words[3])); err != nil {
		return entry{}, nil, false
	}
	e.number, ok = numberIn(e.text)
	if !ok || strconv.Itoa(e.number) != string(words[1]) {
		return entry{}, nil, false
	}
	return e, rest[length+1:], true
}
