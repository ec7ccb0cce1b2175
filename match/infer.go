package match

import (
	"bytes"
	"hash/maphash"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// survey is what one look at a whole cassette tells of values that no profile knows: which
// texts travel, and who made them. It keeps digests, not texts, which are most of a file.
type survey struct {
	set       *profile.Set
	at        []time.Time         // when each exchange was answered; zero if unknown
	requested map[uint64]span     // tokens of the requests, folded
	shown     map[uint64]int      // tokens of answers of unknown operations: the first place
	made      map[uint64]creation // the same tokens: the write that showed one first
	constant  map[uint64]bool     // those that many writes show alike: no ids
	chosen    map[uint64]*choice  // texts that a client may have made up, as sent
}

// span is the first and the last place at which requests carry a token, and the noun by which
// a request knows it for an id of the sandbox's, if one does.
type span struct {
	first, last int
	of          string
	run         bool // some request has it as a whole run of characters
}

// creation is a write that opens a thread, as far as tokens tell, and its answer.
type creation struct{ call, answer uint64 }

// choice is a text that may be the client's own: a reference, an idempotency token.
type choice struct {
	call  uint64 // the write that carries it first, and the parameter
	body  uint64
	again bool // it travels: an answer echoes it or a later request repeats it
	many  bool // several writes of one kind carry it: it is configuration
}

func newSurvey(set *profile.Set) *survey {
	return &survey{
		set: set, requested: map[uint64]span{}, shown: map[uint64]int{},
		made: map[uint64]creation{}, constant: map[uint64]bool{}, chosen: map[uint64]*choice{},
	}
}

// look surveys the next exchange of a cassette.
func (s *survey) look(x *leaf.Exchange) {
	call := s.set.Find(x.Method, pathOf(x.Target()))
	s.at = append(s.at, answeredAt(x))
	place := len(s.at)
	opens := s.request(x, call, place)
	if call.Operation == nil || len(s.chosen) > 0 {
		s.answer(x, place, opens)
	}
}

// request notes what a request carries, and reports whether that is nothing which an answer
// has shown before.
func (s *survey) request(x *leaf.Exchange, call profile.Call, place int) bool {
	opens := true
	m := x.RequestMessage()
	passages := m.Passages()
	for j := range m.Leaves {
		l := &m.Leaves[j]
		if l.Place == leaf.Header {
			continue
		}
		p, _ := parameter(s.set, call, l)
		for _, tok := range tokens(passages.Outside(l)) {
			key := folded(tok.text)
			sp, known := s.requested[key]
			if !known {
				sp.first = place
			}
			sp.last, sp.run = place, sp.run || tok.run
			if p.field.From == profile.Minted && tok.text == p.text {
				sp.of = p.field.Of
			}
			s.requested[key] = sp
			opens = opens && s.shown[key] == 0
		}
		if !p.known && p.field.From == profile.Exact && p.place != leaf.Path && choosable(l) {
			s.choose(x, p)
		}
	}
	return opens
}

// choose notes a text that may be the client's own. Only one that a write carries first can
// be: what a client asks for by a read is there already.
func (s *survey) choose(x *leaf.Exchange, p param) {
	key, call := digest(p.text), digest(x.Method, pathOf(x.Target()), p.path)
	body := digest(x.Request.Body)
	c := s.chosen[key]
	switch {
	case c == nil && s.shown[folded(p.text)] == 0:
		// What a read carries first stands here too, so that no write can claim it.
		s.chosen[key] = &choice{call: call, body: body, many: !changes(x.Method)}
	case c == nil:
	case changes(x.Method) && c.call == call && c.body != body:
		c.many = true
	default:
		c.again = true
	}
}

// answer notes what an answer shows. opens tells that its request carried nothing known.
func (s *survey) answer(x *leaf.Exchange, place int, opens bool) {
	m := x.ResponseMessage()
	passages := m.Passages()
	opens = opens && changes(x.Method)
	var now creation
	if opens {
		now = creation{digest(x.Method, pathOf(x.Target())), digest(x.Response.Body)}
	}
	for i := range m.Leaves {
		l := &m.Leaves[i]
		for _, tok := range tokens(passages.Outside(l)) {
			key := folded(tok.text)
			if s.shown[key] == 0 {
				s.shown[key] = place
			}
			if opens {
				s.creates(now, key)
			}
			if c := s.chosen[digest(tok.text)]; c != nil {
				c.again = true
			}
		}
	}
}

// creates notes that the answer to a write which opens a thread shows a token. One that
// several such writes show is no id that they made: it is the sandbox's own constant.
func (s *survey) creates(now creation, token uint64) {
	first, known := s.made[token]
	switch {
	case !known:
		s.made[token] = now
	case first.call == now.call && first.answer != now.answer:
		s.constant[token] = true
	}
}

func changes(method string) bool { return method != "GET" && method != "HEAD" }

// bornHere reports whether a token of an answer, of which no profile knows anything, must
// have been made by the sandbox for this thread: it is long and odd, no date and no constant,
// and requests carry it, but none before the answer at a place. Of a run of characters that
// holds an id which requests carry alone, the id is born and not the run.
func (s *survey) bornHere(tok token, place int) bool {
	if len(tok.text) < inferLength {
		return false
	}
	key := folded(tok.text)
	sp := s.requested[key]
	if sp.first <= place || !odd(tok.text) || timely(tok.text, s.at[place-1]) || s.constant[key] {
		return false
	}
	if !tok.run {
		return sp.run || isUUID(tok.text)
	}
	for _, inner := range appendInner(nil, tok.text, 0) {
		alone := s.requested[folded(inner.text)].run || isUUID(inner.text)
		if alone && s.bornHere(inner, place) {
			return false
		}
	}
	return true
}

// madeUp reports whether a parameter of a request is a text that the client made up.
func (s *survey) madeUp(p param) bool {
	if p.known || p.field.From != profile.Exact || p.place == leaf.Path {
		return false
	}
	c := s.chosen[digest(p.text)]
	return c != nil && c.again && !c.many
}

// choosable reports whether a value may be a reference that a client made up: one word, odd
// enough, and no number that may be an amount, nor a date.
func choosable(l *leaf.Leaf) bool {
	v := l.Value
	if l.Kind != leaf.String || len(v) < embedLength || !embeddable(v) || !oneRun(v) || !odd(v) {
		return false
	}
	digits := strings.Trim(v, "0123456789") == ""
	return !(digits && len(v) < inferLength) && !(dateLike(v) && len(v) <= len("20060102150405")) &&
		!epochLike(v, time.Time{})
}

func oneRun(s string) bool {
	for i := range len(s) {
		if !idByte(s[i]) {
			return false
		}
	}
	return s != ""
}

// folded is the digest of what all ways of writing an id have in common: small letters, no
// dashes, no zeros in front of a number.
func folded(id string) uint64 {
	var room [64]byte
	b, number := room[:0], true
	if strings.IndexFunc(id, func(r rune) bool { return r >= utf8.RuneSelf }) >= 0 {
		id = strings.ToLower(strings.ToUpper(id))
	}
	for i := range len(id) {
		c := id[i]
		switch {
		case c == '-':
			continue
		case c >= 'A' && c <= 'Z':
			c += 'a' - 'A'
		}
		number = number && isDigit(c)
		b = append(b, c)
	}
	if number {
		b = bytes.TrimLeft(b, "0")
	}
	return maphash.Bytes(keySeed, b)
}

// digest stands for texts. That two of a cassette have one by chance is less likely than
// that a disk forgets one.
func digest(texts ...string) uint64 {
	if len(texts) == 1 {
		return maphash.String(keySeed, texts[0])
	}
	var h maphash.Hash
	h.SetSeed(keySeed)
	for _, t := range texts {
		_, _ = h.WriteString(t) // a hash takes everything
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// odd reports whether a text looks made by a machine rather than named by people: it has
// several digits beside a year, or letters and digits take turns. "PRODUCT-GOLD-2024-EUR" is
// a name. A round number is an amount.
func odd(text string) bool {
	const enoughDigits, enoughTurns = 5, 3
	if strings.HasPrefix(text, "REDACTED") || strings.HasSuffix(text, "000") && oneNumber(text) {
		return false
	}
	digits, turns := 0, 0
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '-' || r == '_' }) {
		if isYear(part) {
			continue
		}
		for i := range len(part) {
			if isDigit(part[i]) {
				digits++
			}
			if i > 0 && isDigit(part[i]) != isDigit(part[i-1]) {
				turns++
			}
		}
	}
	return digits >= enoughDigits || turns >= enoughTurns
}

func oneNumber(text string) bool { return strings.Trim(text, "0123456789") == "" }

func isYear(s string) bool {
	return len(s) == 4 && (strings.HasPrefix(s, "19") || strings.HasPrefix(s, "20")) && oneNumber(s)
}

// timely reports whether a text tells a time rather than a name.
func timely(text string, at time.Time) bool { return dateLike(text) || epochLike(text, at) }

// dateLike reports whether a text begins with a calendar date.
func dateLike(s string) bool {
	for _, layout := range []string{time.DateOnly, "20060102"} {
		if len(s) < len(layout) {
			continue
		}
		t, err := time.Parse(layout, s[:len(layout)])
		if err == nil && t.Year() > 1900 && t.Year() < 2100 {
			return true
		}
	}
	return false
}

// epochLike reports whether a number may be the time of something not far from an exchange,
// in seconds or milliseconds. Where the time of the exchange is not known, it may be of any
// year in which people record.
func epochLike(text string, at time.Time) bool {
	const near = 5 * 366 * 24 * time.Hour
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || len(text) != len("1774953000") && len(text) != len("1774953000000") {
		return false
	}
	t := time.UnixMilli(n)
	if len(text) == len("1774953000") {
		t = time.Unix(n, 0)
	}
	if at.IsZero() {
		return t.Year() >= 2010 && t.Year() < 2050
	}
	return t.Sub(at).Abs() < near
}
