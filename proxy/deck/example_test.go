package deck_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"

	"github.com/paytape/paytape/proxy/deck"
)

// An order is registered at the built-in sandbox while a deck records, and another from tape, when
// the sandbox is gone. Of an amount that nobody registered the tape knows nothing.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "cassettes-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	recording, err := deck.Start(ctx, deck.Options{
		Mode: deck.Record, Cassettes: []string{"checkout"}, Dir: dir,
		Upstreams: []string{deck.Builtin},
	})
	if err != nil {
		log.Fatal(err)
	}
	register(recording.URL, "A-1", "12500")
	if err := recording.Close(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("on tape:", recording.Summary().Recorded.Exchanges)

	replay, err := deck.Start(ctx, deck.Options{Cassettes: []string{"checkout"}, Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer replay.Close()
	register(replay.URL, "B-7", "12500")
	register(replay.URL, "B-8", "99900")
	fmt.Println("misses:", replay.Summary().Misses)

	// Output:
	// A-1: 200 OK
	// on tape: 1
	// B-7: 200 OK, checkout#1; state=nothing done yet
	// B-8: 501 Not Implemented, missed by field
	// misses: 1
}

// register registers an order, and prints how that was answered.
func register(base, number, amount string) {
	res, err := http.PostForm(base+"/payment/rest/register.do", url.Values{
		"userName": {"sandbox-api"}, "password": {"sandbox-password"},
		"orderNumber": {number}, "amount": {amount}, "currency": {"978"},
		"returnUrl": {"https://shop.example/"},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	fmt.Print(number, ": ", res.Status)
	if from := res.Header.Get("Paytape-Served"); from != "" {
		fmt.Print(", ", from)
	}
	if why := res.Header.Get("Paytape-Miss"); why != "" {
		fmt.Print(", missed by ", why)
	}
	fmt.Println()
}

// A tape is loaded once. The decks that replay it know nothing of each other's orders.
func ExampleLoad() {
	o := deck.Options{Cassettes: []string{"stories"}, Dir: "../../testdata"}
	tape, err := deck.Load(o)
	if err != nil {
		log.Fatal(err)
	}
	for range 2 {
		d, err := deck.Start(context.Background(), deck.Options{Tape: tape})
		if err != nil {
			log.Fatal(err)
		}
		defer d.Close()
		fmt.Println(d.Exchanges() == tape.Exchanges())
	}
	// Output:
	// true
	// true
}
