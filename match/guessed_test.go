package match_test

import "testing"

// TestWhatWasTakenOutDecides has the one-time token of a card, made elsewhere, decide what becomes
// of a payment: the answers go by the order of use, and say so. Where a card number that is there,
// or nothing, decides, or both came to the same, there is no doubt.
func TestWhatWasTakenOutDecides(t *testing.T) {
	const one, two = "REDACTED-token-1", "REDACTED-token-2"
	tests := []struct {
		name      string
		lines     []string
		ambiguous bool
	}{
		{"the token alone", []string{
			`POST /pay {"token":"` + one + `"} => {"state":"paid"}`,
			`POST /pay {"token":"` + two + `"} => {"state":"rejected"}`,
		}, true},
		{"the token of orders", []string{
			`POST /pay {"token":"` + one + `","ref":"INV51088136"} => {"paid":"INV51088136"}`,
			`POST /pay {"token":"` + two + `","ref":"INV17716046"} => {"rejected":"INV17716046"}`,
		}, true},
		{"the token, to no effect", []string{
			`POST /pay {"token":"` + one + `"} => {"state":"paid"}`,
			`POST /pay {"token":"` + two + `"} => {"state":"paid"}`,
		}, false},
		{"one token", []string{`POST /pay {"token":"` + one + `"} => {"state":"paid"}`}, false},
		{"an id that is known", []string{
			`POST /tokens {"v":1} => {"id":"` + one + `"}`,
			`POST /tokens {"v":2} => {"id":"` + two + `"}`,
			`POST /pay {"token":"` + one + `"} => {"state":"paid"}`,
			`POST /pay {"token":"` + two + `"} => {"state":"rejected"}`,
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := replay(t, tape(tt.lines...))
			token, reference := "tok-4711", ""
			if tt.name == "the token of orders" {
				reference = `,"ref":"INV99088100"`
			}
			if tt.name == "an id that is known" {
				s.keep("id", s.hit(`POST /tokens {"v":1}`), `"id":"`)
				token = "$id$"
			}
			a, miss := s.serve(`POST /pay {"token":"` + token + `"` + reference + `}`)
			if miss != nil {
				t.Fatal(miss.Sentence)
			}
			if a.Mark != "" != tt.ambiguous {
				t.Errorf("ambiguous is %t, want %t", a.Mark != "", tt.ambiguous)
			}
		})
	}
}
