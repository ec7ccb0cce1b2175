package match

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/fresh"
)

// An answer shows ids that nobody sends back: of a refund, of the capture of a payment. A shop
// keeps them, and expects each to be there once. Where no profile has a row, one is taken for an
// id if it looks made by a machine, stands under a name for ids in the answer to a write, and the
// tape shows that other writes bring others there; or if what has that name on top of an answer
// is known for an id of the sandbox's. Every other stays as recorded: see passing.go.

// berth is a place for words in the answers to writes of one kind.
type berth struct {
	seen   map[uint64]uint64 // by value: the answer that showed it first
	repeat bool              // two answers show one value: it is a constant, or somebody's account
}

// berthed notes a word that the answer to a write of an unknown operation shows.
func (s *survey) berthed(x *leaf.Exchange, l *leaf.Leaf) {
	key := berthOf(x.Method, pathOf(x.Target()), l)
	answer, value := digest(x.Response.Body), digest(l.Value)
	at := s.berths[key]
	if at == nil {
		at = &berth{seen: map[uint64]uint64{}}
		s.berths[key] = at
	}
	if at.repeat {
		return
	}
	if first, known := at.seen[value]; known && first != answer {
		at.repeat, at.seen = true, nil
		return
	}
	at.seen[value] = answer
}

// berthOf names the place of a leaf in the answers to calls of one kind, which have the words of
// their paths in common.
func berthOf(method, path string, l *leaf.Leaf) uint64 {
	words := strings.Split(path, "/")
	for i, w := range words {
		if idLike(w) {
			words[i] = ""
		}
	}
	return digest(method, strings.Join(words, "/"), l.Shape)
}

// unused reports whether a leaf holds an id that was born there and that nobody sends.
func (a *answerCompiler) unused(l *leaf.Leaf) bool {
	if !a.e.unknown || !a.e.writes || !unusedLike(l) || timely(l.Value, a.e.answered) {
		return false
	}
	if a.survey.requested[folded(l.Value)].first != 0 {
		return false // whoever sent it, or sends it, made up our mind elsewhere
	}
	at := a.survey.berths[berthOf(a.e.method, a.e.target, l)]
	if at == nil || at.repeat {
		return false
	}
	return len(at.seen) > 1 || l.Path == l.Key && a.idKeys[l.Key]
}

// unusedLike reports whether a leaf may hold such an id.
func unusedLike(l *leaf.Leaf) bool {
	v := l.Value
	if l.Place == leaf.Header || l.Kind != leaf.String && l.Kind != leaf.Number ||
		!idLike(v) || isMark(v) || !idNamed(l.Key) && !typed(v) {
		return false
	}
	return fresh.InBothCases(v) && len(v) >= embedLength || len(v) >= inferLength && odd(v) ||
		studded(v)
}

// studded reports whether a long word has a digit inside: "DU8QJRKXEZNQCARQ". People put them at
// the end, or a dash before them.
func studded(text string) bool {
	const shortest = 12
	inner := strings.Trim(text, "0123456789")
	return len(text) >= shortest && strings.ContainsAny(inner, "0123456789") &&
		!strings.ContainsAny(text, "-_")
}

// unsent returns the hole of an id that nobody sends.
func (a *answerCompiler) unsent(text string) *hole {
	v := &variable{origin: minted, text: strings.Clone(text), birth: a.e, unsent: true}
	a.ids.add(v, a.e.threads[0])
	return &hole{vars: []*variable{v}}
}

// wordLike reports whether a leaf holds one long word.
func wordLike(l *leaf.Leaf) bool {
	return l.Place != leaf.Header && l.Kind == leaf.String && len(l.Value) >= embedLength &&
		oneRun(l.Value)
}

// ever reports whether every answer of several has another word where a leaf stands: then a word
// without a digit is of one thread, too.
func (a *answerCompiler) ever(l *leaf.Leaf) bool {
	const several = 4
	if !a.e.writes || !wordLike(l) {
		return false
	}
	at := a.survey.berths[berthOf(a.e.method, a.e.target, l)]
	return at != nil && len(at.seen) >= several
}

// typed reports whether a text says by its beginning that it is an id:
// "ch_39fdhYvjvwKOhM2c3FfgbbYZ".
func typed(text string) bool {
	const longestKind, shortest = 6, 12
	kind, tail, _ := strings.Cut(text, "_")
	return len(kind) <= longestKind && kind != "" && strings.Trim(kind, smallLetters) == "" &&
		len(tail) >= shortest && odd(tail) && !strings.ContainsAny(tail, "_-")
}
