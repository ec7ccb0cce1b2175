package match

import (
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// survey is what one look at a whole cassette tells of values that no profile knows: which
// texts travel, and who made them.
type survey struct {
	set       *profile.Set
	at        []time.Time          // when each exchange was answered; zero if unknown
	requested map[string]span      // tokens of the requests, folded
	shown     map[string]int       // tokens of answers of unknown operations: the first place
	made      map[string]*creation // the same tokens: the write that showed one first
	constant  map[string]bool      // those that many writes show alike: no ids
	chosen    map[string]*choice   // texts that a client may have made up, as sent
}

// span is the first and the last place at which requests carry a token, and the noun by which
// a request knows it for an id of the sandbox's, if one does.
type span struct {
	first, last int
	of          string
	run         bool // some request has it as a whole run of characters
}

// creation is a write that opens a thread, as far as tokens tell, and its answer.
type creation struct{ call, answer string }

// choice is a text that may be the client's own: a reference, an idempotency token.
type choice struct {
	place int    // of the write that carries it first
	call  string // that write, and the parameter
	body  string
	again bool // it travels: an answer echoes it or a later request repeats it
	many  bool // several writes of one kind carry it: it is configuration
}

// surveyed looks at the exchanges of a cassette, in order.
func surveyed(set *profile.Set, xs []*leaf.Exchange) *survey {
	s := &survey{
		set: set, requested: map[string]span{}, shown: map[string]int{},
		made: map[string]*creation{}, constant: map[string]bool{}, chosen: map[string]*choice{},
	}
	for i, x := range xs {
		call := set.Find(x.Method, pathOf(x.Target()))
		s.at = append(s.at, answeredAt(x))
		opens := s.request(x, call, i+1)
		if call.Operation == nil || len(s.chosen) > 0 {
			s.answer(x, i+1, opens)
		}
	}
	return s
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
			folded := fold(tok.text)
			sp, known := s.requested[folded]
			if !known {
				sp.first = place
			}
			sp.last, sp.run = place, sp.run || tok.run
			if p.field.From == profile.Minted && tok.text == p.text {
				sp.of = p.field.Of
			}
			s.requested[folded] = sp
			opens = opens && s.shown[folded] == 0
		}
		if !p.known && p.field.From == profile.Exact && p.place != leaf.Path && choosable(l) {
			s.choose(x, p, place)
		}
	}
	return opens
}

// choose notes a text that may be the client's own. Only one that a write carries first can
// be: what a client asks for by a read is there already.
func (s *survey) choose(x *leaf.Exchange, p param, place int) {
	call := x.Method + " " + pathOf(x.Target()) + " " + p.path
	c := s.chosen[p.text]
	switch {
	case c == nil && s.shown[fold(p.text)] == 0:
		// What a read carries first stands here too, so that no write can claim it.
		s.chosen[p.text] = &choice{
			place: place, call: call, body: x.Request.Body, many: !changes(x.Method),
		}
	case c == nil:
	case changes(x.Method) && c.call == call && c.body != x.Request.Body:
		c.many = true
	default:
		c.again = true
	}
}

// answer notes what an answer shows. opens tells that its request carried nothing known.
func (s *survey) answer(x *leaf.Exchange, place int, opens bool) {
	m := x.ResponseMessage()
	passages := m.Passages()
	for i := range m.Leaves {
		l := &m.Leaves[i]
		for _, tok := range tokens(passages.Outside(l)) {
			folded := fold(tok.text)
			if s.shown[folded] == 0 {
				s.shown[folded] = place
			}
			if opens && changes(x.Method) {
				s.creates(x, folded)
			}
			if c := s.chosen[tok.text]; c != nil {
				c.again = true
			}
		}
	}
}

// creates notes that the answer to a write which opens a thread shows a token. One that
// several such writes show is no id that they made: it is the sandbox's own constant.
func (s *survey) creates(x *leaf.Exchange, folded string) {
	now := creation{x.Method + " " + pathOf(x.Target()), x.Response.Body}
	first := s.made[folded]
	switch {
	case first == nil:
		s.made[folded] = &now
	case first.call == now.call && first.answer != now.answer:
		s.constant[folded] = true
	}
}

func changes(method string) bool { return method != "GET" && method != "HEAD" }

// bornHere reports whether a token of an answer, of which no profile knows anything, must
// have been made by the sandbox for this thread: it is long and odd, no date and no constant,
// and requests carry it, but none before the answer at a place. Of a run of characters that
// holds an id which requests carry alone, the id is born and not the run.
func (s *survey) bornHere(tok token, place int) bool {
	sp := s.requested[fold(tok.text)]
	if sp.first <= place || len(tok.text) < inferLength || !odd(tok.text) ||
		timely(tok.text, s.at[place-1]) || s.constant[fold(tok.text)] {
		return false
	}
	if !tok.run {
		return sp.run || isUUID(tok.text)
	}
	for _, inner := range appendInner(nil, tok.text, 0) {
		if s.requested[fold(inner.text)].run && s.bornHere(inner, place) {
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
	c := s.chosen[p.text]
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

// fold is what all ways of writing an id have in common: small letters, no dashes, no zeros
// in front of a number.
func fold(text string) string {
	text = strings.ToLower(strings.ReplaceAll(text, "-", ""))
	if strings.HasPrefix(text, "0") && strings.Trim(text, "0123456789") == "" {
		return strings.TrimLeft(text, "0")
	}
	return text
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
