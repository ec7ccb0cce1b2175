package story

import (
	"context"
	"fmt"
	"time"

	"github.com/tidwall/gjson"
)

const p2pTransfer = `{"sourceCardIdentification":{"cardNumber":"","expDate":"203012"},
 "destinationCardIdentification":{"cardNumber":""},"amount":2500,"currency":978,
 "senderReceiverInfo":{"senderName":"Sample, Alex","senderAddress":"Main 7, Berlin"},
 "pointOfServiceConditionCode":"59"}`

// P2P registers two v1 customers with a card each, sends money from one to the other, asks
// for the transfer by its original parameters and finds it in both histories (document 1,
// p2pTransfer and getTransactions). The second customer's number is the first's with a 2
// behind it.
func (t *Teller) P2P(ctx context.Context) ([]Value, error) {
	return t.Run(ctx, "v1 transfer", t.p2p)
}

func (t *Teller) p2p() error {
	from, err := t.person(t.Customer)
	if err != nil {
		return err
	}
	to, err := t.person(t.Customer + "2")
	if err != nil {
		return err
	}
	if err := t.fund(from); err != nil {
		return err
	}
	order, err := Set(p2pTransfer, "sourceCardIdentification.cardNumber", from,
		"destinationCardIdentification.cardNumber", to)
	if err != nil {
		return err
	}
	sent, err := t.v1("p2PTransfer", order)
	if err != nil {
		return err
	}
	rrn := sent.Get("rrn").String()
	t.Fresh("p2p rrn", rrn)
	return firstError(t.inquire(order, sent), t.inHistory(from, rrn), t.inHistory(to, rrn))
}

// person registers a customer and issues a card, and returns the card's number.
func (t *Teller) person(number string) (string, error) {
	customer := t.Customer
	defer func() { t.Customer = customer }()
	t.Customer = number
	account, err := t.customer()
	if err != nil {
		return "", err
	}
	card, err := t.issue(account)
	if err != nil {
		return "", err
	}
	return card.Get("cardNumber").String(), nil
}

func (t *Teller) fund(card string) error {
	body, err := Set(identify(card), "amount", 9000, "currency", 978)
	if err != nil {
		return err
	}
	_, err = t.v1("creditCard", body)
	return err
}

func identify(card string) string {
	return fmt.Sprintf(`{"cardIdentification":{"cardNumber":%q}}`, card)
}

// inquire asks how the transfer ended: the same call with the original parameters.
func (t *Teller) inquire(order string, sent gjson.Result) error {
	body, err := Set(order,
		"originalTransactionParameters.systemTraceAuditNumber", sent.Get("systemTraceAuditNumber").Int(),
		"originalTransactionParameters.localTransactionDate", sent.Get("localTransactionDate").String(),
		"originalTransactionParameters.rrn", sent.Get("rrn").String())
	if err != nil {
		return err
	}
	again, err := t.v1("p2PTransfer", body)
	if err != nil {
		return err
	}
	return firstError(
		Agree("rrn of the inquiry", again.Get("rrn").String(), sent.Get("rrn").String()),
		Agree("date of the inquiry", again.Get("localTransactionDate").String(),
			sent.Get("localTransactionDate").String()))
}

// inHistory finds the transfer among a card's transactions.
func (t *Teller) inHistory(card, rrn string) error {
	day := t.Today.Format(time.DateOnly)
	ask, err := Set(identify(card), "period.start", day, "period.end", day)
	if err != nil {
		return err
	}
	list, err := t.v1("getTransactions", ask)
	if err != nil {
		return err
	}
	for _, record := range list.Get("transactions").Array() {
		if fmt.Sprintf("%012d", record.Get("utrnno").Int()) == rrn {
			return Agree("the amount in the history", record.Get("amount").Raw, "2500")
		}
	}
	return Agree("the transfer in the history", "absent", "present")
}
