package leaf_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
)

// wide writes text as UTF-16, or with four bytes a unit as UTF-32.
func wide(text string, big bool, width int) string {
	units := []rune(text)
	if width == 2 {
		units = units[:0]
		for _, u := range utf16.Encode([]rune(text)) {
			units = append(units, rune(u))
		}
	}
	var b strings.Builder
	for _, u := range units {
		for i := range width {
			shift := 8 * i
			if big {
				shift = 8 * (width - 1 - i)
			}
			b.WriteByte(byte(u >> shift))
		}
	}
	return b.String()
}

// TestDecodeText reads bodies as servers send them, and writes them again.
func TestDecodeText(t *testing.T) {
	const doc = `{"имя":"Иван 😀"}`
	const cyrillic = "\xcf\xee\xeb\xff" // Поля in windows-1251
	tests := []struct{ name, contentType, body, charset, text string }{
		{"UTF-8", "text/plain", doc, "", doc},
		{"UTF-8 that is declared otherwise", "text/plain; charset=iso-8859-1", doc, "", doc},
		{"UTF-8 with a mark", "application/json", "\ufeff{}", "", "\ufeff{}"},
		{"UTF-16 with a mark", "", wide("\ufeff"+doc, false, 2), "utf-16le", "\ufeff" + doc},
		{"UTF-16, high byte first", "", wide("\ufeff"+doc, true, 2), "utf-16be", "\ufeff" + doc},
		{"UTF-32 with a mark", "", wide("\ufeff"+doc, false, 4), "utf-32le", "\ufeff" + doc},
		{"UTF-32, high byte first", "", wide("\ufeff"+doc, true, 4), "utf-32be", "\ufeff" + doc},
		{"UTF-16 by the zeros of JSON", "application/json", wide(doc, false, 2), "utf-16le", doc},
		{"UTF-16BE by the zeros of XML", "", wide("<a>я</a>", true, 2), "utf-16be", "<a>я</a>"},
		{"UTF-16 that is declared", "text/plain;charset=UTF-16LE", wide("я", false, 2), "utf-16le",
			"я"},
		{"UTF-16 in no order said", "text/plain;charset=UTF-16", wide("a=я", true, 2), "utf-16be",
			"a=я"},
		{"UTF-16 in the other", "text/plain;charset=UTF-16", wide("a=я", false, 2), "utf-16le", "a=я"},
		{"windows-1251", `text/html; charset="Windows-1251"`, cyrillic, "windows-1251", "Поля"},
		{"a header that nobody can read", "text/html; =; charset=cp1251", cyrillic, "windows-1251",
			"Поля"},
		{"koi8-r", "text/plain; charset=KOI8-R", "\xf0\xcf\xcc\xd1", "koi8-r", "Поля"},
		{"Latin 1", "text/plain; charset=ISO-8859-1", "caf\xe9 \x80", "windows-1252", "café €"},
		{"Latin 9", "text/plain; charset=ISO-8859-15", "\xa4", "iso-8859-15", "€"},
		{"EBCDIC", "text/plain; charset=ibm037", "\xf4\xf1\xf1\xf1", "ibm037", "4111"},
		{"XML that says it", "text/xml", `<?xml version="1.0" encoding="windows-1251"?><a>` +
			cyrillic + "</a>",
			"windows-1251", `<?xml version="1.0" encoding="windows-1251"?><a>Поля</a>`},
		{"HTML that says it", "", "<html><meta charset=koi8-r>\xf0", "koi8-r",
			"<html><meta charset=koi8-r>П"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text, charset, err := leaf.DecodeText(tt.contentType, tt.body)
			if text != tt.text || charset != tt.charset || err != nil {
				t.Fatalf("got %q in %q, error %v", text, charset, err)
			}
			if back, err := leaf.EncodeText(charset, text); back != tt.body || err != nil {
				t.Errorf("encoded again: %q, error %v", back, err)
			}
		})
	}
}

func TestDecodeTextRefuses(t *testing.T) {
	tests := []struct{ name, contentType, body string }{
		{"bytes that nothing is said of", "", "caf\xe9"},
		{"a charset of several bytes", "text/plain; charset=gbk", "\xd6\xd0"},
		{"half a character", "", "\xff\xfea"},
		{"a lone surrogate", "", "\xff\xfe\x00\xd8"},
		{"a zero", "text/plain", "a\x00b"},
		{"a zero in UTF-16", "", wide("\ufeffa\x00", false, 2)},
		{"a character that is none", "text/plain; charset=windows-1253", "\xaa"},
		{"UTF-7, which seems to be ASCII", "text/html; charset=utf-7", "+ADw-b+AD4-"},
		{"a picture", "image/jpeg", "\xff\xd8\xff\xe0\x00\x10JFIF"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if text, charset, err := leaf.DecodeText(tt.contentType, tt.body); err == nil {
				t.Errorf("got %q in %q", text, charset)
			}
		})
	}
}

