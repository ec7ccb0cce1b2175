package infer

import (
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/redact/surrogate"
)

// Volatile reports whether a value of which no profile knows anything, in an answer given at a
// time, says no more than that the answer is of one thing: it tells a time near the exchange, or
// looks like an id. Such a value is served as it was recorded, and two answers that differ in it
// alone are alike.
func Volatile(l *leaf.Leaf, at time.Time) bool {
	decimal := l.Kind == leaf.Number && strings.ContainsAny(l.Value, "-.eE")
	if l.Kind != leaf.String && l.Kind != leaf.Number || decimal {
		return false
	}
	if TellsTime(l.Value, at) || request.NamesID(l) && request.IDLike(l.Value) {
		return true
	}
	if l.Kind == leaf.String && request.Embeddable(l.Value) && request.OneRun(l.Value) {
		return true
	}
	if l.Kind == leaf.String && (blobLike(l.Value) || casesByChance(l.Value)) {
		return true
	}
	return slices.ContainsFunc(request.Tokens(l.Value), func(tok request.Token) bool {
		return surrogate.IsToken(tok.Text) || len(tok.Text) >= bornLength && LooksGenerated(tok.Text)
	})
}

// blobLike reports whether a text may be bytes that somebody encoded.
func blobLike(text string) bool {
	const shortest = 16
	return len(text) >= shortest && !strings.ContainsAny(text, " :") && fresh.InBothCases(text) &&
		strings.ContainsAny(text, "0123456789")
}

// casesByChance reports whether letters are small and capital by chance: a third of them or more
// are followed by one of the other case. "cardHolderName" was thought of.
func casesByChance(text string) bool {
	const shortest = 12
	turns := 0
	for i := 1; i < len(text); i++ {
		if !request.IsLetter(text[i]) || !request.IsLetter(text[i-1]) {
			return false
		}
		if request.IsCapital(text[i]) != request.IsCapital(text[i-1]) {
			turns++
		}
	}
	return len(text) >= shortest && 3*turns >= len(text)
}
