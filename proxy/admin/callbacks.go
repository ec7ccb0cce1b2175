package admin

import (
	"errors"
	"net/http"

	"github.com/paytape/paytape/proxy/callback"
)

// callbackHandler answers a request about the callbacks of the deck, or says why it cannot.
type callbackHandler func(s *callback.Sender, w http.ResponseWriter, req *http.Request) error

// withCallbacks makes a handler of one that needs the callbacks of the deck. Like a reset, a
// request that sends something has no body.
func (a *Admin) withCallbacks(h callbackHandler) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		d := a.deck.Load()
		switch {
		case d == nil:
			http.Error(w, "starting", http.StatusServiceUnavailable)
		case d.Callbacks == nil:
			http.Error(w, "this deck sends no callbacks: there are none on tape, or --callbacks off was said",
				http.StatusConflict)
		case req.ContentLength != 0:
			http.Error(w, "such a request has no body", http.StatusBadRequest)
		default:
			err := h(d.Callbacks, w, req)
			if r, ok := errors.AsType[*refusal](err); ok {
				http.Error(w, r.text, r.code)
			}
		}
	}
}

// listCallbacks answers GET /callbacks.
func listCallbacks(s *callback.Sender, w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, s.List())
}

// nextCallback answers POST /callbacks/next, when the shop has answered.
func nextCallback(s *callback.Sender, w http.ResponseWriter, _ *http.Request) error {
	sent, err := s.Next()
	if err != nil {
		return refuse(http.StatusNotFound,
			"no callback is held: with --callbacks hold each waits for this request")
	}
	e, _ := s.Entry(sent.Number)
	return writeJSON(w, e)
}

// resendCallbacks answers POST /callbacks/resend. The callbacks go out soon after the answer.
func resendCallbacks(s *callback.Sender, w http.ResponseWriter, req *http.Request) error {
	order := req.URL.Query().Get("order")
	if order == "" {
		return refuse(http.StatusBadRequest, "order: expected the id or the number of an order")
	}
	numbers, err := s.Resend(order)
	if err != nil {
		return refuse(http.StatusNotFound, "there was no callback about that order: see callbacks")
	}
	again := []callback.Entry{}
	for _, n := range numbers {
		if e, ok := s.Entry(n); ok {
			again = append(again, e)
		}
	}
	return writeJSON(w, again)
}
