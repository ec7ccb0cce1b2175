package story

import (
	"context"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

const registerCustomer = `{"productName":"CRCU1001","parameters":[
 {"name":"institutionId","value":"1001"},{"name":"agent_number","value":"1001"},
 {"name":"customer_number","value":""},{"name":"product_id","value":"7001"},
 {"name":"start_date","value":""},{"name":"service_id_acc","value":"8001"},
 {"name":"surname","value":"Sample"},{"name":"firstName","value":"Alex"},
 {"name":"email","value":"alex@example.com"},{"name":"mobile_phone","value":"79000000001"},
 {"name":"country_code","value":"276"},{"name":"city","value":"Berlin"},
 {"name":"street","value":"Main"},{"name":"house","value":"7"},
 {"name":"postal_code","value":"10115"}]}`

const createVirtualCard = `{"cardIdentification":{"cardNumber":"4276000000000000"},
 "virtualCardIdentification":{"expDate":"203012","productType":"5C"},
 "amount":0,"currency":978,"accountNumber":"","deliveryMethod":"WS"}`

// CardLife registers a customer, issues a card, moves money, fetches CVC and PIN, blocks the
// card and frees it again (document 1, General rules).
func (t *Teller) CardLife(ctx context.Context) ([]Value, error) {
	return t.Run(ctx, "v1 card's life", t.cardLife)
}

func (t *Teller) cardLife() error {
	account, err := t.customer()
	if err != nil {
		return err
	}
	card, err := t.issue(account)
	if err != nil {
		return err
	}
	number := card.Get("cardNumber").String()
	by := `{"cardIdentification":{"cardNumber":"` + number + `"}}`
	data, err := t.v1("getCardData", by)
	if err != nil {
		return err
	}
	if !strings.Contains(data.Raw, account) && !strings.Contains(data.Raw, number[len(number)-4:]) {
		return Agree("getCardData", "neither account nor card", "")
	}
	if err := t.money(by); err != nil {
		return err
	}
	if err := t.secrets(by); err != nil {
		return err
	}
	return t.block(by)
}

// customer registers the customer and returns the account number.
func (t *Teller) customer() (string, error) {
	body, err := Set(registerCustomer, "parameters.2.value", t.Customer,
		"parameters.4.value", t.Today.Format(time.DateOnly))
	if err != nil {
		return "", err
	}
	made, err := t.v1("registerCustomer", body)
	if err != nil {
		return "", err
	}
	account := made.Get("accountNumber").String()
	t.Fresh("accountNumber", account)
	return account, Agree("customerNumber", made.Get("customerNumber").String(), t.Customer)
}

func (t *Teller) issue(account string) (gjson.Result, error) {
	body, err := Set(createVirtualCard, "accountNumber", account)
	if err != nil {
		return gjson.Result{}, err
	}
	made, err := t.v1("createVirtualCard", body)
	if err != nil {
		return gjson.Result{}, err
	}
	card := made.Get("virtualCardIdentification")
	number, mask := card.Get("cardNumber").String(), card.Get("cardNumberMask").String()
	t.Fresh("card number", number)
	t.Fresh("cardId", card.Get("cardId").String())
	return card, firstError(
		Agree("the card's prefix", number[:6], "427600"),
		Agree("the end of the mask", mask[len(mask)-4:], number[len(number)-4:]),
		Agree("the beginning of the mask", mask[:6], number[:6]))
}

// money credits and debits the card and finds both in its history.
func (t *Teller) money(by string) error {
	credit, err := Set(by, "amount", 50000, "currency", 978)
	if err != nil {
		return err
	}
	in, err := t.v1("creditCard", credit)
	if err != nil {
		return err
	}
	debit, err := Set(by, "amount", 12000, "currency", 978)
	if err != nil {
		return err
	}
	out, err := t.v1("debitCard", debit)
	if err != nil {
		return err
	}
	rrn := out.Get("rrn").String()
	t.Fresh("rrn", rrn)
	t.Fresh("localTransactionDate", out.Get("localTransactionDate").String())
	err = firstError(
		Agree("responseCode", in.Get("responseCode").String()+out.Get("responseCode").String(), "0000"),
		Agree("authorizationIdResponse", out.Get("authorizationIdResponse").String(), rrn[len(rrn)-6:]))
	if err != nil {
		return err
	}
	return t.history(by, rrn)
}

func (t *Teller) history(by, rrn string) error {
	day := func(n int) string { return t.Today.AddDate(0, 0, n).Format(time.DateOnly) }
	ask, err := Set(by, "period.start", day(-1), "period.end", day(1))
	if err != nil {
		return err
	}
	list, err := t.v1("getTransactions", ask)
	if err != nil {
		return err
	}
	utrnno := strings.TrimLeft(rrn, "0")
	found := list.Get(`transactions.#(utrnno==` + utrnno + `).amount`)
	if !found.Exists() {
		found = list.Get(`transactions.transaction.#(utrnno==` + utrnno + `).amount`)
	}
	return Agree("the debit in the history", found.Raw, "12000")
}

// secrets fetches a CVC and a PIN, which no tape may hold.
func (t *Teller) secrets(by string) error {
	ask, err := Set(by, "deliveryMethod", "WS")
	if err != nil {
		return err
	}
	cvc, err := t.v1("generateCVC2", ask)
	if err != nil {
		return err
	}
	if ask, err = Set(by, "pinDeliveryMethod", "WS"); err != nil {
		return err
	}
	pin, err := t.v1("generatePin", ask)
	if err != nil {
		return err
	}
	t.Plain("cvc2", cvc.Get("cvc2").String())
	t.Plain("pinValue", pin.Get("pinValue").String())
	return nil
}

// block blocks the card and frees it, and reads its status after each.
func (t *Teller) block(by string) error {
	free, err := Set(by, "hotCardStatus", 0)
	if err != nil {
		return err
	}
	for _, step := range []struct{ operation, body, status string }{
		{"blockCard", by, "6"}, {"changeCardStatus", free, "0"},
	} {
		if _, err := t.v1(step.operation, step.body); err != nil {
			return err
		}
		got, err := t.v1("cardStatusInquiry", by)
		if err != nil {
			return err
		}
		if err := Agree("hotCardStatus", got.Get("hotCardStatus").Raw, step.status); err != nil {
			return err
		}
	}
	return nil
}
