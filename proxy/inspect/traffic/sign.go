package traffic

import (
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// signOf returns the sign of a row: the first that fits, in the order of package view. ruled says
// that a rule has fired.
func signOf(l *look, ruled bool) view.Sign {
	switch {
	case l.kind == proxy.Missed:
		return view.SignMiss
	case l.kind == proxy.Callback:
		return view.SignCallback
	case l.kind == proxy.Warning:
		return view.SignNote
	case l.kind == proxy.Failed, l.kind == proxy.Refused, l.problem != "":
		return view.SignFailed
	case l.kind == proxy.ByRule, ruled:
		return view.SignRule
	case l.outcome.Tone == view.Bad:
		return view.SignDeclined
	case l.mark != "":
		return view.SignMarked
	case l.outcome.Tone == view.Waits:
		return view.SignWaits
	}
	return view.SignHit
}

// servedOf says where the answer of an event came from. A callback has its answer from a shop.
func servedOf(e *proxy.Event) string {
	switch e.Kind {
	case proxy.Served:
		return "tape"
	case proxy.Missed:
		return "nothing"
	case proxy.ByRule:
		return orNothing("rule", e.Code)
	case proxy.Recorded, proxy.Passed, proxy.Lost:
		if e.Problem != "" && e.Problem != proxy.ProblemCut {
			return orNothing("deck", e.Code)
		}
		return orNothing("upstream", e.Code)
	case proxy.Failed, proxy.Refused:
		return orNothing("deck", e.Code)
	}
	return ""
}

// orNothing returns where an answer came from that was sent.
func orNothing(where string, code int) string {
	if code == 0 {
		return "nothing"
	}
	return where
}
