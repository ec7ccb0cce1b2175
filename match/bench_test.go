package match_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// payments returns a recording of n payments of three exchanges each, every one with its
// own amount, so that a key leads to one of them.
func payments(n int) []*leaf.Exchange {
	var lines []string
	for i := range n {
		id := fmt.Sprintf("0193a1b2-%04x-7%03x-8000-%08xc0ff", i>>16&0xffff, i&0xfff, i)[:36]
		lines = append(lines,
			amount(registers(fmt.Sprintf("A-%d", i)), i)+registered(id),
			pay+id+` => {"errorCode":0}`,
			status+id+` => {"errorCode":"0","orderStatus":2,"attributes":[{"name":"mdOrder","value":"`+id+`"}]}`)
	}
	return tape(lines...)
}

func amount(line string, n int) string {
	return strings.Replace(line, "amount=100", fmt.Sprintf("amount=%d", 100+n), 1)
}

func BenchmarkServePayment(b *testing.B) {
	for _, n := range []int{4, 400, 40_000} {
		b.Run(fmt.Sprintf("exchanges=%d", 3*n), func(b *testing.B) {
			set := profiles(b)
			p := match.NewPlayer(match.Compile(match.Options{Profiles: set, Seed: 1},
				match.Cassette{Name: "t", Exchanges: payments(n)}))
			send := func(line string) *match.Answer {
				method, target, body := requestLine(line)
				a, miss := p.Serve(match.NewRequest(set, method, target, http.Header{}, body))
				if miss != nil {
					b.Fatal(miss.Sentence)
				}
				a.Delivered(true)
				return a
			}
			for i := 0; b.Loop(); i++ {
				a := send(amount(registers(fmt.Sprintf("B-%d", i)), i%n))
				id := a.Body[len(`{"orderId":"`):][:36]
				send(pay + id)
				send(status + id)
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	xs := payments(1000)
	set := profiles(b)
	b.ReportAllocs()
	for b.Loop() {
		match.Compile(match.Options{Profiles: set}, match.Cassette{Name: "t", Exchanges: xs})
	}
}
