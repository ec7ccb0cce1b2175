package audit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/redact/audit"
)

func TestFind(t *testing.T) {
	one := func(kind string, at int) []audit.Finding {
		return []audit.Finding{{Kind: kind, Offset: at}}
	}
	tests := []struct {
		name, text string
		want       []audit.Finding
	}{
		{"a card", "a\nb " + visa + "\n", one("card number", 4)},
		{"percent-encoded", "q=%34%31" + grouped("%20")[2:], one("card number", 2)},
		{"JSON escapes", `{"a":"\u0034` + visa[1:] + `"}`, one("card number", 6)},
		{"with dots", grouped("."), one("card number", 0)},
		{"a surrogate", "4111110000121111", nil},
		{"a number that fails Luhn", "4111111111111112", nil},
		{"a fraction", `{"rate":0.` + visa + `}`, nil},
		{"a field for cards, no Luhn", `{"pan":"411111` + `1111111112"}`, one("card number", 8)},
		{"a mask", `{"pan":"411111**1111"}`, nil},
		{"Basic", "Authorization: Basic dTpw", one("credential", 21)},
		{"Basic in YAML", "Authorization:\n  - Basic dTpw\n", one("credential", 25)},
		{"Basic, cleaned", "Authorization:\n  - Basic REDACTED-token-1\n", nil},
		{"a form", "userName=a&password=b", one("credential", 20)},
		{"a form, cleaned", "userName=a&password=REDACTED-token-1&$CVC=000", nil},
		{"a form in YAML", "form:\n  password:\n  - secret1\n", one("credential", 22)},
		{"an empty value in YAML", "body: \"a=b&password=\"\nnext: \"c\"\n", nil},
		{"JSON", `{"password" : "b"}`, one("credential", 15)},
		{"JSON in JSON", `{"b":"{\"password\":\"b\"}"}`, one("credential", 22)},
		{"a CVC", `"cvc2":"123"`, one("cvc", 8)},
		{"a CVC that is a number", `"cvc2": 123`, one("cvc", 8)},
		{"a note of ours, and a number behind it",
			"      - \"request form cvc: cvc\"\n    number: 180\n", nil},
		{"a PIN in XML", "<pin>1234</pin>", one("pin", 5)},
		{"an API key", "X-Api-Key: k-93f1c0de", one("credential", 11)},
		{"a URL with a password", "see https://shop:b4r@h/", one("credential", 17)},
		{"a URL without", "https://shop:xxxxx@h/ https://shop:${PASSWORD}@h/ https://h:1/a@b", nil},
		{"keys in brackets", "card[cvc]=739", one("cvc", 10)},
		{"wide gaps", "x " + grouped(" - "), one("card number", 2)},
		{"a decimal", "37.4222" + "222222222 1." + visa, nil},
		{"an element with attributes", "<pin a='b'>1234</pin>", one("pin", 11)},
		{"prose", "password: must not be empty, pin: ok, token required", nil},
		{"a reference", "password=${PASSWORD} password=***", nil},
		{"a constant in a path", "/x/cvv=000/y /pin=0000/ /cards/5/cvc/000 (cvv=000). cvc=000!", nil},
		{"a marker behind a scheme", "password=Bearer+REDACTED-token-1", nil},
		{"a template", "/cardNumber=427600" + "0000000000/ pan=4276 00" + "00 0000 0000 " +
			`"number":"427600` + `0000000000"`, nil},
		{"a code in a path", "/cards/5/cvc/739", one("cvc", 13)},
		{"a surrogate and a code beside it", "4111 1100 0013 6317 722", nil},
		{"a group of a surrogate behind a name", "generatePin?&#99;&#32;6011 1103 5095 8860", nil},
		{"a marker that names an element", "<REDACTED-token-995;>3566000194481268</x>", nil},
		{"an escape before a name", `"a=1\u0026preAuthorization=full"`, nil},
		{"an escape before a secret", `"a=1\u0026password=y1"`, one("credential", 19)},
		{"a surrogate that was cut", `{"acctNumber":"41111100000001757`, nil},
		{"a report of ours", "request header Authorization: token 1\nrequest form pan: pan 1", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, audit.Find(tt.text)); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
		})
	}
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat(`    body: "{\"orderId\":\"06cf5599-3f17-7c86-bdbc\",`+
		`\"amount\":1500,\"rrn\":\"003456789012\"}"`+
		"\n    headers:\n      Content-Type:\n      - application/json\n", 5000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if found := audit.Find(text); found != nil {
			b.Fatal("found what is not there")
		}
	}
}
