package audit_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/redact/audit"
)

// wrappings are what a card number may be under. Those that compress or make bytes of it are
// carried in base64.
var wrappings = map[string]func(string) string{
	"base64":    func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64url": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"wrapped base64": func(s string) string {
		s = base64.StdEncoding.EncodeToString([]byte(s))
		var lines []string
		for ; len(s) > 64; s = s[64:] {
			lines = append(lines, s[:64])
		}
		return strings.Join(append(lines, s), "\r\n  ")
	},
	"hex":       func(s string) string { return hex.EncodeToString([]byte(s)) },
	"upper hex": func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"percent":   escapedWith("%%%02X"),
	"JSON":      escapedWith(`\u%04x`),
	"entities":  escapedWith("&#%d;"),
	"form":      func(s string) string { return "a=b&c=" + url.QueryEscape(s) },
	"quoted":    func(s string) string { return fmt.Sprintf("%q", s) },
	"UTF-16":    func(s string) string { return packed(wide(s, binary.LittleEndian)) },
	"UTF-16 BE": func(s string) string { return packed(wide(s, binary.BigEndian)) },
	"UTF-16 with a mark": func(s string) string {
		return packed("\xff\xfe" + wide(s, binary.LittleEndian))
	},
	"gzip": func(s string) string {
		return packed(compressed(s, func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }))
	},
	"zlib": func(s string) string {
		return packed(compressed(s, func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }))
	},
	"deflate": func(s string) string {
		return packed(compressed(s, func(w io.Writer) io.WriteCloser {
			f, _ := flate.NewWriter(w, flate.BestCompression) // the level is valid
			return f
		}))
	},
}

// escapedWith writes every byte by a format.
func escapedWith(format string) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			fmt.Fprintf(&b, format, s[i])
		}
		return b.String()
	}
}

func packed(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func wide(s string, order binary.AppendByteOrder) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, u)
	}
	return string(b)
}

func compressed(s string, with func(io.Writer) io.WriteCloser) string {
	var b bytes.Buffer
	w := with(&b)
	// Writes to memory do not fail.
	_, _ = io.WriteString(w, s)
	_ = w.Close()
	return b.String()
}

// anyCard returns a number of a network that passes.
func anyCard(r *rand.Rand) string {
	for {
		digits := []string{"4", "51", "37", "2200", "62"}[r.IntN(5)]
		for length := 13 + r.IntN(7); len(digits) < length; {
			digits += fmt.Sprint(r.IntN(10))
		}
		if digits = pan.WithResidue(digits, len(digits)-1, pan.Valid); pan.IsCard(digits) {
			return digits
		}
	}
}

// forms are what a value may stand in.
var forms = []string{
	"%s", "at 10:00 paid with %s, thank you\n", `{"a":{"data":"%s"},"b":[1,2]}`,
	"<v a='1'>%s</v>", "key: value\nother:\n  - %s\n", "a=1&data=%s&b=2", "https://h.example/p/%s?x=1",
	"%s,7,8\n",
}

// TestFindInEveryEncoding wants a random card under a random chain of wrappings, in a random form,
// to be found in the line in which it stands.
func TestFindInEveryEncoding(t *testing.T) {
	var names []string
	for name := range wrappings {
		names = append(names, name)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 4000 {
		value, chain := anyCard(r), []string{}
		for range r.IntN(4) {
			name := names[r.IntN(len(names))]
			chain = append(chain, name)
			value = wrappings[name](value)
		}
		const before = "first line\n"
		form := forms[r.IntN(len(forms))]
		text := before + fmt.Sprintf(form, value)
		found := audit.Find(text)
		for len(found) > 0 && found[0].Kind != "card number" {
			found = found[1:]
		}
		if len(found) == 0 || found[0].Offset < len(before) {
			t.Fatalf("a card under %v in %q is not found in its place: %v", chain, form, found)
		}
	}
}

// TestFindAtEveryAlignment puts other letters before and after what is encoded.
func TestFindAtEveryAlignment(t *testing.T) {
	for _, name := range []string{"base64", "base64url", "hex", "gzip", "UTF-16"} {
		value := wrappings[name]("the card is " + visa)
		for _, text := range []string{
			"a/" + value, "ab_" + value, "abc-" + value, "Abcd/" + value + "/more", value + "_tail",
		} {
			if name == "hex" && strings.HasPrefix(text, "a") && text[1] != '/' {
				text = "xyz" + text
			}
			if len(audit.Find(text)) != 1 {
				t.Errorf("%s is not found in %q", name, strings.Replace(text, value, "...", 1))
			}
		}
	}
	for _, name := range []string{"zlib", "deflate"} {
		if len(audit.Find("/path/of/a/"+wrappings[name]("the card is "+visa))) != 1 {
			t.Errorf("%s in a path is not found", name)
		}
	}
}

func TestFindCardTLV(t *testing.T) {
	bcd := hex.EncodeToString([]byte{0x82, 2, 0x19, 0x80})
	odd := "378282" + "246310005"
	tests := []struct {
		name, hex string
		want      int
	}{
		{"a number", "5A08" + visa, 1},
		{"a number among tags", bcd + "5A08" + visa + "5F24" + "03301231", 1},
		{"a number of an odd length", bcd + "5a08" + odd + "f" + "5f3401019f02", 1},
		{"track 2", bcd + "5713" + visa + "D30122010000012300000F" + "9F26", 1},
		{"track 2 of a magnetic card", "9F6B13" + visa + "D30122010000012300000F", 1},
		{"a private tag", "DF0108" + visa + "00", 1},
		{"a private tag of three bytes", "DF812908" + visa + "00", 1},
		{"the length disagrees", "5A07" + visa + "0102030405", 0},
		{"another tag", "5B08" + visa + "0102030405", 0},
		{"a number that fails Luhn", "5A08" + "411111" + "1111111112" + "5F2403301231", 0},
		{"a surrogate", "5A08" + "4111110000121111" + "5F2403301231", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := hex.DecodeString(tt.hex + strings.Repeat("0", len(tt.hex)%2))
			if err != nil {
				t.Fatal(err)
			}
			for form, text := range map[string]string{
				"hex": "emv=" + tt.hex + ";", "base64": `{"emv":"` + packed(string(raw)) + `"}`,
			} {
				if form == "base64" && len(raw) < 12 {
					continue // a stretch of base64 that short is any word
				}
				if got := audit.Find(text); len(got) != tt.want {
					t.Errorf("%s: %d finds, want %d: %v", form, len(got), tt.want, got)
				}
			}
		})
	}
}

