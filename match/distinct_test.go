package match_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
)

// cardNumber is the number of the n-th card of a tape of distinct cards.
func cardNumber(n int) string {
	return pan.WithResidue(fmt.Sprintf("427600%09d0", n*7919%1_000_000_000), 14, pan.Valid)
}

// asksAbout inquires about the n-th card.
func asksAbout(n int) string {
	return `POST /v1/apigate/ws/rest/cardStatusInquiry {"cardIdentification":{"cardNumber":"` + cardNumber(n) +
		`","expDate":"203012"},"cardAcceptorParameters":{"terminalIdentification":"TERM0001",` +
		`"merchantIdentification":"MERCH0000000001","merchantType":"5999",` +
		`"nameAndLocation":"Sandbox shop>Main street 1>Vilnius>LT"},"channel":"MOBILE","version":"1.0"}`
}

// distinctCards is a tape of one inquiry about each of n cards. Every answer has ids of its own.
func distinctCards(n int) []*leaf.Exchange {
	var lines []string
	for i := range n {
		lines = append(lines, asksAbout(i)+fmt.Sprintf(` => {"responseCode":"00","hotCardStatus":%d,`+
			`"processingCode":"310000","systemTraceAuditNumber":%d,"localTransactionDate":"2026-11-20T13:18:00",`+
			`"rrn":"%012d","authorizationIdResponse":"A%05d","cardNumber":"%s","cardId":"%020d",`+
			`"uniqueReferenceNumber":"REF-%010d","cardholder":{"lastName":"Doe","firstName":"Jane"}}`,
			i%7, 100000+i%900000, 632400000000+i, i%100000, cardNumber(i), i, i))
	}
	return tape(lines...)
}

// BenchmarkDistinctCards asks about as many cards as are on tape, one behind the other.
func BenchmarkDistinctCards(b *testing.B) {
	bySize(b, "serve", "cards", sizes, func(b *testing.B, n int) {
		d := newDeck(b, distinctCards(n))
		asks := make([]string, n)
		for i := range asks {
			asks[i] = asksAbout(i)
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			d.hit(asks[i%n])
		}
	})
}

// cost returns how many pieces of memory, and how many bytes, each of some requests takes.
func cost(requests int, ask func(i int)) (pieces, size float64) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range requests {
		ask(i)
	}
	runtime.ReadMemStats(&after)
	n := float64(requests)
	return float64(after.Mallocs-before.Mallocs) / n, float64(after.TotalAlloc-before.TotalAlloc) / n
}

// A request must cost the same whatever else is on tape, and whatever else is live. Sorting, ranking or
// copying what the tape or the player has would show in the memory that a request takes.
func TestARequestCostsTheSameBesideManyOthers(t *testing.T) {
	const few, many, asked = 1_000, 4_000, 500
	withoutRaces(t)
	measured := map[string]func(n int) (pieces, size float64){
		"cards on tape": func(n int) (pieces, size float64) {
			d := newDeck(t, distinctCards(n))
			for i := range asked { // the cards are there from the start, once they were named
				d.hit(asksAbout(i))
			}
			return cost(asked, func(i int) { d.hit(asksAbout(i)) })
		},
		"alike flows on tape": func(n int) (pieces, size float64) {
			xs, _ := payments(n, true)
			d := newDeck(t, xs)
			return cost(asked, func(i int) { d.pay(i) })
		},
		"live flows": func(n int) (pieces, size float64) {
			xs, _ := payments(30, true)
			d := newDeck(t, xs)
			for i := range n {
				d.pay(i)
			}
			return cost(asked, func(i int) { d.pay(n + i) })
		},
	}
	// What an inquiry, or a flow of three requests, may take, read from its text included.
	most := map[string]struct{ pieces, size float64 }{
		"cards on tape": {16, 2_700}, "alike flows on tape": {29, 5_500}, "live flows": {29, 5_500},
	}
	for name, of := range measured {
		pieces, size := of(few)
		if m := most[name]; pieces > m.pieces || size > m.size {
			t.Errorf("%s: a request takes %.1f pieces, %.0f bytes, more than %.0f and %.0f",
				name, pieces, size, m.pieces, m.size)
		}
		morePieces, moreSize := of(many)
		// Maps that grow take memory now and then.
		if morePieces > 1.1*pieces+1 || moreSize > 1.3*size+500 {
			t.Errorf("%s: a request takes %.1f pieces, %.0f bytes beside %d, and %.1f pieces, %.0f bytes beside %d",
				name, pieces, size, few, morePieces, moreSize, many)
		}
	}
}

// pay registers, pays and asks for the n-th live order.
func (d *deck) pay(n int) {
	id := d.open(registers(fmt.Sprintf("B-%d", n)))
	d.hit(pay + id)
	d.hit(status + id)
}

// A paid order has a handful of values. What it holds must not grow with the number of orders, and not
// to more than these values and what finds them.
func TestALiveFlowHoldsLittle(t *testing.T) {
	const most = 760 // bytes, where it had 880 when every name had a list of its own
	withoutRaces(t)
	xs, _ := payments(10, true)
	d := newDeck(t, xs)
	before, live := heap(), 0
	for _, n := range []int{4_000, 16_000} {
		for ; live < n; live++ {
			d.pay(live)
		}
		if each := (heap() - before) / int64(n); each > most {
			t.Errorf("each of %d flows holds %d bytes, more than %d", n, each, most)
		}
	}
	runtime.KeepAlive(d)
}

// An inquiry bears a transaction. Where no request on tape names one, nothing of it may stay but what
// keeps its ids from being made again.
func TestAnInquiryLeavesNothingBehind(t *testing.T) {
	const cards, asked, most = 20, 8_000, 300 // bytes, where it had 1,900
	withoutRaces(t)
	d := newDeck(t, distinctCards(cards))
	ask := func(n int) {
		for i := range n {
			d.hit(asksAbout(i % cards))
		}
	}
	ask(cards)
	before := heap()
	ask(asked)
	if each := (heap() - before) / asked; each > most {
		t.Errorf("each of %d inquiries holds %d bytes, more than %d", asked, each, most)
	}
	runtime.KeepAlive(d)
}

// Where a request on tape names what an inquiry bears, a live request finds it.
func TestWhatAnInquiryBearsIsFoundWhereTheTapeNamesIt(t *testing.T) {
	const (
		ask  = `GET /v9/cards/by-name?name=Doe`
		card = `{"id":"card_a1b2c3d4e5","name":"Doe"}`
		read = `GET /v9/cards/`
	)
	d := newDeck(t, tape(ask+" => "+card, read+`card_a1b2c3d4e5 => `+card))
	first, second := d.hit(ask), d.hit(ask)
	for _, body := range []string{second, first} {
		id := body[len(`{"id":"`):][:len("card_a1b2c3d4e5")]
		if got := d.hit(read + id); got != body {
			t.Errorf("got %s, want %s", got, body)
		}
	}
	if first == second {
		t.Error("two inquiries bore one card")
	}
}
