package infer

import (
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/request"
)

// A client makes up some texts for more than one request: references of its orders, tokens of its retries. They
// are told by what becomes of them: an answer echoes them, or a later request repeats them.

// choice is a text that may be the client's own: a reference, an idempotency token.
type choice struct {
	call    uint64 // the write that carries it first, and the parameter
	body    uint64
	outcome uint64 // of that write
	again   bool   // it travels: an answer echoes it or a later request repeats it
	many    bool   // several writes of one kind carry it and came to the same: see configures
	asked   bool   // a read carries it first: no write can claim it
}

// choosing counts the texts that writes of one kind carry first in one parameter, and of these those with
// which several of the writes came to the same.
type choosing struct{ texts, many int }

// choose notes texts that may be the client's own. Only one that a write carries first can
// be: what a client asks for by a read is there already.
func (s *Survey) choose(r *Reading) {
	call := &request.Request{
		Method: r.x.Method, Target: r.x.Target(), Call: r.call, Params: r.params,
	}
	writes := !(r.call.Asks() && Asks(call)) && Changes(r.x.Method)
	body := request.Digest(r.x.Request.Body)
	for i := range r.own {
		p := &r.own[i]
		key, of := request.Digest(p.Text), r.callOf(p)
		c := s.chosen[key]
		switch {
		case c == nil && s.shownAt(request.Folded(p.Text)) == 0:
			// What a read carries first stands here too, so that no write can claim it.
			s.chosen[key] = &choice{call: of, body: body, asked: !writes}
			if writes {
				s.chosen[key].outcome = outcomeOf(r.x)
				s.choosing(of).texts++
			}
		case c == nil:
		case writes && c.call == of && c.body != body:
			same := c.outcome == outcomeOf(r.x) // else it was tried again, which tells nothing of the text
			if same && !c.many && !c.asked {
				s.choosing(of).many++
			}
			c.many = c.many || same
		default:
			c.again = true
		}
	}
}

// choosing returns the counts of a call, to be changed.
func (s *Survey) choosing(call uint64) *choosing {
	of := s.choosings[call]
	if of == nil {
		of = &choosing{}
		s.choosings[call] = of
	}
	return of
}

// configures reports whether a text is no reference that the client has made up, but one of several that it
// sends again and again: a terminal, a product. Of a third of them or more several writes of a kind came to
// the same. A payment that was declined and is tried again comes to something else.
func (s *Survey) configures(c *choice) bool {
	of := s.choosings[c.call]
	return c.asked || of != nil && of.many > 0 && 3*of.many >= of.texts
}

// outcomeOf digests what an exchange came to: the status and the words of the answer, without numbers and what
// may be ids.
func outcomeOf(x *leaf.Exchange) uint64 {
	isWord := func(r rune) bool { return r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	words := strings.Builder{}
	for word := range strings.FieldsFuncSeq(x.Response.Body, func(r rune) bool { return !isWord(r) }) {
		if !request.HasDigit(word) && !fresh.InBothCases(word) {
			words.WriteString(word)
			words.WriteByte(' ')
		}
	}
	return request.Digest(strconv.Itoa(x.Response.Code), words.String())
}

// callOf names a parameter of a call of one kind.
func (r *Reading) callOf(p *request.Param) uint64 {
	return request.Digest(r.x.Method, request.PathOf(r.x.Target()), r.called, p.Path)
}

// repeats notes that an answer shows a text, which the client may have made up.
func (s *Survey) repeats(text string) {
	if c := s.chosen[request.Digest(text)]; c != nil {
		c.again = true
	}
}

// Chosen reports whether a parameter of the request at a place is a text that the client made up
// for more than the request.
func (s *Survey) Chosen(p *request.Param, place int) bool {
	if p.Known || p.Field.From != profile.Exact || p.Place == leaf.Path {
		return false
	}
	c := s.chosen[request.Digest(p.Text)]
	return c != nil && (c.again || s.references()[c.call]) && !s.configures(c) && !s.Nonce(p, place)
}

// references returns the parameters of calls that hold what a client made up where the tape shows
// it. They hold such a text where nothing repeats it too, of a payment that was declined.
func (s *Survey) references() map[uint64]bool {
	if s.referred != nil {
		return s.referred
	}
	s.referred = map[uint64]bool{}
	for _, c := range s.chosen {
		if c.again && !s.configures(c) {
			s.referred[c.call] = true
		}
	}
	return s.referred
}

// choosable reports whether a value may be a reference that a client made up: one word that looks
// generated, and no number that may be an amount, nor a date; or an address of mail with such a
// name.
func choosable(l *leaf.Leaf) bool {
	v := l.Value
	if l.Kind != leaf.String || len(v) < request.EmbedLength || !request.Embeddable(v) {
		return false
	}
	if name, ok := mailbox(v); ok {
		return LooksGenerated(name)
	}
	if !request.OneRun(v) || !LooksGenerated(v) {
		return false
	}
	return !(request.IsDigits(v) && len(v) < bornLength) &&
		!(dateLike(v) && len(v) <= len("20060102150405")) && !epochLike(v, time.Time{})
}

// mailbox returns the name in an address of mail.
func mailbox(s string) (name string, ok bool) {
	name, host, ok := strings.Cut(s, "@")
	return name, ok && name != "" && strings.Contains(host, ".") && !strings.ContainsAny(s, " :/")
}
