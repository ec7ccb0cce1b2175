package match

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
)

// Credential is what somebody said of a login or a password: that it is good, or that it is bad.
type Credential struct {
	leaf.Unprinted
	Name  string // of the field, whatever its case: "password", "X-API-KEY"
	Value string
	Bad   bool
}

// Credentials say which logins and passwords are good. A tape does not hold logins and passwords,
// so replay without Credentials takes all for good. Nil means that nothing is known.
type Credentials []Credential

// verdict is what Credentials say of a request.
type verdict int

const (
	unknownVerdict verdict = iota
	good
	bad
)

// judge says whether a request shows by good credentials who asks: good needs a good credential, and no
// secret of the client of which nothing is known. One bad credential makes all bad.
func (c Credentials) judge(q *query) verdict {
	if len(c) == 0 {
		return unknownVerdict
	}
	known, unknown := false, false
	for i := range q.Asked {
		switch c.of(q, i) {
		case bad:
			return bad
		case good:
			known = true
		default:
			unknown = unknown || q.Asked[i].Field.Credential() && q.Asked[i].Text != ""
		}
	}
	if known && !unknown {
		return good
	}
	return unknownVerdict
}

// of says what is known of a parameter of a request. A secret that decides what becomes of a payment is no
// credential, whatever its name: the payer's password at an ACS is not the password of the shop.
func (c Credentials) of(q *query, i int) verdict {
	a := &q.Asked[i]
	if len(c) == 0 || a.Field.Decides || a.Field.Secret != profile.Token && !q.isLogin(i) {
		return unknownVerdict
	}
	return c.ofValue(request.LastName(a.Path), a.Text)
}

// ofValue says what is known of a value of a field.
func (c Credentials) ofValue(name, value string) verdict {
	v := unknownVerdict
	for _, k := range c {
		if !strings.EqualFold(k.Name, name) {
			continue
		}
		switch {
		case k.Value == value && k.Bad:
			return bad
		case k.Value == value:
			return good
		case !k.Bad:
			v = bad // another than the good one
		}
	}
	return v
}

// coverHidden reports whether all secrets are good that cleaning has taken out of a recorded request: one
// of them has decided the answer.
func (c Credentials) coverHidden(q *query, r *machine.Recording) bool {
	secret := func(want *tape.Asked) bool { return want.Secret }
	doubtful := func(want *tape.Asked) bool {
		i := slices.IndexFunc(q.Asked, func(a tape.Asked) bool { return a.Path == want.Path })
		return want.Secret && (i < 0 || c.of(q, i) != good)
	}
	return r.Request.Alike(secret) && !r.Request.Alike(doubtful)
}

// secrets returns the secrets by which a request shows who asks.
func (q *query) secrets(set *profile.Set) []string {
	var out []string
	for i := range q.Asked {
		a := &q.Asked[i]
		if a.Field.Credential() && a.Text != "" {
			out = append(out, a.Text)
		}
	}
	if set.InfersLogin(q.Call) {
		out = append(out, q.r.Header.Values("Authorization")...) // RFC 9110, 11.6.2
	}
	return out
}

// mostAdmitted is how many secrets a Player remembers; a suite has a handful.
const mostAdmitted = 1024

// admit remembers the secrets with which a request was let in. Of a tape that refuses some and lets
// in others, as a recording shows, replay does not know which is which.
func (p *Player) admit(q *query, r *machine.Recording) {
	if r.Denied || !p.tape.machine.Refuses() {
		return
	}
	for _, s := range q.secrets(p.tape.opts.Profiles) {
		if len(p.letIn) < mostAdmitted {
			p.letIn[request.Digest(s)] = true
		}
	}
}

// admitted reports whether a request has a secret that was let in before.
func (p *Player) admitted(q *query) bool {
	return slices.ContainsFunc(q.secrets(p.tape.opts.Profiles), func(s string) bool { return p.letIn[request.Digest(s)] })
}
