package infer

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/digests"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fresh"
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

// NewSurvey returns a survey that has seen nothing yet.
func NewSurvey(set *profile.Set) *Survey {
	return &Survey{
		set: set, constant: map[uint64]bool{}, chosen: map[uint64]*choice{}, choosings: map[uint64]*choosing{},
		proofs: map[string]*proof{}, positions: map[uint64]*position{}, nouns: map[string]bool{},
		numbered: map[string]bool{}, told: map[uint64]bool{},
		issues: map[string]bool{}, perAnswer: map[string]*numbering{},
	}
}

// Look surveys the next exchange of a cassette, which was answered at a time; zero if unknown.
// Places are numbered from 1.
func (s *Survey) Look(r *Reading, answered time.Time) {
	s.at, s.wrote = append(s.at, answered), append(s.wrote, Changes(r.x.Method))
	place := len(s.at)
	opens := s.request(r, place)
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
	sp.asID = sp.asID ||
		tok.Text == l.Value && (request.NamesID(l) || len(tok.Text) >= request.EmbedLength)
	if tok.Text == l.Value {
		sp.under(l.Key)
		if numbersThing(l) && !isRound(l.Value) {
			s.numbered[strings.ToLower(l.Key)] = true
		}
	}
	return sp
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

var quantities = request.Words("quantity")

// numbersThing reports whether a leaf may hold the number of a thing, though no name says that it
// is an id: "account": 73187. A round number may be an amount.
func numbersThing(l *leaf.Leaf) bool {
	const shortest = 4
	if !request.IsDigits(l.Value) || len(l.Value) < shortest || len(l.Value) >= request.EmbedLength ||
		isYear(l.Value) || l.Place == leaf.Header {
		return false
	}
	return !namesQuantity(l.Key)
}

// namesQuantity reports whether a key has no words, or the word of a quantity: "totalAmount".
func namesQuantity(key string) bool {
	var room [8]string
	ws := request.AppendWords(room[:0], key)
	return len(ws) == 0 || slices.ContainsFunc(ws, func(w string) bool { return slices.Contains(quantities, w) })
}

// longNumber reports whether a leaf holds the number of a thing that is too long for numbersThing and too
// short to be an id by itself: "transactionid=855188174". Telephones and codes of banks are as long.
func longNumber(l *leaf.Leaf) bool {
	return l.Place != leaf.Header && request.IsDigits(l.Value) && endsInID(l.Key) &&
		len(l.Value) >= request.EmbedLength && len(l.Value) < bornLength
}

// endsInID reports whether a name ends as those of ids do, if written as one word: "transactionid".
func endsInID(name string) bool {
	n := len(name) - len("id")
	return n >= 0 && strings.EqualFold(name[n:], "id")
}

// isRound reports whether a short number looks like an amount.
func isRound(number string) bool { return len(number) < 5 && strings.HasSuffix(number, "00") }

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

// answer notes what an answer shows. opens tells that its request carried nothing known, and
// unknown that what no row tells of the operation is inferred.
func (s *Survey) answer(r *Reading, place int, opens, unknown bool) {
	x := r.x
	opens = opens && Changes(x.Method)
	var now creation
	if opens {
		now = creation{
			request.Digest(x.Method, request.PathOf(x.Target())), request.Digest(x.Response.Body),
		}
	}
	for i := range r.answer.leaves {
		l := &r.answer.leaves[i]
		for _, tok := range r.answer.of(i) {
			if first := s.shown.At(tok.key); *first == 0 {
				*first = place
			}
			if opens {
				s.creates(now, tok.key)
			}
			s.repeats(tok.Text)
		}
		if unknown && Changes(x.Method) && (unsentLike(l) || WordLike(l) || numbersThing(l) || longNumber(l)) {
			s.stands(r, l)
		}
		if unknown && Changes(x.Method) {
			for _, inner := range InQuery(l) {
				if unsentLike(inner) {
					s.stands(r, inner)
				}
			}
		}
		if _, mail := mailbox(l.Value); mail {
			s.repeats(l.Value)
		}
	}
}

// repeats notes that an answer shows a text, which the client may have made up.
func (s *Survey) repeats(text string) {
	if c := s.chosen[request.Digest(text)]; c != nil {
		c.again = true
	}
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

// Born reports whether a token of a leaf, of the answer at a place, is an id that the sandbox made
// there. open says that no row settles what the leaf holds, unknown that what no row of its profile
// tells is inferred.
func (s *Survey) Born(tok request.Token, l *leaf.Leaf, place int, open, unknown bool) bool {
	if surrogate.IsToken(tok.Text) {
		key := request.Folded(tok.Text)
		return issues(unknown, l, tok) && s.carried(key).first > place && !s.constant[key]
	}
	named := request.NamesID(l) && !tok.Within || unknown && s.namedInText(tok, l, s.at[place-1])
	return open && (s.bornHere(tok, place, named) || unknown && s.numberBorn(tok, l, place))
}

// namedInText reports whether a text has the name of an id in front of a token, or a name under which
// requests send it: "response=1&transactionid=855188174". Of words "gold2024" is a name that people gave.
func (s *Survey) namedInText(tok request.Token, l *leaf.Leaf, at time.Time) bool {
	if l.Place != leaf.Text || !tok.Run || TellsTime(tok.Text, at) {
		return false
	}
	name := request.NameBefore(l.Value, tok.At)
	named := request.IDNamed(name) || endsInID(name)
	if named || name == "" || request.IsDigits(tok.Text) {
		return named
	}
	made := strings.ContainsAny(strings.Trim(tok.Text, digits), digits)
	keys := s.carried(request.Folded(tok.Text)).keys
	return made && slices.Contains(keys[:], lowerDigest(name))
}

// numberBorn reports whether a leaf of the answer to a write brings the number of a thing: later
// requests have it as a whole value, under the same key or where that key numbers things elsewhere,
// as it must if the number is round.
func (s *Survey) numberBorn(tok request.Token, l *leaf.Leaf, place int) bool {
	if tok.Text != l.Value || !s.wrote[place-1] ||
		!numbersThing(l) && !longNumber(l) || TellsTime(l.Value, s.at[place-1]) {
		return false
	}
	key, name := request.Folded(tok.Text), strings.ToLower(l.Key)
	sp := s.carried(key)
	same := slices.Contains(sp.keys[:], lowerDigest(name)) && !isRound(tok.Text)
	return sp.first > place && !s.constant[key] && (same || s.numbered[name] && sp.keys[0] != 0)
}

// issues reports whether a leaf of an answer, to an unknown operation, brings a token that
// cleaning took out: as its whole value, in an address, or in a list of names and values. In prose
// stand other people's secrets, such as the password that a test page asks for.
func issues(unknown bool, l *leaf.Leaf, tok request.Token) bool {
	return unknown && (tok.Text == l.Value || strings.Contains(l.Value, "://") ||
		l.Place == leaf.Text && isPairs(l.Value) && isPairValue(l.Value, tok))
}

// isPairs reports whether a text is a list of names and values, each on a line or behind '&', as old
// gateways answer: "Status=OK\r\nSecurityKey=REDACTED-token-1\r\n".
func isPairs(text string) bool {
	pairs := 0
	for pair := range strings.FieldsFuncSeq(text, endsPair) {
		name, _, found := strings.Cut(pair, "=")
		if !found || !request.OneRun(name) {
			return false
		}
		pairs++
	}
	return pairs > 1
}

func endsPair(c rune) bool { return c == '\n' || c == '\r' || c == '&' }

// isPairValue reports whether a token is the whole value of a pair.
func isPairValue(text string, tok request.Token) bool {
	before, behind := text[:tok.At], text[tok.At+len(tok.Text):]
	return strings.HasSuffix(before, "=") && strings.IndexFunc(behind+"\n", endsPair) == 0
}

// bornHere reports whether a token of an answer, of which no profile knows anything, must
// have been made by the sandbox: it is long and looks generated and is no date, or is called
// an id (named) and looks like one; it is no constant, and requests carry it, but none before
// the answer at a place. Of a run of characters that holds an id which requests carry alone,
// the id is born and not the run.
func (s *Survey) bornHere(tok request.Token, place int, named bool) bool {
	if len(tok.Text) < bornLength && !named {
		return false
	}
	key := request.Folded(tok.Text)
	sp := s.carried(key)
	if sp.first <= place || s.constant[key] {
		return false
	}
	if named && sp.asID && request.IDLike(tok.Text) &&
		(s.wrote[place-1] || fresh.InBothCases(tok.Text)) {
		return true
	}
	if len(tok.Text) < bornLength || !LooksGenerated(tok.Text) || TellsTime(tok.Text, s.at[place-1]) {
		return false
	}
	if !tok.Run {
		return sp.run || fresh.IsUUID(tok.Text)
	}
	for _, inner := range tok.Inner() {
		alone := s.carried(request.Folded(inner.Text)).run || fresh.IsUUID(inner.Text)
		if alone && s.bornHere(inner, place, false) {
			return false
		}
	}
	return true
}

// NumbersThing reports whether a parameter may hold the number of a thing.
func NumbersThing(p *request.Param) bool {
	return numbersThing(&leaf.Leaf{Place: p.Place, Key: request.LastName(p.Path), Value: p.Text})
}

// Noun returns the noun by which some request knows a text for an id of the sandbox's; "" if none
// does.
func (s *Survey) Noun(text string) string { return s.carried(request.Folded(text)).of }

// Sent reports whether some request carries a text.
func (s *Survey) Sent(text string) bool { return s.carried(request.Folded(text)).first != 0 }

// ShownFirst returns the place of the answer of an unknown operation that was the first to show a
// text; 0 if none does.
func (s *Survey) ShownFirst(text string) int { return s.shownAt(request.Folded(text)) }

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

// Carries reports whether some request carries a value of a noun.
func (s *Survey) Carries(noun string) bool { return s.nouns[noun] }
