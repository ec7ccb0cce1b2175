package match_test

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// holds reports whether the tape has the answer that a stand-in gives to a call: of the same
// operation, with the same leaves but for what clients choose, what stand-ins make, and dates. A
// miss is then one that a better machine might not have had; otherwise nobody could have answered.
func (r *oracleRun) holds(turn oracleTurn, want, other *oracleAnswer, now time.Time) bool {
	live, also := oracleLeaves(want), oracleLeaves(other)
	for _, tape := range r.recorded {
		for _, one := range tape {
			if one.number > 0 && one.turn.step.operation() == turn.step.operation() &&
				sameClass(oracleLeaves(one.answer), live, also, one.turn.by, turn.by, now) {
				return true
			}
		}
	}
	return false
}

// sameClass compares a recorded answer with a live one, as holds says.
func sameClass(
	then, live, also map[string]oracleLeaf, recorded, playing *oracleActor, now time.Time,
) bool {
	if len(then) != len(live) {
		return false
	}
	was, is := chosenBy(recorded), chosenBy(playing)
	for path, l := range live {
		old, known := then[path]
		if !known || old.kind != l.kind {
			return false
		}
		if oracleKinds[l.key] != "" {
			continue
		}
		words, between := oracleWords(is.Replace(opened(l.text)))
		others, _ := oracleWords(is.Replace(opened(also[path].text)))
		olds, oldBetween := oracleWords(was.Replace(opened(old.text)))
		if !slices.Equal(between, oldBetween) || len(words) != len(others) {
			return false
		}
		for i, word := range words {
			_, date := oracleDate(word, now, now.Location())
			if word != olds[i] && word == others[i] && !date {
				return false
			}
		}
	}
	return true
}

// chosenBy writes names for what a client chooses, and one name for both base addresses.
func chosenBy(by *oracleActor) *strings.Replacer {
	pairs := []string{oracleSandbox, "(base)", oracleDeck, "(base)"}
	names := slices.SortedFunc(maps.Keys(by.cast), func(a, b string) int {
		return len(by.cast[b]) - len(by.cast[a]) // of two that begin alike, the longer
	})
	for _, name := range names {
		if text := by.cast[name]; len(text) > 3 && !strings.Contains(name, ":") {
			pairs = append(pairs, text, "("+name+")", strings.ToUpper(text), "("+name+")")
		}
	}
	return strings.NewReplacer(pairs...)
}
