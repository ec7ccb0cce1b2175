package tape

import "testing"

// FuzzParams closes a parameter and reads it again, and reads one from values that say anything.
func FuzzParams(f *testing.F) {
	f.Add("orderId-0190-aa", "", uint(8), uint(7), "0000", uint(1), []byte{3, 'a'})
	f.Add("", "debit", uint(0), uint(0), "", uint(0), []byte{})
	f.Add("card 1", "1", uint(9), uint(9), "****", uint(7), []byte{200, 200, 200, 1, 255, 255, 255})
	f.Fuzz(func(t *testing.T, text, deciding string, from, length uint, like string, tie uint, damaged []byte) {
		tape := &Tape{tied: []*Source{{Text: "1"}, {Text: "2"}}}
		at := int(from % uint(len(text)+1))
		name := Named{From: at, To: at + int(length%uint(len(text)-at+1)), Role: 2, Noun: "order"}
		name.Like = like
		a := &Asked{
			Argument: Argument{Parameter: &Parameter{Path: "at"}, Text: text, Deciding: deciding, Free: true},
			Names:    []Named{name, {Noun: "card", Behind: 1}},
		}
		n := int(tie % uint(len(tape.tied)+1))
		if n > 0 {
			a.tie = tape.tied[n-1]
		}
		alike := a.alike()
		parts := []formPart{{a, false}, {&alike, true}, {&alike, true}}
		values := appendParam(appendParam(nil, a, n), a, n)
		closed := Params{&form{parts: parts, of: tape}, packed(values)}
		for i, got := range closed.All() {
			if !got.equal(a) || i > 0 && got.tie != a.tie {
				t.Errorf("parameter %d is %+v, want %+v", i, got, a)
			}
		}
		for _, got := range (Params{closed.form, packed(damaged)}).Append(nil) {
			for _, n := range got.Names {
				_ = got.Text[n.From:n.To]
			}
		}
	})
}
