package proxy

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/paytape/paytape/proxy/internal/problem"
)

// ErrAbort is the one error that a mode returns, as it is or wrapped: there is nobody to answer, or
// nothing may be answered, and the door closes the connection.
var ErrAbort = errors.New("exchange aborted")

// The errors by which a rule of the run has a door break a connection. Each is an ErrAbort too.
var (
	errReset   = fmt.Errorf("the connection is reset: %w", ErrAbort)
	errGarbage = fmt.Errorf("something that is no HTTP is sent: %w", ErrAbort)
)

// The problems of this package, except those that tell why an upstream failed.
var (
	problemConnect = &problem.Problem{
		Code: http.StatusForbidden, Kind: "connect",
		Message: "this deck is not a forward proxy and opens no tunnels",
		Hint:    "use the deck's address as the base URL of the API, or start it with --forward",
	}
	problemAbsolute = &problem.Problem{
		Code: http.StatusForbidden, Kind: "absolute-form",
		Message: "this deck is not a forward proxy and fetches no absolute addresses",
		Hint:    "use the deck's address as the base URL of the API, or start it with --forward",
	}
	problemForward = &problem.Problem{
		Code: http.StatusForbidden, Kind: "forward-host",
		Message: "this deck leads to its configured hosts and ports and nowhere else",
		Hint: "name the host with --upstream URL or --host NAME=URL, or keep it out of the " +
			"proxy with NO_PROXY",
	}
	problemTunnel = &problem.Problem{
		Code: http.StatusForbidden, Kind: "connect",
		Message: "this deck opens tunnels over HTTP/1.1 only, and none inside another",
		Hint:    "tell the client to speak HTTP/1.1 to its proxy",
	}
	problemMisdirected = &problem.Problem{
		Code: http.StatusMisdirectedRequest, Kind: "misdirected",
		Message: "the request names another host than the tunnel it came through",
		Hint:    "open a tunnel to that host",
	}
	problemHostName = &problem.Problem{
		Code: http.StatusNotFound, Kind: "host",
		Message: "no host of that name is configured",
		Hint:    "name it with --host NAME=URL",
	}
	problemNoUpstream = &problem.Problem{
		Code: http.StatusNotFound, Kind: "no-upstream",
		Message: "no upstream is configured for this path",
		Hint:    "start the deck with --upstream URL, which takes every path",
	}
	problemRequest = &problem.Problem{
		Code: http.StatusBadRequest, Kind: "request",
		Message: "the body of the request could not be read to its end",
	}
	problemSlashes = &problem.Problem{
		Code: http.StatusBadRequest, Kind: "request-target",
		Message: "a path that begins with two slashes and has a bad percent escape " +
			"cannot be passed on as it is",
	}
	problemTooLarge = &problem.Problem{
		Code: http.StatusRequestEntityTooLarge, Kind: "too-large",
		Message: "the body of the request is larger than any body on tape can be",
	}
	problemTooMany = &problem.Problem{
		Code: http.StatusRequestEntityTooLarge, Kind: "too-large",
		Message: "the request has more parameters than are compared",
	}
	problemBusy = &problem.Problem{
		Code: http.StatusServiceUnavailable, Kind: "busy",
		Message: "the bodies of the requests under way are more than are kept at once",
	}
	problemDoor = &problem.Problem{
		Code: http.StatusBadGateway, Kind: "door",
		Message: "the answer could not be passed on",
	}
)

// failureResponse turns what went wrong into what a mode returns.
func failureResponse(req *http.Request, err error) (*http.Response, error) {
	var p *problem.Problem
	if errors.As(err, &p) {
		return p.Response(req), nil
	}
	return nil, ErrAbort
}
