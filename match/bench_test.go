package match_test

import (
	"flag"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/match"
)

// sizes are the lengths of tapes, in exchanges, over which the time of a request must not grow.
var sizes = []int{10, 1_000, 10_000, 100_000}

// largest is the greatest size that is measured unless -bench names sizes.
const largest = 1_000

// bySize runs a sub-benchmark for each size that is not too large for a run of all benchmarks. The
// others run where the pattern of -bench has the unit: go test -bench 'Serve/.*/exchanges=100000'.
func bySize(b *testing.B, name, unit string, sizes []int, run func(b *testing.B, n int)) {
	named := strings.Contains(flag.Lookup("test.bench").Value.String(), unit+"=")
	for _, n := range sizes {
		if n <= largest || named {
			b.Run(fmt.Sprintf("%s/%s=%d", name, unit, n), func(b *testing.B) { run(b, n) })
		}
	}
}

// deck is a replay that benchmarks talk to.
type deck struct {
	b      testing.TB
	opts   match.Options
	player *match.Player
}

func newDeck(b testing.TB, xs []*leaf.Exchange) *deck {
	b.Helper()
	o := match.Options{Profiles: profiles(b), Seed: 1}
	tape := match.Compile(o, match.Cassette{Name: "t", Exchanges: xs})
	return &deck{b, o, match.NewPlayer(tape)}
}

// hit sends a line that must be answered.
func (d *deck) hit(line string) string {
	method, target, body := requestLine(line)
	r := match.NewRequest(d.opts.Profiles, method, target, http.Header{}, body)
	a, miss := d.player.Serve(r)
	r.Release()
	if miss != nil {
		d.b.Fatal(miss.Sentence)
	}
	a.Delivered(true)
	return a.Body
}

// miss sends a line that must not be answered.
func (d *deck) miss(line string) {
	method, target, body := requestLine(line)
	r := match.NewRequest(d.opts.Profiles, method, target, http.Header{}, body)
	_, miss := d.player.Serve(r)
	r.Release()
	if miss == nil {
		d.b.Fatal("it was answered")
	}
}

// open sends an opening and returns the order id.
func (d *deck) open(line string) string {
	return d.hit(line)[len(`{"orderId":"`):][:len(oldID)]
}

// orderID is the id of the n-th recorded order.
func orderID(n int) string {
	return fmt.Sprintf("0193a1b2-%04x-7%03x-8000-%04x00c0ffee", n>>16&0xffff, n&0xfff, n>>12&0xffff)
}

func amount(line string, n int) string {
	return strings.Replace(line, "amount=100", fmt.Sprintf("amount=%d", 100+n), 1)
}

// payments returns a recording of about n exchanges, three to a payment, and how many payments
// it holds. If alike is false, every one has its own amount, so that a key leads to one of them.
func payments(n int, alike bool) ([]*leaf.Exchange, int) {
	var lines []string
	count := max(1, n/3)
	for i := range count {
		id, opening := orderID(i), registers(fmt.Sprintf("A-%d", i))
		if !alike {
			opening = amount(opening, i)
		}
		lines = append(lines,
			opening+registered(id),
			pay+id+` => {"errorCode":0}`,
			status+id+` => {"errorCode":"0","orderStatus":2,"attributes":[{"name":"mdOrder","value":"`+
				id+`"}]}`)
	}
	return tape(lines...), count
}

// BenchmarkServe measures requests to tapes of growing length. Each case has the number of
// requests of an iteration in its name.
func BenchmarkServe(b *testing.B) {
	cases := []struct {
		name string
		run  func(b *testing.B, n int)
	}{
		{"a payment of its own kind (3)", distinctPayments},
		{"a payment like all others (3)", alikePayments},
		{"a poll in a state of many (1)", pollsOfOneState},
		{"a write among many (1)", writesOfOneThread},
		{"a read of one of many cards (1)", cardsOfOneThread},
		{"an inquiry that bears (1)", inquiries},
		{"a list of the last orders (1)", lists},
		{"another amount than any (1)", missesByField},
		{"an id of no run (1)", missesByID},
		{"a path of no tape (1)", missesByPath},
	}
	for _, c := range cases {
		bySize(b, strings.ReplaceAll(c.name, " ", "_"), "exchanges", sizes, c.run)
	}
}

