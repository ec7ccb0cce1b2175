package match_test

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/raced"
	"github.com/paytape/paytape/match"
)

// tapeKind is a kind of tape: count flows, of each of which flow returns the exchanges.
type tapeKind struct {
	name string
	flow func(n int) []string
	// foreign says that another program has recorded the tape, of an API that no profile knows.
	foreign bool
}

var tapeKinds = []tapeKind{
	{"alike", alikeFlow, false}, {"distinct", distinctFlow, false}, {"one client", clientFlow, false},
	{"pages", pageFlow, false}, {"unknown", unknownFlow, true},
}

// alikeFlow registers an order, pays and asks twice.
func alikeFlow(n int) []string {
	id := orderID(n)
	paid := status + id + ` => {"errorCode":"0","orderStatus":2,"orderNumber":"A-` + fmt.Sprint(n) +
		`","cardAuthInfo":{"maskedPan":"400000**0002"},"attributes":[{"name":"mdOrder","value":"` + id + `"}]}`
	return []string{
		registers(fmt.Sprintf("A-%d", n)) + registered(id), pay + id + ` => {"errorCode":0}`, paid, paid,
	}
}

// distinctFlow is alikeFlow with an amount of its own.
func distinctFlow(n int) []string {
	flow := alikeFlow(n)
	flow[0] = amount(flow[0], n)
	return flow
}

// clientFlow is alikeFlow for one client, who has all orders.
func clientFlow(n int) []string {
	flow := alikeFlow(n)
	flow[0] = strings.Replace(flow[0], "amount=", "clientId=C7&amount=", 1)
	return flow
}

// pageFlow is alikeFlow with a visit at the bank in between, whose page holds ids.
func pageFlow(n int) []string {
	flow, id := alikeFlow(n), orderID(n)
	const filler = "<p>Your bank asks you to confirm the payment.</p>\n"
	challenge := `<html><body><form action="https://sandbox.example/acs/answer" method="post">` +
		`<input type="hidden" name="MD" value="` + id + `"><input name="PaReq" value="` +
		fmt.Sprintf("eJxVUttuwjAM%016x", uint64(n)*0x9e3779b97f4a7c15) + `">` +
		strings.Repeat(filler, 40) + `</form></body></html>`
	return []string{
		flow[0], pay + id + ` => {"errorCode":0,"acsUrl":"https://sandbox.example/acs/challenge"}`,
		`POST /acs/challenge MD=` + id + ` => ` + challenge, flow[2], flow[3],
	}
}

// unknownFlow makes a thing of an API that no profile knows, changes it and asks for it.
func unknownFlow(n int) []string {
	id := fmt.Sprintf("tx_%016x", uint64(n+1)*0x9e3779b97f4a7c15)
	thing := func(state string) string {
		return fmt.Sprintf(` => {"id":"%s","reference":"ref-%08d","state":"%s","amount":{"value":%d,`+
			`"currency":"EUR"},"created":"2026-03-31T10:%02d:%02dZ"}`, id, n, state, 100+n%50, n/60%60, n%60)
	}
	return []string{
		fmt.Sprintf(`POST /v2/things {"reference":"ref-%08d","amount":%d}`, n, 100+n%50) + thing("new"),
		`POST /v2/things/` + id + `/confirm {"confirm":true}` + thing("confirmed"),
		`GET /v2/things/` + id + thing("confirmed"), `GET /v2/things/` + id + thing("confirmed"),
	}
}

// growingKinds are tapes on which one thing has ever more: members, events, names, values.
var growingKinds = []tapeKind{
	{"lists", listFlow, true}, {"lists of customers", customerFlow, true}, {"lists that are alike", cardFlow, true},
	{"one account", accountFlow, true}, {"one document", documentFlow, true},
}

// listFlow makes an order of an API that no profile knows, and lists the latest.
func listFlow(n int) []string {
	const page = 20
	var items []string
	for i := max(0, n-page+1); i <= n; i++ {
		items = append(items, `{"id":"`+orderID(i)+`","state":"new"}`)
	}
	return []string{
		`POST /v2/orders {"amount":100} => {"id":"` + orderID(n) + `","state":"new"}`,
		`GET /v2/orders => {"items":[` + strings.Join(items, ",") + `]}`,
	}
}

// customerFlow makes an order of one of some customers, and lists the latest of that customer.
func customerFlow(n int) []string {
	const customers, page = 20, 3
	customer := "/v2/customers/" + orderID(1_000_000+n%customers)
	var flow, items []string
	if n < customers {
		flow = append(flow, `POST /v2/customers {"name":"a"} => {"id":"`+orderID(1_000_000+n)+`"}`)
	}
	for i := max(n%customers, n-(page-1)*customers); i <= n; i += customers {
		items = append(items, `{"id":"`+orderID(i)+`","amount":100}`)
	}
	return append(flow, `POST `+customer+`/orders {"amount":100} => {"id":"`+orderID(n)+`","amount":100}`,
		`GET `+customer+`/orders => {"items":[`+strings.Join(items, ",")+`]}`)
}

// cardFlow makes a customer with one card, and lists the cards of that customer.
func cardFlow(n int) []string {
	customer, card := orderID(2*n), orderID(2*n+1)
	return []string{
		`POST /v2/customers {"name":"a"} => {"id":"` + customer + `"}`,
		`POST /v2/customers/` + customer + `/cards {"kind":"v"} => {"id":"` + card + `","kind":"v"}`,
		`GET /v2/customers/` + customer + `/cards => {"items":[{"id":"` + card + `","kind":"v"}]}`,
	}
}

