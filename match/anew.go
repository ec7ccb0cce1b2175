package match

import (
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
)

// A client makes some values anew for each request, which say nothing of what it wants: the
// time by its clock, and ids of the request itself. Of an API that no profile knows they are
// told by what they are called and by the tape: nothing must repeat them but the answer. (What
// is a nonce or a signature in every API, the rows for all APIs say.)

// requestNouns are the words before "id" and the like in names of ids that a request has.
var requestNouns = []string{
	"request", "message", "correlation", "trace", "mutation", "idempotency", "idempotence",
	"conversation", "span",
}

// requestNamed reports whether a key names an id of the request: "x_request_id", "MessageID".
func requestNamed(key string) bool {
	ws := wordsOf(key)
	return len(ws) > 1 && slices.Contains(requestNouns, ws[len(ws)-2]) &&
		slices.Contains([]string{"id", "uuid", "guid", "key", "no", "number"}, ws[len(ws)-1])
}

// anew reports whether a parameter of an exchange, of which no profile knows, is made anew for
// each request.
func (s *survey) anew(p param, place int) bool {
	if p.known || p.field.From != profile.Exact || p.place == leaf.Path {
		return false
	}
	made := requestNamed(lastName(p.path)) || byClock(p.text, s.at[place-1])
	return made && !s.repeated(p.text, place)
}

// proofs count, for each parameter in which requests of unknown APIs bring secrets, the
// requests and the secrets.
type proofs map[string]*proof

type proof struct {
	requests int
	seen     map[uint64]bool
}

func (ps proofs) note(p param) {
	of := ps[p.path]
	if of == nil {
		of = &proof{seen: map[uint64]bool{}}
		ps[strings.Clone(p.path)] = of
	}
	of.requests++
	of.seen[digest(p.text)] = true
}

// anew reports whether a parameter has another secret in every request: then it is no
// credential but a digest of one, with the time or a nonce in it.
func (ps proofs) anew(p *param) bool {
	const several = 3
	of := ps[p.path]
	return of != nil && of.requests >= several && len(of.seen) == of.requests
}

// repeated reports whether exchanges other than that at a place have a text as well.
func (s *survey) repeated(text string, place int) bool {
	for _, tok := range append(tokens(text), token{text: text}) {
		key := folded(tok.text)
		sp, shown := s.requested[key], s.shown[key]
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
	spans := dates.Find(iso)
	if len(spans) != 1 || spans[0].To-spans[0].From != len(iso) || !dates.Fine(spans[0].Form) {
		return false
	}
	for _, zone := range []*time.Location{at.Location(), time.UTC} {
		t, ok := dates.Parse(spans[0].Form, iso, zone)
		if ok && t.Sub(at).Abs() < apart {
			return true
		}
	}
	return false
}