// BenchmarkServeAtOnce measures inquiries by eight goroutines for each processor, which have one player, as the
// clients of a suite have. To read the request takes as long as the answer.
func BenchmarkServeAtOnce(b *testing.B) {
	d, asks := inquired(b, 10)
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for i := 0; pb.Next(); i++ {
			d.hit(asks[i%len(asks)])
		}
	})
}

func distinctPayments(b *testing.B, n int) {
	xs, count := payments(n, false)
	d := newDeck(b, xs)
	for i := 0; b.Loop(); i++ {
		id := d.open(amount(registers(fmt.Sprintf("B-%d", i)), i%count))
		d.hit(pay + id)
		d.hit(status + id)
	}
}

func alikePayments(b *testing.B, n int) {
	xs, _ := payments(n, true)
	d := newDeck(b, xs)
	for i := 0; b.Loop(); i++ {
		id := d.open(registers(fmt.Sprintf("B-%d", i)))
		d.hit(pay + id)
		d.hit(status + id)
	}
}

func pollsOfOneState(b *testing.B, n int) {
	lines := []string{registers("A") + registered(oldID)}
	for i := range n - 1 {
		lines = append(lines, fmt.Sprintf(`%s => {"errorCode":"0","orderStatus":%d}`, status+oldID, i))
	}
	d := newDeck(b, tape(lines...))
	id := d.open(registers("B"))
	for b.Loop() {
		d.hit(status + id)
	}
}

func writesOfOneThread(b *testing.B, n int) {
	const refund = `POST /payment/rest/refund.do userName=u&password=p&amount=100&orderId=`
	lines := []string{registers("A") + registered(oldID)}
	for range n - 1 {
		lines = append(lines, refund+oldID+` => {"errorCode":"0"}`)
	}
	d := newDeck(b, tape(lines...))
	left, id := 0, ""
	for i := 0; b.Loop(); i++ {
		if left == 0 {
			left, id = n-1, d.open(registers(fmt.Sprintf("B-%d", i)))
		}
		d.hit(refund + id)
		left--
	}
}

func cardsOfOneThread(b *testing.B, n int) {
	const (
		account  = "40817978000000000011"
		customer = `POST /v1/apigate/ws/rest/registerCustomer {"productName":"CRCU1001","parameters":[{"name":"customer_number","value":"1"}]}`
		create   = `POST /v1/apigate/ws/rest/createVirtualCard {"accountNumber":"%s"}`
		info     = `POST /v1/apigate/ws/rest/getCardData {"cardIdentification":{"cardId":"%s"}}`
	)
	lines := []string{customer + ` => {"customerNumber":"1","accountNumber":"` + account + `"}`}
	for i := range n / 2 {
		lines = append(lines, fmt.Sprintf(create+` => {"virtualCardIdentification":{"cardId":"%d"}}`,
			account, 9_000_000_000+i))
	}
	for i := range n / 2 {
		lines = append(lines, fmt.Sprintf(info+` => {"state":"%d"}`, fmt.Sprint(9_000_000_000+i), i))
	}
	d := newDeck(b, tape(lines...))
	between := func(s, before string) string {
		_, s, _ = strings.Cut(s, before)
		s, _, _ = strings.Cut(s, `"`)
		return s
	}
	live := between(d.hit(customer), `"accountNumber":"`)
	var cards []string
	for range n / 2 {
		cards = append(cards, between(d.hit(fmt.Sprintf(create, live)), `"cardId":"`))
	}
	for i := 0; b.Loop(); i++ {
		d.hit(fmt.Sprintf(info, cards[i%len(cards)]))
	}
}

// inquiries asks about a few cards again and again; each answer bears a transaction.
func inquiries(b *testing.B, n int) {
	d, asks := inquired(b, min(n, 10))
	for i := 0; b.Loop(); i++ {
		d.hit(asks[i%len(asks)])
	}
}

