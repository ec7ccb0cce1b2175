package infer

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/request"
)

var failures = request.Words("failure")

// Fails reports whether an answer of an unknown API says that the call has failed, whatever its
// status: JSON with a member for errors that is not empty.
func Fails(m *leaf.Message) bool {
	for i := range m.Leaves {
		l := &m.Leaves[i]
		if l.Place != leaf.JSON || l.Kind == leaf.Null || l.Kind == leaf.Empty {
			continue
		}
		top := l.Path
		if end := strings.IndexAny(top, ".["); end >= 0 {
			top = top[:end]
		}
		for _, name := range failures {
			if strings.EqualFold(top, name) {
				return l.Value != "" && l.Value != "false" && l.Value != "0"
			}
		}
	}
	return false
}
