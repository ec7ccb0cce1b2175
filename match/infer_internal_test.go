package match

import (
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/match/dates"
)

// FuzzFold checks that however a value is written, it is found as the same: what may come back
// has in common with the value what the survey compares.
func FuzzFold(f *testing.F) {
	f.Add("3f2504e0-4f89-41d3-9a0c-0305e82c3301")
	f.Add("3F2504E04F8941D39A0C0305E82C3301")
	f.Add("000034567890")
	f.Add("Sess_8f3a-99c01b")
	f.Fuzz(func(t *testing.T, text string) {
		if !oneRun(text) {
			return // letters of other alphabets have no one small form
		}
		for _, r := range renderings(text) {
			if r.apply(text) == text {
				t.Errorf("%q is written as it is by %+v", text, r)
			}
			if folded(r.apply(text)) != folded(text) {
				t.Errorf("%q and %q are folded to two", text, r.apply(text))
			}
		}
	})
}

// FuzzDateSpans checks that dates found in a text lie in it, in order, and are dates.
func FuzzDateSpans(f *testing.F) {
	f.Add("at 2026-03-31T10:30:00.500+03:00, 20260331103000 or 1774953000")
	f.Add("Tue, 31 Mar 2026 10:30:00 GMT; Tue Mar 31 10:30:00 CEST 2026; 2026-03-31")
	f.Fuzz(func(t *testing.T, text string) {
		last := 0
		for _, sp := range dates.Find(text) {
			if sp.From < last || sp.To <= sp.From || sp.To > len(text) {
				t.Fatalf("%+v in %q", sp, text)
			}
			last = sp.To
			_, ok := dates.Parse(sp.Form, text[sp.From:sp.To], time.UTC)
			number := sp.Form == profile.Compact || sp.Form == profile.Stamp
			if !ok && !number { // thirteen o'clock is a number all the same
				t.Errorf("%q is no date of form %s", text[sp.From:sp.To], sp.Form)
			}
		}
	})
}

func TestApart(t *testing.T) {
	of := func(noun, text string) *variable { return &variable{of: noun, text: text} }
	order, rrn, other := of("order", "o1"), of("rrn", "1"), of("rrn", "2")
	tests := []struct {
		name string
		a, b []*variable
		want bool
	}{
		{"nothing beside", nil, []*variable{order}, false},
		{"the same", []*variable{order, rrn}, []*variable{order}, false},
		{"another of a kind", []*variable{order, rrn}, []*variable{order, other}, true},
		{"one of several of a kind", []*variable{rrn}, []*variable{other, rrn}, false},
		{"what two threads share", []*variable{of("client", "c")}, []*variable{of("client", "c")}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := apart(tt.a, tt.b); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestOdd(t *testing.T) {
	for text, want := range map[string]bool{
		"sess_8f3a99c01b": true, "3f2504e0-4f89-41d3-9a0c-0305e82c3301": true, "9000000123": true,
		"holder-00000001": true, "a1b2c3d4e5": true, "ORD-2024-00017": true,
		"PRODUCT-GOLD-2024-EUR": false, "visa-classic-01": false, "CRCU1001AB": false,
		"APPROVED": false, "10000000000": false, "REDACTED-token-12345": false, "": false,
	} {
		if odd(text) != want {
			t.Errorf("odd(%q) is %v", text, !want)
		}
	}
}

func TestEpochLike(t *testing.T) {
	at := time.Date(2026, 3, 31, 10, 30, 0, 0, time.UTC)
	tests := []struct {
		name, text string
		at         time.Time
		want       bool
	}{
		{"seconds", "1774953000", at, true}, {"milliseconds", "1774953000123", at, true},
		{"far from the exchange", "1000000001", at, false}, {"too large", "9000000123", at, false},
		{"of another length", "177495300012", at, false},
		{"an unknown time", "1774953000", time.Time{}, true},
		{"long ago", "1000000001", time.Time{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := epochLike(tt.text, tt.at); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// TestLastWord holds lastWord against all words of a name.
func TestLastWord(t *testing.T) {
	for _, name := range []string{
		"", "id", "ID", "_", "orderId", "order_id", "orderID", "ORDER_ID", "mdOrder", "a.b>c",
		"payment-ID-2", "IDs", "x1y", "URLOf", "aB", "3DSMethod",
	} {
		want := ""
		if ws := wordsOf(name); len(ws) > 0 {
			want = ws[len(ws)-1]
		}
		if got := strings.ToLower(lastWord(name)); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
