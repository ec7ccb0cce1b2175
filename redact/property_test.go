package redact_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/redact/audit"
)

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// TestOneCardOneSurrogate writes cards into query, form, JSON and text in several groupings.
func TestOneCardOneSurrogate(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	r := redactor(t)
	surrogates := map[string]string{}
	for range 300 {
		card := randomCard(rng)
		x := checkout(card, "123")
		x.URL += "?cardNumberFltr=" + card
		spaced := card[:4] + " " + card[4:8] + " " + card[8:12] + " " + card[12:]
		x.Response.Body = jsonOf(map[string]any{"a": spaced, "b": "card " + card + "."})
		got := r.Clean(x).Exchange()
		s := got.Request.Form.Get("$PAN")
		wantSpaced := s[:4] + " " + s[4:8] + " " + s[8:12] + " " + s[12:]
		if !strings.HasSuffix(got.URL, "="+s) ||
			got.Response.Body != jsonOf(map[string]any{"a": wantSpaced, "b": "card " + s + "."}) {
			t.Fatal("one card has two surrogates in one exchange")
		}
		for other, theirs := range surrogates {
			if (other == card) != (theirs == s) {
				t.Fatal("a surrogate and a card are not one to one")
			}
		}
		surrogates[card] = s
	}
}

// TestNoHarm draws ids, times, amounts and accounts, which must stay byte for byte.
func TestNoHarm(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	r := redactor(t)
	for range 2000 {
		a, b := rng.Uint64(), rng.Uint64()
		fields := []string{
			fmt.Sprintf(`"orderId":"%08x-%04x-7%03x-%04x-%012x"`,
				a>>32, a>>16&0xffff, a&0xfff, 0x8000|b>>48&0x3fff, b&(1<<48-1)),
			fmt.Sprintf(`"mdOrder":"%08x%04x7%03x%04x%012x"`,
				a>>32, a>>16&0xffff, a&0xfff, 0x8000|b>>48&0x3fff, b&(1<<48-1)),
			fmt.Sprintf(`"rrn":"%012d"`, a%1e12), fmt.Sprintf(`"utrnno":%d`, a%1e12),
			fmt.Sprintf(`"date":%d`, 1_500_000_000_000+a%400_000_000_000),
			fmt.Sprintf(`"accountNumber":"40817810%012d"`, a%1e12),
			fmt.Sprintf(`"stan":%d,"amount":%d.00`, 1+a%1e6, b%100),
			fmt.Sprintf(`"rate":0.%016d`, b%1e16),
			fmt.Sprintf(`"at":"20%02d-%02d-%02dT%02d:%02d:00+03:00"`,
				a%100, 1+a%12, 1+b%28, a%24, b%60),
			fmt.Sprintf(`"place":"%d.%013d, -%d.%013d"`, a%90, a%1e13, b%180, b%1e13),
			fmt.Sprintf(`"share":"%d.%016d","rates":"%d.%04d %d.%04d"`,
				a%10, b%1e16, a%1e4, b%1e4, b%1e4, a%1e4),
			fmt.Sprintf(`"dates":"%02d/%02d/20%02d - %02d/%02d/20%02d\n20%02d/%02d/%02d\t20%02d_%02d"`,
				1+a%28, 1+b%12, a%100, 1+b%28, 1+a%12, b%100, a%100, 1+a%12, 1+b%28, b%100, a%12),
			fmt.Sprintf(`"ids":"%d\n%d\n%d / %d / %d\t%05d\t%05d\t%05d_%06d_%d"`, a%1e3, b%1e6,
				a%1e8, b%1e3, a%1e5, b%1e5, a%1e5, b%1e5, a%1e6, b%1e3),
		}
		rng.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		x := exchange("GET", "https://h/unknown/"+fmt.Sprint(a%1e12), nil, "")
		x.Response.Body = "{ " + strings.Join(fields, " , ") + "}"
		got := r.Clean(x).Exchange()
		if got.Response.Body != x.Response.Body || got.URL != x.URL || !got.Replayable() {
			t.Fatalf("changed %s\ninto %s", x.Response.Body, got.Response.Body)
		}
	}
}

// FuzzClean cleans anything, with secrets known from a header of the same exchange.
func FuzzClean(f *testing.F) {
	set := redactor(f)
	const form = "application/x-www-form-urlencoded"
	f.Add("POST", "https://h/payment/rest/register.do?a=%34", "application/json",
		`{"pan":"`+visa+`","a":[{"name":"cvc","value":1}]}`)
	f.Add("PUT", "/x?"+visa+"&password=a%20b", form,
		"$PAN="+grouped("+")+"&$CVC=1&jsonParams={\"pin\":1}")
	f.Add("GET", "http://u:p@h:1/"+visa, "",
		"<password>"+password+"</password> "+grouped(".")+" &#52;"+visa[1:])
	f.Add("POST", "://", "text/plain",
		`{"email":"x@y.z","dateOfBirth":"1980-01-01","phoneNumber":7916,"documentId":0}`)
	f.Add("PUT", "/x?"+visa, form, `!PAN= pin":10`)
	// A key too long to be a keyword becomes one when its bad bytes become one character.
	f.Add("GET", "/x?Cpasswor"+strings.Repeat("\xcf", 60)+"d=B", form, "a=b")
	f.Add("POST", "/", "text/plain", `{"pAn":[{"name":"cvc","value":1}]}`)
	f.Add("POST", "://:0@0/x", "", "<pAsswd>"+visa)
	f.Add("POST", "/x?creq="+urlPacked(`{"pan":"`+visa+`","cvc":"784"}`), form,
		"PaReq="+deflated("<a><pan>"+visa+"</pan></a>"))
	f.Add("POST", "/", "text/html", "<html><input name=pan value="+visa+"><td>CVC<td>784<!-- "+visa)
	f.Add("", "", "", visa[:8]+" 1111 1111 &#52;11")
	f.Fuzz(func(t *testing.T, method, target, contentType, body string) {
		if len(body) > 1<<14 || len(target) > 1<<12 {
			return
		}
		x := exchange(method, target, http.Header{
			"Content-Type": {contentType}, "X-Api-Key": {apiKey},
			"Cookie": {"pan=" + visa},
		}, body)
		x.Response.Body = body
		clean := redactor(t).Clean(x)
		got := clean.Exchange()
		wantNone(t, saved(t, got), visa, apiKey)
		// That cleaning twice changes nothing is for the tables and properties above: of arbitrary
		// bytes, a key may become a keyword once they are text.
		wantNone(t, saved(t, redactor(t).Reclean(got).Exchange()), visa, apiKey)
		_ = set.Text(body).String()
		_ = audit.Find(body)
	})
}
