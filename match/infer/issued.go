package infer

import (
	"slices"

	"github.com/paytape/paytape/match/request"
)

var sessionWords = request.Words("session")

// NamesSession reports whether a key names what stands for a session: "access_token", "sessionId".
// It tells who asks and not what is asked about, so nothing that is done with it changes it.
func NamesSession(key string) bool {
	return slices.ContainsFunc(request.AppendWords(nil, key), func(w string) bool {
		return slices.Contains(sessionWords, w)
	})
}
