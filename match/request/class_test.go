package request

import (
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

func TestClass(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 15, 12, 0, 0, 0, time.UTC)
	const number = "411111" + "1111111111"
	card := profile.Field{From: profile.Shared, Of: "card", Secret: profile.PAN}
	cvc := profile.Field{From: profile.Ignored, Secret: profile.CVC}
	pin := profile.Field{From: profile.Ignored, Secret: profile.PIN, As: profile.PINShape}
	token := profile.Field{From: profile.Shared, Of: "credential", Secret: profile.Token}
	date := func(f profile.Form) profile.Field { return profile.Field{From: profile.Date, Form: f} }
	as := func(s profile.Shape) profile.Field { return profile.Field{From: profile.Shared, As: s} }
	due := profile.Field{From: profile.Date, Form: profile.ISO, Deadline: true}
	for _, tt := range []struct {
		name string
		p    Param
		want Class
	}{
		{"a text", Param{Text: "A-1"}, There},
		{"an empty text", Param{}, Empty},
		{"null", Param{Text: "null", Kind: leaf.Null}, Empty},
		{"a card", Param{Text: number, Field: card}, There},
		{"a card in groups", Param{Text: "4111 1111 1111 1111", Field: card}, Grouped},
		{"no Luhn sum", Param{Text: number[:15] + "2", Field: card}, Malformed},
		{"a word for a card", Param{Text: "visa", Field: card}, Malformed},
		{"a CVC", Param{Text: "123", Field: cvc}, There},
		{"a CVC of four digits", Param{Text: "1234", Field: cvc}, There},
		{"a CVC of two", Param{Text: "12", Field: cvc}, Malformed},
		{"a CVC on tape", Param{Text: "REDACTED-cvc", Field: cvc}, There},
		{"credentials", Param{Place: leaf.Header, Text: "Basic dTpw", Field: token}, There},
		{"on tape", Param{Place: leaf.Header, Text: "Basic REDACTED-token-1", Field: token}, There},
		{"no base64", Param{Place: leaf.Header, Text: "Basic !!!", Field: token}, Malformed},
		{"no pair", Param{Place: leaf.Header, Text: "basic dXA=", Field: token}, Malformed},
		{"another scheme", Param{Place: leaf.Header, Text: "Bearer !!!", Field: token}, There},
		{"a month ahead", Param{Text: "203012", Field: date(profile.Month)}, There},
		{"this month", Param{Text: "202607", Field: date(profile.Month)}, There},
		{"last month", Param{Text: "202606", Field: date(profile.Month)}, Expired},
		{"no month", Param{Text: "203013", Field: date(profile.Month)}, Malformed},
		{"a month of another age", Param{Text: "999912", Field: date(profile.Month)}, Malformed},
		{"a year of another age", Param{Text: "1950", Field: date(profile.Year)}, Malformed},
		{"a month alone", Param{Text: "07", Field: date(profile.MonthOfYear)}, There},
		{"one digit", Param{Text: "7", Field: date(profile.MonthOfYear)}, Unpadded},
		{"thirteen", Param{Text: "13", Field: date(profile.MonthOfYear)}, Malformed},
		{"a deadline", Param{Text: "2026-07-15T12:00:01", Field: due}, There},
		{"a deadline that is now", Param{Text: "2026-07-15T12:00:00", Field: due}, Expired},
		{"an address", Param{Text: "https://shop.example/a?b=c", Field: as(profile.FullURL)}, There},
		{"of an app", Param{Text: "shop://back", Field: as(profile.FullURL)}, There},
		{"of an app where the web is meant", Param{Text: "shop://back", Field: as(profile.WebURL)}, Malformed},
		{"a script", Param{Text: "javascript:alert(1)", Field: as(profile.FullURL)}, Malformed},
		{"a path", Param{Text: "/back", Field: as(profile.FullURL)}, Malformed},
		{"a bad escape", Param{Text: "https://shop.example/%zz", Field: as(profile.FullURL)}, Malformed},
		{"an e-mail", Param{Text: "a@b", Field: as(profile.MailShape)}, There},
		{"none", Param{Text: "a.b", Field: as(profile.MailShape)}, Malformed},
		{"two", Param{Text: "a@b@c", Field: as(profile.MailShape)}, Malformed},
		{"an IP address", Param{Text: "2001:db8::1", Field: as(profile.IPShape)}, There},
		{"a host", Param{Text: "shop.example", Field: as(profile.IPShape)}, Malformed},
		{"a name", Param{Text: "Doe,Jo", Field: as(profile.LastFirst)}, There},
		{"a name without a comma", Param{Text: "Jo Doe", Field: as(profile.LastFirst)}, Malformed},
		{"a last name alone", Param{Text: "Doe, ", Field: as(profile.LastFirst)}, Malformed},
		{"a PIN", Param{Text: "1234", Field: pin}, There},
		{"a PIN on tape that was a number", Param{Text: "0", Kind: leaf.Number, Field: pin}, There},
		{"two digits", Param{Text: "12", Field: pin}, Malformed},
		{"five digits", Param{Text: "12345", Field: pin}, Malformed},
		{"letters", Param{Text: "12ab", Field: pin}, Malformed},
		{"a block in hex", Param{Text: "04123FFEDCBA9876", Field: pin}, There},
		{"a block in base64", Param{Text: "BBI//ty6mHY=", Field: pin}, There},
		{"a block that is too short", Param{Text: "04123FFEDCBA98", Field: pin}, Malformed},
		{"spaces for a name", Param{Text: " \t ", Field: profile.Field{From: profile.Unique}}, Blank},
		{"a wide space", Param{Text: "\u3000"}, Blank},
		{"a word behind a space", Param{Text: " x"}, There},
		{"spaces that nobody reads", Param{Text: " ", Field: profile.Field{From: profile.Ignored}}, There},
		{"spaces for a token", Param{Text: " ", Field: profile.Field{Secret: profile.Token}}, Blank},
		{"spaces for a card number", Param{Text: " ", Field: profile.Field{Secret: profile.PAN}}, Malformed},
		{"as long as may be", Param{Text: strings.Repeat("ж", 36), Field: profile.Field{Max: 36}}, There},
		{"longer", Param{Text: strings.Repeat("a", 37), Field: profile.Field{Max: 36}}, Long},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.p.Class(at); got != tt.want {
				t.Errorf("got %c, want %c", got, tt.want)
			}
		})
	}
}

