package callback_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/proxy/callback"
)

// The schemes that the tests sign by: the gateway's of the domain facts, its asymmetric one, that
// of Standard Webhooks, and one like Stripe's.
var (
	gateway = &profile.Signature{
		Algorithm: profile.HMACSHA256, Key: profile.KeyText, Over: "${parameters}",
		Parameter: "${name};${value};", Without: []string{"checksum", "sign_alias"},
		Encoding: profile.SignatureUpperHex, Field: "checksum", Text: "${signature}",
	}
	asymmetric = &profile.Signature{
		Algorithm: profile.RSASHA512, Over: "${parameters}", Parameter: "${name};${value};",
		Without: []string{"sign_alias"}, Encoding: profile.SignatureUpperHex, Field: "checksum",
		Text: "${signature}",
	}
	standard = &profile.Signature{
		Algorithm: profile.HMACSHA256, Key: profile.KeyBase64,
		Over: "${header.webhook-id}.${timestamp}.${body}", Encoding: profile.SignatureBase64,
		Header: "webhook-signature", Text: "v1,${signature}", Timestamp: "webhook-timestamp",
	}
	stamped = &profile.Signature{
		Algorithm: profile.HMACSHA256, Key: profile.KeyText, Over: "${timestamp}.${body}",
		Encoding: profile.SignatureHex, Header: "X-Signature",
		Text: "t=${timestamp},v1=${signature}",
	}
)

