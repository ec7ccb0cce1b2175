package redact

import (
	"testing"

	"github.com/paytape/paytape/internal/profile"
	"github.com/paytape/paytape/redact/internal/scan"
)

// A text that was quiet before a secret was learned is searched for the secret after.
func TestQuietTextsAreSearchedForWhatIsLearned(t *testing.T) {
	const secret = "tr0ub4dor-gw"
	r := New(Options{})
	c := cleaning{state: r.s, trust: live}
	for _, text := range []string{secret, "shop " + secret + " one", "Shop-tr0ub4dor-gw"} {
		for range 5 {
			found := len(c.spans(text, asProse)) > 0 || c.holdsSecret(text, asText)
			if found || !c.isQuiet(text, asText) {
				t.Fatalf("%q is no quiet text", text)
			}
		}
	}
	r.Field(profile.Field{Secret: profile.Token}, secret)
	for _, text := range []string{secret, "shop " + secret + " one", "Shop-tr0ub4dor-gw"} {
		if !c.holdsSecret(text, asText) || len(c.spans(text, asText)) != 1 {
			t.Errorf("%q is not searched for what was learned", text)
		}
	}
}

// No text is quiet in which anything is found without having been learned, be it the first time
// that the text comes or a later time.
func TestWhatIsFoundIsNotQuiet(t *testing.T) {
	s := New(Options{}).s
	for _, text := range []string{
		"4111111111111111", "card 4111 1111 1111 1111", "4111.1111.1111.1111", "4111/1111/1111/1111",
		"password=a1b2c3d4", "PIN is 7728", "https://a:b1c2d3@h/", "sk_live_9aZ3kQ7pLm2XvB8cD4eF",
		"Basic YTp0cjB1YjRkb3ItZ3c=", "%34111111111111111", "NDExMTExMTExMTExMTExMQ==",
		"<b>41111111</b>11111111",
		"34313131313131313131313131313131",
	} {
		for range 5 {
			if s.isQuiet(text, asText) {
				t.Errorf("%q is quiet", text)
			}
		}
	}
	for _, text := range []string{"Content-Type", "TERM0001", "127.0.0.1:45678/v1/cards", "2026-11-20T13:18:00"} {
		if !s.isQuiet(text, asText) || s.isQuiet(text, asNumber) {
			t.Errorf("%q is not quiet, or is as a number", text)
		}
	}
}

// What is looked for in a text that is not quiet is not in a quiet text.
func FuzzQuiet(f *testing.F) {
	for _, text := range []string{
		"Content-Type", "card 4111 1111 1111 1111", "pin=7728", "https://a:b@h/", "NDExMTExMTExMTExMTExMQ",
		"2026-11-20T13:18:00", "427600-00.00/0012 3456", "sandbox.test/v1/apigate/ws/rest/cardStatusInquiry",
		"REF-0000001234", "eyJhbGciOiJub25lIn0.", "4111\u00a01111\u200b11111111", "код 7728", "CVC: 123",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := cleaning{state: New(Options{Prefixes: []string{"9"}}).s, trust: live}
		if !c.isQuiet(text, asText) {
			return
		}
		look := scan.LookAt(text)
		found := append(c.blobs(text, look), c.layer(text, asText, look)...)
		if look.MayEscape() || len(found) > 0 || c.layerHoldsSecret(text, asText, look) || c.grouped {
			t.Errorf("%q is quiet, and something is found in it", text)
		}
	})
}
