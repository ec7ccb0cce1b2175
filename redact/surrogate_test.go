package redact_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact"
)

func TestField(t *testing.T) {
	tests := []struct {
		name string
		kind profile.Sensitivity
		in   string
		want string
	}{
		{"a card", profile.PAN, visa, "4111110000121111"},
		{"grouped", profile.PAN, "4111 1111-" + "1111 1111", "4111 1100-0012 1111"},
		{"one that fails Luhn", profile.PAN, "4111111111111112", "4111110000191112"},
		{"thirteen digits", profile.PAN, "422222" + "2222222", "4222220112222"},
		{"twelve digits", profile.PAN, "500000000009", "500000130009"},
		{"eleven digits have no room", profile.PAN, "50000000001", "REDACTED-pan-1"},
		{"twenty digits are none", profile.PAN, "41111111111111111111", "REDACTED-pan-1"},
		{"a live number that looks like ours", profile.PAN, "4111110000121111", "4111110000101111"},
		{"no number", profile.PAN, "visa ending in 1111", "REDACTED-pan-1"},
		{"a mask that shows too much", profile.PAN, "411111111111**11", "REDACTED-pan-1"},
		{"a mask", profile.PAN, "4111 11** **** 1111", "4111 11** **** 1111"},
		{"a template", profile.PAN, "4276000000000000", "4276000000000000"},
		{"a CVC", profile.CVC, "123", "000"},
		{"a CVC of four digits", profile.CVC, "1234", "000"},
		{"a ciphered CVC", profile.CVC, "a1b2", "REDACTED-cvc"},
		{"a PIN", profile.PIN, "123456", "0000"},
		{"a PIN block", profile.PIN, "8F2A", "REDACTED-pin"},
		{"a track", profile.Track, visa + "=2512101", "REDACTED-track"},
		{"a key", profile.Key, "U0123456789ABCDEF", "REDACTED-key"},
		{"a token", profile.Token, "abc", "REDACTED-token-1"},
		{"a packed message", profile.Blob, "eyJhIjoxfQ", "REDACTED-blob-1"},
		{"a name", profile.Name, "IVAN IVANOV", "TAPERA TEST"},
		{"a last name first", profile.Name, "Doe,Jo", "Tapera, Test"},
		{"a long last name first", profile.Name, "de la Cruz Lopez, Ana Maria", "tapera Test, Test"},
		{"last, first", profile.Name, "Ivanov, Ivan", "Tapera, Test"},
		{"a name in another script", profile.Name, "Иван", "Tapera"},
		{"a phone", profile.Phone, "+7 (916) 123-45-67", "+9 (990) 000-00-01"},
		{"a phone that is prose", profile.Phone, "ask at 5", "9990000001"},
		{"mail", profile.Email, "a.b@shop.example", "taper1@example.com"},
		{"a street", profile.Address, "12, High Road", "Taper street 1"},
		{"a postal code", profile.Address, "123456", "000001"},
		{"a state", profile.Address, "NY", "ZZ"},
		{"a birth date", profile.Birth, "1980-05-17", "1900-01-02"},
		{"a compact birth date", profile.Birth, "19800517", "19000102"},
		{"a birth date in words", profile.Birth, "May 1980", "REDACTED-birth-1"},
		{"a passport", profile.Document, "AB 123456", "ZZ 000001"},
		{"an address", profile.IP, "10.1.2.3", "192.0.2.2"},
		{"an address of IPv6", profile.IP, "fe80::1", "2001:db8::1"},
		{"nothing", profile.Token, " ", " "},
		{"no secret", profile.NotSecret, "rrn 003456789012", "rrn 003456789012"},
		{"a card where none is expected", profile.NotSecret, "x " + visa, "x 4111110000121111"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := redactor(t).Field(profile.Field{Secret: tt.kind}, tt.in).String()
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSurrogateResidues(t *testing.T) {
	r := redactor(t)
	numbers := []string{visa, master, amex, "4111111111111112", "555555" + "5555555590"}
	for n, number := range numbers {
		got := r.Field(profile.Field{Secret: profile.PAN}, number).String()
		want := pan.Broken
		if pan.Residue(number) == pan.Valid {
			want = pan.Surrogate
		}
		if r := pan.Residue(got); r != want {
			t.Errorf("number %d: residue %d, want %d", n, r, want)
		}
		last := len(number) - 4
		if len(got) != len(number) || got[:6] != number[:6] || got[last:] != number[last:] {
			t.Errorf("number %d lost its ends or its length", n)
		}
	}
}

func TestOrdinalsOverflow(t *testing.T) {
	r := redactor(t)
	field := profile.Field{Secret: profile.PAN}
	seen := map[string]bool{}
	for i := range 150 {
		got := r.Field(field, fmt.Sprintf("422222%03d2222", i)).String()
		if seen[got] {
			t.Fatalf("number %d shares its surrogate", i)
		}
		seen[got] = true
		if marker := strings.HasPrefix(got, "REDACTED-pan-"); marker != (i >= 99) {
			t.Fatalf("number %d: marker %v", i, marker)
		}
	}
}

func TestJSONTypesAreKept(t *testing.T) {
	x := exchange("POST", "https://h/unknown", http.Header{"Content-Type": {"application/json"}},
		`{"pan":`+visa+`,"cvv2":123,"pin":1234,"password":12345678}`)
	got := redactor(t).Clean(x).Exchange().Request.Body
	want := `{"pan":4111110000121111,"cvv2":0,"pin":0,"password":"REDACTED-token-1"}`
	if got != want {
		t.Errorf("got %s", got)
	}
}

func TestResume(t *testing.T) {
	first := redactor(t).Clean(checkout(visa, "123"))
	r := redactor(t)
	r.Resume(slices.Values([]redact.Clean{{}, first}))
	got := r.Clean(checkout("400000"+"5555551111", "123")).Exchange()
	want := []string{
		"request form $CVC: cvc", "request form $PAN: pan 2", "request form TEXT: name 2",
		"request form password: token 2",
	}
	if diff := cmp.Diff(want, got.Meta.Redactions); diff != "" {
		t.Errorf("redactions (-want +got):\n%s", diff)
	}
}

// TestResumeAvoidsTakenSurrogates loses the notes, as an edited file may have.
func TestResumeAvoidsTakenSurrogates(t *testing.T) {
	first := redactor(t).Clean(checkout(visa, "123"))
	first.Exchange().Meta.Redactions = nil
	r := redactor(t)
	r.Resume(slices.Values([]redact.Clean{first}))
	twin := pan.WithResidue("411111"+"9999991111", 11, pan.Valid) // another with the same ends
	got := r.Clean(checkout(twin, "123")).Exchange().Request.Form.Get("$PAN")
	if got == first.Exchange().Request.Form.Get("$PAN") {
		t.Error("two cards have one surrogate")
	}
}

func TestConcurrentUse(t *testing.T) {
	r := redactor(t)
	var wg sync.WaitGroup
	pans := make([]string, 8)
	for i := range pans {
		wg.Go(func() {
			for n := range 20 {
				x := checkout(visa, "123")
				x.Response.Body = fmt.Sprintf(`{"token":"distinct-%d-%d","m":"%s"}`, i, n, password)
				got := r.Clean(x).Exchange()
				pans[i] = got.Request.Form.Get("$PAN")
				wantNone(t, saved(t, got), visa, password)
			}
		})
	}
	wg.Wait()
	for _, p := range pans {
		if p != pans[0] {
			t.Error("one card has two surrogates")
		}
	}
}

// TestLongSurrogatesOfOldTapes wants a surrogate that an older version gave out to stay, though a stretch
// of it passes for a card, and the numbering to go on behind it.
func TestLongSurrogatesOfOldTapes(t *testing.T) {
	d := draw{rand.New(rand.NewPCG(15, 5))}
	seen := 0
	for range 300 {
		digits := "622126" + fmt.Sprintf("0000000%d", 1+d.IntN(9)) + "0" + fmt.Sprintf("%04d", d.IntN(1e4))
		old := pan.WithResidue(digits, len(digits)-pan.KeptLast-1, pan.Surrogate)
		if !pan.HoldsCard(old) {
			continue
		}
		seen++
		x := exchange("POST", "https://h/unknown", http.Header{}, "")
		x.Response.Body = `{"pan":"` + old + `"}`
		r := redactor(t)
		if got := r.Reclean(x).Exchange().Response.Body; got != x.Response.Body {
			t.Fatalf("%s became %s", x.Response.Body, got)
		}
		x.Response.Body = `{"pan":"` + pan.WithResidue(digits, len(digits)-1, pan.Valid) + `"}`
		if got := r.Clean(x).Exchange().Response.Body; strings.Contains(got, old) {
			t.Fatalf("another card got the surrogate %s", old)
		}
	}
	if seen < 10 {
		t.Errorf("only %d surrogates hold a card", seen)
	}
}
