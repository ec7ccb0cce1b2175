package story

import (
	"context"
	"fmt"

	"github.com/tidwall/gjson"
)

const cardholder = `{"firstName":"","lastName":"Sample","phoneNumber":"491700000001",
 "email":"sample@example.com","dateOfBirth":"1990-05-17",
 "billingAddress":{"city":"Berlin","country":"DE","line1":"Main 1","postalCode":"10115"}}`

// Transfer creates two v2 cardholders with a card each, tops one card up and sends money to
// the other (document 2, Suggested scenario).
func (t *Teller) Transfer(ctx context.Context) ([]Value, error) {
	return t.Run(ctx, "v2 transfer", t.transfer)
}

func (t *Teller) transfer() error {
	from, err := t.holder("Payer", "payer")
	if err != nil {
		return err
	}
	to, err := t.holder(t.Payee, "payee")
	if err != nil {
		return err
	}
	if err := t.topUp(from); err != nil {
		return err
	}
	if err := t.give(from, to); err != nil {
		return err
	}
	return firstError(t.balance(from, "7000"), t.balance(to, "3000"))
}

func (t *Teller) balance(card gjson.Result, want string) error {
	got, err := t.v2("GET", "/cards/"+card.Get("id").String(), "")
	if err != nil {
		return err
	}
	return Agree("the balance", got.Get("account.balance").Raw, want)
}

// holder creates a cardholder and a card and returns the card with its number.
func (t *Teller) holder(firstName, role string) (gjson.Result, error) {
	body, err := Set(cardholder, "firstName", firstName)
	if err != nil {
		return gjson.Result{}, err
	}
	made, err := t.v2("POST", "/cardholders", body)
	if err != nil {
		return gjson.Result{}, err
	}
	id := made.Get("id").String()
	t.Fresh(role+" id", id)
	if err := Agree("firstName", made.Get("firstName").String(), firstName); err != nil {
		return gjson.Result{}, err
	}
	issued, err := t.v2("POST", "/cards",
		fmt.Sprintf(`{"productName":"VISA Classic","cardholder":%q}`, id))
	if err != nil {
		return gjson.Result{}, err
	}
	card, err := t.v2("GET", "/cards/"+issued.Get("id").String(), "")
	if err != nil {
		return gjson.Result{}, err
	}
	number := card.Get("number").String()
	t.Fresh(role+" card", number)
	t.Fresh(role+" account", card.Get("account.accountNumber").String())
	mask := card.Get("numberMask").String()
	return card, firstError(
		Agree("the owner of the card", card.Get("cardholder").String(), id),
		Agree("the mask", mask[:6]+mask[len(mask)-4:], number[:6]+number[len(number)-4:]))
}

func (t *Teller) topUp(card gjson.Result) error {
	number := card.Get("number").String()
	made, err := t.v2("POST", "/topups", fmt.Sprintf(
		`{"amount":10000,"currency":"EUR","destinationCard":{"cardNumber":%q}}`, number))
	if err != nil {
		return err
	}
	t.Fresh("top-up id", made.Get("id").String())
	return Agree("the status of the top-up", made.Get("status").String(), "approved")
}

func (t *Teller) give(from, to gjson.Result) error {
	source, destination := from.Get("number").String(), to.Get("number").String()
	made, err := t.v2("POST", "/transfers", fmt.Sprintf(
		`{"amount":3000,"currency":"EUR","sourceCard":{"cardNumber":%q,"expiryDate":%q},`+
			`"destinationCard":{"cardNumber":%q}}`, source, from.Get("expiryDate").String(), destination))
	if err != nil {
		return err
	}
	id := made.Get("id").String()
	t.Fresh("transfer id", id)
	t.Fresh("transfer rrn", made.Get("rrn").String())
	t.Fresh("transfer date", made.Get("creationDate").String())
	status := made.Get("status").String()
	if err := Agree("the status of the transfer", status, "approved"); err != nil {
		return err
	}
	list, err := t.v2("GET", "/transfers?cardNumberFltr="+destination+"&statusFltr=approved", "")
	if err != nil {
		return err
	}
	return firstError(
		Agree("the transfer in the list", list.Get("transfers.0.id").String(), id),
		Agree("its source", list.Get("transfers.0.sourceCard.cardNumber").String(),
			made.Get("sourceCard.cardNumber").String()))
}
