package stable

import (
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/fresh"
	"github.com/paytape/paytape/match/infer"
	"github.com/paytape/paytape/match/request"
	"github.com/paytape/paytape/match/tape"
	"github.com/paytape/paytape/redact/surrogate"
)

// names are the values of a recording that another recording of the same suite has otherwise, and what
// stands in their place.
type names struct {
	by     map[name]string
	taken  map[string]bool // the values that stand on the stable tape
	last   map[*tape.Series]uint64
	shapes map[string]*shape // of the values of each noun of an API
	long   texts             // those of by that are known by their text alone
}

// name is a recorded value: its text, and its noun if the text is too short to tell whose it is.
type name struct{ noun, text string }

func nameOf(noun, text string) name {
	if len(text) >= request.EmbedLength {
		noun = ""
	}
	return name{noun, text}
}

func newNames() *names {
	return &names{by: map[name]string{}, taken: map[string]bool{}, last: map[*tape.Series]uint64{},
		shapes: map[string]*shape{}, long: texts{}}
}

// of returns what stands in the place of a value that the client has sent or the sandbox has made
// before; the value itself if that stays.
func (n *names) of(noun, text string) string {
	if made, ok := n.by[nameOf(noun, text)]; ok {
		return made
	}
	return text
}

// minted returns what stands in the place of a value that the sandbox has made.
func (n *names) minted(s *tape.Source, x *exchange, at time.Time) string {
	key := nameOf(s.Slot.Name, s.Text)
	if made, ok := n.by[key]; ok {
		return made
	}
	made := s.Text
	if !fixed(s.Text) {
		made = n.like(s, x, at)
	}
	n.note(key, made)
	return made
}

// note notes what stands in the place of a value.
func (n *names) note(key name, made string) {
	n.by[key] = made
	n.taken[made] = true
	if key.noun == "" {
		n.long.add(key.text, made)
	}
}

// fixed reports whether a value stays as it is: what cleaning has left of a secret, and what is so
// short that it counts things.
func fixed(text string) bool {
	const short = 3
	return len(strings.TrimLeft(text, "0")) <= short || surrogate.Holds(text)
}

// like makes a value in the shape of a recorded value.
func (n *names) like(s *tape.Source, x *exchange, at time.Time) string {
	recorded := s.Recorded()
	const byChance = 3 // fewer numbers than this grow by chance
	grows := s.Series != nil && s.Series.Grows && len(n.shapeOf(s.Slot.Name, x).values) >= byChance
	if grows && !fresh.Stamped(recorded) {
		return n.grown(s)
	}
	return n.make(x.flow.seedOf(s.Slot.Name), n.shapeOf(s.Slot.Name, x), recorded, at)
}

// make makes a value that is not taken.
func (n *names) make(seed uint64, s *shape, v fresh.Recorded, at time.Time) string {
	const attempts = 20
	for range attempts {
		if text := once(seed, s, v, at); !n.taken[text] {
			return text
		}
		seed += golden
	}
	return v.Text
}

// golden is odd, and no multiple of it comes soon again (Knuth, volume 3, 6.4).
const golden = 0x9e3779b97f4a7c15

// once makes a value from a seed. To make it again of what was made gives the same.
func once(seed uint64, s *shape, v fresh.Recorded, at time.Time) string {
	switch {
	case v.Card:
		return card(seed, v.Text)
	case fresh.IsUUID(v.Text):
		return uuid(seed, v, at)
	case fresh.Stamped(v):
		return fresh.New(random(seed).Uint64()|1).Like(v, at)
	}
	return s.make(seed, v.Text)
}

// card makes the surrogate of a card number: the issuer and the number of the card on its tape stay,
// and the last digits are others.
func card(seed uint64, text string) string {
	stands, ok := pan.StandsFor(text)
	if !ok || text != pan.Digits(text) || surrogate.Ordinal(text) == 0 {
		return text
	}
	tail := len(text) - pan.KeptLast
	last := strconv.Itoa(10000 + random(seed).IntN(10000))[1:]
	number := text[:tail] + last
	if stands == pan.Surrogate {
		number = pan.WithResidue(number, tail-1, pan.Valid)
	} else {
		number = pan.WithResidue(number, tail-1, pan.Broken)
	}
	made, ok := surrogate.CardNumber(number, surrogate.Ordinal(text))
	if !ok || surrogate.HoldsCard(made.Text) {
		return text
	}
	return made.Text
}

