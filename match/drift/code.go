package drift

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/request"
)

// codeWords are what the last word of a name is that holds a code, where no profile tells.
var codeWords = []string{"code", "status", "state", "result", "reason", "error"}

// isCode reports whether a value of an answer is a code: one that the profile has words for, or that is
// named so. A text for people is none.
func (x *Exchange) isCode(v *value) bool {
	key := strings.ToLower(v.key)
	if v.place == leaf.Header || v.kind == leaf.Empty || strings.Contains(v.raw, " ") {
		return false
	}
	if p := x.call.Profile; p != nil && p.Outcome != nil && p.Outcome.Codes[key] != nil {
		return true
	}
	words := request.AppendWords(nil, v.key)
	return len(words) > 0 && slices.Contains(codeWords, words[len(words)-1])
}

// codeKey names a code of an operation.
type codeKey struct{ op, key, code string }

// hasCode reports whether the tape has a code of an operation anywhere.
func (t *Tape) hasCode(op, key, code string) bool {
	return t.codes[codeKey{op, strings.ToLower(key), code}]
}

func (t *Tape) noteCode(op, key, code string) {
	t.codes[codeKey{op, strings.ToLower(key), code}] = true
}
