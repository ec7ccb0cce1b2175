package infer

import (
	"slices"

	"github.com/paytape/paytape/match/request"
)

var (
	sessionWords = request.Words("session")
	tokenWords   = request.Words("token of")
)

// Issues reports whether some request carries a token in a parameter that an answer has brought before.
// What is sent there is then the name of what the token was issued for.
func (s *Survey) Issues(path string) bool { return s.issues[path] }

// NamesSession reports whether a key names what stands for a session: "access_token", "sessionId".
// It tells who asks and not what is asked about, so nothing that is done with it changes it. The token of
// a card is something else: "card_token".
func NamesSession(key string) bool {
	words := request.AppendWords(nil, key)
	has := func(list []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(list, w) })
	}
	return has(sessionWords) && !has(tokenWords)
}
