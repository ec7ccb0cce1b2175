package sandbox_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/sandbox"
)

// shopKey makes the key pair of a shop.
func shopKey(t testing.TB) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatalf("making a key: %v", err)
	}
	return key
}

// signedHeader is what a shop sends beside a body (domain facts, Signing).
func signedHeader(t testing.TB, key *rsa.PrivateKey, body string) []string {
	t.Helper()
	hash := sha256.Sum256([]byte(body))
	return []string{"X-Hash", base64.StdEncoding.EncodeToString(hash[:]),
		"X-Signature", signature(t, key, hash[:])}
}

func signature(t testing.TB, key *rsa.PrivateKey, data []byte) string {
	t.Helper()
	sum := sha256.Sum256(data)
	raw, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		t.Fatalf("signing: %v", err)
	}
	return base64.StdEncoding.EncodeToString(raw)
}

const (
	statusPath = "/payment/rest/api/p2p/getP2PStatus.do"
	statusBody = `{"username":"sandbox-api","password":"sandbox-password","orderId":"none"}`
	unknownID  = "6" // the errorCode of a call that was let in
	denied     = "5"
)

// A signature is looked at only if the shop's key is known; then P2P calls must have one
// (document 3, Authentication, 2).
func TestSignedCalls(t *testing.T) {
	t.Parallel()
	key, other := shopKey(t), shopKey(t)
	good := signedHeader(t, key, statusBody)
	hash := good[1]
	for name, row := range map[string]struct {
		header []string
		body   string
		want   string
	}{
		"signed":              {good, statusBody, unknownID},
		"unsigned":            {nil, statusBody, denied},
		"hash alone":          {good[:2], statusBody, denied},
		"signature alone":     {good[2:], statusBody, denied},
		"another body":        {good, " " + statusBody, denied},
		"another key":         {signedHeader(t, other, statusBody), statusBody, denied},
		"hash is no base64":   {[]string{"X-Hash", "%", good[2], good[3]}, statusBody, denied},
		"hash in hexadecimal": {[]string{"X-Hash", "00", good[2], good[3]}, statusBody, denied},
		"signature is none":   {[]string{"X-Hash", hash, "X-Signature", "%"}, statusBody, denied},
		"signature is short":  {[]string{"X-Hash", hash, "X-Signature", "AAAA"}, statusBody, denied},
		"signature over the body, not its hash": {[]string{"X-Hash", hash,
			"X-Signature", signature(t, key, []byte(statusBody))}, statusBody, denied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, sandbox.Options{Seed: 1, SignKey: &key.PublicKey})
			c.is(c.send("POST", statusPath, row.body, row.header...), "errorCode", row.want)
			// Without a key the shop is not known to sign, whatever it sends.
			c = newClient(t, sandbox.Options{Seed: 1})
			c.is(c.send("POST", statusPath, row.body, row.header...), "errorCode", unknownID)
		})
	}
}

// A wrong password is denied however well it is signed.
func TestSignatureIsNoPassword(t *testing.T) {
	t.Parallel()
	key := shopKey(t)
	c := newClient(t, sandbox.Options{Seed: 1, SignKey: &key.PublicKey})
	body := strings.Replace(statusBody, "sandbox-password", "wrong", 1)
	c.is(c.send("POST", statusPath, body, signedHeader(t, key, body)...), "errorCode", denied)
}

// Calls of other areas may come unsigned, but not wrongly signed; pages are for browsers,
// which sign nothing.
func TestSigningIsForTransfers(t *testing.T) {
	t.Parallel()
	key := shopKey(t)
	c := newClient(t, sandbox.Options{Seed: 1, SignKey: &key.PublicKey})
	a := c.register("1")
	c.open(a.get("formUrl")).enter(cardPaid).atShop("/back", a.get("orderId"))
	body := form("orderId", a.get("orderId"))
	path := "/payment/rest/getOrderStatusExtended.do"
	c.is(c.send("POST", path, body, signedHeader(t, key, body)...), "orderStatus", "2")
	c.is(c.send("POST", path, body, signedHeader(t, key, body+"&")...), "errorCode", `"5"`)
	finish := url.Values{"username": {"sandbox-api"}, "password": {"sandbox-password"}}.Encode()
	path = "/payment/rest/api/p2p/finishThreeDsVer2.do"
	c.is(c.send("POST", path, finish), "errorCode", "5")
	c.is(c.send("POST", path, finish, signedHeader(t, key, finish)...), "errorCode", "4")
}
