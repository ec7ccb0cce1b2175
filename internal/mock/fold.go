package mock

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"time"
)

// folder writes texts without what differs from run to run, in one checkout. It is not safe for
// concurrent use.
type folder struct {
	client *Client
	nouns  []noun
	number map[string]map[string]int // of the values of a noun, in the order in which they came
}

func newFolder(c *Client) *folder {
	own := noun{name: "reference", at: regexp.MustCompile(`\b(?:shop-)?` + regexp.QuoteMeta(c.Run) + `-\d+`)}
	return &folder{c, append([]noun{own}, c.API.nouns...), map[string]map[string]int{}}
}

// text folds a text.
func (f *folder) text(text string) string {
	type cut struct {
		from, to int
		with     string
	}
	var cuts []cut
	for i := range f.nouns {
		n := &f.nouns[i]
		found := n.at.FindAllStringSubmatchIndex(text, -1)
		if f.client.Shapeless && n.withheld != nil {
			found = append(found, n.withheld.FindAllStringSubmatchIndex(text, -1)...)
		}
		for _, at := range found {
			from, to := at[0], at[1]
			if len(at) > 2 {
				from, to = at[2], at[3]
			}
			taken := slices.ContainsFunc(cuts, func(c cut) bool { return from < c.to && c.from < to })
			if !taken {
				cuts = append(cuts, cut{from, to, f.value(n, text[from:to])})
			}
		}
	}
	slices.SortFunc(cuts, func(a, b cut) int { return b.from - a.from })
	for _, c := range cuts {
		text = text[:c.from] + c.with + text[c.to:]
	}
	return text
}

// value folds one value.
func (f *folder) value(n *noun, text string) string {
	if n.date == nil {
		return fmt.Sprintf("<%s %d>", n.name, f.numberOf(n.name, text))
	}
	at, err := n.date(text)
	if err != nil {
		return text
	}
	return distance(at.Sub(f.client.now()))
}

// numberOf returns the number of a value among those of its noun.
func (f *folder) numberOf(noun, value string) int {
	values := f.number[noun]
	if values == nil {
		values = map[string]int{}
		f.number[noun] = values
	}
	if values[value] == 0 {
		values[value] = len(values) + 1
	}
	return values[value]
}

// distance writes how far away a date is, in quarters of an hour: a run takes less.
func distance(d time.Duration) string {
	quarters := int(math.Round(float64(d) / float64(15*time.Minute)))
	if quarters == 0 {
		return "<now>"
	}
	return fmt.Sprintf("<now%+dm>", 15*quarters)
}

// Difference is where a transcript is not as it should be.
type Difference struct {
	Want, Got Seen
	// Missed is set where there is no answer: the client was told that there is none, or had
	// nothing to ask with after it.
	Missed bool
	// Marked is set where there is another answer, which says that it is not certain.
	Marked bool
}

// String tells the difference on two lines.
func (d Difference) String() string { return fmt.Sprintf("want %s\ngot  %s", d.Want, d.Got) }

// Wrong reports whether a client was told something that is not so, as if it were certain.
func (d Difference) Wrong() bool { return !d.Missed && !d.Marked }

// Compare says where what a client saw differs from what it should see, checkout by checkout: the
// transcript of a fresh API that was asked the same. A miss that ended a checkout counts once. Marks
// alone are no difference.
func Compare(want, got Transcript) []Difference {
	var all []Difference
	for len(want) > 0 || len(got) > 0 {
		var wants, gots Transcript
		wants, want = want.checkout()
		gots, got = got.checkout()
		for i := range max(len(wants), len(gots)) {
			d := Difference{Want: at(wants, i), Got: at(gots, i)}
			d.Missed, d.Marked = d.Got.Miss != "", d.Got.Mark != ""
			d.Want.Mark, d.Got.Mark = "", ""
			if d.Want == d.Got {
				continue
			}
			d.Want.Mark, d.Got.Mark = at(wants, i).Mark, at(gots, i).Mark
			all = append(all, d)
			if d.Missed {
				break
			}
		}
	}
	return all
}

// checkout cuts off the first checkout.
func (t Transcript) checkout() (first, rest Transcript) {
	n := slices.IndexFunc(t, func(s Seen) bool { return s.Checkout != t[0].Checkout })
	if n < 0 {
		n = len(t)
	}
	return t[:n], t[n:]
}

func at(t Transcript, i int) Seen {
	if i < len(t) {
		return t[i]
	}
	return Seen{}
}

// Count returns how many calls a transcript has without an answer, and how many answers with a mark.
func (t Transcript) Count() (misses, marks int) {
	for _, s := range t {
		if s.Miss != "" {
			misses++
		}
		if s.Mark != "" {
			marks++
		}
	}
	return misses, marks
}
