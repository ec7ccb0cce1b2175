package tape

import (
	"net/http"
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/request"
)

// served reports whether an exchange is one that this tape replays.
func (c *compiler) served(x *leaf.Exchange) bool {
	return (x.Replayable() || c.opts.Failures && x.FailureReplayable()) && Final(x.Code)
}

// kept reports whether an exchange is compiled: it is replayed, it is a write whose answer nobody has
// read, or it is a callback.
func (c *compiler) kept(x *leaf.Exchange) bool {
	if x.Meta.Callback != nil {
		return x.Meta.Withheld == "" // the request of one that the shop refused is whole
	}
	lost := x.Meta.Failure != "" && x.Meta.Fault == "" && x.Meta.Withheld == "" &&
		infer.Changes(x.Method)
	return c.served(x) || lost
}

// judge says what a call does: whether it reads, has failed, or was refused.
func (c *compiler) judge(rec *Recording, a *readied) {
	req := a.req
	rec.Reads = Reads(req)
	rec.Failed = !rec.Lost && Fails(req, a.x.Code, &a.answer)
	if p := req.Call.Profile; !req.Call.DeniedUnsaid() {
		rec.Denied = slices.ContainsFunc(p.Denied, func(d profile.Condition) bool {
			return d.Holds(a.x.Code, finder(&a.answer))
		})
	} else {
		rec.Denied = a.x.Code == 401
	}
	rec.Denied = rec.Denied && !rec.Lost
}

// Fails reports whether an answer tells that the call has failed, and so has changed nothing. A payment that
// the bank has declined is there all the same, with its reason: where nobody says otherwise, an API that
// answers 402 has kept it.
func Fails(r *request.Request, code int, answer *leaf.Message) bool {
	if !r.Call.FailureUnsaid() {
		return r.Call.Fails(code, finder(answer))
	}
	return code != http.StatusPaymentRequired && (r.Call.Fails(code, finder(answer)) || infer.Fails(answer))
}

// finder returns a function that looks up a value of an answer by its key.
func finder(m *leaf.Message) func(key string) (string, bool) {
	return func(key string) (string, bool) {
		for i := range m.Leaves {
			l := &m.Leaves[i]
			if l.Place != leaf.Header && strings.EqualFold(l.Key, key) {
				return l.Value, true
			}
		}
		return "", false
	}
}

// Reads reports whether a request changes nothing: the profile says so; where none does, GET and
// HEAD read, what is called a question reads, and the rest writes.
func Reads(r *request.Request) bool {
	o := r.Call.Operation
	switch {
	case o == nil:
		return infer.Asks(r)
	case !o.Writes:
		return true
	}
	for i := 0; i < len(r.Params) && len(o.Reads) > 0; i++ {
		if p := &r.Params[i]; o.Reads.Has(p.Path, p.Text) {
			return true
		}
	}
	return o.Asks && infer.Asks(r)
}
