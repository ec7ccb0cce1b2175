package tape

import "testing"

// FuzzParams closes parameters and reads them again, and reads some from values that say anything.
func FuzzParams(f *testing.F) {
	f.Add("orderId-0190-aa", "", uint(8), uint(7), "0000", uint(1), []byte{3, 'a'})
	f.Add("", "debit", uint(0), uint(0), "", uint(0), []byte{})
	f.Add("card 1", "1", uint(9), uint(9), "****", uint(7), []byte{200, 200, 200, 1, 255, 255, 255})
	f.Fuzz(func(t *testing.T, text, deciding string, from, length uint, like string, tie uint, damaged []byte) {
		tape := &Tape{tied: []*Source{{Text: "1"}, {Text: "2"}}}
		at := int(from % uint(len(text)+1))
		name := Named{From: at, To: at + int(length%uint(len(text)-at+1)), Role: 2, Noun: "order"}
		name.Like = like
		place := &Parameter{Path: "at"}
		first := &Asked{
			Argument: Argument{Parameter: place, Text: text, Deciding: deciding, Free: true},
			Names:    []Named{name, {Noun: "card", Behind: 1}},
		}
		n := int(tie % uint(len(tape.tied)+1))
		if n > 0 {
			first.tie = tape.tied[n-1]
		}
		second := &Asked{Argument: first.Argument, Names: []Named{{To: 1, Role: 2, Noun: "order"}, {Noun: "card", Behind: 1}}}
		second.Text = "of another"
		alike, whole := first.alike(), *first
		whole.Parameter = &Parameter{Path: "whole"}
		before := first.alike()
		parts := []formPart{{&whole, false}, {&alike, true}, {&alike, true}}
		closed := Params{&form{parts: parts, of: tape}, packed(appendParam(appendParam(nil, first, n), second, 0))}
		want, got := []*Asked{&whole, first, second}, []*Asked(nil)
		for _, a := range closed.All() {
			got = append(got, a)
		}
		for i := range want { // when all were read: none may have changed another
			if !got[i].equal(want[i]) || got[i].tie != want[i].tie {
				t.Errorf("parameter %d is %+v, want %+v", i, got[i], want[i])
			}
		}
		if !alike.equal(&before) {
			t.Errorf("what is alike has become %+v, and was %+v", alike, before)
		}
		parts[1].Asked = &whole // so that the third is behind one that is passed over
		third := alike
		third.Parameter = &Parameter{Path: "third"}
		parts[2].Asked = &third
		parts[1].own = true
		if a := closed.At("third"); a == nil || a.Text != second.Text || a.Names[0].To != 1 {
			t.Errorf("the parameter of a path is %+v, want %+v", a, second)
		}
		if closed.At("nowhere") != nil {
			t.Error("there is a parameter of a path that no parameter has")
		}
		for _, got := range (Params{closed.form, packed(damaged)}).Append(nil) {
			for _, n := range got.Names {
				_ = got.Text[n.From:n.To]
			}
		}
	})
}
