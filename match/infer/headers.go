package infer

import (
	"net/http"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/request"
)

// A sandbox gives each answer a number of its own: "Request-Id: req_rLg1hKKZ2Nfb8e". Where no profile has a
// row, a header is taken for such a number if all answers that have the header have another value there, most
// of these look made by a machine, and no request sends one. Of random letters and digits one value in ten may
// be letters alone.

// numbering is what is known of a header of answers.
type numbering struct {
	seen map[uint64]bool // its values, as requests carry them
	made int             // how many of these look made by a machine
	not  bool            // some value is there twice, can be no such number, or is sent
	// asked says that it is known whether some value is sent.
	asked bool
}

// headers notes the headers of an answer that was given at a time.
func (s *Survey) headers(h http.Header, at time.Time) {
	for name, values := range h {
		n := s.perAnswer[name]
		if n == nil {
			n = &numbering{seen: map[uint64]bool{}}
			s.perAnswer[strings.Clone(name)] = n
		}
		if n.not {
			continue
		}
		for _, v := range values {
			digest := request.Folded(v)
			n.not = n.not || n.seen[digest] || !numberLike(v, at)
			n.seen[digest] = true
			if LooksGenerated(v) {
				n.made++
			}
		}
		if n.not {
			n.seen = nil
		}
	}
}

// numberLike reports whether a value may be the number of an answer: one long word that tells no time.
func numberLike(v string, at time.Time) bool {
	return len(v) >= request.EmbedLength && request.OneRun(v) && !TellsTime(v, at)
}

// NumbersAnswer reports whether a header of an answer holds a number that each answer has anew.
func (s *Survey) NumbersAnswer(l *leaf.Leaf) bool {
	const several = 3
	n := s.perAnswer[l.Key]
	if n == nil || n.not || len(n.seen) < several || 2*n.made <= len(n.seen) {
		return false
	}
	if !n.asked {
		n.asked = true
		for value := range n.seen {
			n.not = n.not || s.carried(value).first != 0
		}
	}
	return !n.not
}
