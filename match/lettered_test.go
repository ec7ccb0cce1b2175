package match_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/paytape/paytape/match"
)

// An id that happens to have no digit is an id, if what stands in its place in other answers is one:
// else the flow of that id is another than all flows beside, and answers are ambiguous.
func TestAnIDOfLettersAlone(t *testing.T) {
	receipts := []string{
		"rc_npaWMJiZBIlpQloM", "rc_m9OCxkcmsLVmJHZ4", "rc_Q7mGh2kPz81LwXva", "rc_TrUvaBcDoLkMqWyZ",
		"rc_x1Yb6Hc9KdLe0MfN", "rc_zZ8pQ4rS2tU6vWxY",
	}
	var lines []string
	for i, receipt := range receipts {
		made := fmt.Sprintf(`{"id":%d,"receipt":"%s","state":"authorised"}`, 735122087+i*1000003, receipt)
		lines = append(lines,
			`POST /api/v3/charges {"amount":500} => `+made,
			fmt.Sprintf(`POST /api/v3/charges/%d/capture {"receipt":"%s"} => {"state":"captured"}`,
				735122087+i*1000003, receipt))
	}
	xs := tape(lines...)
	foreign(xs)
	s := replay(t, xs)
	for range 2 * len(receipts) {
		made := s.hit(`POST /api/v3/charges {"amount":500}`)
		_, id, _ := strings.Cut(made, `"id":`)
		id, _, _ = strings.Cut(id, ",")
		receipt := between(t, made, `{"id":`+id+`,"receipt":"`+"\x00"+`","state":"authorised"}`)
		for _, recorded := range receipts {
			if receipt == recorded {
				t.Errorf("the receipt is the one on tape: %s", receipt)
			}
		}
		s.hit(fmt.Sprintf(`POST /api/v3/charges/%s/capture {"receipt":"%s"}`, id, receipt))
	}
	compiled := match.Compile(match.Options{Profiles: profiles(t)}, match.Cassette{Name: "t", Exchanges: xs})
	for _, h := range match.Hints(compiled) {
		t.Errorf("a hint: %s", h.Text)
	}
}
