package match

import (
	"net/http"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// Many APIs ask by POST: how an order stands, say. Such a call must be answered however often
// it is made, where a write is on tape as often as it may be served. What a call of an unknown
// API does is told by what it is called, which stands at the end of its path, or in its body
// where all calls have one path.

// askingVerbs begin the names of calls that ask; askingNouns end them, if nothing in front is a
// verb that does something.
var (
	askingVerbs = []string{
		"get", "query", "find", "list", "search", "fetch", "retrieve", "inquire", "inquiry", "lookup",
		"read", "describe",
	}
	askingNouns = []string{"status", "state", "query", "inquiry", "search", "lookup"}
	doingVerbs  = []string{
		"set", "update", "change", "create", "add", "delete", "remove", "cancel", "put", "post", "save",
		"edit", "modify", "make", "send", "confirm", "reset", "clear",
	}
	callNames = []string{"method", "action", "operation", "command", "cmd"} // of parameters
)

// asks reports whether a request of an unknown API is called a question.
func (r *Request) asks() bool {
	if r.Method != http.MethodPost {
		return false
	}
	name, inBody := r.callName()
	return asking(name) && (inBody || !r.sends(name)) || asksGraph(name)
}

// callName returns what a request of an unknown API says it calls, and whether the body says
// so: an element of SOAP, a document of GraphQL, a parameter. Else it is the end of the path.
func (r *Request) callName() (name string, inBody bool) {
	for i := range r.params {
		p := &r.params[i]
		switch p.place {
		case leaf.Form, leaf.Query, leaf.JSON:
			if namesCall(p.path) || isGraph(p) {
				return p.text, true
			}
		case leaf.Markup:
			if name := soapCall(p.path); name != "" {
				return name, true
			}
		}
	}
	path := strings.TrimRight(pathOf(r.Target), "/")
	return path[strings.LastIndexByte(path, '/')+1:], false
}

// namesCall reports whether a parameter says by its name that it is what is called.
func namesCall(path string) bool {
	isPath := func(name string) bool { return strings.EqualFold(name, path) }
	return slices.ContainsFunc(callNames, isPath)
}

// sends reports whether a request brings the thing that it is named after: "status" with a
// status in it sets one.
func (r *Request) sends(name string) bool {
	return slices.ContainsFunc(r.params, func(p param) bool {
		return p.place != leaf.Path && strings.EqualFold(lastName(p.path), name)
	})
}

// isGraph reports whether a parameter is a document of GraphQL.
func isGraph(p *param) bool { return p.path == "query" && strings.Contains(p.text, "{") }

// asksGraph reports whether the name of a call is a document of GraphQL that changes nothing
// (GraphQL specification, Operations).
func asksGraph(document string) bool {
	text := strings.TrimSpace(document)
	return strings.HasPrefix(text, "{") ||
		strings.HasPrefix(text, "query") && strings.Contains(text, "{")
}

// soapCall returns the name of the element in a SOAP body that a path leads through, if any.
func soapCall(path string) string {
	_, rest, _ := strings.Cut(path, "Envelope.Body.")
	name, _, _ := strings.Cut(rest, ".")
	return name
}

// asking reports whether the name of a call is one of a question: "GetState", "order.query",
// "status.do".
func asking(name string) bool {
	var room [8]string // more words than nearly every name has
	ws := appendWords(room[:0], strings.TrimSuffix(name, ".do"))
	if len(ws) == 0 {
		return false
	}
	isDoing := func(w string) bool { return slices.Contains(doingVerbs, w) }
	return slices.Contains(askingVerbs, ws[0]) ||
		slices.Contains(askingNouns, ws[len(ws)-1]) && !slices.ContainsFunc(ws, isDoing)
}