// inquired returns a deck with so many inquiries about cards, and the inquiries.
func inquired(b *testing.B, n int) (d *deck, asks []string) {
	b.Helper()
	const ask = `POST /v1/apigate/ws/rest/cardStatusInquiry {"cardIdentification":{"cardNumber":"%s","expDate":"203012"}}`
	var lines []string
	for i := range n {
		asks = append(asks, fmt.Sprintf(ask, pan.WithResidue(fmt.Sprintf("42760000%08d", i*10), 14, pan.Valid)))
		lines = append(lines, fmt.Sprintf(`%s => {"responseCode":"00","rrn":"%012d","systemTraceAuditNumber":%d}`,
			asks[i], 632400000000+i, 100000+i))
	}
	return newDeck(b, tape(lines...)), asks
}

// lists asks for the orders of a client, of which the tape has as many as there is room for.
func lists(b *testing.B, n int) {
	const listed = 20
	xs, count := payments(n, false)
	var orders []string
	for i := range min(listed, count) {
		orders = append(orders, fmt.Sprintf(
			`{"orderNumber":"A-%d","attributes":[{"name":"mdOrder","value":"%s"}]}`, i, orderID(i)))
	}
	const last = `POST /payment/rest/getLastOrdersForMerchants.do userName=u&password=p&size=20`
	xs = append(xs, tape(last+` => {"orderStatuses":[`+strings.Join(orders, ",")+`]}`)...)
	xs[len(xs)-1].Meta.Number = len(xs)
	d := newDeck(b, xs)
	for i := range count {
		id := d.open(amount(registers(fmt.Sprintf("B-%d", i)), i))
		d.hit(pay + id)
	}
	for b.Loop() {
		d.hit(last)
	}
}

func missesByField(b *testing.B, n int) {
	xs, count := payments(n, false)
	d := newDeck(b, xs)
	for b.Loop() {
		d.miss(amount(registers("B"), count+1))
	}
}

func missesByID(b *testing.B, n int) {
	xs, _ := payments(n, false)
	d := newDeck(b, xs)
	for b.Loop() {
		d.miss(status + "01234567-89ab-7def-8123-456789abcdef")
	}
}

func missesByPath(b *testing.B, n int) {
	xs, _ := payments(n, false)
	d := newDeck(b, xs)
	for b.Loop() {
		d.miss("PUT /somewhere/else/where/nothing/is {}")
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, alike := range []bool{false, true} {
		b.Run(fmt.Sprintf("alike=%v", alike), func(b *testing.B) {
			xs, _ := payments(10_000, alike)
			o := match.Options{Profiles: profiles(b)}
			b.ReportAllocs()
			for b.Loop() {
				match.Compile(o, match.Cassette{Name: "t", Exchanges: xs})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(xs)), "ns/exchange")
		})
	}
}

// BenchmarkTapeInMemory reports what a compiled tape holds, and the exchanges it was made of.
func BenchmarkTapeInMemory(b *testing.B) {
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	o := match.Options{Profiles: profiles(b)}
	for b.Loop() {
		before := held()
		xs, _ := payments(30_000, false)
		read := held()
		t := match.Compile(o, match.Cassette{Name: "t", Exchanges: xs})
		compiled := held()
		b.ReportMetric(float64(read-before)/float64(len(xs)), "B/exchange")
		b.ReportMetric(float64(compiled-read)/float64(len(xs)), "B/compiled")
		runtime.KeepAlive(t)
		runtime.KeepAlive(xs)
	}
}

// BenchmarkLiveEntities reports what a paid order holds while it lives.
func BenchmarkLiveEntities(b *testing.B) {
	const orders = 20_000
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		xs, _ := payments(10, true)
		d := newDeck(b, xs)
		before := held()
		for n := range orders {
			id := d.open(registers(fmt.Sprintf("B-%d", n)))
			d.hit(pay + id)
			d.hit(status + id)
		}
		b.ReportMetric(float64(held()-before)/orders, "B/order")
		runtime.KeepAlive(d)
	}
}
