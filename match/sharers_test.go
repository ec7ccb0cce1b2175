package match_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/match"
)

// sharing is a replay for many clients who have chosen the same values.
type sharing struct {
	t      testing.TB
	opts   match.Options
	player *match.Player
}

func newSharing(t testing.TB, xs []*leaf.Exchange) *sharing {
	t.Helper()
	o := match.Options{Profiles: profiles(t), Seed: 1}
	return &sharing{t, o, match.NewPlayer(match.Compile(o, match.Cassette{Name: "t", Exchanges: xs}))}
}

// ask sends a line over a connection; empty is a connection of its own.
func (c *sharing) ask(conn, line string) (*match.Answer, *match.Miss) {
	method, target, body := requestLine(line)
	r := match.NewRequest(c.opts.Profiles, method, target, http.Header{}, body)
	r.Conn = conn
	a, miss := c.player.Serve(r)
	if miss == nil {
		a.Delivered(true)
	}
	return a, miss
}

// must sends a line that must be answered.
func (c *sharing) must(conn, line string) *match.Answer {
	c.t.Helper()
	a, miss := c.ask(conn, line)
	if miss != nil {
		c.t.Errorf("missed: %s: %s", miss.Reason, miss.Sentence)
		return &match.Answer{}
	}
	return a
}

// id returns the text of a member of an answer.
func id(a *match.Answer, member string) string {
	_, rest, _ := strings.Cut(a.Body, `"`+member+`":"`)
	text, _, _ := strings.Cut(rest, `"`)
	return text
}

const ofAll = "&clientId=c-1"

// paidByAll is a payment whose order number, clientId and card many clients may choose alike.
func paidByAll() []*leaf.Exchange {
	return tape(
		registers("A-1")+ofAll+registered(oldID),
		pay+oldID+` => {"errorCode":0}`,
		status+oldID+` => {"orderStatus":2,"bindingInfo":{"bindingId":"`+oldID2+`"}}`,
		bindings+` => {"errorCode":"0","bindings":[{"bindingId":"`+oldID2+`"}]}`,
	)
}

// Of many clients with one card, one clientId and one login, each gets its own bindings on its own
// connection, in whichever order they come; also where they have chosen one order number.
func TestConnectionsTellSharersApart(t *testing.T) {
	const clients = 200
	for name, number := range map[string]func(n int) string{
		"order numbers of their own": func(n int) string { return fmt.Sprint("B-", n) },
		"one order number":           func(int) string { return "B" },
	} {
		t.Run(name, func(t *testing.T) {
			c := newSharing(t, paidByAll())
			conn := func(n int) string { return fmt.Sprint("client ", n) }
			var orders [clients]string
			for n := range clients {
				orders[n] = id(c.must(conn(n), registers(number(n))+ofAll), "orderId")
			}
			for n := range clients {
				last := clients - 1 - n
				c.must(conn(last), pay+orders[last])
			}
			var wg sync.WaitGroup
			for n := range clients {
				wg.Go(func() {
					listed := id(c.must(conn(n), bindings), "bindingId")
					if own := id(c.must(conn(n), status+orders[n]), "bindingId"); listed != own {
						t.Errorf("client %d was shown another's binding", n)
					}
				})
			}
			wg.Wait()
		})
	}
}

// Where no connection tells clients apart, what carries shared values alone is answered from the
// thread that was active last of those which have an answer, and says that it is ambiguous.
func TestSharersWithoutConnections(t *testing.T) {
	const others = 300
	c := newSharing(t, paidByAll())
	opened := func(n int) string {
		return id(c.must("", registers(fmt.Sprint("B-", n))+ofAll), "orderId")
	}
	orders := map[string]string{"first": opened(1), "second": opened(2)}
	if _, miss := c.ask("", bindings); miss == nil || miss.Reason != match.BadState {
		t.Fatal("bindings were shown before there were any")
	}
	for _, order := range orders {
		c.must("", pay+order)
	}
	for turn, who := range []string{"first", "second", "first"} {
		own := id(c.must("", status+orders[who]), "bindingId")
		for n := range others { // active after it, and not as far
			opened(turn*others + n + 3)
		}
		a := c.must("", bindings)
		if !a.Ambiguous || id(a, "bindingId") != own {
			t.Errorf("turn %d: ambiguous is %v, or the bindings are not of the last who has any",
				turn, a.Ambiguous)
		}
	}
}

// BenchmarkSharers asks for what a clientId has, of which there are many threads with one clientId,
// one card and one login. The time must not grow with them.
func BenchmarkSharers(b *testing.B) {
	asked := map[string]func(c *sharing, n int){
		"on its connection":    func(c *sharing, n int) { c.must(fmt.Sprint(n/2), bindings) },
		"on no connection":     func(c *sharing, _ int) { c.must("", bindings) },
		"far behind others":    func(c *sharing, _ int) { c.must("", bindings) },
		"in a state of nobody": func(c *sharing, _ int) { c.ask("", bindings) },
	}
	for name, ask := range asked {
		for _, threads := range []int{10, 1_000, 19_000} {
			b.Run(fmt.Sprintf("%s/threads=%d", strings.ReplaceAll(name, " ", "_"), threads),
				func(b *testing.B) {
					c := newSharing(b, paidByAll())
					for n := range threads {
						conn := fmt.Sprint(n)
						order := id(c.must(conn, registers("B-"+conn)+ofAll), "orderId")
						early := name == "far behind others" && n < threads-min(threads/2, 900)
						if early || strings.HasPrefix(name, "on ") {
							c.must(conn, pay+order)
						}
					}
					for b.Loop() {
						ask(c, threads)
					}
				})
		}
	}
	b.Run("opened", func(b *testing.B) {
		c := newSharing(b, paidByAll())
		for n := 0; b.Loop(); n++ {
			c.must(fmt.Sprint(n), registers(fmt.Sprint(n))+ofAll)
		}
	})
}
