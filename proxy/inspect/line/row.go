package line

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/count"
	"github.com/paytape/paytape/proxy"
	"github.com/paytape/paytape/proxy/inspect/view"
)

// Options say how text is written.
type Options struct {
	// Columns is the width of the terminal; it is taken as MinColumns at least and MaxColumns at most,
	// and 0 as DefaultColumns.
	Columns int
	// Color writes colours.
	Color bool
	// Base is the address of the inspector without its token, for links: "http://127.0.0.1:7070/".
	// Empty: there are no links.
	Base string
	// Times is how many equal reads a row stands for; 0 and 1 are one.
	Times int
	// Now is the present time, for how long a deck has run. Zero: that is not told.
	Now time.Time
}

// The widths for which there are columns.
const (
	MinColumns     = 40
	DefaultColumns = 80
	MaxColumns     = 300
)

// columns returns the width to write for.
func (o Options) columns() int {
	if o.Columns == 0 {
		return DefaultColumns
	}
	return min(max(o.Columns, MinColumns), MaxColumns)
}

// layout is how many columns each part of a row has, from left to right; 0 leaves it out. One
// column is between two parts.
type layout struct {
	time   int // 8, or 12 with milliseconds
	number int // number and operation share theirs: a number of five digits takes from the operation
	code   int
	label  int // what the exchange is about: a label, and a card
	card   int
	words  int
	served int
	took   int
	indent int // of further lines
}

const (
	milliseconds = 112 // columns from which rows have times to the millisecond, statuses and durations
	withServed   = 72  // columns from which rows say where the answer came from
	withLabel    = 54  // columns from which rows say what they are about
)

// layoutOf returns the layout for a width. What is left over by the others is for the words.
func layoutOf(columns int) layout {
	l := layout{time: 8, number: 14, indent: 14}
	switch {
	case columns >= milliseconds:
		l.time, l.code, l.took, l.indent = 12, 3, 8, 18
		l.label, l.card, l.served = 6+max(0, columns-120)/8, 12, 12+max(0, columns-120)/8
	case columns >= withServed:
		l.label, l.card, l.served = 6+max(0, columns-80)/4, 6, 12
	case columns >= withLabel:
		l.label, l.card = 6, 6
	}
	l.words = columns - len("x ")
	for _, part := range []int{l.time, l.number, l.code, l.label, l.card, l.served, l.took} {
		if part > 0 {
			l.words -= part + 1
		}
	}
	return l
}

// wide reports whether rows have all there is.
func (l layout) wide() bool { return l.code > 0 }

// Row returns the lines of a row: one, and further ones for what a miss, a mark, a rule or a note
// has to tell and the first has no room for. No line is wider than the options say.
func Row(r *view.Row, o Options) []string {
	if r.Sign == view.SignNote {
		return note(r, o)
	}
	l, s := layoutOf(o.columns()), signs[r.Sign]
	said := wordsOf(r, o, l)
	edge := dim // of what stands around the words
	if r.Sign == view.SignMiss {
		edge = magenta
	}
	letter := s.letter
	if letter == "" || r.CallbackOutcome == proxy.OutcomeHeld {
		letter = signs[view.SignWaits].letter
	}
	parts := []string{
		o.paint(edge, pad(timeOf(r, l), l.time)),
		o.paint(edge, numberOf(r)) + o.missed(r, " "+operation(r, l)),
	}
	if l.code > 0 {
		parts = append(parts, o.paint(edge, pad(code(r), l.code)))
	}
	if l.label > 0 {
		parts = append(parts, o.missed(r, pad(about(r, l), l.label+1+l.card)))
	}
	parts = append(parts, o.paint(s.mark, letter), said.paint(r, o, l.words))
	if l.served > 0 {
		parts = append(parts, o.paint(edge, pad(served(r, l), l.served)))
	}
	if l.took > 0 {
		parts = append(parts, o.paint(edge, padLeft(duration(r.Took), l.took)))
	}
	first := strings.TrimRight(strings.Join(parts, " "), " ")
	return append([]string{first}, said.below(r, o, l)...)
}

// note returns the lines of something that the operator should know. It is told whole, and in the
// columns of what is served too: it is said nowhere else.
func note(r *view.Row, o Options) []string {
	l := layoutOf(o.columns())
	before := l.words
	for _, part := range []int{l.served, l.took} {
		if part > 0 {
			before += part + 1
		}
	}
	start := o.columns() - before - len("i ")
	text := plain(join("; ", r.Sentence.String(), r.Hint.String()))
	first := wrap(text, before)
	if len(first) == 0 {
		first = []string{plain(r.Problem)}
	}
	head := pad(timeOf(r, l), l.time) + " " + numberOf(r) + " " + operation(r, l)
	all := []string{o.paint(dim, pad(cut(head, start), start)) +
		o.paint(amber, signs[view.SignNote].letter+" "+first[0])}
	rest := strings.TrimPrefix(text, first[0])
	for _, part := range wrap(rest, o.columns()-l.indent) {
		all = append(all, spaces(l.indent)+o.paint(amber, part))
	}
	return all
}

