package traffic

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/paytape/paytape/proxy/inspect/filter"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// maxWords bounds the words that a completion offers.
const maxWords = 20

// Complete tells what a filter means so far, and which words may stand at a cursor, in bytes of the
// text. The values of a key are those of the rows that are held, with how many rows have each.
func (t *Traffic) Complete(text string, cursor int) view.Completion {
	t.begin()
	if len(text) > filter.MaxText {
		_, err := filter.Parse(text) // nothing else is done with so long a text
		return view.Completion{Error: err.Error(), Words: []view.Word{}}
	}
	before := filter.Masked(text[:max(0, min(cursor, len(text)))])
	if text = filter.Masked(text); strings.HasPrefix(text, before) {
		cursor = len(before)
	}
	at := filter.At(text, cursor)
	c := view.Completion{Text: t.words.Text(text), From: at.From, To: at.To, Words: []view.Word{}}
	f, err := filter.Parse(text)
	var wrong *filter.Error
	if errors.As(err, &wrong) {
		c.Error, c.Column = t.words.Text(wrong.Text).String(), wrong.Column
	} else {
		c.Reads = t.words.Text(f.Reads()).String()
	}
	if at.Key == nil {
		c.Words = t.keysLike(at)
	} else {
		c.Words = t.valuesLike(at)
	}
	return c
}

// keysLike returns the keys that begin as somebody has typed, and what may stand between terms.
func (t *Traffic) keysLike(at filter.Place) []view.Word {
	words := []view.Word{}
	for _, k := range filter.Keys() {
		if strings.HasPrefix(k.Name+":", strings.ToLower(at.Typed)) {
			words = append(words, view.Word{Text: t.words.Text(k.Name + ":"), Says: k.Says, Count: -1})
		}
	}
	return words
}

// valuesLike returns values of a key that hold what somebody has typed: the words that the key
// knows in their order, and then those of most rows.
func (t *Traffic) valuesLike(at filter.Place) []view.Word {
	counts := t.valuesOf(at.Key)
	type value struct {
		text, says string
		count      int
	}
	var values []value
	for _, v := range at.Key.Values {
		values = append(values, value{v.Name, v.Says, counts[v.Name]})
		delete(counts, v.Name)
	}
	known := len(values)
	for text, n := range counts {
		values = append(values, value{text: text, count: n})
	}
	slices.SortFunc(values[known:], func(a, b value) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(a.text, b.text))
	})
	words := []view.Word{}
	typed := strings.ToLower(at.Typed)
	for _, v := range values {
		if strings.Contains(strings.ToLower(v.text), typed) && len(words) < maxWords {
			words = append(words, view.Word{
				Text: t.words.Text(filter.Quoted(v.text)), Says: v.says, Count: v.count,
			})
		}
	}
	return words
}

// maxListed bounds the flows whose names and cards a completion knows: the newest.
const maxListed = 2000

// valuesOf counts the rows that have each value of a key. What rows have in common is looked at once
// for all of them.
func (t *Traffic) valuesOf(k *filter.Key) map[string]int {
	counts := map[string]int{}
	if k.Of == nil {
		return counts
	}
	count := func(v *view.Row, n int) {
		for _, text := range k.Of(nil, v) {
			counts[text] += n
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch k.Name {
	case "rule":
		for name, n := range t.fired {
			counts[name] = n
		}
	case "order", "card":
		for i, s := range slices.Backward(t.all.shares) {
			if len(t.all.shares)-i > maxListed {
				break
			}
			count(&view.Row{Who: s.group.who}, s.rows)
		}
	case "amount":
		for _, s := range slices.Backward(t.all.shares) {
			if s.group.currency != "" {
				counts[s.group.currency] += s.rows
			}
		}
	default:
		for h, n := range t.kinds {
			r := row{look: h, who: noWho, amount: noAmount}
			v := r.view()
			count(&v, n)
		}
	}
	return counts
}
