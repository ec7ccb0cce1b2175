package admin

import (
	"errors"
	"net/http"

	"github.com/paytape/paytape/proxy/callback"
)

// CallbackInquiry is what somebody asks of the callbacks of a deck.
type CallbackInquiry struct {
	Do    string `json:"do"`              // a word below
	Order string `json:"order,omitempty"` // its id or number
}

// The words of CallbackInquiry.Do.
const (
	ListCallbacks  = "list"
	NextCallback   = "next"
	ResendCallback = "resend"
)

// Answer does with the callbacks of one deck what is asked for, and returns what is written as JSON. The
// error is callback.ErrNone where there is nothing to be done.
func (i CallbackInquiry) Answer(s *callback.Sender) (any, error) {
	switch i.Do {
	case NextCallback:
		sent, err := s.Next()
		if err != nil {
			return nil, err
		}
		e, _ := s.Entry(sent.Number)
		return e, nil
	case ResendCallback:
		numbers, err := s.Resend(i.Order)
		if err != nil {
			return nil, err
		}
		again := []callback.Entry{}
		for _, n := range numbers {
			if e, ok := s.Entry(n); ok {
				again = append(again, e)
			}
		}
		return again, nil
	}
	return s.List(), nil
}

// callbackHandler answers a request about the callbacks of the deck, or says why it cannot. ask does
// what is asked for, of the deck or of all that share its sessions.
type callbackHandler func(ask callbackAsker, w http.ResponseWriter, req *http.Request) error

// callbackAsker is CallbackInquiry.Answer of one deck, or of all.
type callbackAsker func(CallbackInquiry) (any, error)

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
			ask := func(i CallbackInquiry) (any, error) { return i.Answer(d.Callbacks) }
			if d.AllCallbacks != nil {
				ask = func(i CallbackInquiry) (any, error) { return d.AllCallbacks(req.Context(), i) }
			}
			err := h(ask, w, req)
			if r, ok := errors.AsType[*refusal](err); ok {
				http.Error(w, r.text, r.code)
			}
		}
	}
}

// listCallbacks answers GET /callbacks.
func listCallbacks(ask callbackAsker, w http.ResponseWriter, _ *http.Request) error {
	list, err := ask(CallbackInquiry{Do: ListCallbacks})
	if err != nil {
		return unasked(err)
	}
	return writeJSON(w, list)
}

// nextCallback answers POST /callbacks/next, when the shop has answered.
func nextCallback(ask callbackAsker, w http.ResponseWriter, _ *http.Request) error {
	sent, err := ask(CallbackInquiry{Do: NextCallback})
	switch {
	case errors.Is(err, callback.ErrNone):
		return refuse(http.StatusNotFound,
			"no callback is held: with --callbacks hold each waits for this request")
	case err != nil:
		return unasked(err)
	}
	return writeJSON(w, sent)
}

// resendCallbacks answers POST /callbacks/resend. The callbacks go out soon after the answer.
func resendCallbacks(ask callbackAsker, w http.ResponseWriter, req *http.Request) error {
	order := req.URL.Query().Get("order")
	if order == "" {
		return refuse(http.StatusBadRequest, "order: expected the id or the number of an order")
	}
	again, err := ask(CallbackInquiry{Do: ResendCallback, Order: order})
	switch {
	case errors.Is(err, callback.ErrNone):
		return refuse(http.StatusNotFound, "there was no callback about that order: see callbacks")
	case err != nil:
		return unasked(err)
	}
	return writeJSON(w, again)
}

// unasked says that other decks cannot be asked.
func unasked(err error) error {
	return refuse(http.StatusServiceUnavailable,
		"the decks that share the sessions cannot all be asked: see whether they and nats-server run (%v)", err)
}
