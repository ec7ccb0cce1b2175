package redact_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// base64Of, and the others, write a text in one encoding.
func base64Of(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func gzipOf(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close() // a buffer takes everything
	return b.String()
}

func deflateOf(s string) string {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		panic(err)
	}
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

// tlvOf is card data of EMV: the number and its track 2 equivalent.
func tlvOf(card string) string {
	return "\x9f\x06\x07\xa0\x00\x00\x00\x03\x10\x10\x5a\x08" + bcdOf(card) +
		"\x57\x0c" + bcdOf(card + "d301220100")[:12]
}

func bcdOf(digits string) string {
	b, err := hex.DecodeString(digits)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// jwtOf is a token that nobody signed well.
func jwtOf(payload string) string {
	enc := base64.RawURLEncoding.EncodeToString
	return enc([]byte(`{"alg":"HS256"}`)) + "." + enc([]byte(payload)) + "." +
		enc([]byte("signature"))
}

// TestBlobs hides secrets in text under encodings of stretches of it. The stretch goes whole,
// what stands beside it stays.
func TestBlobs(t *testing.T) {
	doc := "order 7 paid with " + visa
	long := strings.Repeat("order ", 7) + visa // the number goes over the end of a line
	tests := []struct{ name, text, want string }{
		{"base64", "see " + base64Of(doc) + ", or not", "see REDACTED-blob-1, or not"},
		{"base64 without padding", "x=" + strings.TrimRight(base64Of(doc), "="), "x=REDACTED-blob-1"},
		{"base64 over lines", "-----BEGIN-----\n" + base64Of(long)[:64] + "\n" + base64Of(long)[64:] +
			"\n-----END", "-----BEGIN-----\nREDACTED-blob-1\n-----END"},
		{"hex", "see " + hex.EncodeToString([]byte(doc)) + ".", "see REDACTED-blob-1."},
		{"twice", "see " + base64Of(base64Of(doc)) + ".", "see REDACTED-blob-1."},
		{"three times", "see " + base64Of(hex.EncodeToString([]byte(base64Of(doc)))) + ".",
			"see REDACTED-blob-1."},
		{"UTF-16 in base64", "see " + base64Of(wideOf(doc)) + ".", "see REDACTED-blob-1."},
		{"gzip in base64", "see " + base64Of(gzipOf(doc)) + ".", "see REDACTED-blob-1."},
		{"deflate in hex", "see " + hex.EncodeToString([]byte(deflateOf(doc))) + ".",
			"see REDACTED-blob-1."},
		{"TLV", "see " + hex.EncodeToString([]byte(tlvOf(visa))) + ".", "see REDACTED-blob-1."},
		{"TLV in base64", "see " + base64Of(tlvOf(visa)) + ".", "see REDACTED-blob-1."},
		{"a track", "see " + base64Of("B"+visa+"^IVANOV/IVAN^3012201000000001?") + ".",
			"see REDACTED-blob-1."},
		{"a password beside its name", "see " + base64Of("login=a&password=hunter") + ".",
			"see REDACTED-blob-1."},
		{"a document that is cut", base64Of(`{"a":1,"cvc":"784","b":`), "REDACTED-blob-1"},
		{"in a path", "/api/v1/" + base64.RawURLEncoding.EncodeToString([]byte(doc)) + "/x",
			"/api/v1/REDACTED-blob-1/x"},
		{"a JWT", "got " + jwtOf(`{"pan":"`+visa+`"}`) + " back", "got REDACTED-token-1 back"},
		{"a JWT that says nothing", "got " + jwtOf(`{"sub":"1"}`) + " back", ""},
		{"base64 that says nothing", "see " + base64Of("order 7 paid with no card at all"), ""},
		{"compressed, and nothing in it", "see " +
			base64Of(gzipOf("order 7 paid with no card at all")), ""},
		{"hex that says nothing", "see " + hex.EncodeToString([]byte(strings.Repeat("order", 9))), ""},
		{"a surrogate under an encoding", base64Of(strings.Replace(doc, visa, visa[:6]+"000511111",
			1)), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want == "" {
				tt.want = tt.text
			}
			r := redactor(t)
			if got := r.Text(tt.text).String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			x := exchange("POST", "https://h/unknown", http.Header{}, "")
			x.Response.Body = jsonOf(map[string]string{"note": tt.text})
			got := redactor(t).Clean(x).Exchange()
			if want := jsonOf(map[string]string{"note": tt.want}); got.Response.Body != want {
				t.Errorf("got %s, want %s", got.Response.Body, want)
			}
			if !got.Replayable() {
				t.Errorf("withheld %q", got.Meta.Withheld)
			}
			wantSame(t, "cleaned once and twice", got, redactor(t).Reclean(got).Exchange())
		})
	}
}

// TestBlobsTeach has what is carried inside a token or a blob be known in clear, and the other way
// round.
func TestBlobsTeach(t *testing.T) {
	const short = "41" + "56"
	for name, carrier := range map[string]string{
		"a JWT":       jwtOf(`{"acct":"` + visa + `","client_secret":"` + password + `"}`),
		"base64":      base64Of("pan=" + visa + "&password=" + password),
		"gzip":        base64Of(gzipOf("pan=" + visa + "&password=" + password)),
		"base64 of a": base64Of(base64Of(`{"pan":"` + visa + `","password":"` + password + `"}`)),
	} {
		t.Run(name, func(t *testing.T) {
			x := exchange("POST", "https://h/unknown", http.Header{"X-Auth-Token": {carrier}}, "")
			x.Response.Body = jsonOf([]string{"a" + visa + "b", password, carrier, base64Of("xx" + visa +
				short)})
			got := redactor(t).Clean(x).Exchange()
			wantNone(t, saved(t, got), visa, password, carrier)
			wantSame(t, "cleaned once and twice", got, redactor(t).Reclean(got).Exchange())
		})
	}
}

// TestBombs cleans what unfolds into more than anyone wants to read: it is not stored.
func TestBombs(t *testing.T) {
	secret := gzipOf(strings.Repeat("a", 1<<22) + visa)
	nested := visa
	for range 6 {
		nested = gzipOf(strings.Repeat("\n", 1<<18) + base64Of(nested))
	}
	many := slices.Repeat([]string{base64Of(gzipOf(strings.Repeat("b", 1<<17)))}, 2000)
	for name, value := range map[string]any{
		"one": "x " + base64Of(secret), "in another": "x " + base64Of(gzipOf(base64Of(secret))),
		"nested": "x " + base64Of(nested), "many": append(many,
			"x "+base64Of(gzipOf(strings.Repeat("c", 1<<17)+visa))),
	} {
		t.Run(name, func(t *testing.T) {
			x := exchange("POST", "https://h/unknown", http.Header{}, "")
			x.Response.Body = jsonOf(map[string]any{"a": value, "kept": 1})
			got := redactor(t).Clean(x).Exchange()
			for _, l := range got.ResponseMessage().Leaves {
				if strings.HasPrefix(l.Value, "x ") && !strings.HasPrefix(l.Value, "x REDACTED") {
					t.Error("a stretch that nobody has read to its end is stored")
				}
			}
			if !strings.HasSuffix(got.Response.Body, `"kept":1}`) {
				t.Error("more than the bomb is gone")
			}
		})
	}
}

// TestPastSeesInside has a secret be taken out of what was journalled before in an encoding.
func TestPastSeesInside(t *testing.T) {
	r := redactor(t)
	x := exchange("POST", "https://h/unknown", http.Header{}, "")
	x.Response.Body = jsonOf([]string{base64Of(gzipOf("the word is " + password + " today"))})
	before := r.Clean(x)
	clean := before.Exchange()
	if clean.Response.Body != x.Response.Body {
		t.Fatal("changed before anyone knew")
	}
	past := r.Past()
	past.Add(before)
	if past.Reached() {
		t.Error("nothing was learned yet")
	}
	r.Clean(exchange("POST", "https://h/unknown", http.Header{"X-Auth-Token": {password}}, ""))
	if !past.Reached() || !r.Stale(clean) {
		t.Error("what was learned is not looked for inside what is encoded")
	}
	if got := r.Reclean(clean).Exchange(); got.Response.Body != `["REDACTED-blob-1"]` {
		t.Errorf("cleaned again: %s", got.Response.Body)
	}
}

// FuzzBlobs puts a number into the middle of anything, and that into an encoding.
func FuzzBlobs(f *testing.F) {
	f.Add("order ", " paid", uint8(0))
	f.Add("\x00\xff", "==", uint8(3))
	f.Add("{\"a\":\"", "\"", uint8(6))
	f.Add("eyJ", ".x.", uint8(9))
	f.Fuzz(func(t *testing.T, before, after string, how uint8) {
		if len(before)+len(after) > 1<<12 {
			return
		}
		text := before + " " + visa + " " + after
		for _, bit := range []func(string) string{base64Of, gzipOf, base64Of} {
			if how&1 != 0 {
				text = bit(text)
			}
			how >>= 1
		}
		x := exchange("POST", "https://h/unknown", http.Header{}, "")
		x.Response.Body = text
		got := redactor(t).Clean(x).Exchange()
		wantNone(t, saved(t, got), visa)
		again := redactor(t).Reclean(got).Exchange()
		wantNone(t, saved(t, again), visa)
	})
}
