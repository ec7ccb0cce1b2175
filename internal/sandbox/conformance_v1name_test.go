package sandbox_test

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"
)

// names registers a customer with one card and returns the ways to name that card, as JSON.
func (c *client) names(customer string) map[string]string {
	c.t.Helper()
	account := c.v1("registerCustomer", `{"productName":"CRCU1001","parameters":[`+
		`{"name":"customer_number","value":%q},{"name":"mobile_phone","value":"phone of %[1]s"}]}`,
		customer)
	made := c.virtualCardWith(account.get("accountNumber"),
		`,"cardIdentification":{"cardNumber":"`+template+`","externalCardId":"external `+customer+`"}}`)
	get := func(field string) string { return made.get("virtualCardIdentification." + field) }
	mask := fmt.Sprintf(`"cardNumberMask":%q,`, get("cardNumberMask"))
	return map[string]string{
		"cardNumber":          fmt.Sprintf(`"cardNumber":%q`, get("cardNumber")),
		"cardId":              fmt.Sprintf(`"cardId":%q`, get("cardId")),
		"barCode":             fmt.Sprintf(`"barCode":%q`, get("barCode")),
		"externalCardId":      fmt.Sprintf(`"externalCardId":"external %s"`, customer),
		"encryptedCardNumber": fmt.Sprintf(`"encryptedCardNumber":%q`, c.encrypt(get("cardNumber"))),
		"mask and holder":     mask + fmt.Sprintf(`"cardholderId":%q`, customer),
		"mask and phone":      mask + fmt.Sprintf(`"phoneNumber":"phone of %s"`, customer),
		"mask":                mask[:len(mask)-1],
		"phone":               fmt.Sprintf(`"phoneNumber":"phone of %s"`, customer),
		"token":               `"token":"T"`,
		"customer":            fmt.Sprintf(`"customerNumber":%q,"customerId":%[1]q`, customer),
	}
}

// sealKey is the key that the control address shows.
func (c *client) sealKey() *rsa.PublicKey {
	c.t.Helper()
	if c.seals != nil {
		return c.seals
	}
	block, _ := pem.Decode([]byte(c.control("GET", "/state").get("v1.publicKey")))
	if block == nil {
		c.t.Fatal("the control address shows no public key")
	}
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	if err != nil {
		c.t.Fatalf("reading the public key: %v", err)
	}
	c.seals = parsed.(*rsa.PublicKey)
	return c.seals
}

// encrypt is RSA with the padding of PKCS #1 v1.5.
func (c *client) encrypt(text string) string {
	c.t.Helper()
	key := c.sealKey()
	padded := slices.Concat([]byte{0, 2}, []byte(strings.Repeat("p", key.Size()-3-len(text))),
		[]byte{0}, []byte(text))
	m := new(big.Int).SetBytes(padded)
	m.Exp(m, big.NewInt(int64(key.E)), key.N)
	return base64.StdEncoding.EncodeToString(m.FillBytes(make([]byte, key.Size())))
}

var (
	tradeNames   = []string{"cardNumber", "cardId", "barCode", "mask and holder", "mask and phone"}
	sandboxNames = []string{"cardNumber", "cardId"}
)

// accepted are the combinations by operation; operations that document 1 does not list take
// what the sandbox takes everywhere.
var accepted = map[string][]string{
	"generateCVC2":      tradeNames,
	"cardStatusInquiry": tradeNames,
	"debitCard":         tradeNames,
	"creditCard":        tradeNames,
	"changePin":         sandboxNames, "resetPinCounter": sandboxNames,
	"setGeoRestrictions": sandboxNames, "getGeoRestrictions": sandboxNames,
	"getCardData": sandboxNames, "getCardLimits": sandboxNames, "changeCardLimit": sandboxNames,
	"blockCard": sandboxNames, "changeCardStatus": sandboxNames, "getTransactions": sandboxNames,
	"getAllowedMccList": sandboxNames, "getAllowedBeneficiaries": sandboxNames,
	"setAllowedMccList": sandboxNames, "setAllowedBeneficiaries": sandboxNames,
	"generatePin": {"cardNumber", "cardId", "encryptedCardNumber", "externalCardId",
		"mask and phone"},
	"serviceAction": {"cardNumber", "barCode", "mask and phone"},
}

// rest is what an operation needs besides the card.
var rest = map[string]string{
	"debitCard": `,"amount":1,"currency":978`, "creditCard": `,"amount":1,"currency":978`,
	"changePin": `,"newPinData":"4321"`, "changeCardStatus": `,"hotCardStatus":0`,
	"setGeoRestrictions": `,"restrictions":{"countryId":276,"status":"ENABLED"}`,
	"changeCardLimit":    `,"limit":{"name":"LMTP0101"}`, "getTransactions": `,"period":{}`,
	"setAllowedMccList": `,"mccList":[]`, "setAllowedBeneficiaries": `,"beneficiaries":[]`,
	"serviceAction": `,"actionCode":"ACTION_CODE_ADD","serviceIdentification":{"serviceType":"A",` +
		`"serviceId":"1","serviceObjectType":"SERVICE_OBJECT_CARD"}`,
}

// identify tries every name in every operation, each on a card of its own.
func identify(c *client) {
	for op, ways := range accepted {
		for i, way := range slices.Sorted(maps.Keys(c.names(op))) {
			name := c.names(fmt.Sprint(op, i))
			if op == "changeCardStatus" {
				c.v1("blockCard", `{"cardIdentification":{%s}}`, name["cardNumber"])
			}
			a := c.v1(op, `{"cardIdentification":{"expDate":"203012",%s}%s}`, name[way], rest[op])
			if accepts := slices.Contains(ways, way); (a.status == 200) != accepts {
				c.t.Errorf("%s by %s answers %d", op, way, a.status)
			}
		}
	}
}

