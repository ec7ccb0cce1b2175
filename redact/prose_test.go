package redact_test

import (
	"strings"
	"testing"
)

// TestCodesInProse lists how people and servers say a code, a password and what they refused.
func TestCodesInProse(t *testing.T) {
	const pw = "S3cretPw1"
	tests := []struct {
		name, body string
		secrets    string
	}{
		{"a PIN", "Your PIN is 7728, keep it", "7728"},
		{"a PIN code", `{"m":"new PIN code: 7728"}`, "7728"},
		{"a PIN beside its name", "PIN 7728 was set", "7728"},
		{"a field of a card", "the cardCvc is 383, wrong card_cvv 487", "383 487"},
		{"a PIN in brackets", "the pin (7728)", "7728"},
		{"a PIN with a dash", "PIN - 7728.", "7728"},
		{"a CVV", "cvv=784 and CVV2 783; CVC code: 782; csc: 781", "784 783 782 781"},
		{"a security code", "the security code is 784", "784"},
		{"in Russian", `{"errorMessage":"Ваш ПИН-код 7728, CVC-код: 784, неверный CVV2 783"}`,
			"7728 784 783"},
		{"passwords in Russian", "Пароль: " + pw + "\nкод подтверждения: 4839", pw + " 4839"},
		{"one-time codes", "OTP is 483920. Your one-time password is 483921", "483920 483921"},
		{"a password in a log", "login failed, password: " + pw, pw},
		{"at the end of a sentence", "password: " + pw + ".", pw},
		{"a session in a URL", "see https://h/x?sid=s3ss10n-9 or /x;jsessionid=s3ss10n-8",
			"s3ss10n-9 s3ss10n-8"},
		{"a field that was refused", `{"errors":[{"field":"cvv2","rejectedValue":"784"},` +
			`{"rejectedValue":7728,"field":"card.pin"},{"field":"password","rejectedValue":"` + pw + `"}]}`,
			"784 7728 " + pw},
		{"a parameter that was refused",
			`{"errors":[{"type":"field","value":"784","msg":"Invalid","path":"cvc"}]}`, "784"},
		{"a place that was refused", `{"detail":[{"loc":["body","cvc"],"input":"784"}]}`, "784"},
		{"a change of an object", `[{"op":"replace","path":"/card/pin","value":"7728"}]`, "7728"},
		{"cut in a list", `{"params":[{"name":"cvv2","value":"784"},{"value":"7728","name":"pin"},{"x`,
			"784 7728"},
		{"columns", "<table><tr><th>Card</th><th>CVC</th><th>PIN</th></tr><tr><td>1</td><td>784</td>" +
			"<td>7728</td></tr></table>", "784 7728"},
		{"cells", "<table><tr><td>CVC:</td><td>784</td></tr><tr><td>ПИН-код</td><td>7728</td></tr>" +
			"</table>", "784 7728"},
		{"elements", "<e><field>cvc</field><rejectedValue>784</rejectedValue></e>", "784"},
		{"a hash of a number", `{"panHash":"c0535e4be2b79ffd93291305436bf889"}`,
			"c0535e4be2b79ffd93291305436bf889"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := exchange("POST", "https://h/unknown", nil, "")
			x.Response.Body = tt.body
			got := redactor(t).Clean(x).Exchange()
			if !got.Replayable() {
				t.Errorf("withheld %q", got.Meta.Withheld)
			}
			for i, s := range strings.Fields(tt.secrets) {
				if strings.Contains(got.Response.Body, s) {
					t.Errorf("secret %d is still there", i)
				}
			}
			wantSame(t, "cleaned once and twice", got, redactor(t).Reclean(got).Exchange())
		})
	}
}

// TestProseSurvives lists what only looks like a code, and must stay byte for byte.
func TestProseSurvives(t *testing.T) {
	for _, body := range []string{
		"PIN must be 4 digits; CVV has 3 digits; CVC 2 of 3",
		"wrong code 739, error code 116, код 123, код ошибки 5001",
		"PIN attempts left: 3, PIN denial counter is 1234, pin retries 2500",
		"operation=generateCVC2 code=200 took=1, op generateCVC2 200",
		`[{"operation":"generateCVC2","code":200},["cvc2",784]]`,
		"PIN changed on 2024-01-15, card pinned 2024 times, shipping 7728 boxes",
		"CVC 2024-01-15 CVV 1,000.00 PIN 12:30 PIN 1234% PIN 10.50",
		"password: must not be empty; password 123456789; token: none; pass 1000",
		"Номер заказа 7728, карта 784, сумма 1000, пинг 7728",
		`{"message":"expiry is 2030, approval code is 784123, auth code: 123456"}`,
		`{"field":"amount","rejectedValue":"784"}`,
		`{"field":"pin","rejectedValue":"blocked"}`,
		`{"type":"pin","value":"delivered"}`,
		`{"code":"CVV","result":"M","description":"CVV match"}`,
		`{"auth":"required","session":{"timeout":"1200"},"sign":"-","sid":"7728"}`,
		`{"signatureAlgorithm":"SHA256withRSA","sign":"SHA256withRSA","authType":"3ds2-challenge"}`,
		`{"authCode":"123456","approvalCode":"A1B2C3","authRefNum":"003456789012","tokens":1200}`,
		`{"sessionTimeoutSecs":1200,"tokenType":"bearer","pinDenialCounter":3,"preAuthorization":"Y"}`,
		`{"panSequenceNumber":"01","panEntryMode":"051","cvvPresent":"Y","expiry":"203012"}`,
		"<table><tr><th>PIN</th><th>Sum</th></tr><tr><td>blocked</td><td>784</td></tr></table>",
		"<table><tr><td>Order</td><td>7728</td></tr><tr><td>Sum</td><td>784</td></tr></table>",
		"name=amount&value=784&path=/card/1",
	} {
		x := exchange("GET", "https://h/unknown", nil, "")
		x.Response.Body = body
		got := redactor(t).Clean(x).Exchange()
		if got.Response.Body != body || !got.Replayable() {
			t.Errorf("%s\nbecame\n%s", body, got.Response.Body)
		}
	}
}