// What counts as a plain address is one for package url, too.
func TestPlainAddresses(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 8))
	plain := 0
	for range 50_000 {
		b := []byte("https://shop.example:8080/back/a?b=c&d=e")
		for range r.IntN(3) {
			b[r.IntN(len(b))] = "az09:/?#&=.~-_%@[] +"[r.IntN(20)]
		}
		text := string(b)
		if !plainAddress(text) {
			continue
		}
		plain++
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			t.Fatalf("%q is no address of the web", text)
		}
	}
	if plain < 10_000 {
		t.Errorf("%d are plain, which tells little", plain)
	}
}

// Tokens lie where they say, and hold nothing that ids do not.
func FuzzTokens(f *testing.F) {
	for _, s := range []string{
		"", "order_0a1b2c3d4e5f", "https://a.example/pay?id=06cf5599-3f17-7c86-bdbc-bd7d00a8b38b&b=%2541",
		"%", "%3", "REDACTED-token-1", strings.Repeat("-_", 40) + "1234567890",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, tok := range Tokens(s) {
			if tok.At < 0 || tok.At+len(tok.Text) > len(s) || s[tok.At:tok.At+len(tok.Text)] != tok.Text {
				t.Fatalf("a token does not lie at %d", tok.At)
			}
			if !Embeddable(tok.Text) && tok.Run {
				t.Fatalf("a run of %d characters is no id", len(tok.Text))
			}
		}
	})
}
