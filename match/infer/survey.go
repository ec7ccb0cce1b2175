package infer

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/digests"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/redact/surrogate"
)

// Survey is what one look at a whole cassette tells of values that no profile knows: which
// texts travel, and who made them. It keeps digests, not texts, which are most of a file. It is
// not safe for concurrent use.
type Survey struct {
	set       *profile.Set
	at        []time.Time           // when each exchange was answered; zero if unknown
	wrote     []bool                // whether its method is one that changes state
	requested digests.Map[span]     // tokens of the requests, folded
	shown     digests.Map[int]      // tokens of answers that are inferred: the first place
	made      digests.Map[creation] // the same tokens: the write that showed one first
	constant  map[uint64]bool       // those that many writes show alike: no ids
	chosen    map[uint64]*choice    // texts that a client may have made up, as sent
	choosings map[uint64]*choosing  // by the call of a choice
	referred  map[uint64]bool       // see references; nil until asked for
	proofs    map[string]*proof     // by parameter
	positions map[uint64]*position
	nouns     map[string]bool       // that requests carry values of
	numbered  map[string]bool       // keys under which requests carry what may number a thing
	numbers   digests.Map[[]string] // of cards that answers bring, by what their masks show
	room      half                  // where a callback lies while it is looked at
	told      map[uint64]bool       // tokens of callbacks that no answer had shown before
	issues    map[string]bool       // parameters with tokens that answers have brought
	perAnswer map[string]*numbering // by the header of answers
	keys      keyUses
}

// span is the first and the last place at which requests carry a token, and the noun by which
// a request knows it for an id of the sandbox's, if one does.
type span struct {
	first, last int
	of          string
	run         bool // some request has it as a whole run of characters
	asID        bool // some request has it where ids stand, or all of a value is it if it is long
	// keys are those under which requests have it as a whole value, a few.
	keys [2]uint64
}

// creation is a write of which no value was shown before, and its answer.
type creation struct{ call, answer uint64 }

// NewSurvey returns a survey that has seen nothing yet.
func NewSurvey(set *profile.Set) *Survey {
	return &Survey{
		set: set, constant: map[uint64]bool{}, chosen: map[uint64]*choice{}, choosings: map[uint64]*choosing{},
		proofs: map[string]*proof{}, positions: map[uint64]*position{}, nouns: map[string]bool{},
		numbered: map[string]bool{}, told: map[uint64]bool{},
		issues: map[string]bool{}, perAnswer: map[string]*numbering{},
		keys: keyUses{first: map[uint64]*keyedWrite{}, again: map[int]keyReuse{}},
	}
}

// Look surveys the next exchange of a cassette, which was answered at a time; zero if unknown.
// Places are numbered from 1.
func (s *Survey) Look(r *Reading, answered time.Time) {
	s.at, s.wrote = append(s.at, answered), append(s.wrote, Changes(r.x.Method))
	place := len(s.at)
	use := s.keyUse(r, place, answered)
	if use == RepeatedWrite || use == RepeatedOtherwise {
		return // it is about what the first has made
	}
	opens := s.request(r, place) && !use.Excluded()
	if use == AnsweredByKey {
		return
	}
	if r.call.Infers() {
		s.headers(r.x.Response.Headers, answered)
	}
	if unknown := r.call.Infers(); unknown || len(s.chosen) > 0 {
		if !r.looked {
			r.readAnswer()
		}
		s.answer(r, place, opens, unknown)
	}
	for _, n := range r.numbers {
		if all := s.numbers.At(n.ends); !slices.Contains(*all, n.digits) {
			*all = append(*all, n.digits)
		}
	}
}

// Numbers returns the numbers of cards that answers bring and that a mask may show.
func (s *Survey) Numbers(mask string) []string {
	ends, ok := pan.Ends(mask)
	if !ok {
		return nil
	}
	if all := s.numbers.Find(request.Digest(ends)); all != nil {
		return *all
	}
	return nil
}

