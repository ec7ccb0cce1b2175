package profile

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
)

// calls remember which calls paths are. No segment of such a path stands for a parameter: there are not
// many of them. It has places for each hash, as remembered has.
type calls [1 << 8][2]atomic.Pointer[called]

type called struct {
	method, path string
	call         Call
}

// of returns what a request is. What find returns is kept, if it may be.
func (r *calls) of(method, path string, find func() Call) Call {
	places := &r[maphash.String(meaningSeed, path)%uint64(len(r))]
	for i := range places {
		if c := places[i].Load(); c != nil && c.path == path && c.method == method {
			return c.call
		}
	}
	call := find()
	if o := call.Operation; o != nil && !o.HasSegments() && len(path) <= longestRemembered {
		places[1].Store(places[0].Load())
		places[0].Store(&called{strings.Clone(method), strings.Clone(path), call})
	}
	return call
}

func (r *calls) forget() {
	for i := range r {
		for j := range r[i] {
			r[i][j].Store(nil)
		}
	}
}
