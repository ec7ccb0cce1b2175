package redact_test

import (
	"fmt"
	"net/http"

	"github.com/paytape/paytape/internal/leaf"
)

// Example cleans an order as it is registered, paid and asked about, with our own profiles.
func Example() {
	r, err := newRedactor()
	if err != nil {
		fmt.Println(err)
		return
	}
	login := "userName=shop-api&password=" + password
	order := "06cf5599-3f17-7c86-bdbc-bd7d00a8b38b"
	for _, call := range []struct{ name, body, answer string }{
		{"register.do", login + "&orderNumber=A-17&amount=150000", `{"orderId":"` + order + `"}`},
		{"paymentorder.do", login + "&MDORDER=" + order + "&$PAN=" + visa +
			"&$CVC=" + "123&YYYY=2030&MM=12&TEXT=IVAN+IVANOV", `{"info":"CVC ` + "123" + ` is right"}`},
		{"getOrderStatusExtended.do", login + "&orderId=" + order, `{"orderStatus":2,` +
			`"cardAuthInfo":{"maskedPan":"411111**1111","cardholderName":"IVAN IVANOV"},` +
			`"merchantOrderParams":[{"name":"note","value":"card ` + grouped(" ") + `"}]}`},
	} {
		x := exchange("POST", "https://gw.example/payment/rest/"+call.name,
			http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, call.body)
		x.Response.Body = call.answer
		show(r.Clean(x).Exchange())
	}
	// Output:
	// userName=shop-api&password=REDACTED-token-1&orderNumber=A-17&amount=150000
	// {"orderId":"06cf5599-3f17-7c86-bdbc-bd7d00a8b38b"}
	//   request form password: token 1
	// userName=shop-api&password=REDACTED-token-1&MDORDER=06cf5599-3f17-7c86-bdbc-bd7d00a8b38b&$PAN=4111110000121111&$CVC=000&YYYY=2030&MM=12&TEXT=TAPERA+TEST
	// {"info":"CVC 000 is right"}
	//   request form password: token 1
	//   request form $PAN: pan 1
	//   request form $CVC: cvc
	//   request form TEXT: name 1
	//   response json info: cvc
	// userName=shop-api&password=REDACTED-token-1&orderId=06cf5599-3f17-7c86-bdbc-bd7d00a8b38b
	// {"orderStatus":2,"cardAuthInfo":{"maskedPan":"411111**1111","cardholderName":"TAPERA TEST"},"merchantOrderParams":[{"name":"note","value":"card 4111 1100 0012 1111"}]}
	//   request form password: token 1
	//   response json cardAuthInfo.cardholderName: name 1
	//   response json merchantOrderParams[0].value: pan 1
}

func show(x *leaf.Exchange) {
	fmt.Println(x.Request.Body)
	fmt.Println(x.Response.Body)
	for _, line := range x.Meta.Redactions {
		fmt.Println("  " + line)
	}
}
