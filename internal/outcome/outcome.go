package outcome

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// Found is what there is to say about an exchange. Its texts may hold values of the exchange: whoever
// needs them as safe texts calls Of inside redact.Clean.Derive.
type Found struct {
	// Words are the outcome, without a full stop; empty where nothing is known of it.
	Words string
	Tone  string // one of profile's tones
	// Codes are those that the words stand for: "6/116". Fields are the same with the names of their
	// fields: "orderStatus=6 actionCode=116".
	Codes, Fields string
	// Event is what a callback tells, in words, without what the shop said to it: "deposited".
	Event  string
	Amount *Amount // nil: the exchange moves and shows no money
	// Kind is the kind of thing that the exchange is about: "order". Label is what people call it,
	// ID the id that the API gave it, Card the mask of the card that is first in the exchange. Each
	// may be empty.
	Kind, Label, ID, Card string
	// Names are all names of entities in the exchange, each once, MaxNames at most. Members of a list
	// are not among them.
	Names []Name
	// Short is the operation in a word of nine letters at most; empty where no profile knows it.
	Short string
	// From and To are who speaks to whom: each is one of profile.Actors.
	From, To string
}

// Amount is a sum of money.
type Amount struct {
	Minor    int64  // in the smallest unit of the currency
	Currency string // "EUR"; empty if nobody knows
	Text     string // "125.00 EUR"
}

// Name is a name of an entity. A card has the name of its mask.
type Name struct {
	Noun, Text string
	Entity     string // which a profile lists; empty for a card where a profile lists none
	Scope      bool   // the entity has members and no parts: a client, a merchant
}

// Known is what earlier exchanges have told of what an exchange is about.
type Known struct {
	Currency string // as a message has it, "978" or "EUR": of an amount without one
}

// MaxBody is the size of the largest body that is read, in bytes.
const MaxBody = 1 << 20

// maxLeaves bounds the values of a message that are looked at.
const maxLeaves = 1 << 12

