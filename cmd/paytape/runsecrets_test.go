package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"
)

// runSecrets are the secrets of a run by where they are put. Everything that a process wrote is
// searched for them.
type runSecrets map[string]string

// newRunSecrets returns secrets that occur nowhere by accident.
func newRunSecrets() runSecrets {
	c := runSecrets{
		"card in a field": paidCard, "card in a path": "555555" + "5555555599",
		"card in a header's name": "378282" + "246310005", "card as a number": "401200" + "1038166662",
		"CVC": "7849", "PIN": "772851",
	}
	for _, place := range []string{
		"query", "form", "JSON", "bearer", "basic", "key", "cookie", "proxy", "referer", "referer query",
		"fragment", "trailer", "part", "absolute", "bad escape", "odd bytes", "text", "set-cookie",
		"location", "location query", "answer", "answer's trailer", "malformed", "cut", "refused",
		"no TLS", "XML", "session",
	} {
		c[place] = "c4n-" + hex.EncodeToString([]byte(place))
	}
	return c
}

// writtenForms returns the ways in which a secret may be written, by their names.
func writtenForms(secret string) map[string][]byte {
	hexed := hex.EncodeToString([]byte(secret))
	forms := map[string][]byte{
		"plain": []byte(secret), "percent": []byte(url.QueryEscape(secret)), "hex": []byte(hexed),
		"upper hex": []byte(strings.ToUpper(hexed)),
		"UTF-16":    utf16Of(secret, binary.LittleEndian), "UTF-16 BE": utf16Of(secret, binary.BigEndian),
		"every byte escaped": escapeAll(secret, "%%%02x"), "in JSON": escapeAll(secret, `\u%04x`),
		"entities": escapeAll(secret, "&#%d;"), "quoted": escapeAll(secret, `\x%02x`),
	}
	for shift := range 3 {
		padded := append(make([]byte, shift), secret...)
		core := base64.RawStdEncoding.EncodeToString(padded)[(8*shift+5)/6 : 8*len(padded)/6]
		forms[fmt.Sprintf("base64, %d", shift)] = []byte(core)
	}
	return forms
}

func utf16Of(s string, order binary.AppendByteOrder) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune(s)) {
		b = order.AppendUint16(b, unit)
	}
	return b
}

func escapeAll(s, format string) []byte {
	var b bytes.Buffer
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.Bytes()
}

// search fails the test for every secret in a text. It names the secret by its place, and does
// not print it.
func (c runSecrets) search(t *testing.T, where string, text []byte) {
	t.Helper()
	for place, secret := range c {
		for form, b := range writtenForms(secret) {
			for at := range indexes(text, b) {
				// Digits inside a longer number are another number.
				if numeric(string(b)) && (digitAt(text, at-1) || digitAt(text, at+len(b))) {
					continue
				}
				t.Errorf("%s: the secret of %q, %s, at byte %d", where, place, form, at)
				break
			}
		}
	}
}

// indexes yields where b is in text.
func indexes(text, b []byte) func(func(int) bool) {
	return func(yield func(int) bool) {
		for from := 0; ; {
			at := bytes.Index(text[from:], b)
			if at < 0 || !yield(from+at) {
				return
			}
			from += at + 1
		}
	}
}

func numeric(s string) bool { return strings.Trim(s, "0123456789") == "" }

func digitAt(b []byte, i int) bool { return i >= 0 && i < len(b) && b[i]-'0' <= 9 }

// searchFiles searches all files below a folder, and their names.
func (c runSecrets) searchFiles(t *testing.T, folder string) (files int) {
	t.Helper()
	err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		files++
		c.search(t, "the name "+filepath.Base(file), []byte(file))
		c.search(t, filepath.Base(file), data)
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return files
}

// A search that finds nothing anywhere would look the same as files without secrets.
func TestRunSecretsAreFound(t *testing.T) {
	t.Parallel()
	forms := writtenForms("c4n-1")
	if len(forms) < 13 {
		t.Fatalf("%d ways to write a secret", len(forms))
	}
	for form, b := range forms {
		text := append([]byte("x "), append(b, " y"...)...)
		found := 0
		for range indexes(text, b) {
			found++
		}
		if found != 1 {
			t.Errorf("%s: found %d times", form, found)
		}
	}
}
