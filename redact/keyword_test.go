package redact

import (
	"testing"

	"github.com/paytape/paytape/internal/profile"
)

func TestKeyword(t *testing.T) {
	kinds := map[profile.Sensitivity][]string{
		profile.PAN: {"pan", "$PAN", "card_number", "sourceCardNumber", "card[pan]"},
		profile.CVC: {"cvc", "CVV2", "cardCvc", "card[cvc]", "cvvValue", "cvc_code", "cc-csc",
			"cvc[0]", "cardSecurityCode", "card.cvn2", "usercvc"},
		profile.PIN: {"pin", "PIN", "cardPin", "atmPin", "user_pin", "pinCode", "userPINCode",
			"new-pin-value", "pinBlock", "card[pin][]"},
		profile.Token: {"password", "userPassword", "user[password]", "jwt", "idJWT", "accessKey",
			"pass", "user_pass", "bearer", "csrf", "xsrf", "credential", "client-credentials",
			"X-Access-Key", "Ocp-Apim-Subscription-Key", "sessionId", "X-Session-Id", "jsessionid",
			"nextPageToken", "passwordHash", "password_confirmation", "X-Api-Key", "smsOtp",
			"a key that is longer than any key has a right to be, with a password"},
		profile.NotSecret: {"", "[]", "0", "shipping", "shippingCity", "pinned", "spin",
			"pinDenialCounter", "pinDeliveryMethod", "authenticationIndicator", "authorizationCode",
			"tokenType", "token_expires", "key", "keyType", "orderId", "orderNumber", "number",
			"sessionTimeoutSecs", "japan", "panel", "company", "laptop", "Idempotency-Key",
			"publicKey", "passed", "secretary", "cvcResult", "resetPinCounter", "value"},
	}
	for kind, keys := range kinds {
		for _, key := range keys {
			if got := keyword(key); got != kind {
				t.Errorf("%q names %q, want %q", key, got, kind)
			}
		}
	}
}

// TestKeywordsPassTheFilter keeps keywordEnd in step with the tables.
func TestKeywordsPassTheFilter(t *testing.T) {
	keys := append([]string{}, keywordEnds...)
	for key := range keywords {
		keys = append(keys, key)
	}
	for filler := range fillers {
		keys = append(keys, filler)
	}
	for _, key := range keys {
		if !keywordEnd(key[len(key)-1]) {
			t.Errorf("%q is turned away", key)
		}
	}
	for _, end := range keywordEnds {
		if keywords[end] == profile.NotSecret {
			t.Errorf("%q is no keyword", end)
		}
	}
}
