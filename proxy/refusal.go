package proxy

import "net/http"

// Refusals returns the words of Event.Problem with which clients are refused before a mode is
// asked: all that there are. Limit: what net/http refuses of HTTP/2 is not told of.
func Refusals() []string {
	var all []string
	seen := map[string]bool{}
	for _, p := range [...]*problem{
		problemLine, problemTarget, problemVersion, problemHead, problemField, problemCoding,
		problemExpect, problemSlow, problemPlain, problemHandshake, problemConnect, problemAbsolute,
		problemForward, problemMisdirected,
	} {
		if !seen[p.Kind] {
			seen[p.Kind] = true
			all = append(all, p.Kind)
		}
	}
	return all
}

// The refusals that nobody is left to read.
var (
	problemSlow      = &problem{Code: 0, Kind: "head-timeout"}
	problemHandshake = &problem{Code: 0, Kind: "handshake"}
)

// refusal is the event of a refusal. It holds nothing of what the client has sent.
func refusal(p *problem) Event { return Event{Kind: Refused, Code: p.Code, Problem: p.Kind} }

// refuse answers a request for which no mode is asked, and tells of it.
func refuse(observe func(Event), w http.ResponseWriter, req *http.Request, p *problem) {
	tell(observe, refusal(p))
	p.write(w, req.Method)
}
