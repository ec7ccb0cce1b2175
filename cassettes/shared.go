package cassettes

import (
	"hash/maphash"
	"net/http"
)

// shared keeps texts and headers in memory once that exchanges of a tape have in common: methods,
// addresses, names of headers, notes. A text has one place, which it takes from the text that was
// there before, so a tape of which all are distinct has the keeping cost little. Nothing that is
// returned may be changed. A nil *shared shares nothing.
type shared struct {
	seed    maphash.Seed
	texts   [1 << 12]string
	headers [1 << 8]sharedHeader
}

// sharedHeader is a header and the text that it was read from.
type sharedHeader struct {
	written string
	header  http.Header
}

func newShared() *shared { return &shared{seed: maphash.MakeSeed()} }

// What is longer is seldom there twice, in bytes.
const (
	longestText   = 256
	longestHeader = 2 << 10
)

// text returns a text as a string.
func (s *shared) text(b []byte) string {
	if s == nil || len(b) == 0 || len(b) > longestText {
		return string(b)
	}
	place := &s.texts[maphash.Bytes(s.seed, b)%uint64(len(s.texts))]
	if *place != string(b) {
		*place = string(b)
	}
	return *place
}

// header returns the place of a header that is written so.
func (s *shared) header(written []byte) *sharedHeader {
	return &s.headers[maphash.Bytes(s.seed, written)%uint64(len(s.headers))]
}
