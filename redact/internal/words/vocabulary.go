package words

import "github.com/paytape/paytape/internal/profile"

// keywords are the keys that name a secret in any API, in lower case and without
// punctuation. They speak where the profile has no row for a leaf, and in text. A word that
// also names harmless things ("key", "number") is not among them.
var keywords = map[string]profile.Sensitivity{
	"pan": profile.PAN, "cardnumber": profile.PAN, "cardno": profile.PAN,
	"ccnumber": profile.PAN, "creditcardnumber": profile.PAN,
	"primaryaccountnumber": profile.PAN, "dpan": profile.PAN, "fpan": profile.PAN,
	"cardnum": profile.PAN, "ccnum": profile.PAN, "ccno": profile.PAN, "cardpan": profile.PAN,
	"creditcard": profile.PAN, "debitcard": profile.PAN,

	"cvc": profile.CVC, "cvc2": profile.CVC, "cvv": profile.CVC, "cvv2": profile.CVC,
	"cvn": profile.CVC, "cv2": profile.CVC, "cvn2": profile.CVC, "csc": profile.CVC,
	"icvv": profile.CVC, "dcvv": profile.CVC, "cvd": profile.CVC,
	"securitycode": profile.CVC, "cardsecuritycode": profile.CVC,
	"cvccode": profile.CVC, "cvvcode": profile.CVC, "cvvvalue": profile.CVC,
	"cvnumber": profile.CVC, "verificationvalue": profile.CVC,
	"cardverificationcode": profile.CVC, "cardverificationnumber": profile.CVC,

	"pin": profile.PIN, "pinblock": profile.PIN, "pindata": profile.PIN,
	"pinvalue": profile.PIN, "pincode": profile.PIN, "newpin": profile.PIN,
	"oldpin": profile.PIN, "cardpin": profile.PIN, "atmpin": profile.PIN,
	"userpin": profile.PIN, "newpindata": profile.PIN, "encryptedpin": profile.PIN,
	"encryptedpinvalue": profile.PIN, "encryptedpinblock": profile.PIN,
	"pinblk": profile.PIN, "encpin": profile.PIN, "kpin": profile.PIN, "mpin": profile.PIN,
	"epin": profile.PIN, "pinoffset": profile.PIN, "pvv": profile.PIN,

	"track1": profile.Track, "track2": profile.Track, "track3": profile.Track,
	"trackdata": profile.Track, "track3data": profile.Track,
	"track1data": profile.Track, "track2data": profile.Track,
	"track2equivalent": profile.Track, "track2equivalentdata": profile.Track,
	"track2equiv": profile.Track, "trackone": profile.Track, "tracktwo": profile.Track,
	"magstripe": profile.Track, "magneticstripe": profile.Track,
	"iccdata": profile.Track, "emvdata": profile.Track, "chipdata": profile.Track,

	"password": profile.Token, "passwd": profile.Token, "pwd": profile.Token,
	"passphrase": profile.Token, "passcode": profile.Token, "secret": profile.Token,
	"token": profile.Token, "jwt": profile.Token, "authorization": profile.Token,
	"cavv": profile.Token, "otp": profile.Token, "signature": profile.Token,
	"hmac": profile.Token, "sessionid": profile.Token, "pass": profile.Token,
	"bearer": profile.Token, "csrf": profile.Token, "xsrf": profile.Token,
	"credential": profile.Token, "credentials": profile.Token,
	"passwort": profile.Token, "parol": profile.Token, "secretword": profile.Token,
	"sessid": profile.Token, "totp": profile.Token, "onetimecode": profile.Token,
	"otpcode": profile.Token, "smscode": profile.Token, "confirmationcode": profile.Token,
	"codeverifier": profile.Token, "clientassertion": profile.Token,
	"samlresponse": profile.Token, "cryptogram": profile.Token, "tavv": profile.Token,
	"ucaf": profile.Token, "panhash": profile.Token, "hashedpan": profile.Token,
	"cardhash": profile.Token, "cardnumberhash": profile.Token,

	"apikey": profile.Token, "accesskey": profile.Token, "secretkey": profile.Token,
	"privatekey": profile.Token, "subscriptionkey": profile.Token,
	"sessionkey": profile.Token, "clientkey": profile.Token, "authkey": profile.Token,
	"sharedkey": profile.Token, "signingkey": profile.Token, "hmackey": profile.Token,
	"encryptionkey": profile.Token, "masterkey": profile.Token, "webhookkey": profile.Token,

	// Keys of a bank's security module, and their check values.
	"zmk": profile.Key, "zpk": profile.Key, "tmk": profile.Key, "tpk": profile.Key,
	"pvk": profile.Key, "cvk": profile.Key, "bdk": profile.Key, "ipek": profile.Key,
	"kcv": profile.Key, "keycheckvalue": profile.Key, "encryptedkey": profile.Key,
	"workingkey": profile.Key,

	"preauthorization": profile.NotSecret, // a yes or no (document 1, creditCard)
}