func TestEncodeText(t *testing.T) {
	if got, err := leaf.EncodeText("koi8-r", "é П"); got != "? \xf0" || err != nil {
		t.Errorf("got %q, error %v", got, err)
	}
	if _, err := leaf.EncodeText("x-other", "a"); err == nil {
		t.Error("a charset that nobody knows was encoded")
	}
}

// TestCharsetsOfValues reads values of forms, and packed documents, in other charsets than
// UTF-8; an edit stays in them.
func TestCharsetsOfValues(t *testing.T) {
	cp1251 := http.Header{"Content-Type": {"application/x-www-form-urlencoded; charset=windows-1251"}}
	pack := base64.StdEncoding.EncodeToString
	tests := []struct {
		name     string
		in       leaf.Message
		at, want string // the leaf, and the body once its value is "Я1"
	}{
		{"a declared form", leaf.Message{Header: cp1251, Body: "a=%CF+%ee&b=1"}, "a П о", "a=%DF1&b=1"},
		{"UTF-16 with a mark", leaf.Message{Body: "a=%FF%FE%1f%04&b=1"}, "a П",
			"a=%FF%FE%2F%041%00&b=1"},
		{"a document in UTF-16", leaf.Message{Body: `{"p":"` + pack([]byte(wide("\ufeff"+`{"a":"П"}`,
			true, 2))) + `"}`},
			"p>a П", `{"p":"` + pack([]byte(wide("\ufeff"+`{"a":"Я1"}`, true, 2))) + `"}`},
		{"a document that says it",
			leaf.Message{Body: `{"p":"` + pack([]byte("<?xml encoding='koi8-r'?><a>\xf0</a>")) + `"}`},
			"p>a П", `{"p":"` + pack([]byte("<?xml encoding='koi8-r'?><a>\xf11</a>")) + `"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := leaf.Read(tt.in)
			path, value, _ := strings.Cut(tt.at, " ")
			for i := range m.Leaves {
				l := &m.Leaves[i]
				if l.Path != path {
					continue
				}
				if l.Value != value {
					t.Errorf("read %q, want %q", l.Value, value)
				}
				out := m.Splice([]leaf.Edit{leaf.Whole(l, "Я1")})
				if diff := cmp.Diff(tt.want, out.Body); diff != "" {
					t.Errorf("body (-want +got):\n%s", diff)
				}
				return
			}
			t.Errorf("no leaf %q among\n%s", path, listing(m))
		})
	}
}

// FuzzDecodeText checks that what is decoded encodes to the same bytes, and is text.
func FuzzDecodeText(f *testing.F) {
	f.Add("text/html; charset=windows-1251", "\xcf\xee")
	f.Add("", wide("\ufeff<a/>", true, 2))
	f.Add("application/json; charset=utf-16", wide(`{"a":1}`, false, 2))
	f.Fuzz(func(t *testing.T, contentType, body string) {
		text, charset, err := leaf.DecodeText(contentType, body)
		if err != nil {
			if text != "" || charset != "" {
				t.Fatal("an error came with something else")
			}
			return
		}
		if strings.ContainsRune(text, 0) {
			t.Fatal("text with a zero in it")
		}
		if back, err := leaf.EncodeText(charset, text); back != body || err != nil {
			t.Fatalf("%q came back as %q, error %v", body, back, err)
		}
	})
}

// TestDecodeTextByLabel takes labels from the index of the WHATWG, and from servers that have their
// own.
func TestDecodeTextByLabel(t *testing.T) {
	t.Parallel()
	for _, label := range []string{"windows-1251", "CP1251", "x-cp1251", "win1251", "ansi-1251"} {
		text, charset, err := leaf.DecodeText("text/plain; charset="+label, "\xcf\xee\xeb\xff")
		if err != nil || text != "Поля" || charset != "windows-1251" {
			t.Errorf("label %q: charset %q, %v", label, charset, err)
		}
	}
	if _, _, err := leaf.DecodeText("text/plain; charset=gb18030", "\xcf\xee\xeb\xff"); err == nil {
		t.Error("a charset of several bytes for a character is decoded")
	}
}
