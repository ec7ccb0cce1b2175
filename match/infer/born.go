package infer

import (
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/redact/surrogate"
)

// Ids are born in answers: a value that looks made by a machine, or stands where ids and numbers of things do, and
// that requests carry only later.

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
// requests have it as a whole value, under the same key, or where ids stand if the leaf is called id and no more; or
// where that key numbers things elsewhere, as it must if the number is round.
func (s *Survey) numberBorn(tok request.Token, l *leaf.Leaf, place int) bool {
	if tok.Text != l.Value || !s.wrote[place-1] ||
		!numbersThing(l) && !longNumber(l) || TellsTime(l.Value, s.at[place-1]) {
		return false
	}
	key, name := request.Folded(tok.Text), strings.ToLower(l.Key)
	sp := s.carried(key)
	same := (slices.Contains(sp.keys[:], lowerDigest(name)) || sp.asID && name == "id") && !isRound(tok.Text)
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

var quantities = request.Words("quantity")

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

// numbersThing reports whether a leaf may hold the number of a thing, though no name says that it
// is an id: "account": 73187. A round number may be an amount.
func numbersThing(l *leaf.Leaf) bool {
	const shortest = 4
	if !request.IsDigits(l.Value) || len(l.Value) < shortest || len(l.Value) >= request.EmbedLength ||
		isYear(l.Value) || l.Place == leaf.Header {
		return false
	}
	return l.Place == leaf.Path || !namesQuantity(l.Key)
}

// NumbersThing reports whether a parameter may hold the number of a thing.
func NumbersThing(p *request.Param) bool {
	return numbersThing(&leaf.Leaf{Place: p.Place, Key: request.LastName(p.Path), Value: p.Text})
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
