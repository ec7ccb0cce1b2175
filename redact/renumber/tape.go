package renumber

import (
	"iter"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
	"github.com/paytape/paytape/redact/surrogate"
)

// Surrogate is what stands for one value on a tape: its kind, and its number among those of the kind.
type Surrogate struct {
	Kind profile.Sensitivity
	N    int
}

// Tape is what is known of the surrogates of a tape. It is not safe for concurrent use.
type Tape struct {
	redactor *redact.Redactor
	highest  map[profile.Sensitivity]int
	cards    map[string]bool // digits that a field for card numbers holds
	fakes    map[fake]int    // numbers of fakes that fields hold
	used     map[Surrogate]bool
	digits   map[int][]string // of the cards that have an ordinal
}

// fake is a fake that its text alone does not tell.
type fake struct {
	kind profile.Sensitivity
	text string
}

// Read learns the surrogates of a tape. The redactor says which fields are secret; it learns nothing.
func Read(r *redact.Redactor, all iter.Seq[*leaf.Exchange]) *Tape {
	t := &Tape{
		redactor: r, highest: map[profile.Sensitivity]int{}, cards: map[string]bool{},
		fakes: map[fake]int{}, used: map[Surrogate]bool{}, digits: map[int][]string{},
	}
	for x := range all {
		for _, line := range x.Meta.Redactions {
			if kind, n := surrogate.ReadNote(line); n > 0 {
				t.use(Surrogate{kind, n})
			}
		}
	}
	for x := range all {
		t.readFields(x)
	}
	for x := range all {
		t.each(x, func(m mark) {
			t.use(m.Surrogate)
			if m.digits != "" {
				t.digits[m.N] = append(t.digits[m.N], m.digits)
			}
		})
	}
	return t
}

func (t *Tape) use(s Surrogate) {
	t.used[s] = true
	t.highest[s.Kind] = max(t.highest[s.Kind], s.N)
}

// Uses reports whether the tape has a surrogate.
func (t *Tape) Uses(s Surrogate) bool { return t.used[s] }

// All yields the surrogates of the tape, in no order.
func (t *Tape) All(yield func(Surrogate) bool) {
	for s := range t.used {
		if !yield(s) {
			return
		}
	}
}

// Highest returns the highest number of a kind; 0 if there is none.
func (t *Tape) Highest(kind profile.Sensitivity) int { return t.highest[kind] }

// Fits reports whether a surrogate of the tape can have another number. A card number of 17 to 19
// digits skips the ordinals that make it hold a shorter card number.
func (t *Tape) Fits(s Surrogate, n int) bool {
	if s.Kind != profile.PAN {
		return true
	}
	for _, digits := range t.digits[s.N] {
		text, ok := renumberCard(digits, n)
		if ok && surrogate.HoldsCard(text) {
			return false
		}
	}
	return true
}

// CanBe reports whether a surrogate of the tape may stand for the same value as a surrogate of another
// tape: a card with other first or last digits cannot.
func (t *Tape) CanBe(s Surrogate, other *Tape, as Surrogate) bool {
	if s.Kind != as.Kind {
		return false
	}
	for _, digits := range t.digits[s.N] {
		text, ok := renumberCard(digits, as.N)
		if s.Kind == profile.PAN && (!ok || !slices.Contains(other.digits[as.N], text)) {
			return false
		}
	}
	return true
}

// renumberCard returns the surrogate of a card with another ordinal; false if it has no room, and
// then a marker.
func renumberCard(digits string, n int) (string, bool) {
	like := digits
	if stands, ok := pan.StandsFor(digits); ok && stands == pan.Surrogate {
		like = pan.WithResidue(digits, len(digits)-pan.KeptLast-1, pan.Valid)
	}
	got, ok := surrogate.CardNumber(like, n)
	return got.Text, ok
}

// readFields learns from the fields of an exchange what is a card and what is a fake. The number of a
// fake is the one, of those that the exchange notes, that makes the fake's text.
func (t *Tape) readFields(x *leaf.Exchange) {
	noted := map[profile.Sensitivity][]int{}
	for _, line := range x.Meta.Redactions {
		if kind, n := surrogate.ReadNote(line); n > 0 {
			noted[kind] = append(noted[kind], n)
		}
	}
	for v := range t.redactor.Values(x) {
		for _, text := range v.Secrets {
			if v.Kind == profile.PAN {
				t.cards[pan.Digits(text)] = true
				continue
			}
			f, ok := surrogate.FakeOf(v.Kind)
			if !ok || !f.Own(text) {
				continue
			}
			for _, n := range noted[v.Kind] {
				if made := f.Make(text, n); made == text || surrogate.AsJSONNumber(made) == text {
					t.fakes[fake{v.Kind, text}] = n
				}
			}
		}
	}
}
