package match_test

import (
	"strings"
	"testing"
)

// TestTwoValuesThatWereEqualOnTape pays an order that leads to two addresses, where that of the tape led to one
// whatever happened. Which of the two is meant, only an order with two addresses tells.
func TestTwoValuesThatWereEqualOnTape(t *testing.T) {
	const back = "https://shop.example/r"
	paid := func(number, id, to, failed string) []string {
		return []string{
			registers(number) + "&failUrl=" + failed + registered(id),
			pay + id + ` => {"errorCode":0,"redirect":"` + to + `?orderId=` + id + `&lang=en"}`,
		}
	}
	one := paid("A-1", oldID, back, back)
	for _, test := range []struct {
		name       string
		tape       []string
		fail, mark string
	}{
		{"nothing tells", one, "https://shop.example/failed", "assumed=relation"},
		{"they are equal again", one, back, ""},
		{"an order before tells",
			append(paid("A-2", oldID2, back, "https://shop.example/x"), one...), "https://shop.example/failed", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := replay(t, tape(test.tape...))
			s.keep("id", s.hit(registers("B-1")+"&failUrl="+test.fail), `"orderId":"`)
			a, miss := s.serve(pay + "$id$")
			if miss != nil || a.Mark != test.mark {
				t.Fatalf("%+v %+v", a, miss)
			}
			if test.mark == "" && !strings.Contains(a.Body, back+"?orderId=") {
				t.Errorf("led to %s", a.Body)
			}
		})
	}
}

// TestNamesThatAreEqualOnTape has a card for somebody with two names, where that of the tape had one twice.
func TestNamesThatAreEqualOnTape(t *testing.T) {
	holder := func(first, last string) string {
		return `POST /v2/cardholders {"firstName":"` + first + `","lastName":"` + last + `"}`
	}
	s := replay(t, tape(holder("Test", "Test")+` => {"id":"71133100","embossedName":"TEST TEST"}`))
	a, miss := s.serve(holder("Ann", "Doe"))
	if miss != nil || !strings.Contains(a.Body, `"ANN DOE"`) || a.Mark != "assumed=relation" {
		t.Errorf("%+v %+v", a, miss)
	}
}
