package match

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/fresh"
)

// Two recorded threads that open alike show times, traces and ids of their own in the answers
// that open them. Where no profile tells these from what the answer says, and no request
// carries them, they are variables that keep the recorded text: so a live thread that has been
// shown one of them can still turn out to be the other.

// passes reports whether a value of which nothing is known says no more than that it is of
// one thread: it tells a time near the exchange, or looks like an id. To take a constant for
// one does little harm: it stays as recorded.
func (a *answerCompiler) passes(l *leaf.Leaf) bool {
	decimal := l.Kind == leaf.Number && strings.ContainsAny(l.Value, "-.eE")
	if l.Kind != leaf.String && l.Kind != leaf.Number || decimal {
		return false
	}
	if timely(l.Value, a.e.answered) || namesID(l) && idLike(l.Value) {
		return true
	}
	if l.Kind == leaf.String && embeddable(l.Value) && oneRun(l.Value) {
		return true
	}
	if l.Kind == leaf.String && (blobLike(l.Value) || scrambled(l.Value)) {
		return true
	}
	return slices.ContainsFunc(tokens(l.Value), func(tok token) bool {
		return isMark(tok.text) || len(tok.text) >= inferLength && odd(tok.text)
	})
}

// blobLike reports whether a text may be bytes that somebody encoded.
func blobLike(text string) bool {
	const shortest = 16
	return len(text) >= shortest && !strings.ContainsAny(text, " :") && fresh.InBothCases(text) &&
		strings.ContainsAny(text, "0123456789")
}

// scrambled reports whether letters are small and capital by chance: a third of them or more
// are followed by one of the other case. "cardHolderName" was thought of.
func scrambled(text string) bool {
	const shortest = 12
	turns := 0
	for i := 1; i < len(text); i++ {
		if !isLetter(text[i]) || !isLetter(text[i-1]) {
			return false
		}
		if isCapital(text[i]) != isCapital(text[i-1]) {
			turns++
		}
	}
	return len(text) >= shortest && 3*turns >= len(text)
}

// passed reports whether a text is one of those in a thread of the exchange.
func (a *answerCompiler) passed(text string) bool {
	return a.scopes[a.e.threads[0]].passing[text] != nil
}

// passing returns the hole of such a value.
func (a *answerCompiler) passing(text string) *hole {
	s := a.scopes[a.e.threads[0]]
	v := s.passing[text]
	if v == nil {
		v = &variable{origin: passing, text: strings.Clone(text), birth: a.e}
		s.passing[v.text] = v
	}
	return &hole{vars: []*variable{v}}
}
