package tape

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/redact/surrogate"
)

// A token that the sandbox issues and a client sends back is a name of what it was issued for, and a
// marker stands for it wherever it was: REDACTED-token-2. A request may have a token that no answer on
// tape has brought: a made-up one, which the sandbox refused, or one that was there before the tape. It
// is a stranger. All that a tape tells of its text is that it is none of the issued ones, so a live
// token that this run has not issued may be any stranger at the same place, and no other token.

// Stranger is a token at a place of an operation that no answer on tape has brought.
type Stranger struct {
	Kind string // of the entity that it names, which was there from the start
	Text string // the entity's Config: the marker
	// Refused says that every call with it at this place has failed.
	Refused bool

	calls []*Recording // with it at this place, while compiling
}

// issuable reports whether a parameter holds a token, or the marker of one, that an answer may have
// brought: a row says that the sandbox makes it, or tokens at this place were brought by answers.
func (a *asker) issuable(p *request.Param) bool {
	if !surrogate.IsToken(text(p)) {
		return false
	}
	if p.Known && p.Field.From == profile.Minted {
		return true
	}
	open := p.Field.From == profile.Exact || p.Field.From == profile.Shared && p.Field.Of == ""
	return open && p.Unsaid && a.survey.Issues(p.Path)
}

// text returns the token in a parameter: in a header the credentials behind their scheme (RFC 9110,
// section 11.4), elsewhere all of it.
func text(p *request.Param) string { return p.Text[Credentials(p.Place, p.Field, p.Text):] }

// Credentials returns where in a text the token begins that it holds: in a header whose row says that
// it is a token which the sandbox makes, behind the scheme.
func Credentials(place leaf.Place, f profile.Field, text string) int {
	if place != leaf.Header || f.From != profile.Minted || f.Secret != profile.Token {
		return 0
	}
	return strings.IndexByte(text, ' ') + 1
}

// stranger returns the entity of a token that no answer on tape has brought: it was there from the
// start.
func (a *asker) stranger(p *request.Param) *value {
	name := "sent " + request.LastName(p.Path)
	known := a.config.At(request.Digest(name, text(p)))
	if *known == nil {
		e := a.entity("stranger "+name, nil)
		*known, e.Config = e, a.tape.words.word(text(p))
		e.addValue(a.tape.slabs.values.Put(value{text: e.Config, isName: true}), name)
	}
	return (*known).values[0]
}

// strangers notes the strangers of a recording.
func (p *Place) strangers(rec *Recording, a *Asked) {
	for _, n := range a.Names {
		e := rec.Roles[n.Role]
		if e.Config == "" || !surrogate.IsToken(a.Text[n.From:n.To]) {
			continue
		}
		at := slices.IndexFunc(p.Strangers, func(s Stranger) bool { return s.Text == e.Config })
		if at < 0 {
			at = len(p.Strangers)
			p.Strangers = append(p.Strangers, Stranger{Kind: e.Kind, Text: e.Config, Refused: true})
		}
		s := &p.Strangers[at]
		s.Refused = s.Refused && (rec.Failed || rec.Denied)
		s.calls = append(s.calls, rec)
	}
}

// settleStrangers leaves one of several strangers that are all refused with the same answers.
func (p *Place) settleStrangers() {
	kept := p.Strangers[:0]
	for _, s := range p.Strangers {
		alike := func(o Stranger) bool {
			return s.Refused && o.Refused && sameAnswers(s.calls, o.calls)
		}
		if !slices.ContainsFunc(kept, alike) {
			kept = append(kept, s)
		}
	}
	p.Strangers = slices.Clip(kept)
	for i := range p.Strangers {
		p.Strangers[i].calls = nil
	}
}

// sameAnswers reports whether the calls with two strangers were all answered alike.
func sameAnswers(a, b []*Recording) bool {
	for _, r := range slices.Concat(a, b) {
		if r.Code != a[0].Code || r.Class != a[0].Class {
			return false
		}
	}
	return true
}
