package outcome

import (
	"slices"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
)

// MaxNames bounds the names of an exchange.
const MaxNames = 32

// cardNoun is the noun of card numbers and masks where a profile has no other.
const cardNoun = "card"

// who finds what the exchange is about.
func (r *reading) who(f *Found) {
	var ids []Name // of those names that the API makes
	for _, h := range []*half{&r.asked, &r.answered} {
		for i := range h.leaves {
			l := &h.leaves[i]
			if !mayName(l) || r.listed(h, l) || len(f.Names) == MaxNames {
				continue
			}
			field := r.meaning(h, l)
			n, ok := r.name(l, field)
			if !ok {
				continue
			}
			if n.Noun == cardNoun && f.Card == "" {
				f.Card = n.Text
			}
			if field.From == profile.Minted && field.Secret == profile.NotSecret {
				ids = append(ids, n)
			}
			if !slices.Contains(f.Names, n) {
				f.Names = append(f.Names, n)
			}
		}
	}
	r.label(f, ids)
}

// mayName reports whether a value can be a name, whatever its field.
func mayName(l *leaf.Leaf) bool {
	const longest = 128
	return l.Value != "" && len(l.Value) <= longest && (l.Kind == leaf.String || l.Kind == leaf.Number)
}

// listed reports whether a value is one of a member of a list: the exchange is not about that.
func (r *reading) listed(h *half, l *leaf.Leaf) bool {
	o := r.call.Operation
	return h.dir == profile.Response && o != nil && o.List != nil && memberOf(l.Path, o.List.Items) >= 0
}

// label sets what people call what the exchange is about.
func (r *reading) label(f *Found, ids []Name) {
	for _, noun := range r.outcome.Who {
		i := slices.IndexFunc(f.Names, func(n Name) bool { return n.Noun == noun })
		if i < 0 {
			continue
		}
		best := f.Names[i]
		f.Kind, f.Label = or(best.Entity, best.Noun), best.Text
		same := func(n Name) bool { return n.Entity == best.Entity && n.Entity != "" }
		if i := slices.IndexFunc(ids, same); i >= 0 {
			f.ID = ids[i].Text
		}
		if f.Label == f.ID {
			f.Label = short(f.ID)
		}
		return
	}
}

// short returns the beginning of an id that is too long for a list.
func short(id string) string {
	const most, kept = 12, 8
	if len(id) <= most {
		return id
	}
	return id[:kept]
}

// name returns the name that a value is, if it is one.
func (r *reading) name(l *leaf.Leaf, f profile.Field) (Name, bool) {
	if f.Secret == profile.PAN || f.Form == profile.Mask {
		mask, ok := MaskOf(l.Value)
		n := Name{Noun: cardNoun, Text: mask}
		if e := r.call.Profile.Entity(cardNoun); e != nil {
			n.Entity = e.Name
		}
		return n, ok
	}
	named := f.From == profile.Unique || f.From == profile.Shared || f.From == profile.Minted
	if f.Of == "" || f.Secret != profile.NotSecret || !named {
		return Name{}, false
	}
	e := r.call.Profile.Entity(f.Of)
	if e == nil {
		return Name{}, false
	}
	return Name{Noun: f.Of, Text: oneLine(l.Value), Entity: e.Name, Scope: e.Scope}, true
}

// MaskOf returns the mask of a card number, a surrogate or another mask: "500000******1115". All masks
// of one number are equal, and none shows more than the first six and the last four digits. It
// returns false for a text that is neither a number nor a mask, and for one that shows less.
func MaskOf(s string) (string, bool) {
	if !pan.IsMask(s) {
		s = pan.Digits(s)
		if len(s) < pan.MinLength || len(s) > pan.MaxLength {
			return "", false
		}
	}
	ends, ok := pan.Ends(s)
	if !ok || strings.HasPrefix(ends, "000000") {
		return "", false
	}
	first, last, _ := strings.Cut(ends, "*")
	return first + "******" + last, true
}

// withMasks returns a text with masks in place of what may be card numbers: a message may name one,
// and a list shows no number, not even a surrogate. Spaces and dashes may stand between the digits.
func withMasks(text string) string {
	var b strings.Builder
	for at := 0; at < len(text); {
		end, digits := numberEnd(text, at)
		if len(digits) < pan.MinLength || len(digits) > pan.MaxLength {
			end = max(end, at+1)
			b.WriteString(text[at:end])
		} else {
			b.WriteString(digits[:pan.KeptFirst] + "******" + digits[len(digits)-pan.KeptLast:])
		}
		at = end
	}
	return b.String()
}

// numberEnd returns where the digits end that begin at an offset, with single spaces and dashes between
// them, and the digits.
func numberEnd(text string, at int) (end int, digits string) {
	end = at
	for i := at; i < len(text); i++ {
		switch c := text[i]; {
		case c >= '0' && c <= '9':
			digits, end = digits+string(c), i+1
		case (c == ' ' || c == '-') && i == end && i > at:
		default:
			return end, digits
		}
	}
	return end, digits
}
