package words

import (
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/profile"
)

func TestKeyword(t *testing.T) {
	kinds := map[profile.Sensitivity][]string{
		profile.PAN: {"pan", "$PAN", "card_number", "sourceCardNumber", "card[pan]", "dPan", "pans",
			"panValue", "CardNum", "cardnumber1", "pan_encrypted", "Номер карты"},
		profile.CVC: {"cvc", "CVV2", "cardCvc", "card[cvc]", "cvvValue", "cvc_code", "cc-csc",
			"cvc[0]", "cardSecurityCode", "card.cvn2", "usercvc", "cardcvv", "cvc3", "iCVV", "cvv_num",
			"cardVerificationCode", "cvvEncrypted", "CVC:", "CVC-код", "CVV2 код", "cvvField",
			"Код безопасности"},
		profile.PIN: {"pin", "PIN", "cardPin", "atmPin", "user_pin", "pinCode", "userPINCode",
			"new-pin-value", "pinBlock", "card[pin][]", "kpin", "pin1", "pinConfirm", "pinNew",
			"encPinBlock", "PIN-код", "пин-код", "ПИН", "pvv", "epinblock"},
		profile.Track: {"track2EquivalentData", "track_2_data", "trackData", "iccData", "ICC_DATA",
			"track3", "magStripe", "cardtrackdata"},
		profile.Key: {"zpk", "terminalTmk", "keyCheckValue", "kcv", "encryptedKey", "cvk"},
		profile.Token: {"password", "userPassword", "user[password]", "jwt", "idJWT", "accessKey",
			"pass", "user_pass", "bearer", "csrf", "xsrf", "credential", "client-credentials",
			"X-Access-Key", "Ocp-Apim-Subscription-Key", "sessionId", "X-Session-Id", "jsessionid",
			"nextPageToken", "passwordHash", "password_confirmation", "X-Api-Key", "smsOtp",
			"password1", "password2", "newPassword", "new_pwd", "pwd_hash", "userpwd", "passwd2",
			"client_secret", "refresh_token", "access_token", "id_token", "private_key",
			"privateKeyPem", "webhook_secret", "webhookSigningSecret", "X-Webhook-Signature",
			"xsignature", "PHPSESSID", "passwords", "secrets", "otpCode", "sms_code", "panHash",
			"card_number_hash", "SAMLResponse", "code_verifier", "cryptogram", "пароль", "Ваш пароль:",
			"security_key", "SecurityKey", "x_tran_key", "tranKey", "transactionKey", "signature_key",
			"callbackPW", "vpn_pswd", "remote_pswd", "PSWD", "userpswd", "UMkey", "PxPayKey", "HASHKEY",
			"license_key", "access_code", "vpc_AccessCode", "EWAY_ACCESSCODE", "GatewayKey",
			"a key that is longer than any key has a right to be, with a password"},
		profile.NotSecret: {"", "[]", "0", "shipping", "shippingCity", "pinned", "spin",
			"pinDenialCounter", "pinDeliveryMethod", "authenticationIndicator", "authorizationCode",
			"tokenType", "token_expires", "key", "keyType", "orderId", "orderNumber", "number",
			"sessionTimeoutSecs", "japan", "panel", "company", "laptop", "Idempotency-Key",
			"publicKey", "passed", "secretary", "cvcResult", "resetPinCounter", "value",
			"authCode", "approvalCode", "authRefNum", "authorizationIdResponse", "authDateTime",
			"signatureAlgorithm", "tokenExpiry", "expiry", "expiration", "shippingAddress",
			"panSequenceNumber", "panEntryMode", "pinEntryCapability", "pinTryCount", "preAuthorization",
			"isPreAuthorization", "maskLength", "cvvPresent", "cardType", "keySerialNumber", "keyId",
			"tokens", "passes", "tracks", "tracking", "trackId", "compass", "bypass", "pinpoint",
			"opinion", "auth", "session", "sign", "sid", "design", "код", "код ошибки", "пингвин",
			"карта", "3dsServerTransID", "xid", "eci", "responseCode", "securityLevel", "hash",
			"primaryKey", "primary_key", "foreignKey", "sort_key", "idempotency_key", "orderKey", "cacheKey",
			"license_plate", "licenseKeyId", "country_access", "accessCodeType", "processCode", "successCode",
			"securityKeyId", "hashKeyType", "x_login", "transactionId", "gateway", "xKey", "CardIDNumber"},
	}
	for kind, keys := range kinds {
		for _, key := range keys {
			if got := KindOf(key); got != kind {
				t.Errorf("%q names %q, want %q", key, got, kind)
			}
		}
	}
}

