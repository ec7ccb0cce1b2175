package proxy

import (
	"net/http"

	"github.com/paytape/paytape/proxy/internal/http1"
	"github.com/paytape/paytape/proxy/internal/problem"
)

// Refusals returns the words of Event.Problem with which clients are refused before a mode is
// asked: all that there are. Limit: what net/http refuses of HTTP/2 is not told of.
func Refusals() []string {
	var all []string
	seen := map[string]bool{}
	for _, p := range append(http1.Problems(), problemPlain, problemHandshake, problemConnect,
		problemAbsolute, problemForward, problemMisdirected) {
		if !seen[p.Kind] {
			seen[p.Kind] = true
			all = append(all, p.Kind)
		}
	}
	return all
}

// problemHandshake is a TLS handshake that failed. Nobody is left to read an answer.
var problemHandshake = &problem.Problem{Kind: "handshake"}

// refusal is the event of a refusal. It holds nothing of what the client has sent.
func refusal(p *problem.Problem) Event { return Event{Kind: Refused, Code: p.Code, Problem: p.Kind} }

// refuse answers a request for which no mode is asked, and tells of it.
func refuse(observe func(Event), w http.ResponseWriter, req *http.Request, p *problem.Problem) {
	tell(observe, refusal(p))
	p.Write(w, req.Method)
}
