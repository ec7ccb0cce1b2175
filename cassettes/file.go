package cassettes

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/paytape/paytape/redact"
)

// A cassette file is, from top to bottom:
//
//	# paytape cassette, ...                       the head: says what the file is
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
	itemsStart = "\ninteractions:\n"
	markStart  = "# paytape: "
	markSum    = " exchanges, sha256 "
)

func endMark(exchanges int, sum string) string {
	return fmt.Sprintf("%s%d%s%s\n", markStart, exchanges, markSum, sum)
}

// render writes a whole file.
func render(entries []entry) []byte {
	size := len(head) + 128
	for _, e := range entries {
		size += len(e.text)
	}
	data := append(make([]byte, 0, size), head...)
	for _, e := range entries {
		data = append(data, e.text...)
	}
	return append(data, endMark(len(entries), redact.Sum(data))...)
}

// Why a file is not taken as ours.
var (
	errNoMark   = errors.New("no end mark")
	errBadMark  = errors.New("end mark does not agree")
	errNoLayout = errors.New("not laid out by this version")
)

// unseal takes a file apart whose end mark agrees.
func unseal(data []byte) ([]entry, error) {
	start := bytes.LastIndexByte(bytes.TrimSuffix(data, []byte("\n")), '\n') + 1
	content, mark := data[:start], string(data[start:])
	if !strings.HasPrefix(mark, markStart) || !strings.HasSuffix(mark, "\n") {
		return nil, errNoMark
	}
	_, sum, _ := strings.Cut(strings.TrimSuffix(mark, "\n"), markSum)
	seal, err := redact.CheckSeal(content, sum)
	if err != nil {
		return nil, errBadMark
	}
	_, items, ok := bytes.Cut(content, []byte(itemsStart))
	if !ok {
		return nil, errNoLayout
	}
	entries, ok := split(items, seal)
	if !ok || !ascending(entries) {
		return nil, errNoLayout
	}
	if mark != endMark(len(entries), sum) {
		return nil, errBadMark
	}
	return entries, nil
}

// ascending reports whether every number is higher than the one before.
func ascending(entries []entry) bool {
	for i := 1; i < len(entries); i++ {
		if entries[i].number <= entries[i-1].number {
			return false
		}
	}
	return true
}
