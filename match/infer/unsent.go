package infer

import (
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/redact/surrogate"
)

// An answer shows ids that nobody sends back: of a refund, of the capture of a payment. A shop
// keeps them, and expects each to be there once. Where no profile has a row, one is taken for an
// id if it looks made by a machine, stands under a name for ids in the answer to a write, and the
// tape shows that other writes bring others there; or if what has that name on top of an answer
// is known for an id of the sandbox's. So is a long word of which each of several writes brings another,
// whatever it is called: the prefix of a customer's invoices. Every other stays as recorded.

// position is a place for words in the answers to writes of one kind.
type position struct {
	seen   map[uint64]uint64 // by value: the answer that showed it first
	repeat bool              // two answers show one value: it is a constant, or somebody's account
	all    uint64            // the value, where repeat is set and all answers show one of themselves; else 0
	made   int               // how many of the values look made by a machine, as no state does
	tokens []uint64          // of what cleaning left of tokens, as requests carry it
}

// stands notes a word that the answer to a write of an unknown operation shows.
func (s *Survey) stands(r *Reading, l *leaf.Leaf) {
	x := r.x
	key := positionOf(x.Method, request.PathOf(x.Target()), r.called, l)
	answer, value := request.Digest(x.Response.Body), request.Digest(l.Value)
	at := s.positions[key]
	if at == nil {
		at = &position{seen: map[uint64]uint64{}}
		s.positions[key] = at
	}
	sent := slices.ContainsFunc(r.params, func(p request.Param) bool { return p.Text == l.Value })
	if at.repeat {
		if at.all != value && !sent {
			at.all = 0
		}
		return
	}
	first, known := at.seen[value]
	if known && first != answer {
		if len(at.seen) == 1 && !sent {
			at.all = value
		}
		at.repeat, at.seen = true, nil
		return
	}
	at.seen[value] = answer
	if surrogate.IsToken(l.Value) && len(at.tokens) < mostTokens {
		at.tokens = append(at.tokens, request.Folded(l.Value))
	}
	if inside := strings.Trim(l.Value, digits); !known && (LooksGenerated(l.Value) || strings.ContainsAny(inside, digits)) {
		at.made++
	}
}

const digits = "0123456789"

// mostTokens bounds the tokens of a position that are looked at.
const mostTokens = 64

// positionOf names the place of a leaf in the answers to calls of one kind, which have the words
// of their paths in common.
func positionOf(method, path, call string, l *leaf.Leaf) uint64 {
	words := strings.Split(path, "/")
	for i, w := range words {
		if request.IDLike(w) {
			words[i] = ""
		}
	}
	return request.Digest(method, strings.Join(words, "/"), call, l.Shape)
}

// Answer is what is asked about the answer to a write of an unknown operation.
type Answer struct {
	Method, Path string // of the request
	Call         string // what the body of the request says it calls; "" if it does not
	At           time.Time
	// IDKeys are keys under which ids that come back were born in answers before.
	IDKeys map[string]bool
}

// Unsent reports whether a leaf of the answer to a write holds an id that was born there and that
// nobody sends.
func (s *Survey) Unsent(a Answer, l *leaf.Leaf) bool {
	number := numbersThing(l) && s.numbered[strings.ToLower(l.Key)]
	if !unsentLike(l) && !number && !s.eachMade(a, l) || surrogate.IsToken(l.Value) || TellsTime(l.Value, a.At) {
		return false
	}
	if s.Sent(l.Value) {
		return false // whoever sent it, or sends it, has told elsewhere what it is
	}
	at := s.positions[positionOf(a.Method, a.Path, a.Call, l)]
	if at == nil || at.repeat {
		return false
	}
	return len(at.seen) > 1 || l.Path == l.Key && a.IDKeys[l.Key]
}

// NumberOfAll reports whether a leaf of the answer to a write of an unknown operation holds a number that
// every such answer has there, and several have. It is the sandbox's own, whatever its name says and
// though clients send it back: the merchant's in a message for the issuer of the card.
func (s *Survey) NumberOfAll(a Answer, l *leaf.Leaf) bool {
	if !numbersThing(l) && !longNumber(l) {
		return false
	}
	at := s.positions[positionOf(a.Method, a.Path, a.Call, l)]
	return at != nil && at.all == request.Digest(l.Value)
}

// Lone reports whether a leaf of the answer to a write of an unknown operation holds a long number or an
// id of which nobody knows whether it is that of one thing: no other write shows it there.
func (s *Survey) Lone(a Answer, l *leaf.Leaf) bool {
	const long = 5
	number := len(l.Value) >= long && numbersThing(l)
	if !number && !unsentLike(l) || TellsTime(l.Value, a.At) || s.Sent(l.Value) {
		return false
	}
	at := s.positions[positionOf(a.Method, a.Path, a.Call, l)]
	return at == nil || !at.repeat
}