// Of returns what there is to say about an exchange that has been cleaned.
func Of(set *profile.Set, x *leaf.Exchange, known ...Known) Found {
	r := newReading(set, x)
	for _, k := range known {
		r.known = k
	}
	f := Found{From: "client", To: "deck"}
	if x.Meta.Callback != nil {
		f.From, f.To = "deck", "shop"
	}
	if r.call.Operation != nil {
		f.Short = r.call.Operation.ShortName()
		f.From, f.To = or(r.wording.From, f.From), or(r.wording.To, f.To)
	}
	r.who(&f)
	r.words(&f)
	return f
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// words says what the exchange came to.
func (r *reading) words(f *Found) {
	row, failed := r.row()
	if r.unanswered() {
		row, failed = nil, true
	}
	amounts := r.outcome.Amount
	if row != nil && row.Amount != nil {
		amounts = row.Amount
	}
	f.Amount = r.amount(amounts)
	if row != nil {
		r.fill(f, row)
	}
	r.codes(f, row)
	switch {
	case r.x.Meta.Callback != nil:
		r.shop(f)
	case r.x.Meta.Fault != "":
		f.Words, f.Tone = faults[r.x.Meta.Fault], string(profile.Bad)
	case r.unanswered():
		f.Words, f.Tone = faults[leaf.FaultNoAnswer], string(profile.Bad)
	case f.Words == "" && r.x.Code >= http.StatusBadRequest:
		f.Words, f.Tone = statusWords(r.x.Code), string(profile.Bad)
	case row == nil && failed:
		f.Tone = string(profile.Bad)
	}
}

// unanswered reports whether a call has no answer: the client left before it, or an archive was saved
// without it. What rows say of an empty answer is not so then. A callback is told even if the shop says
// nothing.
func (r *reading) unanswered() bool { return r.x.Code == 0 && r.x.Meta.Callback == nil }

// faults say what became of an answer that did not come, or did not come whole.
var faults = map[string]string{
	leaf.FaultNoAnswer: "no answer",
	leaf.FaultTimeout:  "no answer in time",
	leaf.FaultCut:      "answer cut off",
}

// statusWords say a status: "404 Not Found".
func statusWords(code int) string {
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

// row returns the first row that holds, nil if none does, and whether the call has failed.
func (r *reading) row() (row *profile.Says, failed bool) {
	rows := [2][]profile.Says{r.wording.Words, r.outcome.Words}
	failed = r.x.Meta.Callback == nil && r.call.Fails(r.x.Code, r.find)
	if failed {
		rows = [2][]profile.Says{r.wording.Failed, r.outcome.Failed}
	}
	for _, some := range rows {
		for i := range some {
			if r.holds(&some[i]) {
				return &some[i], failed
			}
		}
	}
	return nil, failed
}

func (r *reading) holds(s *profile.Says) bool {
	for _, c := range s.When {
		if !c.Holds(r.x.Code, r.find) {
			return false
		}
	}
	for _, c := range s.Asked {
		if !c.Holds(r.x.Code, r.findAsked) {
			return false
		}
	}
	return true
}

// fill sets the words of a row, and their tone.
func (r *reading) fill(f *Found, row *profile.Says) {
	tone := row.Tone
	words, ok := row.Words.Fill(func(name string) string {
		text, of := r.reference(name, row, f)
		if tone == profile.Plain {
			tone = of
		}
		return text
	})
	if ok {
		f.Words, f.Tone = words, string(tone)
	}
}

// reference returns what a reference of a row stands for, and its tone if it is a code.
func (r *reading) reference(name string, row *profile.Says, f *Found) (string, profile.Tone) {
	if name == "amount" {
		if f.Amount == nil {
			return "", profile.Plain
		}
		return f.Amount.Text, profile.Plain
	}
	if nouns, found := strings.CutPrefix(name, "count "); found {
		return r.count(row.Of, nouns), profile.Plain
	}
	half := &r.answered
	if key, found := strings.CutPrefix(name, "request."); found {
		name, half = key, &r.asked
	}
	l := half.find(name)
	if l == nil {
		return "", profile.Plain
	}
	return r.value(half, l)
}

// value returns the words for a value: those of its code, or its text.
func (r *reading) value(h *half, l *leaf.Leaf) (string, profile.Tone) {
	f := r.meaning(h, l)
	if f.Secret != profile.NotSecret {
		return "", profile.Plain
	}
	key := strings.ToLower(l.Key)
	if table := r.outcome.Codes[key]; table != nil {
		code := table[l.Value]
		return code.Words, code.Tone
	}
	if human := Human(r.call, f, l.Key, l.Value, h.text); human != "" {
		return human, profile.Plain
	}
	return withMasks(oneLine(l.Value)), profile.Plain
}

// longestText bounds a text of a message inside words, in bytes.
const longestText = 80

// oneLine returns the beginning of a text without line ends and other control characters.
func oneLine(s string) string {
	if len(s) > longestText {
		s = s[:longestText] + "..."
	}
	s = strings.Map(func(c rune) rune {
		if c < ' ' || c == 0x7f {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, ""))
	return strings.Join(strings.Fields(s), " ")
}

// codes sets the codes that are shown behind words.
func (r *reading) codes(f *Found, row *profile.Says) {
	show := r.outcome.Show
	if row != nil && row.Show != nil {
		show = row.Show
	}
	half := &r.answered
	if r.x.Meta.Callback != nil {
		half = &r.asked
	}
	const longest = 24 // of a code
	var codes, fields []string
	for _, key := range show {
		l := half.find(key)
		if l == nil || l.Value == "" || len(l.Value) > longest || r.listed(half, l) ||
			r.meaning(half, l).Secret != profile.NotSecret {
			continue
		}
		code := oneLine(l.Value)
		codes, fields = append(codes, code), append(fields, l.Key+"="+code)
	}
	f.Codes, f.Fields = strings.Join(codes, "/"), strings.Join(fields, " ")
}

// shop adds to what a callback tells what the shop said to it.
func (r *reading) shop(f *Found) {
	f.Event = or(f.Words, oneLine(r.x.Meta.Callback.Operation))
	said := "accepted"
	switch x := r.x; {
	case x.Meta.Fault != "" || x.Code == 0:
		said, f.Tone = "no answer", string(profile.Bad)
	case !r.call.Profile.AcceptsCallback(x.Code):
		said, f.Tone = "shop said "+strconv.Itoa(x.Code), string(profile.Bad)
	}
	f.Words = strings.TrimPrefix(f.Event+", "+said, ", ")
}
