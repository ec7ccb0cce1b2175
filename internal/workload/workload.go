// Package workload makes traffic for measuring: flows of several kinds as clients of card-payment
// sandboxes walk them, a server that answers the flows, and recordings of any length that are made
// of the flows. Command soak, below this package, puts a deck under load with the same flows. No
// other program imports this package.
//
// A flow has a kind and a variant. The variant decides all that a recording keeps apart: amounts,
// currencies, cards, what becomes of the order. The run decides what a client makes up anew each
// time, such as order numbers. So variant 7 of run A and variant 7 of run B are the same flow with
// other ids, and a tape on which A is recorded must answer B:
//
//	distinct, variant 7, run A: register A-7 for 1007 in 643, pay it, refund a third of it, ask
//	distinct, variant 7, run B: register B-7 for 1007 in 643, pay it, refund a third of it, ask
//
// The client of a flow reads no more of an answer than the flow needs, because it shares its
// processors with what it measures. What a flow ends in is checked: an order that should be
// refunded is refunded.
package workload

// Kind is a way through an API.
type Kind struct {
	Name    string
	Summary string // one line, for people
	// Play walks one flow as a client. What goes wrong stands in the client's Err.
	Play func(c *Client, variant int)
}

// Kinds are all kinds of flows.
var Kinds = []Kind{
	{"alike", "payments that differ in their ids alone: register, pay, two polls", alike},
	{"distinct", "payments of their own amounts: paid, declined, held, refunded, bound", distinct},
	{"secure", "payments with a 3-D Secure challenge: messages, pages, redirects", secure},
	{"page", "payments in a browser, from the payment page on, with a challenge", page},
	{"cards", "inquiries about cards, each about a card of its own", inquiry},
	{"counted", "inquiries about cards whose numbers count up", counted},
	{"issued", "cards of a bank: a customer, a card, money in and out, a history", issued},
	{"foreign", "charges at an API that no profile knows: numeric ids and tokens", charge},
}

// KindOf returns the kind of a name.
func KindOf(name string) (Kind, bool) {
	for _, k := range Kinds {
		if k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}
