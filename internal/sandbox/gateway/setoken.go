package gateway

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"strings"
	"time"

	"github.com/paytape/paytape/internal/sandbox/wire"
)

// tokenOperations serve the key under which SDKs encrypt card data. The documents do not show
// where a client gets it; this is where SDKs of the family look.
var tokenOperations = map[string]operation{
	"/payment/se/keys.do": {run: (*book).tokenKeys, browser: true},
}

// The primes of the key of seTokens. The key is the same in every stand-in, so that a client
// can keep its public half, and it guards nothing but test cards.
const (
	tokenPrime1 = "" +
		"9mJB7eXgqHQ0g2Rp5UoiNd/Xx/U9ouJD4ZBJoyXMRafvwDC7MARLQvfsYOgOIKI46pMScNxf+apG" +
		"Oc0BDtOXwODTbM60mWEJSZNebl7jGrPk5SQLIu+xv0MJzcq/VeQoxryf9esAGvqzg2ac4ZH/STXP" +
		"fWr98jxE4Uw8ETuUjzM="
	tokenPrime2 = "" +
		"6QlyvuAoyOtaatdeBCEA9W4n+HVnQHM9pcmkIrAG55tC8QkvU75Q6e0MPN0KMwrjVgldLK8Mxx+6" +
		"zwx5R/jbuWVchbBJ2mIc0XaUcJzZKPiJ4e/0tEqtOwASTgfDak1gZ3D72jFcNF+xq62eJ981LZv2" +
		"8GPOcmizXpj77XZvWzc="
	tokenExponent = 65537
)

func tokenKey() *rsa.PrivateKey {
	p, q, one := tokenPrime(tokenPrime1), tokenPrime(tokenPrime2), big.NewInt(1)
	phi := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
	key := &rsa.PrivateKey{
		PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: tokenExponent},
		D:         new(big.Int).ModInverse(big.NewInt(tokenExponent), phi),
		Primes:    []*big.Int{p, q},
	}
	key.Precompute()
	return key
}

func tokenPrime(text string) *big.Int {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		panic("gateway: a constant of the key is not base64")
	}
	return new(big.Int).SetBytes(raw)
}

// tokenKeyText is the public half of the key, in PEM.
func tokenKeyText() string {
	der, err := x509.MarshalPKIXPublicKey(&tokenKey().PublicKey)
	if err != nil {
		panic("gateway: the constant key cannot be written")
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

type tokenKeyList struct {
	Keys []tokenKeyView `json:"keys"`
}

type tokenKeyView struct {
	KeyValue        string `json:"keyValue"` // PEM
	ProtocolVersion string `json:"protocolVersion"`
	KeyExpiration   int64  `json:"keyExpiration"` // epoch ms
}

// tokenKeys lists the one key. It does not end; the answer gives it a day, for SDKs want a
// date.
func (b *book) tokenKeys(c call) (any, error) {
	until := c.now.Add(24 * time.Hour).UnixMilli()
	return tokenKeyList{[]tokenKeyView{{tokenKeyText(), "RSA", until}}}, nil
}

// Bounds of a token. How long one is good is not shown; it is given the time to pay, and a
// little for clocks that are ahead.
const (
	maxToken   = 8192 // characters (domain facts, Signing)
	tokenLife  = orderLifetime
	tokenAhead = 5 * time.Minute
)

// openToken puts the card of a seToken in the place of the parameters, which then do not count
// (document 3, What the service does).
func (b *book) openToken(c call) error {
	sealed := c.params["seToken"]
	if sealed == "" {
		return nil
	}
	t, ok := unseal(sealed)
	if !ok || !t.fits(c.params["MDORDER"], c.now) {
		return errValue.about("seToken")
	}
	c.params["$PAN"], c.params["$CVC"], c.params["$EXPIRY"] = t.number, t.cvc, t.expiry
	return nil
}

// token is what a seToken says: timestamp/uuid/PAN/CVV/EXPDATE/mdOrder (domain facts,
// Signing). Tokens of P2P calls have no CVV (document 3, verifyP2P.do, toCard).
type token struct {
	at      time.Time
	id      string
	number  string
	cvc     string // empty if there is none
	expiry  string // YYYYMM
	mdOrder string
}

// unseal opens a token: base64 of RSA with the padding that the SDKs use, PKCS #1 v1.5. The
// time is ISO 8601 with a zone.
func unseal(sealed string) (token, bool) {
	raw, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(sealed), ""))
	if err != nil || !wire.Within(maxToken)(sealed) {
		return token{}, false
	}
	// What makes this padding dangerous is a secret key; this one is public.
	//lint:ignore SA1019 clients choose the padding
	plain, err := rsa.DecryptPKCS1v15(nil, tokenKey(), raw)
	if err != nil {
		return token{}, false
	}
	parts := strings.Split(string(plain), "/")
	if len(parts) == 5 {
		parts = append(parts[:3], append([]string{""}, parts[3:]...)...)
	}
	if len(parts) != 6 {
		return token{}, false
	}
	at, err := time.Parse(time.RFC3339, parts[0])
	return token{at, parts[1], parts[2], parts[3], parts[4], parts[5]}, err == nil
}

// fits tells whether a token is for this order and not stale.
func (t token) fits(mdOrder string, now time.Time) bool {
	age := now.Sub(t.at)
	return t.mdOrder == mdOrder && isUUID(t.id) && age < tokenLife && age > -tokenAhead
}

// isUUID tells whether s is 32 hex digits, with or without dashes.
func isUUID(s string) bool {
	bare := strings.ReplaceAll(strings.ToLower(s), "-", "")
	return len(bare) == 32 && strings.Trim(bare, "0123456789abcdef") == ""
}
