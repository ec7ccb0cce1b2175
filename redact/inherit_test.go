package redact_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestObjectsThatAreCards cleans objects whose name is a keyword: a wrapped number goes whatever
// it is under, but of a card with all that it has only the number is secret.
func TestObjectsThatAreCards(t *testing.T) {
	// Its Luhn sum is wrong, so that it is found by its name alone.
	number := "400000" + "1111111119"
	tests := []struct {
		name, body, path string
		goes             bool
	}{
		{"number", `{"creditCard":{"number":"` + number + `"}}`, "creditCard.number", true},
		{"value", `{"debit_card":{"value":"` + number + `"}}`, "debit_card.value", true},
		{"element", `{"creditCard":["` + number + `"]}`, "creditCard.0", true},
		{"parts", `{"cardNumber":{"first":"400000"}}`, "cardNumber.first", true},
		{"bin", `{"creditCard":{"bin":"400000"}}`, "creditCard.bin", false},
		{"last four", `{"data":{"creditCard":{"last4":"1118"}}}`, "data.creditCard.last4", false},
		{"expiry", `{"creditCard":{"expirationYear":"2030"}}`, "creditCard.expirationYear", false},
		{"id", `{"creditCard":{"id":"cc_8f2kq1"}}`, "creditCard.id", false},
		{"CVC", `{"creditCard":{"cvv":"739"}}`, "creditCard.cvv", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			header := http.Header{"Content-Type": {"application/json"}}
			x := exchange("POST", "https://pay.example/any", header, tt.body)
			clean := redactor(t).Clean(x).Exchange().Request.Body
			was, is := gjson.Get(tt.body, tt.path).Raw, gjson.Get(clean, tt.path).Raw
			if (was != is) != tt.goes {
				t.Errorf("%s became %s", tt.body, clean)
			}
		})
	}
}

// TestHarmlessUnderTokens cleans what stands under names of secrets and is none: flags, masks and counts.
// What a person chose may be any word, and what a person says may lie in digits.
func TestHarmlessUnderTokens(t *testing.T) {
	mask := "400000" + "******0002"
	tests := []struct {
		why, body, value string
		goes             bool
	}{
		{"the id of a token", `{"token":{"id":"tk_8f2kq1w7"}}`, "tk_8f2kq1w7", true},
		{"a flag beside it", `{"token":{"id":"tk_8f2kq1w7","existing":"false"}}`, "false", false},
		{"a flag in capitals", `{"token":{"id":"tk_8f2kq1w7","existing":"YES"}}`, "YES", false},
		{"its type", `{"token":{"id":"tk_8f2kq1w7","type":"bearer"}}`, "bearer", false},
		{"a mask", `{"token":{"id":"tk_8f2kq1w7","card":"` + mask + `"}}`, mask, false},
		{"a mask that shows too much", `{"token":{"card":"400000000000**02"}}`, "400000000000**02", true},
		{"stars among letters", `{"token":{"id":"s3cret**w0rd"}}`, "s3cret**w0rd", true},
		{"a count", `{"token":{"id":"tk_8f2kq1w7","uses":"12"}}`, `"12"`, false},
		{"a number that may be a code", `{"token":{"id":"tk_8f2kq1w7","code":"739"}}`, `"739"`, true},
		{"digits of a list", `{"token":["7","3","9","1"]}`, `"7"`, true},
		{"digits of what people say", `{"otp":{"d1":"7","d2":"3","d3":"9"}}`, `"7"`, true},
		{"digits of a PIN", `{"pin":{"d1":"7","d2":"3","d3":"9"}}`, `"7"`, true},
		{"a flag of a PIN", `{"pin":{"value":"7391","set":"true"}}`, `"true"`, false},
		{"a flag in a name/value list", `{"token":[{"name":"existing","value":"true"}]}`, `"true"`, false},
		{"a password that is a word", `{"password":{"value":"no"}}`, `"no"`, true},
		{"an answer that is a word", `{"securityAnswer":"yes"}`, "yes", true},
		{"a token itself", `{"accessToken":"tk_8f2kq1w7"}`, "tk_8f2kq1w7", true},
		{"a flag in the place of a token", `{"storedToken":"false"}`, "false", false},
		{"a mask in the place of a token", `{"token":"` + mask + `"}`, mask, false},
		{"a mask in the place of a password", `{"password":"12**34"}`, "12**34", true},
		{"an element, its id", `<token id="tk_8f2kq1w7" existing="false">` + mask + `</token>`, "tk_8f2kq1w7", true},
		{"an element, its flag", `<token id="tk_8f2kq1w7" existing="false">` + mask + `</token>`, "false", false},
		{"an element, its text", `<token id="tk_8f2kq1w7" existing="false">` + mask + `</token>`, mask, false},
		{"an element with a token", `<ns:token existing="false">tk_8f2kq1w7</ns:token>`, "tk_8f2kq1w7", true},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			kind := "application/json"
			if tt.body[0] == '<' {
				kind = "text/xml"
			}
			x := exchange("POST", "https://pay.example/any", http.Header{"Content-Type": {kind}}, tt.body)
			x.Response.Headers, x.Response.Body = x.Request.Headers.Clone(), tt.body
			clean := redactor(t).Clean(x).Exchange()
			for half, body := range map[string]string{"request": clean.Request.Body, "answer": clean.Response.Body} {
				if strings.Contains(body, tt.value) == tt.goes {
					t.Errorf("the %s became %s", half, body)
				}
			}
		})
	}
}
