package redact_test

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/paytape/paytape/internal/pan"
)

// draw draws cases for properties.
type draw struct{ *rand.Rand }

func (d draw) one(list ...string) string { return list[d.IntN(len(list))] }

// card returns a number with the prefix of published test numbers, of a length that the issuer
// has, that passes Luhn.
func (d draw) card() string {
	prefix := d.one("411111", "555555", "220138", "601111", "356600", "222300", "650000")
	length := pan.KeptFirst + 10
	if d.IntN(4) == 0 {
		prefix, length = d.one("378282", "411111"), 15
		if prefix == "411111" {
			length = 19
		}
	}
	digits := prefix
	for len(digits) < length {
		digits += string(rune('0' + d.IntN(10)))
	}
	if strings.HasSuffix(digits, "0000000000") {
		digits = digits[:length-1] + "1"
	}
	return pan.WithResidue(digits, pan.KeptFirst+d.IntN(length-pan.KeptFirst), pan.Valid)
}

// randomCard is card for tests that draw nothing else.
func randomCard(rng *rand.Rand) string { return draw{rng}.card() }

// encoding is a way to write text.
type encoding struct {
	name  string
	write func(string) string
	// binary says that what is written is no text: it must be written once more.
	binary bool
	// bytes says that anything may be written so, not text alone.
	bytes bool
}

// encodings are the ways in which a value may be written into a text.
var encodings = []encoding{
	{"percent", percentAll, false, true},
	{"query", url.QueryEscape, false, true},
	{"JSON escapes", escaped(`\u%04x`), false, false},
	{"entities", escaped("&#%d;"), false, false},
	{"hex entities", escaped("&#x%X;"), false, false},
	{"JSON string", func(s string) string { return jsonOf(s) }, false, false},
	{"JSON", func(s string) string { return jsonOf(map[string]any{"a": 1, "v": s}) }, false, false},
	{"form", func(s string) string { return "a=1&v=" + url.QueryEscape(s) }, false, true},
	{"XML", func(s string) string { return "<a><v>" + s + "</v></a>" }, false, false},
	{"base64", base64Of, false, true},
	{"base64url", urlPacked, false, true},
	{"base64 in lines", inLines, false, true},
	{"hex", hexPacked, false, true},
	{"upper hex", func(s string) string { return strings.ToUpper(hexPacked(s)) }, false, true},
	{"UTF-16", wideOf, true, false},
	{"UTF-16BE", wideBigOf, true, false},
	{"gzip", gzipOf, true, true},
	{"zlib", zlibOf, true, true},
	{"deflate", deflateOf, true, false},
}

func percentAll(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}

func escaped(verb string) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for _, c := range s {
			fmt.Fprintf(&b, verb, c)
		}
		return b.String()
	}
}

// inLines is base64 as MIME has it.
func inLines(s string) string {
	var b strings.Builder
	for line := range slices.Chunk([]byte(base64Of(s)), 76) {
		b.Write(line)
		b.WriteString("\r\n")
	}
	return b.String()
}

// wideBigOf writes text as UTF-16 with the high byte first, and nothing to say so.
func wideBigOf(s string) string {
	var b []byte
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u>>8), byte(u))
	}
	return string(b)
}

func zlibOf(s string) string {
	b, err := base64.StdEncoding.DecodeString(deflated(s))
	if err != nil {
		panic(err)
	}
	return string(b)
}

// hidden is a text with a number in it.
type hidden struct {
	text  string
	steps string // what was done, for reports
	parts []string
}

// token returns a secret with no form to know it by. One of letters alone could be a word.
func (d draw) token() string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.!~"
	var b strings.Builder
	for range 12 + d.IntN(20) {
		b.WriteByte(letters[d.IntN(len(letters))])
	}
	return b.String() + d.one("7x", "Q3.", "z9")
}

// letters returns random letters and digits, without the letter that people write for them.
func (d draw) letters(n int) string {
	const alphabet = "abcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWYZ0123456789"
	var b strings.Builder
	for range n {
		b.WriteByte(alphabet[d.IntN(len(alphabet))])
	}
	return b.String()
}

// credential returns a secret that its form tells: nothing beside it says what it is.
func (d draw) credential() string {
	switch d.IntN(4) {
	case 0:
		return d.one("sk_"+"live_", "whsec_", "glpat-", "npm_", "ya29.", "xoxb-") + d.letters(40) + "q7Z"
	case 1:
		head := urlPacked(`{"alg":"HS256","typ":"JWT"}`)
		return head + "." + urlPacked(`{"sub":"`+d.letters(12)+`"}`) + "." + d.letters(43)
	case 2:
		return d.bearer()
	}
	return d.privateKey()
}

func (d draw) bearer() string { return "Bearer " + d.letters(30) + "a1B2" }

// privateKey returns a key in PEM that is none: it has the form alone.
func (d draw) privateKey() string {
	label := d.one("", "RSA ", "EC ", "ENCRYPTED ") + "PRIVATE KEY-----"
	eol := d.one("\n", "\r\n")
	text := "-----BEGIN " + label + eol
	if d.IntN(4) == 0 {
		text += "Proc-Type: 4,ENCRYPTED" + eol + "DEK-Info: AES-128-CBC,00112233445566778899AABBCCDDEEFF" +
			eol + eol
	}
	for range 3 + d.IntN(10) {
		text += d.letters(64) + eol
	}
	return text + d.letters(20) + "==" + eol + "-----END " + label
}

// hide writes a number or a token into a text, and that under up to three encodings.
func (d draw) hide(number string) hidden {
	h := hidden{text: d.said(number)}
	for left := d.IntN(4); left > 0; left-- {
		e := encodings[d.IntN(len(encodings))]
		raw := !utf8.ValidString(h.text) || strings.ContainsRune(h.text, 0)
		if e.binary && left == 1 || raw && !e.bytes {
			left++
			continue
		}
		h.text, h.steps = e.write(h.text), h.steps+", "+e.name
		if len(h.text) >= 12 && !e.binary {
			h.parts = append(h.parts, h.text)
		}
	}
	return h
}

// said is a number among other things, as people and programs write it.
func (d draw) said(number string) string {
	digits := strings.Trim(number, "0123456789") == ""
	grouped := func(by string) string {
		return number[:4] + by + number[4:8] + by + number[8:12] + by + number[12:]
	}
	switch d.IntN(8) {
	case 0:
		return "card " + number + " was refused"
	case 1:
		if digits {
			return "card " + grouped(" ") + "."
		}
	case 2:
		return "a=1&number=" + number + "&b=2"
	case 3:
		return `{"a":[1,{"acctNumber":"` + number + `"}]}`
	case 4:
		return ";" + number + "=30122010000000000?"
	case 5:
		return "<r><n>" + number + "</n></r>"
	case 6:
		if digits {
			return grouped("-")
		}
	}
	return number
}
