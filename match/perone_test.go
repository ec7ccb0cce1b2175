package match_test

import (
	"strings"
	"testing"
)

// TestNumbersOfAnswers has an API that no profile knows tell in a header of each answer what is that of no
// other answer. Replay makes another for each answer, and shows it wherever the answer has it.
func TestNumbersOfAnswers(t *testing.T) {
	ids := []string{"req_rLg1hKKZ2Nfb8e", "req_9fKd20dLwPq81x", "req_ZkxmnaoSlqtsbT", "req_7d6Fh2ksOq93vU"}
	tests := []struct {
		name   string
		values []string // of the header, on tape
		fresh  bool
	}{
		{"another in each", ids, true},
		{"one is there twice", []string{ids[0], ids[1], ids[2], ids[0]}, false},
		{"short words", []string{"east", "west", "north", "south"}, false},
		{"long words", []string{"north-east", "north-west", "south-east", "south-west"}, false},
		{"times", []string{"1774953001000", "1774953002000", "1774953003000", "1774953004000"}, false},
		{"too few answers", []string{ids[0], ids[1]}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var lines []string
			for _, v := range tt.values {
				lines = append(lines, `GET /rates => {"rate":"1.25","log":"/logs/`+v+`?t=1"}`)
			}
			xs := told(lines...)
			for i, v := range tt.values {
				with(xs[i], nil, map[string]string{"X-Answer": v, "Original-Answer": v})
			}
			s := replay(t, xs)
			seen := map[string]bool{}
			for range 3 {
				a, miss := s.serve("GET /rates")
				if miss != nil || tt.fresh && a.Mark != "" {
					t.Fatalf("the answer is a miss, or marked: %v", miss)
				}
				got := a.Header.Get("X-Answer")
				recorded := strings.Contains(strings.Join(tt.values, " "), got)
				if recorded == tt.fresh || tt.fresh && seen[got] {
					t.Errorf("got %q, want a fresh one: %v", got, tt.fresh)
				}
				seen[got] = true
				if other := a.Header.Get("Original-Answer"); other != got || !strings.Contains(a.Body, "/logs/"+got+"?") {
					t.Errorf("the answer %q calls itself %q in %s", got, other, a.Body)
				}
			}
		})
	}
}

// TestNumbersOfThingsInHeaders has a payment whose id is in a header, too. No other answer has it, and it is the id
// of the payment all the same, which a client asks for.
func TestNumbersOfThingsInHeaders(t *testing.T) {
	ids := []string{"pay_rLg1hKKZ2Nfb8e", "pay_9fKd20dLwPq81x", "pay_Zkxmn9oSlq2sbT"}
	var lines []string
	for _, id := range ids {
		lines = append(lines, `POST /payments {"amount":5} => {"id":"`+id+`","state":"open"}`)
	}
	lines = append(lines, "GET /payments/"+ids[0]+` => {"state":"open"}`)
	xs := told(lines...)
	for i, id := range ids {
		with(xs[i], nil, map[string]string{"X-Payment": id})
	}
	s := replay(t, xs)
	for range 3 {
		a, miss := s.serve(`POST /payments {"amount":5}`)
		if miss != nil || a.Mark != "" {
			t.Fatalf("%+v %+v", a, miss)
		}
		s.keep("id", a.Body, `"id":"`)
		if got := a.Header.Get("X-Payment"); got != s.ids["id"] {
			t.Errorf("the header has %s, the body %s", got, s.ids["id"])
		}
		s.hit("GET /payments/$id$")
	}
}