// grown returns the next of numbers that grow. The first is drawn from the noun, so that the numbers of two
// nouns are not the same.
func (n *names) grown(s *tape.Source) string {
	digits := strings.TrimLeft(s.Text, "0")
	zeros := s.Text[:len(s.Text)-len(digits)]
	last, begun := n.last[s.Series]
	if !begun {
		r := random(hashed(s.Slot.Name))
		first := []byte("1")
		for range len(digits) - 1 {
			first = append(first, byte('0'+r.IntN(10)))
		}
		last, _ = strconv.ParseUint(string(first), 10, 64) // a number that grows has 18 digits at most
	}
	for next := last; ; next += uint64(s.Series.Step) {
		text := zeros + strconv.FormatUint(next, 10)
		if begun && next == last || n.taken[text] {
			continue
		}
		n.last[s.Series] = next
		return text
	}
}

// shown notes a value that an exchange shows, before any is made.
func (n *names) shown(s *tape.Source, x *exchange) {
	if s.Mint && s.Form == profile.NoForm && !fixed(s.Text) {
		n.shapeOf(s.Slot.Name, x).add(s.Text)
	}
}

// settle keeps a value that stands on a stable tape.
func (n *names) settle(s *tape.Source) {
	if s.Mint && s.Form == profile.NoForm {
		n.note(nameOf(s.Slot.Name, s.Text), s.Text)
	}
}

// shapeOf returns the shape of the values of a noun: two APIs may call two things alike.
func (n *names) shapeOf(noun string, x *exchange) *shape {
	noun = apiOf(x) + "\x00" + noun
	if n.shapes[noun] == nil {
		n.shapes[noun] = &shape{}
	}
	return n.shapes[noun]
}

// chosen notes a value that the client has chosen by chance, in a flow.
func (n *names) chosen(noun, text string, f *flow, at time.Time) {
	key := nameOf("", text)
	if _, known := n.by[key]; known || n.long.holds(text) ||
		len(text) < request.EmbedLength || !byChance(text, at) {
		return
	}
	own := &shape{}
	own.add(text)
	n.note(key, n.make(f.seedOf("chosen "+noun), own, fresh.Recorded{Text: text}, at))
}

// byChance reports whether a value that a client has chosen would be another in the next run of the
// client: it is long and has no order, or it tells the time.
func byChance(text string, at time.Time) bool {
	const long = 20
	if fresh.IsUUID(text) || len(text) == fresh.UUIDLength-4 && strings.Trim(text, "0123456789abcdef") == "" {
		return true
	}
	if !request.OneRun(text) {
		return false
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return r < '0' || r > '9' }) {
		if len(part) >= 10 && infer.TellsTime(part, at) {
			return true
		}
	}
	for part := range strings.FieldsFuncSeq(text, isSeparator) {
		if drawn(part) {
			return true
		}
	}
	return len(text) >= long && infer.LooksGenerated(text) && fresh.InBothCases(text)
}

func isSeparator(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ':' }

// drawn reports whether a word looks drawn from letters and digits: it is long, and they take turns.
func drawn(word string) bool {
	const long, enoughTurns = 8, 2
	turns := 0
	for i := 1; i < len(word); i++ {
		if request.IsDigit(word[i]) != request.IsDigit(word[i-1]) {
			turns++
		}
	}
	return len(word) >= long && turns >= enoughTurns
}

func hashed(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// secret reports whether cleaning has taken a value out, and left something that is no value.
func secret(a *tape.Asked) bool {
	return a.Secret || a.Field.Secret != profile.NotSecret && a.Field.Secret != profile.PAN ||
		surrogate.Holds(a.Text)
}