// Each reports whether every answer of several has another word where a leaf stands: then a word
// without a digit is of one thing, too.
func (s *Survey) Each(a Answer, l *leaf.Leaf) bool {
	const several = 4
	if !WordLike(l) {
		return false
	}
	at := s.positions[positionOf(a.Method, a.Path, a.Call, l)]
	return at != nil && len(at.seen) >= several
}

// eachMade is Each where more than a third of the words look made by a machine: four payments may have four states,
// and of random letters and digits half have no digit inside.
func (s *Survey) eachMade(a Answer, l *leaf.Leaf) bool {
	if !s.Each(a, l) {
		return false
	}
	at := s.positions[positionOf(a.Method, a.Path, a.Call, l)]
	return 3*at.made > len(at.seen)
}

// OneOfEach reports whether a token is an id that the sandbox made where a leaf stands, though it has
// too few digits to look so: the leaf holds nothing else, every answer of several has another word
// there, and later requests carry this word. Of "rc_m9OCxkcmsLVmJHZ4" and "rc_npaWMJiZBIlpQloM", which
// two answers have in one place, the second is as much an id as the first.
func (s *Survey) OneOfEach(tok request.Token, l *leaf.Leaf, place int, a Answer) bool {
	return tok.Text == l.Value && s.bornHere(tok, place, true) && s.Each(a, l)
}

// IssuedAlike reports whether a leaf holds what cleaning left of a token that nobody sends, where other answers to the
// same call have tokens that requests carry: a client may abandon what it was given.
func (s *Survey) IssuedAlike(tok request.Token, l *leaf.Leaf, a Answer) bool {
	if !surrogate.IsToken(tok.Text) || tok.Text != l.Value || s.Sent(tok.Text) {
		return false
	}
	at := s.positions[positionOf(a.Method, a.Path, a.Call, l)]
	return at != nil && !at.repeat &&
		slices.ContainsFunc(at.tokens, func(token uint64) bool { return s.carried(token).first != 0 })
}

// InQuery yields the values in the query of an address that an answer holds, such as that of a redirect to the
// shop, each as a leaf of its own, by where they stand in the leaf. Values with escapes are left out.
func InQuery(l *leaf.Leaf) iter.Seq2[int, *leaf.Leaf] {
	return func(yield func(int, *leaf.Leaf) bool) {
		address, _, _ := strings.Cut(l.Value, "#")
		at := strings.IndexByte(address, '?') + 1
		if at == 0 || !strings.Contains(address[:at], "/") {
			return
		}
		for pair := range strings.SplitSeq(address[at:], "&") {
			key, value, found := strings.Cut(pair, "=")
			inner := leaf.Leaf{
				Place: leaf.Query, Kind: leaf.String, Key: key, Path: l.Path, Shape: l.Shape + "?" + key, Value: value,
			}
			if found && !strings.ContainsAny(pair, "%+") && !yield(at+len(key)+1, &inner) {
				return
			}
			at += len(pair) + 1
		}
	}
}

// unsentLike reports whether a leaf may hold such an id.
func unsentLike(l *leaf.Leaf) bool {
	v := l.Value
	inAddress := l.Place == leaf.Query && len(v) >= bornLength && LooksGenerated(v) // whatever its name
	if l.Place == leaf.Header || l.Kind != leaf.String && l.Kind != leaf.Number ||
		!request.IDLike(v) || surrogate.IsToken(v) || !request.IDNamed(l.Key) && !typed(v) && !inAddress {
		return false
	}
	return fresh.InBothCases(v) && len(v) >= request.EmbedLength ||
		len(v) >= bornLength && LooksGenerated(v) || digitInside(v)
}

// digitInside reports whether a long word has a digit inside: "DU8QJRKXEZNQCARQ". People put them
// at the end, or a dash before them.
func digitInside(text string) bool {
	const shortest = 12
	return len(text) >= shortest && strings.ContainsAny(strings.Trim(text, digits), digits) &&
		!strings.ContainsAny(text, "-_")
}

// WordLike reports whether a leaf holds one long word.
func WordLike(l *leaf.Leaf) bool {
	return l.Place != leaf.Header && l.Kind == leaf.String && len(l.Value) >= request.EmbedLength &&
		request.OneRun(l.Value)
}

// smallLetters are what the kind of an id is written in: "tr_".
const smallLetters = "abcdefghijklmnopqrstuvwxyz"

// typed reports whether a text says by its beginning that it is an id:
// "ch_39fdhYvjvwKOhM2c3FfgbbYZ".
func typed(text string) bool {
	const longestKind, shortest = 6, 12
	kind, tail, _ := strings.Cut(text, "_")
	return len(kind) <= longestKind && kind != "" && strings.Trim(kind, smallLetters) == "" &&
		len(tail) >= shortest && LooksGenerated(tail) && !strings.ContainsAny(tail, "_-")
}
