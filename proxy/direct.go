package proxy

import (
	"net/http"
	"strings"
)

// ToHost returns a request that a mode sends to the host with a name, whatever its path is; false if
// there is no such host. It is for a program that calls a mode without a door.
func (u *Upstreams) ToHost(req *http.Request, name string) (*http.Request, bool) {
	up, ok := u.named(strings.ToLower(name))
	if !ok {
		return nil, false
	}
	by := &addressing{all: u, up: up}
	return by.by(req), true
}
