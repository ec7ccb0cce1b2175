package workload

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/tidwall/gjson"
)

// Card returns the number of a card: digits that look random, with a good Luhn sum.
func Card(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	digits := fmt.Appendf(nil, "427600%09d", r.IntN(1_000_000_000))
	sum := 0
	for i, c := range digits {
		d := int(c - '0')
		if i%2 == 0 { // the last of sixteen is the check digit: the first counts double
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return string(append(digits, byte('0'+(10-sum%10)%10)))
}

// inquiry asks for the status of a card of its own.
func inquiry(c *Client, variant int) { c.inquire(Card(variant)) }

// counted asks for the status of a card whose number is the next one; three in four have a wrong
// check digit or more.
func counted(c *Client, variant int) { c.inquire(fmt.Sprintf("400000%010d", variant)) }

func (c *Client) inquire(card string) {
	a := c.bank("cardStatusInquiry", `{"cardIdentification":{"cardNumber":"`+card+
		`","expDate":"203012"},"cardAcceptorParameters":{"terminalIdentification":"T-1",`+
		`"merchantIdentification":"M-1","merchantType":"5999","nameAndLocation":"Main street 1"},`+
		`"channel":"MOBILE","language":"en","version":"1.0"}`)
	c.want(a, "responseCode", "00")
}

// inquiryAnswer answers an inquiry about any card, as a bank that has issued them all.
func inquiryAnswer(w http.ResponseWriter, body string, n int64) {
	card := gjson.Get(body, "cardIdentification.cardNumber").String()
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"responseCode":"00","hotCardStatus":%d,"processingCode":"310000",`+
		`"systemTraceAuditNumber":%d,"localTransactionDate":"2026-11-20T13:18:00","rrn":"%012d",`+
		`"authorizationIdResponse":"A%05d","cardNumber":"%s","cardId":"%020d",`+
		`"uniqueReferenceNumber":"REF-%010d","cardholder":{"lastName":"Doe","firstName":"Jane",`+
		`"phoneNumber":"37060000000"}}`,
		n%7, 100_000+n%900_000, 632_400_000_000+n, n%100_000, card, n, n)
}

// issued opens a customer's account with a card, moves money of its own amounts, and reads what
// the bank has written down.
func issued(c *Client, variant int) {
	today := c.Today
	if today.IsZero() {
		today = time.Now()
	}
	account := c.bank("registerCustomer", `{"productName":"CRCU1001","parameters":[`+
		`{"name":"institutionId","value":"1001"},{"name":"agent_number","value":"1001"},`+
		`{"name":"customer_number","value":"`+c.number(variant)+`"},`+
		`{"name":"product_id","value":"7001"},`+
		`{"name":"start_date","value":"`+today.Format(time.DateOnly)+`"},`+
		`{"name":"service_id_acc","value":"8001"},{"name":"surname","value":"Sample"},`+
		`{"name":"firstName","value":"Alex"},{"name":"email","value":"alex@example.com"},`+
		`{"name":"mobile_phone","value":"79000000001"},{"name":"country_code","value":"276"},`+
		`{"name":"city","value":"Berlin"},{"name":"street","value":"Main"},`+
		`{"name":"house","value":"7"},{"name":"postal_code","value":"10115"}]}`).
		Get("accountNumber").String()
	card := c.bank("createVirtualCard", `{"cardIdentification":{"cardNumber":"427600`+"0000000000"+
		`"},"virtualCardIdentification":{"expDate":"203012","productType":"5C"},"amount":0,`+
		`"currency":978,"accountNumber":"`+account+`","deliveryMethod":"WS"}`).
		Get("virtualCardIdentification.cardNumber").String()
	by := `{"cardIdentification":{"cardNumber":"` + card + `"}`
	amount := 100 + variant%200
	c.bank("creditCard", fmt.Sprintf(`%s,"amount":%d,"currency":978}`, by, 2*amount))
	c.bank("debitCard", fmt.Sprintf(`%s,"amount":%d,"currency":978}`, by, amount))
	c.bank("getTransactions", fmt.Sprintf(`%s,"period":{"start":"%s","end":"%s"}}`, by,
		today.AddDate(0, 0, -1).Format(time.DateOnly), today.AddDate(0, 0, 1).Format(time.DateOnly)))
	c.bank("blockCard", by+"}")
}
