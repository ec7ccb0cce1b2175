package match_test

import (
	"fmt"
	"testing"
)

// TestManyWhoJoinAlike records twenty clients that each make two things, join them, and pay a sum
// of their own. A client that pays the last one's sum has its things joined before anything tells
// which of the twenty it is.
func TestManyWhoJoinAlike(t *testing.T) {
	const many = 20
	var lines []string
	for i := range many {
		customer, card := fmt.Sprintf("cus_8f3a99c0%02d", i), fmt.Sprintf("pm_77d2e0a4%02d", i)
		lines = append(lines,
			`POST /customers {"a":1} => {"id":"`+customer+`"}`,
			`POST /methods {"a":1} => {"id":"`+card+`"}`,
			`POST /methods/`+card+`/attach {"customer":"`+customer+`"} => {"id":"`+card+`"}`,
			fmt.Sprintf(`POST /pay {"customer":"%s","sum":%d} => {"paid":%d}`, customer, 10+i, 10+i),
		)
	}
	s := replay(t, tape(lines...))
	for i := range many {
		s.keep("customer", s.hit(`POST /customers {"a":1}`), `"id":"`)
		s.keep("card", s.hit(`POST /methods {"a":1}`), `"id":"`)
		s.hit(`POST /methods/$card$/attach {"customer":"$customer$"}`)
		sum := 10 + many - 1 - i
		got := s.hit(fmt.Sprintf(`POST /pay {"customer":"$customer$","sum":%d}`, sum))
		if want := fmt.Sprintf(`{"paid":%d}`, sum); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