// TestFindPassesNoise wants nothing in what real traffic is full of.
func TestFindPassesNoise(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	noise := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.UintN(256))
		}
		return b
	}
	for range 20000 {
		id := hex.EncodeToString(noise(16))
		for _, text := range []string{
			base64.StdEncoding.EncodeToString(noise(20 + r.IntN(200))),
			base64.RawURLEncoding.EncodeToString(noise(32)),
			hex.EncodeToString(noise(20)), strings.ToUpper(hex.EncodeToString(noise(32))),
			id[:8] + "-" + id[8:12] + "-7" + id[13:16] + "-8" + id[17:20] + "-" + id[20:],
		} {
			for _, f := range audit.Find(text) {
				t.Fatalf("%s at %d of %q", f.Kind, f.Offset, text)
			}
		}
	}
}

// FuzzFind wants no panic, finds inside the text, and a card in base64 found whatever is about it.
func FuzzFind(f *testing.F) {
	f.Add("a "+visa+" b", " ")
	f.Add(wrappings["gzip"](strings.Repeat(visa, 9)), "\n")
	f.Add(wrappings["UTF-16"]("x")+"%31\\u0031&#49;5A08"+visa, `"`)
	f.Add("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0xMjM0NTY3ODkw.c2ln", "=")
	f.Fuzz(func(t *testing.T, text, beside string) {
		for _, found := range audit.Find(text) {
			if found.Offset < 0 || found.Offset >= len(text) || found.Kind == "" {
				t.Errorf("%+v of %d bytes", found, len(text))
			}
		}
		if strings.Trim(beside, " \t\n\"',;()[]{}<>.") == "" && beside != "" {
			if len(audit.Find(beside+wrappings["base64"](visa)+beside)) == 0 {
				t.Errorf("a card beside %q is not found", beside)
			}
		}
	})
}

// BenchmarkFindHostile audits texts made to be slow. Their speeds should be of one order.
func BenchmarkFindHostile(b *testing.B) {
	const size = 1 << 18
	r := rand.New(rand.NewPCG(5, 6))
	noise := make([]byte, size)
	for i := range noise {
		noise[i] = byte(r.UintN(256))
	}
	bomb := packed(compressed(strings.Repeat("A", 1<<20), func(w io.Writer) io.WriteCloser {
		return gzip.NewWriter(w)
	}))
	for name, text := range map[string]string{
		"base64":  base64.StdEncoding.EncodeToString(noise),
		"hex":     hex.EncodeToString(noise),
		"bombs":   strings.Repeat(bomb+" ", size/len(bomb)),
		"nested":  packed(packed(packed(packed(strings.Repeat("password=a1 ", size/40))))),
		"streams": strings.Repeat("eJwAAAAAAAAAAAAA-", size/17),
		"escapes": strings.Repeat("%25", size/3),
		"tokens":  strings.Repeat("eyJ.sk_live_AKIA.Basic ", size/23),
		"zeros":   strings.Repeat("\x00a", size/2),
		"runs":    strings.Repeat("Abcdefghijklmnopq\\n", size/19),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				audit.Find(text)
			}
		})
	}
}
