package sandbox

import (
	"net/http"
	"strconv"

	"github.com/paytape/paytape/internal/sandbox/cardv1"
	"github.com/paytape/paytape/internal/sandbox/cardv2"
	"github.com/paytape/paytape/internal/sandbox/gateway"
	"github.com/paytape/paytape/internal/sandbox/wire"
)

// Control returns the control address of the stand-ins: GET /state shows what they hold,
// POST /reset empties them and starts the seed again. Both are safe with traffic under way;
// a call that runs across a reset leaves nothing behind.
//
// It belongs on a listener of its own, for it asks for no credentials; pages of other
// origins are refused, and so is a reset with a body: a callback by POST has one, and a
// client of the gateway says where those go. The state names no card number, CVC, PIN or key.
func (s *Sandbox) Control() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /state", func(w http.ResponseWriter, _ *http.Request) {
		wire.Reply{Status: http.StatusOK, ContentType: "application/json", Body: s.state()}.Write(w)
	})
	mux.HandleFunc("POST /reset", func(w http.ResponseWriter, r *http.Request) {
		if r.ContentLength != 0 {
			http.Error(w, "a reset has no body", http.StatusBadRequest)
			return
		}
		s.reset()
		w.WriteHeader(http.StatusNoContent)
	})
	return http.NewCrossOriginProtection().Handler(mux)
}

// state is the answer of GET /state.
type state struct {
	Seed    string        `json:"seed"` // a text: it has more digits than a JSON number keeps
	Gateway gateway.State `json:"gateway"`
	V1      cardv1.State  `json:"v1"`
	V2      cardv2.State  `json:"v2"`
}

// state looks at the APIs one after the other, each under its lock.
func (s *Sandbox) state() state {
	now := s.world.Load()
	return state{
		Seed:    strconv.FormatUint(s.options.Seed, 10),
		Gateway: now.gateway.State(),
		V1:      now.v1.State(),
		V2:      now.v2.State(),
	}
}