// missed paints a part of a row that has a colour in a miss alone.
func (o Options) missed(r *view.Row, text string) string {
	if r.Sign == view.SignMiss {
		return o.paint(magenta, text)
	}
	return text
}

func timeOf(r *view.Row, l layout) string {
	if l.wide() {
		return r.At.Format("15:04:05.000")
	}
	return r.At.Format(time.TimeOnly)
}

// numberOf returns the number of an exchange, or that of a callback: "c1".
func numberOf(r *view.Row) string {
	if r.Callback > 0 {
		return padLeft("c"+strconv.Itoa(r.Callback), 4)
	}
	if r.ID == 0 { // a note that tells of no event
		return spaces(4)
	}
	return padLeft(strconv.FormatUint(r.ID, 10), 4)
}

// operation returns what was called, in what its number leaves of the columns.
func operation(r *view.Row, l layout) string {
	name := r.Short
	switch {
	case r.Callback > 0:
		name = "callback"
	case r.Sign == view.SignNote:
		name = r.Kind
	case name == "":
		name = r.Operation
	}
	if name == "" {
		name = "?"
	}
	room := max(2, l.number-1-len(numberOf(r)))
	return pad(cut(plain(name), room), room)
}

// code returns the status of the answer, or how a shop was called.
func code(r *view.Row) string {
	switch {
	case r.Callback > 0 && r.Attempt > 0:
		return cut(plain(r.Method), 3)
	case r.Callback > 0 || r.Code == 0:
		return ""
	}
	return strconv.Itoa(r.Code)
}

// about returns what a row is about: a label and a card. A label that is too long takes the place of
// the card, because many orders have the same one.
func about(r *view.Row, l layout) string {
	label, card := plain(r.Who.Label.String()), plain(r.Who.Card.String())
	if card != "" {
		card = cut(shortMask(card, l.card), l.card)
	}
	switch room := l.label + 1 + l.card; {
	case label == "":
		return cut(join(" ", r.Who.Kind, card), room)
	case card == "":
		return cut(label, room)
	case width(label)+1+width(card) <= room:
		return pad(label, l.label) + " " + card
	default:
		return cut(label, room)
	}
}

// shortMask writes the mask of a card with two dots: "400000..1118", or "..1118" where there are no
// columns for more.
func shortMask(mask string, columns int) string {
	first, last := strings.IndexByte(mask, '*'), strings.LastIndexByte(mask, '*')
	if first < 0 {
		return mask
	}
	begin, end := mask[:first], ".."+mask[last+1:]
	if width(begin)+width(end) <= columns {
		return begin + end
	}
	return end
}

// served says where an answer came from, or which attempt of a callback it was.
func served(r *view.Row, l layout) string {
	switch {
	case r.Callback > 0 && r.Attempt == 0:
		return "not sent"
	case r.Callback > 0 && r.Attempts > 0:
		return fmt.Sprintf("try %d of %d", r.Attempt, r.Attempts)
	case r.Callback > 0:
		return fmt.Sprintf("try %d", r.Attempt)
	case r.Cassette != "" && r.Number > 0:
		number := "#" + strconv.Itoa(r.Number)
		return cut(plain(r.Cassette), l.served-len(number)) + number
	}
	return cut(r.Served, l.served)
}

// duration writes how long something took in three digits or so.
func duration(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", max(0.1, float64(d)/float64(time.Millisecond)))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 10*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	}
	return fmt.Sprintf("%d min", int(d.Minutes()))
}

// Hits returns the line that stands for the hits of a second which have no lines of their own. last
// is the newest of them.
func Hits(last *view.Row, hits, misses int, o Options) string {
	l := layoutOf(o.columns())
	what := "exchange" // of a deck that passes calls on
	if last.Served == "tape" {
		what = "hit"
	}
	text := count.Of(hits, what) + " a second"
	if misses > 0 || what == "hit" {
		text += ", " + count.Of(misses, "miss")
	}
	if said := outcome(&last.Outcome, last.Amount, l); said != "" {
		text += "; last " + join(" ", strings.TrimSpace(about(last, l)), said)
	}
	return o.paint(dim, pad(timeOf(last, l), l.time)) + " " +
		cut(padLeft(strconv.Itoa(hits), 8)+strings.TrimPrefix(text, strconv.Itoa(hits)),
			o.columns()-l.time-1)
}

// Lost returns the line that says how many rows were never seen.
func Lost(n uint64, o Options) string {
	return o.paint(amber, cut(fmt.Sprintf("%s %s: traffic was faster than its reader",
		count.Of(int64(n), "exchange"), "went by unseen here"), o.columns()))
}