// The keys are the published ones of the examples.
var (
	gatewayKey  = callback.Key{Text: "ooc7slpvc61k7sf7ma7p4hrefr\n"}
	standardKey = callback.Key{Text: "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}
	stampedKey  = callback.Key{Text: "stamped-" + "key"}
)

var at = time.Unix(1614265330, 0)

const form = "application/x-www-form-urlencoded"

// The vector of the domain facts.
const (
	vector    = "mdOrder=06cf5599-3f17-7c86-bdbc-bd7d00a8b38b&operation=approved&orderNumber=2003&status=1"
	vectorSum = "EAF2FB72CAB99FD5067F4BA493DD84F4D79C1589FDE8ED29622F0F07215AA972"
)

func TestSign(t *testing.T) {
	t.Parallel()
	typed := func(kind string) http.Header { return http.Header{"Content-Type": {kind}} }
	for _, test := range []struct {
		name   string
		scheme *profile.Signature
		key    callback.Key
		in     callback.Message
		query  string
		body   string
		header map[string]string
	}{
		{name: "the vector, behind all others", scheme: gateway, key: gatewayKey,
			in:    callback.Message{Query: vector, Header: http.Header{}},
			query: vector + "&checksum=" + vectorSum},
		{name: "in the place of what cleaning left", scheme: gateway, key: gatewayKey,
			in:    callback.Message{Query: "checksum=TOKEN-1&sign_alias=k&" + vector, Header: http.Header{}},
			query: "checksum=" + vectorSum + "&sign_alias=k&" + vector},
		{name: "a form, and not the query of the shop's address", scheme: gateway, key: gatewayKey,
			in:    callback.Message{Query: "shop=1", Header: typed(form), Body: vector + "&checksum=0"},
			query: "shop=1", body: vector + "&checksum=" + vectorSum},
		{name: "decoded values are signed", scheme: gateway, key: gatewayKey,
			in: callback.Message{
				Query:  strings.Replace(vector, "approved", "%61pproved", 1),
				Header: http.Header{},
			},
			query: strings.Replace(vector, "approved", "%61pproved", 1) + "&checksum=" + vectorSum},
		{name: "Standard Webhooks", scheme: standard, key: standardKey,
			in: callback.Message{
				Header: http.Header{"Webhook-Id": {"msg_p5jXN8AQM9LWM0D4loKWxJek"}},
				Body:   `{"test": 2432232314}`,
			},
			body: `{"test": 2432232314}`,
			header: map[string]string{
				"webhook-timestamp": "1614265330",
				"webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
			}},
		{name: "with the time beside the signature", scheme: stamped, key: stampedKey,
			in:   callback.Message{Header: typed("application/json"), Body: `{"paid":true}`},
			body: `{"paid":true}`,
			header: map[string]string{
				"X-Signature": "t=1614265330,v1=" + stampedSum,
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := test.in
			if err := callback.Sign(test.scheme, test.key, &m, at); err != nil {
				t.Fatal(err)
			}
			if m.Query != test.query || m.Body != test.body {
				t.Errorf("query %s, body %s", m.Query, m.Body)
			}
			for name, want := range test.header {
				if got := m.Header.Get(name); got != want {
					t.Errorf("%s: %s, want %s", name, got, want)
				}
			}
			if v := callback.Verify(test.scheme, &test.key, m); v.Checksum != leaf.ChecksumGood {
				t.Errorf("its own signature is %q, over %s", v.Checksum, v.Over)
			}
		})
	}
}

// stampedSum is HMAC-SHA256 of `1614265330.{"paid":true}`, made with openssl dgst -sha256 -hmac.
const stampedSum = "1212ca3e3afd9b07bd7d288b63a7b70ac66e2743d4d59a2d457409211ba27540"

func TestVerify(t *testing.T) {
	t.Parallel()
	signed := vector + "&checksum=" + vectorSum
	body := `{"test": 2432232314}`
	webhook := func(signature string) callback.Message {
		h := http.Header{}
		h.Set("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek")
		h.Set("webhook-timestamp", "1614265330")
		h.Set("webhook-signature", signature)
		return callback.Message{Header: h, Body: body}
	}
	none := http.Header{}
	for _, test := range []struct {
		name   string
		scheme *profile.Signature
		key    *callback.Key
		in     callback.Message
		want   string
	}{
		{"good", gateway, &gatewayKey, callback.Message{Query: signed, Header: none}, leaf.ChecksumGood},
		{"in another order", gateway, &gatewayKey,
			callback.Message{Query: "checksum=" + vectorSum + "&status=1&" + strings.TrimSuffix(vector, "&status=1"),
				Header: none}, leaf.ChecksumGood},
		{"hexadecimal digits have no case", gateway, &gatewayKey,
			callback.Message{Query: vector + "&checksum=" + strings.ToLower(vectorSum), Header: none},
			leaf.ChecksumGood},
		{"a value changed", gateway, &gatewayKey,
			callback.Message{Query: strings.Replace(signed, "status=1", "status=0", 1), Header: none},
			leaf.ChecksumBad},
		{"a parameter added", gateway, &gatewayKey,
			callback.Message{Query: signed + "&amount=1", Header: none}, leaf.ChecksumBad},
		{"no hexadecimal digits", gateway, &gatewayKey,
			callback.Message{Query: vector + "&checksum=zz", Header: none}, leaf.ChecksumBad},
		{"no key", gateway, nil, callback.Message{Query: signed, Header: none}, leaf.ChecksumUnchecked},
		{"a key of no use", standard, &callback.Key{Text: "whsec_%"}, webhook("v1,AAAA"),
			leaf.ChecksumUnchecked},
		{"no signature", gateway, &gatewayKey, callback.Message{Query: vector, Header: none}, ""},
		{"one of several is good", standard, &standardKey,
			webhook("v1,AAAA v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="), leaf.ChecksumGood},
		{"none of several is good", standard, &standardKey, webhook("v1,AAAA v1,BBBB"), leaf.ChecksumBad},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := callback.Verify(test.scheme, test.key, test.in)
			if v.Checksum != test.want {
				t.Errorf("%q, want %q (over %s)", v.Checksum, test.want, v.Over)
			}
		})
	}
	v := callback.Verify(gateway, nil, callback.Message{Query: signed, Header: none})
	const over = "mdOrder;06cf5599-3f17-7c86-bdbc-bd7d00a8b38b;operation;approved;orderNumber;2003;status;1;"
	if v.Over != over {
		t.Errorf("over %s", v.Over)
	}
}