// accountFlow adds an event with a date and a short code to an account, and asks for the account.
func accountFlow(n int) []string {
	const account = "0190aa00-0000-7000-8000-00000000acc0"
	at := recorded.Add(time.Duration(2*n) * time.Minute).UTC().Format(time.RFC3339)
	flow := []string{
		fmt.Sprintf(`POST /v2/accounts/%s/events {"code":"%04d"} => {"event":"%s","code":"%04d","at":"%s"}`,
			account, n%9999, orderID(n), n%9999, at),
		fmt.Sprintf(`GET /v2/accounts/%s => {"id":"%s","code":"%04d","last":"%s"}`, account, account, n%9999, at),
	}
	if n == 0 {
		flow = append([]string{`POST /v2/accounts {"name":"a"} => {"id":"` + account + `"}`}, flow...)
	}
	return flow
}

// documentFlow changes a document, which gets another tag each time by which the next change names it.
func documentFlow(n int) []string {
	const document = "0190aa00-0000-7000-8000-00000000d0c0"
	if n == 0 {
		return []string{`POST /v2/documents {"text":"a"} => {"id":"` + document + `","tag":"` + orderID(0) + `"}`}
	}
	return []string{fmt.Sprintf(`PUT /v2/documents/%s {"tag":"%s"} => {"id":"%s","tag":"%s"}`,
		document, orderID(n-1), document, orderID(n))}
}

// exchanges returns a tape of about n exchanges.
func (k tapeKind) exchanges(n int) []*leaf.Exchange {
	var lines []string
	for i := 0; len(lines) < n; i++ {
		lines = append(lines, k.flow(i)...)
	}
	xs := tape(lines...)
	for _, x := range xs {
		if strings.HasPrefix(x.Response.Body, "<html>") {
			x.Response.Headers = http.Header{"Content-Type": {"text/html"}}
		}
	}
	if k.foreign {
		foreign(xs)
	}
	return xs
}

// BenchmarkCompileKinds reports what an exchange costs while a tape of each kind is compiled, and what
// of it is held: -bench 'CompileKinds/.*/exchanges=100000' -benchtime 1x.
func BenchmarkCompileKinds(b *testing.B) {
	for _, k := range tapeKinds {
		bySize(b, k.name, "exchanges", sizes[1:], func(b *testing.B, n int) {
			xs, o := k.exchanges(n), match.Options{Profiles: profiles(b)}
			for b.Loop() {
				work := compileWork(o, xs)
				each := float64(len(xs))
				b.ReportMetric(float64(work.allocated)/each, "B/exchange")
				b.ReportMetric(float64(work.allocations)/each, "allocs/exchange")
				b.ReportMetric(float64(work.held)/each, "held-B/exchange")
				b.ReportMetric(float64(work.pieces)/each, "held-pieces/exchange")
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(xs)), "ns/exchange")
		})
	}
}

// work is what it takes to compile a tape, and what it holds then: so many bytes, in so many pieces.
type work struct{ allocations, allocated, held, pieces int64 }

func compileWork(o match.Options, xs []*leaf.Exchange) work {
	state := func() (m runtime.MemStats) {
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m
	}
	before := state()
	t := match.Compile(o, match.Cassette{Name: "t", Exchanges: xs})
	after := state()
	runtime.KeepAlive(t)
	runtime.KeepAlive(xs)
	return work{
		int64(after.Mallocs - before.Mallocs), int64(after.TotalAlloc - before.TotalAlloc),
		int64(after.HeapAlloc) - int64(before.HeapAlloc), int64(after.HeapObjects) - int64(before.HeapObjects),
	}
}

// TestCompileWorkPerExchange holds that an exchange costs no more in a tape that is sixteen times as
// long. It is not parallel: it counts the allocations of the whole process.
func TestCompileWorkPerExchange(t *testing.T) {
	const short, growth = 500, 1.25
	long := 16 * short
	if raced.Enabled {
		long = 4 * short
	}
	o := match.Options{Profiles: profiles(t)}
	for _, k := range slices.Concat(tapeKinds, growingKinds) {
		t.Run(k.name, func(t *testing.T) {
			each := func(n int) (allocations, bytes float64) {
				xs := k.exchanges(n)
				w := compileWork(o, xs)
				return float64(w.allocations) / float64(len(xs)), float64(w.allocated) / float64(len(xs))
			}
			allocations, bytes := each(short)
			moreAllocations, moreBytes := each(long)
			if moreAllocations > growth*allocations {
				t.Errorf("an exchange of %d takes %.0f allocations, one of %d takes %.0f",
					short, allocations, long, moreAllocations)
			}
			if moreBytes > growth*bytes {
				t.Errorf("an exchange of %d takes %.0f bytes, one of %d takes %.0f", short, bytes, long, moreBytes)
			}
		})
	}
}

// TestCompiledTapeIsFewPieces holds that the collector has few pieces of memory to look at, whatever is
// on tape: what an exchange is made of lies in slabs, and what it has alike with others is shared. It is not
// parallel: it counts the memory of the whole process.
func TestCompiledTapeIsFewPieces(t *testing.T) {
	const exchanges, most, mostBytes = 2_000, 2, 1_600
	o := match.Options{Profiles: profiles(t)}
	for _, k := range tapeKinds {
		t.Run(k.name, func(t *testing.T) {
			xs := k.exchanges(exchanges)
			w, n := compileWork(o, xs), float64(len(xs))
			if each := float64(w.pieces) / n; each > most {
				t.Errorf("an exchange is %.1f pieces of memory, want %d at most", each, most)
			}
			if each := float64(w.held) / n; each > mostBytes {
				t.Errorf("an exchange holds %.0f bytes, want %d at most", each, mostBytes)
			}
		})
	}
}
