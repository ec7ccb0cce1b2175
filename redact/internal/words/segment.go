package words

import (
	"strings"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
)

// SegmentName returns what the segment of a path before a value names, if the value can be that:
// /cards/55/cvc/739, /pin/7361. The segment has to be the name and no more, because operations have
// names too: what follows "generateCVC2" is the id of a card.
func SegmentName(segment, value string) Name {
	var w words
	if len(segment) > longestKeyword || !scan.IsNumeric(value) || !keyEndings.mayEnd(segment) {
		return Name{}
	}
	w.split(segment)
	n := w.wholeName()
	switch {
	case n.Kind == profile.CVC && hasShape(profile.CVC, value):
		return n
	case n.Kind == profile.PIN && len(value) >= shortestPIN && len(value) <= longestPIN:
		return n
	}
	return Name{}
}

// wholeName returns what all of the words name together, or all behind what says card.
func (w *words) wholeName() Name {
	for k := 1; k <= w.n; k++ {
		before := w.buf[:w.end[w.n-k]]
		if n, known := lookup(w.last(k)); known && (len(before) == 0 || cardKeys[string(before)]) {
			return n
		}
	}
	return Name{}
}

// inPath returns the code that begins with the digit s[at] behind a slash, if the segment before it
// names a code.
func inPath(s string, at int) (Mention, bool) {
	before := s[max(0, at-1-longestKeyword-1) : at-1]
	from := strings.LastIndexByte(before, '/')
	if from < 0 {
		return Mention{}, false
	}
	to := at
	for to < len(s) && s[to]-'0' <= 9 && to-at <= longestPIN {
		to++
	}
	if to < len(s) && (scan.IsLetter(s[to]) || strings.IndexByte("-.%~:@", s[to]) >= 0) &&
		!endsSentence(s, to) {
		return Mention{}, false
	}
	n := SegmentName(before[from+1:], s[at:to])
	return Mention{at, to, n.Kind, n.Word}, n.Kind != profile.NotSecret
}

// endsSentence reports whether the sign at s[at] ends a sentence: no letter follows.
func endsSentence(s string, at int) bool {
	return strings.IndexByte(".:", s[at]) >= 0 && (at+1 == len(s) || !scan.IsLetter(s[at+1]))
}
