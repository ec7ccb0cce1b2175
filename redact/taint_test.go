package redact

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
)

func TestTaintFinds(t *testing.T) {
	const value = "s3cr3t~pässw?rd>>"
	b64, b64url := base64.StdEncoding.EncodeToString, base64.RawURLEncoding.EncodeToString
	tests := []struct {
		name, value, text string
		want              bool
	}{
		{"as it is", value, "x" + value + "y", true},
		{"hex", value, hex.EncodeToString([]byte("a" + value)), true},
		{"upper hex", value, strings.ToUpper(hex.EncodeToString([]byte(value))), true},
		{"base64", value, b64([]byte(value)), true},
		{"base64 one byte on", value, b64([]byte("a" + value + "b")), true},
		{"base64 two bytes on", value, b64([]byte("ab" + value + "cd")), true},
		{"base64 for URLs", value, b64url([]byte("z:" + value)), true},
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
			var ix taint
			ix.add(tt.value, secret{mark: "M"})
			if got := len(ix.find(tt.text)) > 0; got != tt.want {
				t.Errorf("found: %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTaintTakesAllOfABase64Text(t *testing.T) {
	var ix taint
	ix.add("tr0ub4dor-gw", secret{mark: "M"})
	token := base64.StdEncoding.EncodeToString([]byte("user:tr0ub4dor-gw"))
	text := "sent (" + token + ") again"
	hits := ix.find(text)
	if len(hits) != 1 || text[hits[0].from:hits[0].to] != token {
		t.Errorf("got %d hits, which leave a part of the text", len(hits))
	}
}

func TestTaintPrefersTheLongest(t *testing.T) {
	var ix taint
	ix.add("abcd1234", secret{mark: "short"})
	ix.add("abcd1234-and-more", secret{mark: "long"})
	hits := ix.find("x abcd1234-and-more y abcd1234")
	if len(hits) != 2 || hits[0].of.mark != "long" || hits[1].of.mark != "short" {
		t.Errorf("got %d hits in another order", len(hits))
	}
}

// BenchmarkTaint shows that the time does not grow with what is known.
func BenchmarkTaint(b *testing.B) {
	text := strings.Repeat(`{"orderId":"06cf5599-3f17-7c86-bdbc","amount":1500},`, 2000)
	for _, n := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var ix taint
			for i := range n {
				ix.add(fmt.Sprintf("sk_sandbox_%x-token-%d", i*7919, i), secret{mark: "M"})
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if ix.find(text) != nil {
					b.Fatal("found what is not there")
				}
			}
		})
	}
}
