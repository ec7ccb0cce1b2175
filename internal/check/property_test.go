package check

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"testing"

	"github.com/paytape/paytape/internal/pan"
	"go.yaml.in/yaml/v3"
)

// chainable are encodings that what is carried in a message may be under.
var chainable = []func(string) string{
	func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	func(s string) string { return hex.EncodeToString([]byte(s)) },
	func(s string) string { return "v=" + url.QueryEscape("a b/"+s) },
	func(s string) string { return fmt.Sprintf(`{"inner":%q}`, s) },
	func(s string) string { return base64.StdEncoding.EncodeToString([]byte(zipped(s))) },
}

// fileForms write a value into a file of a kind, by its name.
var fileForms = map[string]func(t *testing.T, value string) []byte{
	"a.har": func(t *testing.T, value string) []byte {
		return marshalled(t, json.Marshal, map[string]any{"log": map[string]any{
			"version": "1.2", "entries": []any{map[string]any{
				"request":  map[string]any{"method": "GET", "url": "https://h/x"},
				"response": map[string]any{"content": map[string]any{"text": "x " + value}},
			}},
		}})
	},
	"a.yaml": func(t *testing.T, value string) []byte {
		return marshalled(t, yaml.Marshal, map[string]any{"interactions": []any{map[string]any{
			"request":  map[string]any{"method": "POST", "url": "/x", "body": "note=1"},
			"response": map[string]any{"body": "lines\nof " + value + "\n", "code": 200},
		}}})
	},
	"b.yaml": func(t *testing.T, value string) []byte {
		return marshalled(t, yaml.Marshal, map[string]any{"note": "see " + value})
	},
	"a.json": func(t *testing.T, value string) []byte {
		return marshalled(t, json.Marshal, map[string]any{"n": 1, "list": []string{value}})
	},
	"a.log": func(_ *testing.T, value string) []byte {
		return []byte("INFO got " + value + " here\n")
	},
	"a.bin": func(_ *testing.T, value string) []byte {
		return []byte("\x7fELF\x00\x01" + value + "\x00\xff")
	},
	"a.log.gz": func(_ *testing.T, value string) []byte {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		// Writes to memory do not fail.
		_, _ = w.Write([]byte("got " + value + "\n"))
		_ = w.Close()
		return b.Bytes()
	},
	"a.go": func(_ *testing.T, value string) []byte {
		return fmt.Appendf(nil, "package a\n\nconst v = %q\n", value)
	},
}

// marshalled is a document written by a library.
func marshalled(t *testing.T, marshal func(any) ([]byte, error), v any) []byte {
	t.Helper()
	data, err := marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestAuditFindsCardsInFiles hides random cards under random chains of encodings in files of every
// kind; the same files with a number that fails Luhn hold nothing.
func TestAuditFindsCardsInFiles(t *testing.T) {
	t.Parallel()
	a := newChecker(t)
	r := rand.New(rand.NewPCG(7, 8))
	for name, write := range fileForms {
		for range 60 {
			card := fmt.Sprintf("4%015d", r.Int64N(1e15))
			chain := []int{}
			for range r.IntN(4) {
				chain = append(chain, r.IntN(len(chainable)))
			}
			for _, residue := range []int{pan.Valid, pan.Surrogate} {
				value := pan.WithResidue(card, len(card)-1, residue)
				for _, n := range chain {
					value = chainable[n](value)
				}
				got := auditing(t, a, name, string(write(t, value)))
				if found := len(got) > 0 && got[0].Kind == cardKind; found != (residue == pan.Valid) {
					t.Fatalf("%s under %v, Luhn residue %d: %v", name, chain, residue, got)
				}
			}
		}
	}
}