// request notes what a request carries, and reports whether that is nothing which an answer
// has shown before.
func (s *Survey) request(r *Reading, place int) bool {
	opens := true
	for i := range r.params {
		l, p := &r.asked.leaves[i], &r.params[i]
		if p.Field.Of != "" && p.Text != "" {
			s.nouns[p.Field.Of] = true
		}
		for _, tok := range r.asked.of(i) {
			sp := s.carries(l, tok, place)
			if p.Field.From == profile.Minted && tok.Text == p.Text {
				sp.of = p.Field.Of
			}
			opens = opens && s.shownAt(tok.key) == 0
		}
		if p.Unsaid && surrogate.Holds(p.Text) {
			s.prove(p)
			if surrogate.IsToken(p.Text) && s.shownAt(request.Folded(p.Text)) != 0 {
				s.issues[p.Path] = true
			}
		}
	}
	if len(r.own) > 0 {
		s.choose(r)
	}
	return opens
}

// carries notes that a leaf of a request, at a place, has a token.
func (s *Survey) carries(l *leaf.Leaf, tok digested, place int) *span {
	sp := s.requested.At(tok.key)
	if sp.first == 0 {
		sp.first = place
	}
	sp.last, sp.run = place, sp.run || tok.Run
	sp.asID = sp.asID || request.NamesID(l) && (tok.Text == l.Value || endsPrefixed(l.Value, tok.Token)) ||
		tok.Text == l.Value && len(tok.Text) >= request.EmbedLength
	if tok.Text == l.Value {
		sp.under(l.Key)
		if l.Place != leaf.Path && numbersThing(l) && !isRound(l.Value) {
			s.numbered[strings.ToLower(l.Key)] = true
		}
	}
	return sp
}

// endsPrefixed reports whether a value is a token behind a word that says of what kind it is: "ord:b2xkzqrtpm".
func endsPrefixed(value string, tok request.Token) bool {
	const apart = ":."
	kind := value[:max(tok.At-1, 0)]
	return kind != "" && tok.At+len(tok.Text) == len(value) && strings.IndexByte(apart, value[tok.At-1]) >= 0 &&
		!strings.ContainsFunc(kind, func(r rune) bool { return !unicode.IsLetter(r) })
}

// carried returns where requests carry a token; the zero span if they do not.
func (s *Survey) carried(token uint64) span {
	if sp := s.requested.Find(token); sp != nil {
		return *sp
	}
	return span{}
}

// shownAt returns the first place at which an answer shows a token; 0 if none does.
func (s *Survey) shownAt(token uint64) int {
	if first := s.shown.Find(token); first != nil {
		return *first
	}
	return 0
}

// lowerDigest is the digest of a key in small letters.
func lowerDigest(key string) uint64 {
	var room [64]byte
	wide := func(r rune) bool { return r >= utf8.RuneSelf }
	if len(key) > len(room) || strings.IndexFunc(key, wide) >= 0 {
		return request.Digest(strings.ToLower(key))
	}
	n := copy(room[:], key)
	for i, c := range room[:n] {
		if request.IsCapital(c) {
			room[i] = c + 'a' - 'A'
		}
	}
	return request.DigestBytes(room[:n])
}

// under notes a key under which a request has the token.
func (sp *span) under(key string) {
	k := lowerDigest(key)
	for i := range sp.keys {
		if sp.keys[i] == 0 || sp.keys[i] == k {
			sp.keys[i] = k
			return
		}
	}
}

// AppendTokens appends the tokens of a leaf; where there are none, its whole value if that may be the
// number of a thing.
func AppendTokens(ts []request.Token, l *leaf.Leaf, passages leaf.Passages) []request.Token {
	all := request.AppendLeafTokens(ts, l, passages)
	if len(all) == len(ts) && numbersThing(l) {
		all = append(all, request.Token{Text: l.Value, Run: true})
	}
	return all
}

// creates notes that the answer to a write which opens something shows a token. One that several
// such writes show is no id that they made: it is the sandbox's own constant.
func (s *Survey) creates(now creation, token uint64) {
	first := s.made.At(token)
	switch {
	case *first == creation{}:
		*first = now
	case first.call == now.call && first.answer != now.answer:
		s.constant[token] = true
	}
}

// Noun returns the noun by which some request knows a text for an id of the sandbox's; "" if none
// does.
func (s *Survey) Noun(text string) string { return s.carried(request.Folded(text)).of }

// Sent reports whether some request carries a text.
func (s *Survey) Sent(text string) bool { return s.carried(request.Folded(text)).first != 0 }

// ShownFirst returns the place of the answer of an unknown operation that was the first to show a
// text; 0 if none does.
func (s *Survey) ShownFirst(text string) int { return s.shownAt(request.Folded(text)) }

// Carries reports whether some request carries a value of a noun.
func (s *Survey) Carries(noun string) bool { return s.nouns[noun] }
