package inspect

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/paytape/paytape/match/rules"
	"github.com/paytape/paytape/proxy/callback"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// withoutBody refuses a body: what a page in a browser sends by a form has one.
func withoutBody(act look) look {
	return func(req *http.Request) (any, error) {
		if req.ContentLength != 0 {
			return nil, refuse(http.StatusBadRequest, "such a request has no body")
		}
		return act(req)
	}
}

// saved says that something was done.
func (i *Inspector) saved(format string, args ...any) view.Saved {
	return view.Saved{OK: true, Message: i.Cleaner.Text(fmt.Sprintf(format, args...))}
}

// arm answers POST rules/NAME/arm. Without "times" a rule that waits to be asked for fires once; -1 is
// for good.
func (i *Inspector) arm(req *http.Request) (any, error) {
	times := 1
	if text := req.URL.Query().Get("times"); text != "" {
		var err error
		if times, err = strconv.Atoi(text); err != nil || times < -1 || times == 0 {
			return nil, refuse(http.StatusBadRequest, "times: expected a number from 1, or -1 for good")
		}
	}
	name := req.PathValue("name")
	arm := i.Rules.Arm
	if i.Arm != nil {
		arm = i.Arm
	}
	return i.changed(arm(name, times), "rule %s is armed", name)
}

// disarm answers POST rules/NAME/disarm.
func (i *Inspector) disarm(req *http.Request) (any, error) {
	name := req.PathValue("name")
	disarm := i.Rules.Disarm
	if i.Arm != nil {
		disarm = func(name string) error { return i.Arm(name, 0) }
	}
	return i.changed(disarm(name), "rule %s is disarmed", name)
}

// changed answers when a rule has been armed or disarmed, or could not be.
func (i *Inspector) changed(err error, says, name string) (any, error) {
	switch {
	case errors.Is(err, rules.ErrUnknown):
		return nil, refuse(http.StatusNotFound, "no rule has that name: see rules")
	case err != nil:
		return nil, refuse(http.StatusConflict, "%s", i.Cleaner.Text(err.Error()))
	}
	return i.saved(says, name), nil
}

// setMode answers POST callbacks/mode.
func (i *Inspector) setMode(req *http.Request) (any, error) {
	if i.Callbacks == nil {
		return nil, noCallbacks
	}
	to := callback.Mode(req.URL.Query().Get("to"))
	if err := i.Callbacks.SetMode(to); err != nil {
		return nil, refuse(http.StatusBadRequest, "to: expected one of %v", callback.Modes())
	}
	return i.saved("callbacks: %s", to), nil
}

// sendNext answers POST callbacks/next, when the shop has answered.
func (i *Inspector) sendNext(*http.Request) (any, error) {
	if i.Callbacks == nil {
		return nil, noCallbacks
	}
	sent, err := i.Callbacks.Next()
	if err != nil {
		return nil, refuse(http.StatusConflict, "no callback is held")
	}
	if sent.Code == 0 {
		return i.saved("callback %d: the shop gave no answer", sent.Number), nil
	}
	return i.saved("callback %d: the shop answered %d", sent.Number, sent.Code), nil
}

// resendCallback answers POST callbacks/3/resend. The callback goes out soon after the answer.
func (i *Inspector) resendCallback(req *http.Request) (any, error) {
	if i.Callbacks == nil {
		return nil, noCallbacks
	}
	number, err := strconv.Atoi(req.PathValue("number"))
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "expected the number of a callback")
	}
	again, err := i.Callbacks.ResendNumber(number)
	if err != nil {
		return nil, refuse(http.StatusNotFound, "there is no such callback: see callbacks")
	}
	return i.saved("callback %d is sent again as %d", number, again), nil
}

// resend answers POST exchanges/52/resend, when there is an answer. Where a sandbox gets the request,
// somebody must be sure of it.
func (i *Inspector) resend(req *http.Request) (any, error) {
	id, err := parseID(req.PathValue("id"))
	if err != nil {
		return nil, err
	}
	s := i.Status()
	switch {
	case i.Resend == nil || !s.CanResend:
		return nil, refuse(http.StatusConflict, "this deck cannot be asked to send a request again")
	case s.Asks && req.URL.Query().Get("sure") != "1":
		return nil, refuse(http.StatusConflict,
			"the request goes to the sandbox, where it may move money: say sure=1")
	}
	again, err := i.Resend(req.Context(), id)
	switch {
	case errors.Is(err, ErrGone):
		return nil, refuse(http.StatusNotFound, "%v", err)
	case err != nil:
		return nil, refuse(http.StatusConflict, "%s", i.Cleaner.Text(err.Error()))
	}
	done := i.saved("sent again as #%d", again)
	done.ID = again
	return done, nil
}
