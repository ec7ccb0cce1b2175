package match

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/tape"
)

// maxCalls is how many names of calls a miss tells.
const maxCalls = 4

// otherCall explains a miss of a call on a path that the tape has, where one path has many calls and the
// request names which of them it is: an element of SOAP, a method of JSON-RPC. It returns false for a path
// of which the tape has no such calls.
func (p *Player) otherCall(q *query, m *Miss) bool {
	if q.r.Method != http.MethodPost {
		return false
	}
	called := infer.Called(q.r)
	base := q.Op
	if called != "" {
		base = strings.TrimSuffix(base, " "+called)
	}
	var names []string
	var like *machine.Recording
	unnamed := false
	for _, r := range p.tape.paths().first {
		name, named := strings.CutPrefix(r.Op, base+" ")
		switch {
		case r.Method != http.MethodPost:
		case r.Op == base:
			unnamed = true
		case named:
			names = append(names, name)
			if like == nil {
				like = r
			}
		}
	}
	if len(names) == 0 && (!unnamed || called == "") {
		return false
	}
	m.Hint = "record this call, too"
	switch {
	case called == "" && q.bodyless():
		m.Sentence = "the body is empty; on tape this path has " + bodyOf(like) + " that names the call: " +
			fewCalls(names)
		m.Hint = "send the body, or record this call"
	case called == "":
		m.Sentence = "the request names no call; on tape this path has " + bodyOf(like) +
			" that names it: " + fewCalls(names)
		m.Hint = "send the name of the call where it is on tape, or record this call"
	case len(names) == 0:
		m.Sentence = "the request names a call; on tape no request for this path does"
	default:
		m.Sentence = "the tape has this path, but no call of that name: it has " + fewCalls(names)
	}
	m.Reason = NoOperation
	return true
}

// bodyless reports whether nothing is in the body of a request.
func (q *asking) bodyless() bool {
	return !slices.ContainsFunc(q.Asked, func(a tape.Asked) bool {
		return inBody(a.Place) || a.Place == leaf.Text
	})
}

// bodyOf says in words what holds the name of a call in a recorded request.
func bodyOf(r *machine.Recording) string {
	for _, kind := range []struct {
		place leaf.Place
		words string
	}{{leaf.Markup, "XML"}, {leaf.JSON, "JSON"}} {
		if r.Request.Alike(func(a *tape.Asked) bool { return a.Place == kind.place }) {
			return kind.words
		}
	}
	return "a parameter"
}

// fewCalls lists the names of a few calls.
func fewCalls(names []string) string {
	text := strings.Join(names[:min(maxCalls, len(names))], ", ")
	if more := len(names) - maxCalls; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
