package machine

import "testing"

// TestQuestionsByState asks about an entity that moves with ever more reads, three questions in each state.
// Those of one state alone are looked at, and each is found.
func TestQuestionsByState(t *testing.T) {
	t.Parallel()
	const states, questions = 400, 3
	a := &answered{}
	at := func(own, key int) Reads { return Reads{Key: Key(key + 1), Own: Own(own + 1)} }
	for own := range states {
		for key := range questions {
			a.add(seen{question: at(own, key), class: uint64(own), n: 1, last: &Recording{}})
		}
	}
	a.add(seen{question: at(7, 1), class: 99, n: 2, last: &Recording{}}) // in place of what was answered before
	for own := range states {
		looked := map[Key]*seen{}
		n := 0
		for s := range a.of(Own(own + 1)) {
			looked[s.question.Key] = s
			n++
		}
		if n != questions || len(looked) != questions {
			t.Fatalf("in state %d %d questions are looked at, want %d", own, n, questions)
		}
		for key := range questions {
			if s := a.find(at(own, key)); s == nil || s != looked[Key(key+1)] {
				t.Fatalf("in state %d question %d is %v", own, key, s)
			}
		}
	}
	if s := a.find(at(7, 1)); s.class != 99 || s.n != 2 {
		t.Errorf("a question that was answered anew: class %d, %d times", s.class, s.n)
	}
	all := 0
	for range a.all {
		all++
	}
	if all != states*questions {
		t.Errorf("%d questions, want %d", all, states*questions)
	}
}
