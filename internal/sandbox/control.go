package sandbox

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Control returns the control address of the stand-ins: GET /state shows what they hold,
// POST /reset empties them and starts the seed again. Both are safe with traffic under way;
// a call that runs across a reset leaves nothing behind.
//
// It belongs on a listener of its own, for it asks for no credentials; pages of other
// origins are refused. The state names no card number, CVC, PIN or key.
func (s *Sandbox) Control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) {
		reply{http.StatusOK, "application/json", s.state()}.write(w)
	})
	mux.HandleFunc("POST /reset", func(w http.ResponseWriter, _ *http.Request) {
		s.reset()
		w.WriteHeader(http.StatusNoContent)
	})
	return http.NewCrossOriginProtection().Handler(mux)
}

// state is the answer of GET /state.
type state struct {
	Seed    string       `json:"seed"` // a text: it has more digits than a JSON number keeps
	Gateway gatewayState `json:"gateway"`
	V1      v1State      `json:"v1"`
	V2      v2State      `json:"v2"`
}

// state looks at the APIs one after the other, each under its lock.
func (s *Sandbox) state() state {
	now := s.world.Load()
	return state{
		Seed:    strconv.FormatUint(s.options.Seed, 10),
		Gateway: now.gateway.state(),
		V1:      now.v1.state(),
		V2:      now.v2.state(),
	}
}

// listed makes a list of a map's values in the order of its keys, never nil.
func listed[K cmp.Ordered, V, S any](from map[K]V, show func(V) S) []S {
	list := []S{}
	for _, key := range slices.Sorted(maps.Keys(from)) {
		list = append(list, show(from[key]))
	}
	return list
}

// hideCards masks every run of digits that is as long as a card number: clients choose some
// of the names that the state shows, and may choose a card number.
func hideCards(s string) string {
	var out strings.Builder
	for len(s) > 0 {
		digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
		if digits == 0 {
			other := strings.IndexAny(s, "0123456789")
			if other < 0 {
				other = len(s)
			}
			out.WriteString(s[:other])
			s = s[other:]
			continue
		}
		run := s[:digits]
		if digits >= 13 && digits <= 19 {
			run = cardMask(run)
		}
		out.WriteString(run)
		s = s[digits:]
	}
	return out.String()
}

func hideAll(list []string) []string {
	hidden := []string{}
	for _, s := range list {
		hidden = append(hidden, hideCards(s))
	}
	return hidden
}
