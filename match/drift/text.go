package drift

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/paytape/paytape/internal/leaf"
)

// Text writes a tape for a program that compares texts, such as git diff: variables are numbered nouns
// in the order in which a flow shows them, times and addresses of sandboxes are left out, and flows
// stand in an order that does not depend on when they were recorded.
//
//	flow: register.do, paymentorder.do
//
//	register.do
//	  > amount = 12500
//	  > orderNumber = <order-number 1>
//	  < 200
//	  < orderId = "<order 1>"
//
// Equal tapes in the sense of Compare give equal texts, but for values that no profile knows and that
// look generated, and for the order of items in name/value lists.
func (t *Tape) Text() string {
	type keyed struct {
		*Flow
		ops, said string
	}
	var flows []keyed
	for _, f := range t.Flows {
		flows = append(flows, keyed{f, strings.Join(f.Operations(), ", "), f.Signature()})
	}
	slices.SortStableFunc(flows, func(a, b keyed) int {
		return cmp.Or(strings.Compare(a.ops, b.ops), strings.Compare(a.said, b.said))
	})
	var b strings.Builder
	for i, f := range flows {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "flow: %s\n", f.ops)
		w := &writer{numbers: map[string]int{}, counts: map[string]int{}}
		for _, x := range f.Exchanges {
			w.exchange(&b, x)
		}
	}
	return b.String()
}

// writer writes the exchanges of one flow.
type writer struct {
	numbers map[string]int // of variables, by noun and text
	counts  map[string]int // by noun
}

func (w *writer) exchange(b *strings.Builder, x *Exchange) {
	fmt.Fprintf(b, "\n%s\n", oneLine(x.Operation))
	if x.Failure != "" {
		fmt.Fprintf(b, "  not replayed: %s\n", oneLine(x.Failure))
		return
	}
	w.values(b, ">", x.asked)
	if !x.Callback {
		fmt.Fprintf(b, "  < %d", x.Code)
		if x.Words != "" {
			fmt.Fprintf(b, " %s", oneLine(x.Words))
		}
		b.WriteByte('\n')
	}
	w.values(b, "<", x.answered)
}

func (w *writer) values(b *strings.Builder, arrow string, values []*value) {
	for _, v := range values {
		path := pathOf(v)
		if v.name != "" && v.key == "value" {
			path += " (" + v.name + ")"
		}
		fmt.Fprintf(b, "  %s %s = %s\n", arrow, oneLine(path), w.value(v))
	}
}

// value writes a value in one line, with its type in JSON.
func (w *writer) value(v *value) string {
	var b strings.Builder
	for i := range v.parts {
		p := &v.parts[i]
		if p.noun == "" {
			b.WriteString(p.literal)
			continue
		}
		if v.loose || p.once || p.noun == nounDate || manners[p.how] != "" {
			b.WriteString(p.String())
			continue
		}
		fmt.Fprintf(&b, "<%s %d>", p.noun, w.number(p))
	}
	if v.place == leaf.JSON && v.kind == leaf.String {
		return strconv.Quote(b.String())
	}
	return oneLine(b.String())
}

// number returns the number of a variable in its flow.
func (w *writer) number(p *part) int {
	key := p.noun + "\x00" + p.text
	n := w.numbers[key]
	if n == 0 {
		w.counts[p.noun]++
		n = w.counts[p.noun]
		w.numbers[key] = n
	}
	return n
}

// oneLine writes a text so that it fills one line.
func oneLine(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return strconv.Quote(text)
	}
	return text
}
