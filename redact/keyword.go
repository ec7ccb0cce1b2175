package redact

import (
	"bytes"
	"strings"

	"github.com/paytape/paytape/internal/profile"
)

// keywords are the keys that name a secret in any API, in lower case and without
// punctuation. They speak where the profile has no row for a leaf, and in text. A word that
// also names harmless things ("key", "number") is not among them.
var keywords = map[string]profile.Sensitivity{
	"pan": profile.PAN, "cardnumber": profile.PAN, "cardno": profile.PAN,
	"ccnumber": profile.PAN, "creditcardnumber": profile.PAN,
	"primaryaccountnumber": profile.PAN,

	"cvc": profile.CVC, "cvc2": profile.CVC, "cvv": profile.CVC, "cvv2": profile.CVC,
	"cvn": profile.CVC, "cv2": profile.CVC, "cvn2": profile.CVC, "csc": profile.CVC,
	"securitycode": profile.CVC, "cardsecuritycode": profile.CVC,
	"cvccode": profile.CVC, "cvvcode": profile.CVC, "cvvvalue": profile.CVC,
	"cvnumber": profile.CVC, "verificationvalue": profile.CVC,

	"pin": profile.PIN, "pinblock": profile.PIN, "pindata": profile.PIN,
	"pinvalue": profile.PIN, "pincode": profile.PIN, "newpin": profile.PIN,
	"oldpin": profile.PIN, "cardpin": profile.PIN, "atmpin": profile.PIN,
	"userpin": profile.PIN, "newpindata": profile.PIN, "encryptedpin": profile.PIN,
	"encryptedpinvalue": profile.PIN, "encryptedpinblock": profile.PIN,

	"track1": profile.Track, "track2": profile.Track, "trackdata": profile.Track,
	"track1data": profile.Track, "track2data": profile.Track,

	"password": profile.Token, "passwd": profile.Token, "pwd": profile.Token,
	"passphrase": profile.Token, "passcode": profile.Token, "secret": profile.Token,
	"token": profile.Token, "jwt": profile.Token, "authorization": profile.Token,
	"cavv": profile.Token, "otp": profile.Token, "signature": profile.Token,
	"hmac": profile.Token, "sessionid": profile.Token, "pass": profile.Token,
	"bearer": profile.Token, "csrf": profile.Token, "xsrf": profile.Token,
	"credential": profile.Token, "credentials": profile.Token,

	"apikey": profile.Token, "accesskey": profile.Token, "secretkey": profile.Token,
	"privatekey": profile.Token, "subscriptionkey": profile.Token,
	"sessionkey": profile.Token, "clientkey": profile.Token, "authkey": profile.Token,
	"sharedkey": profile.Token, "signingkey": profile.Token, "hmackey": profile.Token,
	"encryptionkey": profile.Token, "masterkey": profile.Token,
}

// keywordEnds are the ends of longer keys that name a secret even where nothing shows that a
// word begins there: "userpassword", "jsessionid". The others must be words of their own, or
// "shipping" would end with one.
var keywordEnds = []string{
	"password", "passwd", "passphrase", "passcode", "secret", "token", "authorization",
	"apikey", "accesskey", "secretkey", "privatekey", "subscriptionkey", "sessionid",
	"cvc", "cvc2", "cvv", "cvv2",
}

// fillers are the words that may follow the name of a secret and leave it one, by the kinds
// that they follow: "pinValue", "passwordConfirmation". What "code" makes of an
// authorization is public.
var fillers = map[string]string{
	"value": "cvc pin token", "hash": "pin token", "code": "cvc pin", "data": "cvc pin",
	"number": "cvc pin", "block": "cvc pin", "digits": "cvc pin",
	"text": "token", "plain": "token", "pem": "token", "confirmation": "token",
	"confirm": "token", "repeat": "token", "again": "token",
}

// longestKeyword bounds the keys that are looked at, in bytes. Of a longer one its end is.
const longestKeyword = 40

// keyword returns the kind of secret that a key names, NotSecret if none. The last words of
// the key decide: "cardPin", "user_pin" and "card[pin]" name a PIN, "pinDenialCounter" and
// "shipping" do not.
func keyword(key string) profile.Sensitivity {
	key = printable(key) // as it will stand on the tape, where it must mean the same
	if key == "" || !keywordEnd(key[len(key)-1]) {
		return profile.NotSecret
	}
	w := split(key[max(0, len(key)-longestKeyword):])
	for w.n > 1 && strings.Trim(string(w.last(1)), "0123456789") == "" {
		w.n-- // an index: "cvc[0]"
	}
	if kind := w.kind(); kind != profile.NotSecret || w.n < 2 {
		return kind
	}
	filler := fillers[string(w.last(1))]
	if w.n--; filler == "" {
		return profile.NotSecret
	}
	if kind := w.kind(); strings.Contains(filler, string(kind)) {
		return kind
	}
	return profile.NotSecret
}

// keywordEnd reports whether some key that names a secret ends with c: most keys are turned
// away by it.
func keywordEnd(c byte) bool {
	return strings.IndexByte("acdefhklmnoprstvy0123456789[]ACDEFHKLMNOPRSTVY", c) >= 0
}

// words are the words of a key in lower case, without what is between them.
type words struct {
	buf [longestKeyword]byte
	end [longestKeyword + 1]uint8 // end[i] is where word i ends; end[0] is 0
	n   int
}

// split cuts a key where it is not of letters and digits, and before the capitals of
// camelCase: "X-APIKey" has the words x, api and key.
func split(key string) words {
	var w words
	at := uint8(0)
	for i := range len(key) {
		c := key[i]
		capital := c >= 'A' && c <= 'Z'
		if begins := !alphanumeric(c) || capital && i > 0 && turns(key, i); begins {
			w.close(at)
		}
		if capital {
			c |= 0x20
		}
		if alphanumeric(c) {
			w.buf[at] = c
			at++
		}
	}
	w.close(at)
	return w
}

// turns reports whether the capital key[i] begins a word.
func turns(key string, i int) bool {
	small := func(c byte) bool { return c >= 'a' && c <= 'z' }
	return small(key[i-1]) || key[i-1]-'0' <= 9 || i+1 < len(key) && small(key[i+1])
}

// close ends the word at hand, if there is one.
func (w *words) close(at uint8) {
	if at > w.end[w.n] {
		w.n++
		w.end[w.n] = at
	}
}

// last returns the last k words as one.
func (w *words) last(k int) []byte { return w.buf[w.end[w.n-k]:w.end[w.n]] }

// kind returns the kind of secret that the words name.
func (w *words) kind() profile.Sensitivity {
	if kind, ok := keywords[string(w.last(w.n))]; ok {
		return kind
	}
	for k := 1; k <= min(w.n, 3); k++ {
		if kind, ok := keywords[string(w.last(k))]; ok {
			return kind
		}
	}
	for _, end := range keywordEnds {
		if bytes.HasSuffix(w.last(w.n), []byte(end)) {
			return keywords[end]
		}
	}
	return profile.NotSecret
}
