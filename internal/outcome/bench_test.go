package outcome_test

import (
	"testing"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/outcome"
)

// statusAnswer is a status as the gateway answers it (domain facts, Order status).
const statusAnswer = `{"errorCode":"0","errorMessage":"Success","orderNumber":"B-1046",` +
	`"orderStatus":6,"actionCode":116,"actionCodeDescription":"","amount":99900,"currency":"978",` +
	`"date":1795777521000,"orderDescription":"two books","ip":"192.0.2.7","merchantOrderParams":` +
	`[{"name":"colour","value":"red"}],"attributes":[{"name":"mdOrder","value":` +
	`"3f6c91d2-0b1c-7aaa-bbbb-0c1d2e3f4a5b"}],"cardAuthInfo":{"maskedPan":"400000**9995",` +
	`"expiration":"203012","cardholderName":"A B","approvalCode":"123456","paymentSystem":"VISA",` +
	`"product":"x","secureAuthInfo":{"eci":5},"pan":"400000**9995"},"bindingInfo":{"clientId":"c",` +
	`"bindingId":""},"authDateTime":1795777521000,"terminalId":"1","authRefNum":"111111111111",` +
	`"paymentAmountInfo":{"paymentState":"DECLINED","approvedAmount":0,"depositedAmount":0,` +
	`"refundedAmount":0,"feeAmount":0,"totalAmount":99900},"bankInfo":{"bankName":"B",` +
	`"bankCountryCode":"DE","bankCountryName":"Germany"},"chargeback":false,"paymentWay":"CARD"}`

// statusExchange is a question for the status of an order.
func statusExchange(answer string) *leaf.Exchange {
	x := &leaf.Exchange{}
	x.Request.Method, x.Request.URL = "POST", "https://pay.example/payment/rest/getOrderStatusExtended.do"
	x.Request.Headers = map[string][]string{"Content-Type": {"application/x-www-form-urlencoded"}}
	x.Request.Body = "userName=shop-api&password=x&orderId=3f6c91d2-0b1c-7aaa-bbbb-0c1d2e3f4a5b&language=en"
	x.Response.Code, x.Response.Body = 200, answer
	return x
}

// BenchmarkOf is what a line of the list costs.
func BenchmarkOf(b *testing.B) {
	set, x := builtin(b), statusExchange(statusAnswer)
	b.ReportAllocs()
	for b.Loop() {
		outcome.Of(set, x)
	}
}

// BenchmarkReading is the part of it that reads the two messages.
func BenchmarkReading(b *testing.B) {
	x := statusExchange(statusAnswer)
	b.ReportAllocs()
	for b.Loop() {
		x.RequestMessage()
		x.ResponseMessage()
	}
}