// inquire asks for the status of a card with the given fields of cardIdentification.
func (c *client) inquire(fields ...string) answer {
	c.t.Helper()
	return c.v1("cardStatusInquiry", `{"cardIdentification":{%s}}`, strings.Join(fields, ","))
}

var v1NameClaims = []claim{
	{"document 1, Card identification object",
		"an operation takes the combinations stated for it and no others", identify},
	{"document 1, Card identification object",
		"names given together mean the same card, other fields are passed over", func(c *client) {
			one, two := c.names("1"), c.names("2")
			c.code(c.inquire(one["cardNumber"], one["cardId"], one["barCode"]), 200)
			c.code(c.inquire(one["cardNumber"], two["barCode"]), 500)
			c.code(c.inquire(one["cardId"], two["cardNumber"]), 500)
			c.code(c.inquire(one["cardNumber"], one["token"], one["phone"], two["customer"]), 200)
			c.code(c.inquire(one["cardNumber"], two["mask and phone"]), 200)
		}},
	{"document 1, Card identification object",
		"what no card answers to is unknown", func(c *client) {
			c.names("1")
			for _, name := range []string{`"cardId":"1"`, `"barCode":"1"`,
				`"cardNumberMask":"427600**0000","phoneNumber":"phone of nobody"`,
				`"cardNumberMask":"427600**0000","cardholderId":"nobody"`,
				`"cardNumberMask":"4276**","cardholderId":"1"`,
				`"cardNumberMask":"","cardholderId":"1"`} {
				c.code(c.inquire(name), 500)
			}
			for _, name := range []string{`"externalCardId":"none"`, `"encryptedCardNumber":"AAAA"`,
				`"encryptedCardNumber":"*"`} {
				c.is(c.v1("generatePin", `{"cardIdentification":{%s}}`, name), "responseCode", `"14"`)
			}
		}},
	{"domain facts, Order status",
		"a mask may show six to ten digits and two or more stars", func(c *client) {
			made := c.virtualCard(c.customer("1").get("accountNumber"))
			number := made.get("virtualCardIdentification.cardNumber")
			for _, mask := range []string{number[:6] + "**" + number[12:],
				number[:10] + "**" + number[12:], number[:6] + "*******" + number[12:]} {
				c.code(c.inquire(fmt.Sprintf(`"cardNumberMask":%q,"cardholderId":"1"`, mask)), 200)
			}
			for _, mask := range []string{number[:6] + "*" + number[12:], number,
				number[:5] + "**" + number[12:], number[:6] + "**" + number[13:]} {
				c.code(c.inquire(fmt.Sprintf(`"cardNumberMask":%q,"cardholderId":"1"`, mask)), 500)
			}
		}},
	{"document 1, Card identification object",
		"a mask that fits several cards names none", func(c *client) {
			account := c.customer("1").get("accountNumber")
			seen := map[string]bool{}
			for range 1000 { // with four digits to tell them apart, two are alike long before
				made := c.virtualCard(account)
				mask := made.get("virtualCardIdentification.cardNumberMask")
				if seen[mask] {
					a := c.inquire(fmt.Sprintf(`"cardNumberMask":%q,"cardholderId":"1"`, mask))
					c.is(a, "responseCode", `"12"`)
					return
				}
				seen[mask] = true
			}
			c.t.Error("no two masks are alike")
		}},
	{"document 1, createVirtualCard",
		"an externalCardId names one card, and is the cardId where none is given", func(c *client) {
			account := c.customer("1").get("accountNumber")
			more := `,"cardIdentification":{"cardNumber":"` + template + `","externalCardId":"EXT"}}`
			c.code(c.virtualCardWith(account, more), 200)
			c.is(c.virtualCardWith(account, more), "responseCode", `"94"`)
			id := c.virtualCard(account).get("virtualCardIdentification.cardId")
			c.code(c.v1("generatePin", `{"cardIdentification":{"externalCardId":%q}}`, id), 200)
		}},
	{"document 1, createVirtualCard",
		"customerId in cardIdentification is that of the account's customer", func(c *client) {
			account := c.customer("1").get("accountNumber")
			c.customer("2")
			for id, code := range map[string]int{"1": 200, "": 200, "2": 500, "3": 500} {
				c.code(c.virtualCardWith(account,
					fmt.Sprintf(`,"cardIdentification":{"customerId":%q}}`, id)), code)
			}
		}},
	{"document 1, createVirtualCard",
		"phoneNumber in cardIdentification stands for the card", func(c *client) {
			made := c.virtualCardWith(c.customer("1").get("accountNumber"),
				`,"cardIdentification":{"phoneNumber":"79000000009","customerId":"1"}}`)
			mask := made.get("virtualCardIdentification.cardNumberMask")
			c.code(c.inquire(fmt.Sprintf(`"cardNumberMask":%q,"phoneNumber":"79000000009"`, mask)), 200)
		}},
	{"document 1, serviceAction",
		"expDate is needed beside the card and must be the card's", func(c *client) {
			for date, code := range map[string]string{"203012": "00", "203011": "14", "": "30"} {
				body := fmt.Sprintf(`{"cardIdentification":{%s,"expDate":%q}%s}`,
					c.names(date)["cardNumber"], date, rest["serviceAction"])
				c.same("expDate "+date, c.v1("serviceAction", "%s", body).get("responseCode"), code)
			}
		}},
}
