package sandbox_test

import (
	"encoding/json"
	"maps"
	"strings"
)

// object is a JSON object; the client's calls take one over what they would send themselves,
// in which nil removes a field.
type object = map[string]any

// A recipient and payers of transfers.
const (
	cardPayee     = "424242" + "4242424242"
	cardAtACS     = "400000" + "0000001091"
	cardLostPayee = "400000" + "0000009987"
	cardOldPayee  = "400000" + "0000000069"
	cardNoPayee   = "400000" + "0000000002"
)

// p2p calls an operation for transfers.
func (c *client) p2p(op string, body object, more ...object) answer {
	c.t.Helper()
	call := object{"username": "sandbox-api", "password": "sandbox-password", "language": "en"}
	maps.Copy(call, body)
	for _, over := range more {
		maps.Copy(call, over)
	}
	maps.DeleteFunc(call, func(_ string, value any) bool { return value == nil })
	text, err := json.Marshal(call)
	if err != nil {
		c.t.Fatalf("writing a call: %v", err)
	}
	return c.send("POST", "/payment/rest/api/p2p/"+op, string(text),
		"Content-Type", "application/json")
}

// registerP2P registers a transfer between two cards.
func (c *client) registerP2P(number string, more ...object) answer {
	c.t.Helper()
	return c.p2p("registerP2P.do", object{"orderNumber": number, "amount": 1500,
		"currency": "978", "returnUrl": "https://shop.example/back",
		"transactionTypeIndicator": "A", "features": object{}}, more...)
}

// alone makes a registration one of an OCT.
var alone = object{"features": object{"feature": []string{"WITHOUT_FROM_CARD"}}}

func (c *client) registerOCT(number string, more ...object) string {
	c.t.Helper()
	return c.registerP2P(number, append([]object{alone}, more...)...).get("orderId")
}

func toCard(number string) object {
	return object{"pan": number, "expirationYear": 2030, "expirationMonth": 12,
		"cardholderName": "TEST PERSON"}
}

func fromCard(number string) object {
	card := toCard(number)
	card["cvc"] = "123"
	return card
}

// oct pays an OCT out to a card.
func (c *client) oct(id, to string, more ...object) answer {
	c.t.Helper()
	return c.p2p("performP2P.do", object{"orderId": id, "type": "WITHOUT_FROM_CARD",
		"toCard": toCard(to)}, more...)
}

// move performs a transfer between two cards.
func (c *client) move(id, from, to string, more ...object) answer {
	c.t.Helper()
	return c.p2p("performP2P.do", object{"orderId": id, "fromCard": fromCard(from),
		"toCard": toCard(to)}, more...)
}

func (c *client) p2pStatus(id string, more ...object) answer {
	c.t.Helper()
	return c.p2p("getP2PStatus.do", object{"orderId": id}, more...)
}

// storedCard pays an ordinary order so that a card is stored for a client of the shop, and
// returns the binding.
func (c *client) storedCard(clientID, card string) string {
	c.t.Helper()
	id := c.order("", card, "clientId", clientID, "features", "FORCE_CREATE_BINDING")
	return c.orderStatus(id).get("bindingInfo.bindingId")
}

func chars(n int) string { return strings.Repeat("a", n) }

// challengedTransfer begins a transfer whose payer must authenticate.
func (c *client) challengedTransfer(number string, more object) (string, answer) {
	c.t.Helper()
	phone := object{"orderPayerData": object{"homePhone": "+4930000000"}}
	id := c.registerP2P(number, phone).get("orderId")
	return id, c.move(id, cardAtACS, cardPayee, more)
}

// finishTransfer opens the address that ends an authentication, with the transaction in a
// parameter of the given name.
func (c *client) finishTransfer(name, transaction string) *tab {
	c.t.Helper()
	return c.post(c.base+"/payment/rest/api/p2p/finishThreeDsVer2.do", "username", "sandbox-api",
		"password", "sandbox-password", "language", "en", name, transaction)
}

// answer reads what a tab was shown as JSON.
func (t *tab) answer() answer {
	return answer{t.status, t.header, t.page}
}

// toACS2 sends the payer of an order to the page of the ACS in version 2.
func (c *client) toACS2(id string) *tab {
	c.t.Helper()
	a := c.proceed(id)
	return c.post(a.get("acsUrl"), "creq", a.get("packedCReq"))
}
