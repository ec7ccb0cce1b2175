package cluster

import "slices"

// Bounds of the answers that a session keeps for a deck that asks again.
const (
	maxAnswers     = 1000
	maxAnswerBytes = 16 << 20
)

// answers are the answers of a session that may be asked for again, by request. The zero answers are
// none.
type answers struct {
	kept  map[string]*served
	order []string // from the oldest; of some the answers were taken
	bytes int
}

// of returns the answer to a request; nil if there is none.
func (a *answers) of(id string) *served { return a.kept[id] }

// take returns an answer, and keeps it no longer.
func (a *answers) take(id string) *served {
	s := a.kept[id]
	if s != nil {
		delete(a.kept, id)
		a.bytes -= s.Answer.size()
	}
	return s
}

// add keeps an answer, and returns those that it drops for that: the oldest.
func (a *answers) add(id string, s *served) (dropped []string) {
	if a.kept == nil {
		a.kept = map[string]*served{}
	}
	a.kept[id], a.order = s, append(a.order, id)
	a.bytes += s.Answer.size()
	for len(a.order) > 1 && (len(a.kept) > maxAnswers || a.bytes > maxAnswerBytes || a.kept[a.order[0]] == nil) {
		if oldest := a.order[0]; a.take(oldest) != nil {
			dropped = append(dropped, oldest)
		}
		a.order = a.order[1:]
	}
	if len(a.order) > 2*maxAnswers { // one answer is kept for long, and many behind it were taken
		a.order = slices.DeleteFunc(a.order, func(id string) bool { return a.kept[id] == nil })
	}
	return dropped
}

// size returns about how many bytes an answer takes.
func (a *Answer) size() int {
	const least = 1 << 10 // of a head
	n := least + len(a.Raw)
	for _, p := range a.Pieces {
		n += len(p.Data)
	}
	return n
}
