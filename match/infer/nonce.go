package infer

import (
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
	"github.com/paytape/paytape/match/request"
)

// A client makes some values anew for each request, which say nothing of what it wants: the
// time by its clock, and ids of the request itself. Of an API that no profile knows they are
// told by what they are called and by the tape: nothing must repeat them but the answer. (What
// is a nonce or a signature in every API, the rows for all APIs say.)

var (
	requestNouns = request.Words("request noun")
	requestIDs   = request.Words("request id")
)

// requestNamed reports whether a key names an id of the request: "x_request_id", "MessageID".
func requestNamed(key string) bool {
	var room [8]string
	ws := request.AppendWords(room[:0], key)
	return len(ws) > 1 && slices.Contains(requestNouns, ws[len(ws)-2]) &&
		slices.Contains(requestIDs, ws[len(ws)-1])
}

// Nonce reports whether a parameter of the exchange at a place, of which no profile knows, is made
// anew for each request.
func (s *Survey) Nonce(p *request.Param, place int) bool {
	if p.Known || p.Field.From != profile.Exact || p.Place == leaf.Path {
		return false
	}
	made := requestNamed(request.LastName(p.Path)) || byClock(p.Text, s.at[place-1])
	return made && !s.repeated(p.Text, place)
}

// proof counts the requests that bring a secret in one parameter, and the secrets.
type proof struct {
	requests int
	seen     map[uint64]bool
}

func (s *Survey) prove(p *request.Param) {
	of := s.proofs[p.Path]
	if of == nil {
		of = &proof{seen: map[uint64]bool{}}
		s.proofs[strings.Clone(p.Path)] = of
	}
	of.requests++
	of.seen[request.Digest(p.Text)] = true
}

// Digests reports whether a parameter has another secret in every request, and none that an answer has
// brought: then it is no credential but a digest of one, with the time or a nonce in it.
func (s *Survey) Digests(p *request.Param) bool {
	const several = 3
	of := s.proofs[p.Path]
	return of != nil && of.requests >= several && len(of.seen) == of.requests && !s.issues[p.Path]
}

// repeated reports whether exchanges other than that at a place have a text as well.
func (s *Survey) repeated(text string, place int) bool {
	for _, tok := range append(request.Tokens(text), request.Token{Text: text}) {
		key := request.Folded(tok.Text)
		sp, shown := s.carried(key), s.shownAt(key)
		if sp.first != 0 && (sp.first != place || sp.last != place) || shown != 0 && shown != place {
			return true
		}
	}
	return false
}

// byClock reports whether a text tells the time of day at which it was sent, a few minutes
// more or less. Where the text has no zone it may be the client's or UTC.
func byClock(text string, at time.Time) bool {
	const apart = 5 * time.Minute
	if at.IsZero() {
		return false
	}
	iso := text
	if len(text) > len(time.DateOnly) && text[len(time.DateOnly)] == ' ' {
		iso = strings.Replace(text, " ", "T", 1)
	}
	form, ok := dates.Whole(iso)
	if !ok || !dates.Fine(form) {
		return false
	}
	for _, zone := range []*time.Location{at.Location(), time.UTC} {
		t, ok := dates.Parse(form, iso, zone)
		if ok && t.Sub(at).Abs() < apart {
			return true
		}
	}
	return false
}
