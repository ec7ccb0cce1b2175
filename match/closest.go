package match

import (
	"cmp"
	"hash/maphash"
	"slices"

	"github.com/paytape/paytape/internal/profile"
)

// resembling finds the recordings that a request without an answer is most like, by the
// constants that they have in common, the rarest first. It holds one recording for each key.
type resembling struct {
	byOp    map[string][]*exchange
	byConst map[uint64][]*exchange // by operation, path and text of a constant
	byPath  map[string]*exchange   // the first with a path
	entered map[entered]bool
}

// entered is what one recording stands for all of.
type entered struct {
	key   uint64
	opens bool
}

// maxLikely bounds how many recordings a miss is compared with, of the tape and of each
// thread that could have answered.
const maxLikely = 64

func newResembling() *resembling {
	return &resembling{
		byOp: map[string][]*exchange{}, byConst: map[uint64][]*exchange{},
		byPath: map[string]*exchange{}, entered: map[entered]bool{},
	}
}

// enter indexes a recording.
func (s *resembling) enter(e *exchange) {
	if s.byPath[e.target] == nil {
		s.byPath[e.target] = e
	}
	k := entered{e.key, e.opens}
	if s.entered[k] {
		return
	}
	s.entered[k] = true
	s.byOp[e.op] = append(s.byOp[e.op], e)
	for i := range e.request {
		if w := &e.request[i]; len(w.value) == 1 {
			k := constant(e.op, w.path, w.text)
			if es := s.byConst[k]; len(es) < maxLikely {
				s.byConst[k] = append(es, e)
			}
		}
	}
}

// constant hashes a parameter of an operation.
func constant(op, path, text string) uint64 {
	var h maphash.Hash
	h.SetSeed(keySeed)
	h.WriteString(op)
	h.WriteByte(0)
	h.WriteString(path)
	h.WriteByte(0)
	h.WriteString(text)
	return h.Sum64()
}

// closest returns recordings for which suits returns true, those first that have a rare
// constant in common with the request.
func (s *resembling) closest(r *Request, suits func(*exchange) bool) []*exchange {
	lists := [][]*exchange{}
	for i := range r.params {
		if p := &r.params[i]; p.field.From == profile.Exact {
			lists = append(lists, s.byConst[constant(r.op, p.path, p.text)])
		}
	}
	slices.SortStableFunc(lists, func(a, b []*exchange) int { return cmp.Compare(len(a), len(b)) })
	all := s.byOp[r.op]
	lists = append(lists, all[:min(maxLikely, len(all))])
	var out []*exchange
	seen := map[*exchange]bool{}
	for _, list := range lists {
		for _, e := range list {
			if len(out) < maxLikely && !seen[e] && suits(e) {
				out = append(out, e)
			}
			seen[e] = true
		}
	}
	return out
}

// around returns the exchanges of a thread that were recorded nearest to a state: all of them
// where they are few.
func (t *thread) around(done int) []*exchange {
	if len(t.exchanges) <= 2*maxLikely {
		return t.exchanges
	}
	middle := len(t.exchanges)
	if done < len(t.writes) {
		middle, _ = slices.BinarySearchFunc(t.exchanges, t.writes[done].place,
			func(e *exchange, place int) int { return cmp.Compare(e.place, place) })
	}
	return t.exchanges[max(0, middle-maxLikely):min(len(t.exchanges), middle+maxLikely)]
}
