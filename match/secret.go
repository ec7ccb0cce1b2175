package match

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/machine"
	"github.com/paytape/paytape/match/request"
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

// judge says whether the credentials of a request are good: each that something is known of.
func (c Credentials) judge(q *query) verdict {
	v := unknownVerdict
	if len(c) == 0 {
		return v
	}
	for i := range q.Asked {
		a := &q.Asked[i]
		if a.Field.Secret != profile.Token && !q.isLogin(i) {
			continue
		}
		switch c.of(request.LastName(a.Path), a.Text) {
		case bad:
			return bad
		case good:
			v = good
		}
	}
	return v
}

// of says what is known of a value.
func (c Credentials) of(name, value string) verdict {
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

// secrets returns the secrets by which a request shows who asks.
func (q *query) secrets(set *profile.Set) []string {
	var out []string
	for i := range q.Asked {
		a := &q.Asked[i]
		if a.Field.Secret == profile.Token && a.Field.From == profile.Shared && a.Text != "" {
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