// TestVague has keys that name a secret or do not, as their values tell.
func TestVague(t *testing.T) {
	tests := []struct {
		key, value string
		want       profile.Sensitivity
	}{
		{"sid", "s3ss10n-of-mine", profile.Token},
		{"X-Auth", "9c2f41d8e0b7", profile.Token},
		{"auth", "dGhpcyBpcyBubyB0ZXh0IQ==", profile.Token},
		{"session", "06cf5599-3f17-7c86-bdbc-bd7d00a8b38b", profile.Token},
		{"sig1", "MEUCIQDabcdefGHIJKLmnop", profile.Token},
		{"auth", "required", profile.NotSecret},
		{"sign", "-", profile.NotSecret},
		{"sign", "SHA256withRSA", profile.NotSecret},
		{"session", "2026-11-20T10:00:00Z", profile.NotSecret},
		{"session", "https://shop.example/session/1", profile.NotSecret},
		{"session", "1517746541000", profile.NotSecret},
		{"auth", "two words 12345", profile.NotSecret},
		{"authType", "s3ss10n-of-mine", profile.NotSecret},
		{"design", "s3ss10n-of-mine", profile.NotSecret},
		{"xKey", "cardknoxdev7f3a91", profile.Token},
		{"xKey", "date", profile.NotSecret},
		{"x_key", "amountByMonth", profile.NotSecret},
		{"maxKey", "cardknoxdev7f3a91", profile.NotSecret},
		{"orderKey", "cardknoxdev7f3a91", profile.NotSecret},
		{"REDACTED-sid", "s3ss10n-of-mine", profile.NotSecret},
	}
	for _, tt := range tests {
		if got := NameFor(tt.key, tt.value).Kind; got != tt.want {
			t.Errorf("%q with %q: %q, want %q", tt.key, tt.value, got, tt.want)
		}
	}
}

// TestBesideANumber has words that name a code where a card number stands in the same object, and are
// harmless elsewhere.
func TestBesideANumber(t *testing.T) {
	for _, key := range []string{"CardIDNumber", "cid", "verificationCode"} {
		hint := HintOf(key)
		code := hint.Beside("123")
		number := EvidenceOf("CardNumber", "400000"+"0000000002")
		if code.Kind != profile.CVC || !code.Counts(number) || code.Counts(0) {
			t.Errorf("%q names %q", key, code.Kind)
		}
		if got := hint.Beside("4007000000027"); got.Kind != profile.NotSecret {
			t.Errorf("%q beside a long value names %q", key, got.Kind)
		}
	}
}

// TestKeywordsPassTheFilter keeps the endings in step with the tables.
func TestKeywordsPassTheFilter(t *testing.T) {
	var keys []string
	for key := range keywords {
		keys = append(keys, key, "a_"+key, "a"+strings.ToUpper(key[:1])+key[1:], key+"1", key+"[0]")
	}
	for key := range ambiguousWords {
		keys = append(keys, key, "x-"+key)
	}
	for filler := range fillers {
		keys = append(keys, "cvc_"+filler, "cvc"+strings.ToUpper(filler[:1])+filler[1:])
	}
	for word := range plurals {
		keys = append(keys, word+"s")
	}
	for _, end := range keywordEnds {
		keys = append(keys, "a"+end)
		if keywords[end].kind == profile.NotSecret {
			t.Errorf("%q is no keyword", end)
		}
	}
	for _, key := range keys {
		if !keyEndings.mayEnd(key) {
			t.Errorf("%q is turned away", key)
		}
	}
	for _, key := range []string{"amount", "orderId", "date", "", "[0]", "x"} {
		if keyEndings.mayEnd(key) {
			t.Errorf("%q is not turned away", key)
		}
	}
}
