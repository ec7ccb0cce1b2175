package taint

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/paytape/paytape/redact/surrogate"
)

func TestTaintFinds(t *testing.T) {
	const password = "s3cr3t~pässw?rd>>"
	b64, b64url := base64.StdEncoding.EncodeToString, base64.RawURLEncoding.EncodeToString
	tests := []struct {
		name, value, text string
		want              bool
	}{
		{"as it is", password, "x" + password + "y", true},
		{"hex", password, hex.EncodeToString([]byte("a" + password)), true},
		{"upper hex", password, strings.ToUpper(hex.EncodeToString([]byte(password))), true},
		{"base64", password, b64([]byte(password)), true},
		{"base64 one byte on", password, b64([]byte("a" + password + "b")), true},
		{"base64 two bytes on", password, b64([]byte("ab" + password + "cd")), true},
		{"base64 for URLs", password, b64url([]byte("z:" + password)), true},
		{"eight bytes in base64", "a1b2c3d4", b64([]byte("user:a1b2c3d4!")), true},
		{"too short", "a1b2c3d", "a1b2c3d", false},
		{"a dictionary word", "Merchant", "the Merchant", false},
		{"one character", "--------", "a --------- line", false},
		{"a word between others", "topsecretword", "say topsecretword, please", true},
		{"a word inside another", "topsecretword", "mytopsecretwords", false},
		{"digits between others", "12345678", "n 12345678.", true},
		{"digits inside others", "12345678", "0123456789", false},
		{"inside a marker of ours", "REDACTED-token", "REDACTED-token-1", false},
		{"the text of a marker elsewhere", "REDACTED-tokenish", "a REDACTED-tokenish b", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var ix Matcher
			ix.Add(tt.value, surrogate.Value{Text: "M"})
			if got := len(ix.Find(tt.text)) > 0; got != tt.want {
				t.Errorf("found: %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTaintTakesAllOfABase64Text(t *testing.T) {
	var ix Matcher
	ix.Add("tr0ub4dor-gw", surrogate.Value{Text: "M"})
	token := base64.StdEncoding.EncodeToString([]byte("user:tr0ub4dor-gw"))
	text := "sent (" + token + ") again"
	hits := ix.Find(text)
	if len(hits) != 1 || text[hits[0].From:hits[0].To] != token {
		t.Errorf("got %d hits, which leave a part of the text", len(hits))
	}
}

func TestTaintPrefersTheLongest(t *testing.T) {
	var ix Matcher
	ix.Add("abcd1234", surrogate.Value{Text: "short"})
	ix.Add("abcd1234-and-more", surrogate.Value{Text: "long"})
	hits := ix.Find("x abcd1234-and-more y abcd1234")
	if len(hits) != 2 || hits[0].By.Text != "long" || hits[1].By.Text != "short" {
		t.Errorf("got %d hits in another order", len(hits))
	}
}

// BenchmarkTaint shows that the time does not grow with what is known.
func BenchmarkTaint(b *testing.B) {
	text := strings.Repeat(`{"orderId":"06cf5599-3f17-7c86-bdbc","amount":1500},`, 2000)
	for _, n := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var ix Matcher
			for i := range n {
				ix.Add(fmt.Sprintf("sk_sandbox_%x-token-%d", i*7919, i), surrogate.Value{Text: "M"})
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if ix.Find(text) != nil {
					b.Fatal("found what is not there")
				}
			}
		})
	}
}

// A text that is searched in stretches has the secrets that it has as a whole, wherever it is cut.
func TestTaintFindsInStretches(t *testing.T) {
	var ix Matcher
	ix.Add("tr0ub4dor-gw", surrogate.Value{Text: "M"})
	ix.Add("k-93f1c0de-77aa", surrogate.Value{Text: "N"})
	text := "a tr0ub4dor-gw,k-93f1c0de-77aak-93f1c0de-77aa " +
		base64.StdEncoding.EncodeToString([]byte("user:tr0ub4dor-gw")) + " tr0ub4dor-gw"
	want := fmt.Sprintf("%d", places(ix.Find(text)))
	for size := 1; size <= len(text); size++ {
		var hits []Hit
		for from := 0; from < len(text); from += size {
			hits = ix.FindIn(hits, text, from, min(from+size, len(text)))
		}
		if got := fmt.Sprintf("%d", places(WithoutOverlaps(hits))); got != want {
			t.Errorf("in stretches of %d bytes: %s, want %s", size, got, want)
		}
	}
}

func places(hits []Hit) (list [][2]int) {
	for _, h := range hits {
		list = append(list, [2]int{h.From, h.To})
	}
	return list
}
