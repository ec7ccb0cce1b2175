package gateway

import (
	"bytes"
	"compress/zlib"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPrice(t *testing.T) {
	t.Parallel()
	for want, o := range map[string]order{
		"15.00 (978)":         {amount: 1500, currency: "978"},
		"0.05 (643)":          {amount: 5, currency: "643"},
		"1500 (392)":          {amount: 1500, currency: "392"},
		"9999999999.99 (840)": {amount: 999_999_999_999, currency: "840"},
	} {
		if got := o.price(); got != want {
			t.Errorf("the price is %s, want %s", got, want)
		}
	}
}

func TestIsUUID(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]bool{
		"0f8fad5b-d9cb-469f-a165-70867728950e": true,
		"0F8FAD5BD9CB469FA16570867728950E":     true,
		"0f8fad5b-d9cb-469f-a165-70867728950":  false,
		"0f8fad5b-d9cb-469f-a165-70867728950g": false,
		"":                                     false,
	} {
		if isUUID(s) != want {
			t.Errorf("isUUID(%q) is %v", s, !want)
		}
	}
}

func TestTokenKeyIsAnRSAKey(t *testing.T) {
	t.Parallel()
	key := tokenKey()
	if err := key.Validate(); err != nil {
		t.Errorf("the constant key: %v", err)
	}
	if key.N.BitLen() != 2048 {
		t.Errorf("the key has %d bits", key.N.BitLen())
	}
}

// Every template must be complete in both languages, whatever the page is about.
func TestEveryPageIsWhole(t *testing.T) {
	t.Parallel()
	names := []string{"acs", "payment", "post", "message", "empty"}
	for _, tmpl := range pageTemplates.Templates() {
		known := append([]string{"head", "hidden", "error"}, names...)
		if name := tmpl.Name(); !strings.Contains(name, ".") && !slices.Contains(known, name) {
			t.Errorf("no test knows the page %s", name)
		}
	}
	for _, name := range names {
		for _, language := range []string{"ru", "en"} {
			p := newPage(language, name)
			p.Error, p.Link, p.Wrong = "<&>", "/a", true
			p.Hidden, p.Frames = []hidden{{"a", `"`}}, []string{"b"}
			w := httptest.NewRecorder()
			p.ServeHTTP(w, nil)
			text := w.Body.String()
			if w.Code != 200 || !strings.HasSuffix(strings.TrimSpace(text), "</html>") {
				t.Errorf("the page %s in %s is not whole", name, language)
			}
			if strings.Contains(text, "<&>") || strings.Contains(text, "ZgotmplZ") {
				t.Errorf("the page %s in %s escapes wrongly", name, language)
			}
		}
	}
}

// A small message may unpack to a huge one.
func TestUnpackXMLIsBounded(t *testing.T) {
	t.Parallel()
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	for _, part := range []string{"<ThreeDSecure>", strings.Repeat(" ", 10*maxMessage),
		"</ThreeDSecure>"} {
		if _, err := w.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := unpackXML(base64.StdEncoding.EncodeToString(packed.Bytes())); err == nil {
		t.Errorf("a message of %d bytes was unpacked to ten times the bound", packed.Len())
	}
}

// What can be read can be written back, and then says the same.
func FuzzUnpackXML(f *testing.F) {
	o := &order{id: "1", amount: 5, currency: "978", secure: &secure{id: "xid",
		payment: payment{card: payCard{number: "411111" + "1111111111", expiry: "203012"}}}}
	f.Add(packXML(newPAReq(o)))
	f.Add(packXML(newPARes(o, o.registered)))
	f.Add("eJwDAAAAAAE=\n")
	f.Fuzz(func(t *testing.T, packed string) {
		m, err := unpackXML(packed)
		if err != nil {
			return
		}
		again, err := unpackXML(packXML(m))
		if err != nil {
			t.Fatal("a message that was read cannot be written")
		}
		if diff := cmp.Diff(m.Message, again.Message); diff != "" {
			t.Errorf("the message changed (-read +again):\n%s", diff)
		}
	})
}

func FuzzUnpackJSON(f *testing.F) {
	s := &secure{id: "1", acsID: "2"}
	f.Add(s.packedCReq())
	f.Add(s.packedCRes() + "==")
	f.Add(s.methodData())
	f.Add("e30=")
	f.Fuzz(func(t *testing.T, packed string) {
		var m, again cReq
		if unpackJSON(packed, &m) != nil {
			return
		}
		if unpackJSON(packJSON(m), &again) != nil || m != again {
			t.Error("a message changed by being packed again")
		}
	})
}

// What opens says what was sealed, and what does not was no token of five or six parts.
func FuzzUnseal(f *testing.F) {
	const stamp, id = "2026-03-14T10:20:30+03:00", "/0f8fad5b-d9cb-469f-a165-70867728950e/"
	f.Add(stamp + id + "4/123/203012/order")
	f.Add(stamp + id + "4/203012/order")
	f.Add("/////")
	f.Fuzz(func(t *testing.T, plain string) {
		//lint:ignore SA1019 the padding of the SDKs
		raw, err := rsa.EncryptPKCS1v15(rand.Reader, &tokenKey().PublicKey, []byte(plain))
		if err != nil {
			return // too long for one block
		}
		opened, ok := unseal(base64.StdEncoding.EncodeToString(raw))
		at, rest, _ := strings.Cut(plain, "/")
		if _, err := time.Parse(time.RFC3339, at); err != nil || strings.Count(rest, "/") < 3 {
			if ok {
				t.Error("a text that is no token was opened")
			}
			return
		}
		parts := []string{opened.id, opened.number, opened.cvc, opened.expiry, opened.mdOrder}
		if strings.Count(rest, "/") == 3 {
			parts = slices.Delete(parts, 2, 3)
		}
		if ok != (strings.Join(parts, "/") == rest) {
			t.Error("a token says something else after opening")
		}
	})
}