// keywordEnds are the ends of longer keys that name a secret even where nothing shows that a
// word begins there: "userpassword", "jsessionid". The others must be words of their own, or
// "shipping" would end with one.
var keywordEnds = []string{
	"password", "passwd", "passphrase", "passcode", "secret", "token", "authorization",
	"apikey", "accesskey", "secretkey", "privatekey", "subscriptionkey", "sessionid",
	"cvc", "cvc2", "cvv", "cvv2", "pwd", "sessid", "signature", "pinblock", "trackdata",
	"cardnumber",
}

// plurals are the words that may have an s behind them: lists of secrets. "passes", "tokens"
// and "tracks" are counted, or are other things.
var plurals = map[string]bool{
	"password": true, "secret": true, "pin": true, "cvc": true, "cvv": true, "otp": true,
	"apikey": true, "cardnumber": true, "pan": true, "passcode": true, "smscode": true,
}

// fillers are the words that may follow the name of a secret and leave it one, by the kinds
// that they follow: "pinValue", "passwordConfirmation". What "code" makes of an
// authorization is public.
var fillers = map[string]string{
	"value": "pan cvc pin track token", "hash": "pin token", "code": "cvc pin", "data": "cvc pin",
	"number": "cvc pin", "num": "cvc pin", "no": "cvc pin", "block": "cvc pin",
	"digits": "cvc pin", "field": "pan cvc pin token", "input": "pan cvc pin token",
	"encrypted": "pan cvc pin track token", "enc": "pan cvc pin track token",
	"raw": "pan cvc pin track token", "plaintext": "pan cvc pin track token",
	"new": "cvc pin token", "old": "cvc pin token", "entered": "cvc pin",
	"text": "token", "plain": "cvc pin token", "pem": "token", "confirmation": "pin token",
	"confirm": "pin token", "repeat": "pin token", "again": "pin token", "verify": "token",
	"base64": "cvc pin track token", "hex": "cvc pin track token", "clear": "cvc pin track",
}

// otherAlphabetWords are keywords of other alphabets, in lower case: what a label or a text of a
// Russian gateway says. The longest that a key ends with decides.
var otherAlphabetWords = []struct {
	word string
	kind profile.Sensitivity
}{
	{"номер карты", profile.PAN}, {"номеркарты", profile.PAN}, {"номер_карты", profile.PAN},
	{"код безопасности", profile.CVC}, {"код проверки карты", profile.CVC},
	{"пин", profile.PIN}, {"пин-код", profile.PIN}, {"пин код", profile.PIN},
	{"пинкод", profile.PIN}, {"пин-кода", profile.PIN},
	{"пароль", profile.Token}, {"пароля", profile.Token}, {"токен", profile.Token},
	{"код подтверждения", profile.Token}, {"код из смс", profile.Token},
	{"секретный ключ", profile.Token},
}
