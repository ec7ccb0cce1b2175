package match

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/paytape/paytape/internal/leaf"
)

// Variable is a value that travels on tape.
type Variable struct {
	Name  string `json:"name"`  // its noun, or the field in which it was born
	Kind  string `json:"kind"`  // "minted", "client unique", "date" ...
	Value string `json:"value"` // as on tape
	Born  Use    `json:"born"`
	Used  []Use  `json:"used"`
}

// Use is a place of a tape where a variable stands.
type Use struct {
	Exchange int    `json:"exchange"`
	Side     string `json:"side"`  // "request" or "answer"
	Place    string `json:"place"` // "form", "json", "header" ...
	Path     string `json:"path"`
	How      string `json:"how"` // "as is", "masked", "inside a longer text" ...
}

// kinds are the words for origins that a profile uses too.
var kinds = map[origin]string{
	minted: "minted", unique: "client unique", shared: "client shared",
	configured: "configured", date: "date", givenDate: "client date",
}

// manners are the words for the ways in which a value is written.
var manners = map[manner]string{
	asIs: "as is", grouped: "grouped", dashless: "without dashes", dashed: "with dashes",
	padded: "padded", dated: "in another form",
	masked: "masked", last: "its last characters", upper: "in upper case",
	lower: "in lower case", appended: "with more appended", anchor: "its fragment",
}

// described is a variable on its way into a flow.
type described struct {
	Variable
	flow *thread // stands for the flow
	v    *variable
}

// variables lists the variables of a tape in the order in which they turn up. Those that
// every answer has anew, and those that nobody sends, are not listed.
func (n *notes) variables(t *Tape) []described {
	var all []*described
	byVariable := map[*variable]*described{}
	note := func(v *variable, u Use, th *thread) {
		if v.perAnswer() || v.origin == passing {
			return
		}
		d := byVariable[v]
		if d == nil {
			d = &described{Variable: Variable{Kind: kinds[v.origin], Value: v.text}, flow: th.flow(), v: v}
			byVariable[v] = d
			all = append(all, d)
		}
		d.Used = append(d.Used, u)
	}
	for _, e := range t.exchanges {
		for i := range e.request {
			w := &e.request[i]
			for _, piece := range w.value {
				if piece.hole == nil {
					continue
				}
				for _, v := range piece.hole.vars {
					note(v, requestUse(e, w, piece.hole), e.threads[0])
				}
			}
		}
		e.eachHole(func(h *hole) {
			for _, v := range h.vars {
				note(v, n.answerUse(e, h), e.threads[0])
			}
		})
	}
	out := make([]described, 0, len(all))
	for _, d := range all {
		d.settle()
		out = append(out, *d)
	}
	return out
}

func requestUse(e *exchange, w *want, h *hole) Use {
	return Use{
		Exchange: e.number, Side: "request", Place: w.place.String(), Path: w.path,
		How: how(h, w.whole() != nil),
	}
}

func (n *notes) answerUse(e *exchange, h *hole) Use {
	at := n.places[h]
	return Use{
		Exchange: e.number, Side: "answer", Place: at.place.String(), Path: at.path,
		How: how(h, h.whole),
	}
}

func how(h *hole, whole bool) string {
	text := cmp.Or(manners[h.how], fmt.Sprint(h.how))
	if whole {
		return text
	}
	return text + ", inside a longer text"
}

// settle tells the birth of a variable from its uses: the first in the exchange where it was
// born that shows it as it is.
func (d *described) settle() {
	born := slices.IndexFunc(d.Used, func(u Use) bool {
		answer := d.v.origin == minted || d.v.origin == date
		return u.Exchange == d.v.birth.number && u.How == manners[asIs] && (u.Side == "answer") == answer
	})
	born = max(born, 0)
	d.Born = d.Used[born]
	d.Used = append([]Use{}, slices.Delete(d.Used, born, born+1)...)
	d.Name = d.v.of
	if d.Name == "" {
		d.Name = lastName(d.Born.Path)
	}
}

// Placed names where a use is: "json orderId".
func (u Use) Placed() string {
	if u.Place == leaf.JSON.String() || u.Place == leaf.Form.String() {
		return u.Path
	}
	return u.Place + " " + u.Path
}
