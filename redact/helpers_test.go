package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dnaeon/go-vcr/v2/cassette"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
)

// Published test numbers, and secrets that were made up.
const (
	visa     = "411111" + "1111111111"
	master   = "555555" + "5555555599"
	amex     = "378282" + "246310005"
	password = "tr0ub4dor-gw"
	apiKey   = "k-93f1c0de-77aa"
)

// grouped returns visa in groups of four.
func grouped(separator string) string {
	return strings.Join([]string{visa[:4], visa[4:8], visa[8:12], visa[12:]}, separator)
}

// builtin is read once: it is never written to.
var builtin = sync.OnceValues(profile.Builtin)

// newRedactor returns a Redactor with our own profiles.
func newRedactor(edit ...func(*redact.Options)) (*redact.Redactor, error) {
	set, err := builtin()
	if err != nil {
		return nil, err
	}
	o := redact.Options{Profiles: set}
	for _, e := range edit {
		e(&o)
	}
	return redact.New(o), nil
}

// redactor is newRedactor for a test.
func redactor(t testing.TB, edit ...func(*redact.Options)) *redact.Redactor {
	t.Helper()
	r, err := newRedactor(edit...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// exchange is a call of an API as the recorder captures it.
func exchange(method, url string, header http.Header, body string) *leaf.Exchange {
	return &leaf.Exchange{Interaction: cassette.Interaction{
		Request: cassette.Request{Method: method, URL: url, Headers: header, Body: body},
		Response: cassette.Response{
			Status: "200 OK", Code: 200,
			Headers: http.Header{"Content-Type": {"application/json"}},
			Body:    `{"errorCode":0}`,
		},
	}}
}

// checkout is a gateway payment with a secret in every field that takes one.
func checkout(card, cvc string) *leaf.Exchange {
	body := url.Values{
		"userName": {"shop-api"}, "password": {password},
		"MDORDER": {"06cf5599-3f17-7c86-bdbc-bd7d00a8b38b"},
		"$PAN":    {card}, "$CVC": {cvc}, "YYYY": {"2030"}, "MM": {"12"}, "TEXT": {"IVAN IVANOV"},
	}.Encode()
	return exchange("POST", "https://gw.example/payment/rest/paymentorder.do",
		http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}, body)
}

// saved is everything of an exchange that a file would hold, as one text.
func saved(t testing.TB, x *leaf.Exchange) string {
	t.Helper()
	b, err := json.Marshal([]any{x.Request, x.Response, x.Meta})
	if err != nil {
		t.Fatal(err)
	}
	raw := []string{string(b), x.URL, x.Request.Body, x.Response.Body, x.Request.Form.Encode()}
	for _, h := range []http.Header{x.Request.Headers, x.Response.Headers, x.Meta.Trailers} {
		for _, name := range slices.Sorted(maps.Keys(h)) {
			raw = append(raw, name, strings.ToLower(name), strings.Join(h[name], "\n"))
		}
	}
	return strings.Join(raw, "\n")
}

// traces lists the encodings of a secret that a text holds.
func traces(text, secret string) []string {
	var found []string
	check := func(encoding, form string) {
		if strings.Contains(text, form) {
			found = append(found, encoding)
		}
	}
	if pan.Digits(secret) == secret {
		// Inside a longer run of digits it is another number.
		spaced := strings.Join(strings.Split(secret, ""), "[ -]?")
		if regexp.MustCompile("(^|[^0-9])" + spaced + "($|[^0-9])").MatchString(text) {
			found = append(found, "plain")
		}
	} else {
		check("plain", secret)
		check("percent", url.QueryEscape(secret))
	}
	check("hex", hex.EncodeToString([]byte(secret)))
	check("upper hex", strings.ToUpper(hex.EncodeToString([]byte(secret))))
	for shift := range 3 {
		padded := append(make([]byte, shift), secret...)
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			core := enc.EncodeToString(padded)
			core = core[(8*shift+5)/6 : 8*len(padded)/6]
			if !strings.Contains(text, core) {
				continue
			}
			if len(secret) >= unmistakable || heldInBase64(text, secret) {
				found = append(found, "base64")
			}
		}
	}
	return found
}

// unmistakable is the length from which on a secret does not stand in base64 by chance. The characters
// that are of a secret alone leave out half of its first and half of its last byte: of a PIN of four
// digits two digits are left, and a surrogate in base64 has the same two now and then.
const unmistakable = 8

var base64Runs = regexp.MustCompile(`[0-9A-Za-z+/_-]+`)

// heldInBase64 reports whether a text holds in base64 what has the secret for a word.
func heldInBase64(text, secret string) bool {
	word := bounded(secret)
	for _, run := range base64Runs.FindAllString(strings.NewReplacer("+", "-", "/", "_").Replace(text), -1) {
		for shift := range min(4, len(run)) {
			aligned := run[shift:]
			if len(aligned)%4 == 1 {
				aligned = aligned[:len(aligned)-1]
			}
			decoded, err := base64.RawURLEncoding.DecodeString(aligned)
			if err == nil && word.Match(decoded) {
				return true
			}
		}
	}
	return false
}

// wantSame fails the test if two exchanges differ.
func wantSame(t testing.TB, what string, want, got *leaf.Exchange) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(cassette.Response{})); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// wantNone fails the test if a text holds a secret. It does not print the text.
func wantNone(t testing.TB, text string, secrets ...string) {
	t.Helper()
	for i, s := range secrets {
		if found := traces(text, s); found != nil {
			t.Errorf("secret %d is still there: %v", i, found)
		}
	}
}

func TestTracesInBase64(t *testing.T) {
	for text, want := range map[string]int{
		base64Of(`{"cvc":"9435"}`): 1, "a " + urlPacked("the pin is 9435") + ".b": 1,
		base64Of(`{"n":"2223000000194324"}`): 0, base64Of(`{"n":"194352"}`): 0, base64Of("9434"): 0,
	} {
		if got := len(slices.Compact(traces(text, "9435"))); got != want {
			t.Errorf("%d traces in %s, want %d", got, text, want)
		}
	}
}
