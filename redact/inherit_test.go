package redact_test

import (
	"net/http"
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