// TestAsymmetric signs with a private key and checks with the public one, in each form of PEM.
func TestAsymmetric(t *testing.T) {
	t.Parallel()
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	block := func(kind string, der []byte) callback.Key {
		return callback.Key{Text: string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))}
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	pkix, err := x509.MarshalPKIXPublicKey(&private.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	public := block("PUBLIC KEY", pkix)
	for _, scheme := range []*profile.Signature{asymmetric, {
		Algorithm: profile.RSASHA256, Over: "${body}", Encoding: profile.SignatureBase64,
		Header: "X-Signature", Text: "${signature}",
	}} {
		for _, key := range []callback.Key{
			block("PRIVATE KEY", pkcs8), block("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(private)),
		} {
			m := callback.Message{Query: vector, Header: http.Header{}, Body: "<paid/>"}
			if err := callback.Sign(scheme, key, &m, at); err != nil {
				t.Fatal(err)
			}
			if v := callback.Verify(scheme, &public, m); v.Checksum != leaf.ChecksumGood {
				t.Errorf("%s: %q", scheme.Algorithm, v.Checksum)
			}
			m.Query, m.Body = strings.Replace(m.Query, "approved", "deposited", 1), "<unpaid/>"
			if v := callback.Verify(scheme, &public, m); v.Checksum != leaf.ChecksumBad {
				t.Errorf("%s, changed: %q", scheme.Algorithm, v.Checksum)
			}
		}
	}
	if err := public.Check(asymmetric); err == nil {
		t.Error("a public key is said to sign")
	}
}

// TestKeysNeverPrint has each way of failing, and no text of a key in any.
func TestKeysNeverPrint(t *testing.T) {
	t.Parallel()
	const secret = "hush-" + "hush"
	for _, test := range []struct {
		scheme *profile.Signature
		text   string
	}{
		{standard, secret + "%"}, {asymmetric, secret}, {gateway, " \n"},
		{asymmetric, "-----BEGIN PRIVATE KEY-----\naHVzaC1odXNo\n-----END PRIVATE KEY-----\n"},
	} {
		k := callback.Key{Text: test.text}
		err := k.Check(test.scheme)
		if err == nil {
			t.Errorf("%s takes a bad key", test.scheme.Algorithm)
			continue
		}
		for _, said := range []string{
			err.Error(), fmt.Sprintf("%v %+v %#v %s %q", k, k, k, k, k),
			fmt.Sprint(callback.Keys{k}), fmt.Sprintf("%#v", callback.SenderOptions{Keys: callback.Keys{k}}),
		} {
			if strings.Contains(said, "hush") || strings.Contains(said, "aHVzaC") {
				t.Errorf("the key is told: %s", said)
			}
		}
	}
}

func TestKeysOf(t *testing.T) {
	t.Parallel()
	ks := callback.Keys{{Profile: "shop", Text: "a"}, {Text: "b"}}
	for profile, want := range map[string]string{"shop": "a", "gateway": "b"} {
		if k, ok := ks.Of(profile); !ok || k.Text != want {
			t.Errorf("%s has another key", profile)
		}
	}
	if _, ok := ks[:1].Of("gateway"); ok {
		t.Error("the gateway has the key of the shop")
	}
}

// FuzzVerify wants no panic, and no signature that is good without the key.
func FuzzVerify(f *testing.F) {
	f.Add(vector+"&checksum="+vectorSum, "t=1,v1=00", "a=1&checksum=")
	f.Add("checksum", "v1,", "%")
	key := callback.Key{Text: rand.Text()}
	f.Fuzz(func(t *testing.T, query, header, body string) {
		for _, scheme := range []*profile.Signature{gateway, stamped} {
			h := http.Header{"Content-Type": {form}, "X-Signature": {header}}
			m := callback.Message{Query: query, Header: h, Body: body}
			if callback.Verify(scheme, &key, m).Checksum == leaf.ChecksumGood {
				t.Error("a forged signature is good")
			}
			if err := callback.Sign(scheme, key, &m, at); err != nil {
				t.Fatal(err)
			}
			if v := callback.Verify(scheme, &key, m); v.Checksum != leaf.ChecksumGood {
				t.Errorf("signed, it is %q", v.Checksum)
			}
		}
	})
}
