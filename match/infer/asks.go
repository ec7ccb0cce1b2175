package infer

import (
	"net/http"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/request"
)

// Many APIs ask by POST: how an order stands, say. What a call of an unknown API does is told by
// what it is called, which stands at the end of its path, or in its body where all calls have one
// path.

var (
	askingVerbs = request.Words("asking verb")
	askingNouns = request.Words("asking noun")
	doingVerbs  = request.Words("doing verb")
	callNames   = request.Words("call name")
)

// Changes reports whether a method is one that changes state (RFC 9110, section 9.2.1).
func Changes(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

// Asks reports whether a request of an unknown API only asks: by its method, or because it is
// called a question.
func Asks(r *request.Request) bool {
	if !Changes(r.Method) {
		return true
	}
	if r.Method != http.MethodPost {
		return false
	}
	name, inBody := CallName(r)
	if inBody && definesGraph(name) {
		return asksGraph(name)
	}
	return asking(name) && (inBody || !sends(r, name))
}

// CallName returns what a request of an unknown API says it calls, and whether the body says
// so: an element of SOAP, a document of GraphQL, a parameter. Else it is the end of the path.
func CallName(r *request.Request) (name string, inBody bool) {
	for i := range r.Params {
		p := &r.Params[i]
		switch p.Place {
		case leaf.Form, leaf.Query, leaf.JSON:
			if namesCall(p.Path) || isGraph(p) {
				return p.Text, true
			}
		case leaf.Markup:
			if name := soapCall(p.Path); name != "" {
				return name, true
			}
		}
	}
	path := strings.TrimRight(request.PathOf(r.Target), "/")
	return path[strings.LastIndexByte(path, '/')+1:], false
}

// Called returns the name of the call that the body of a request gives; "" if it gives none. What
// looks generated names a thing and no call.
func Called(r *request.Request) string {
	name, inBody := CallName(r)
	if !inBody || LooksGenerated(name) {
		return ""
	}
	return name
}

// namesCall reports whether a parameter says by its name that it is what is called.
func namesCall(path string) bool {
	return slices.ContainsFunc(callNames, func(name string) bool {
		return strings.EqualFold(name, path)
	})
}

// sends reports whether a request brings the thing that it is named after: "status" with a
// status in it sets one.
func sends(r *request.Request, name string) bool {
	return slices.ContainsFunc(r.Params, func(p request.Param) bool {
		return p.Place != leaf.Path && strings.EqualFold(request.LastName(p.Path), name)
	})
}

// isGraph reports whether a parameter is a document of GraphQL.
func isGraph(p *request.Param) bool { return p.Path == "query" && strings.Contains(p.Text, "{") }

// definesGraph reports whether a text is a document of GraphQL: a selection, or definitions.
func definesGraph(text string) bool {
	text = strings.TrimSpace(text)
	for strings.HasPrefix(text, "#") {
		_, behind, _ := strings.Cut(text, "\n")
		text = strings.TrimSpace(behind)
	}
	word := text[:len(text)-len(strings.TrimLeftFunc(text, inGraphName))]
	switch word {
	case "query", "mutation", "subscription", "fragment":
		return strings.Contains(text, "{")
	}
	return strings.HasPrefix(text, "{")
}

// inGraphName reports whether a name of GraphQL may have a sign (GraphQL specification, section 2.1.9).
func inGraphName(c rune) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// asksGraph reports whether a document of GraphQL changes nothing: none of its definitions begins with "mutation"
// (GraphQL specification, section 2.3).
func asksGraph(document string) bool {
	depth := 0     // how many brackets are open
	begins := true // a definition
	for i := 0; i < len(document); i++ {
		switch c := document[i]; {
		case c == '{' || c == '(':
			depth++
		case c == '}' || c == ')':
			depth--
			begins = depth == 0 && c == '}'
		case c == '#':
			i += len(document[i:]) - len(strings.TrimLeftFunc(document[i:], func(c rune) bool { return c != '\n' }))
		case c == '"':
			i += endOfString(document[i:])
		case depth == 0 && inGraphName(rune(c)):
			word := document[i : len(document)-len(strings.TrimLeftFunc(document[i:], inGraphName))]
			if begins && word == "mutation" {
				return false
			}
			begins = false
			i += len(word) - 1
		}
	}
	return true
}

// endOfString returns where the string at the beginning of a text ends.
func endOfString(text string) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(text)
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
	ws := request.AppendWords(room[:0], strings.TrimSuffix(name, ".do"))
	if len(ws) == 0 {
		return false
	}
	isDoing := func(w string) bool { return slices.Contains(doingVerbs, w) }
	return slices.Contains(askingVerbs, ws[0]) ||
		slices.Contains(askingNouns, ws[len(ws)-1]) && !slices.ContainsFunc(ws, isDoing)
}
