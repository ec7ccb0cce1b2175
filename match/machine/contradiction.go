package machine

import (
	"strings"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match/tape"
)

// Answers to two questions about one entity contradict each other if they tell different states of it, by
// the field that the profile names ("state" of an entity):
//
//	#3 getOrderStatus.do            OrderStatus 5
//	#4 getOrderStatusExtended.do    orderStatus 2
//
// Neither was asked twice, but the payer has confirmed between them. So there is a silent edge, as between
// two answers to one question, and getOrderStatusExtended.do is asked behind it alone.

// contradicting returns the question in the state of another, not asked in it yet, whose answer contradicts
// that of a recording: of several the question that was asked last. It returns nil if there is none.
func (b *builder) contradicting(asked *answered, at Reads, r *Recording) (last *seen) {
	if t := r.Roles[r.FirstRole()].Type; t == nil || t.State == "" {
		return nil
	}
	for s := range asked.of(at.Own) {
		if s.question.View != at.View || last != nil && last.last.Place > s.last.Place {
			continue
		}
		was, is := b.stateTold(s.last), b.stateTold(r)
		if was != "" && is != "" && was != is {
			last = s
		}
	}
	return last
}

// stateTold returns the state that an answer tells of the first entity that is asked about; empty if it
// tells none. It reads the first answer of a class: what congruent answers have in holes, as numbers of
// their own, is no state.
func (b *builder) stateTold(r *Recording) string {
	told, known := b.told[r.Class]
	if !known {
		told = readState(r)
		b.told[r.Class] = told
	}
	return told
}

func readState(r *Recording) string {
	if r.Failed {
		return ""
	}
	m := leaf.Read(leaf.Message{
		Header: r.Header(recordedText), Headless: true, Body: r.Body().Text(recordedText),
	})
	key := r.Roles[r.FirstRole()].Type.State
	for i := range m.Leaves {
		if l := &m.Leaves[i]; l.Place != leaf.Header && strings.EqualFold(l.Key, key) {
			return l.Value
		}
	}
	return ""
}

// recordedText returns what stands on tape in the place of a hole.
func recordedText(h *tape.Hole) string { return h.Source.Text }
