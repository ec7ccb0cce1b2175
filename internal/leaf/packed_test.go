package leaf_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
)

// compressed returns text in a format of compression.
func compressed(t testing.TB, format, text string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = zlib.NewWriter(&b)
	var err error
	switch format {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w, err = flate.NewWriter(&b, flate.BestCompression)
	case "fixed codes":
		w, err = flate.NewWriter(&b, flate.HuffmanOnly)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

const (
	creq  = `{"threeDSServerTransID":"8a880dc0-d2d2-4067-bcb1-b08d1690b26e","messageVersion":"2.1.0"}`
	pareq = `<ThreeDSecure><Message id="m-17"><PAReq><version>1.0.2</version>` +
		`<Purchase><xid>MDAwMDAwMDAwMDAwMDAwMDAwMDA=</xid></Purchase></PAReq></Message></ThreeDSecure>`
)

// inLines breaks base64 as mail does.
func inLines(s string) string {
	var b strings.Builder
	for len(s) > 76 {
		b.WriteString(s[:76] + "\r\n")
		s = s[76:]
	}
	return b.String() + s + "\r\n"
}

// packers are the ways in which a document may be packed.
func packers(t testing.TB) map[string]func(string) string {
	std, url := base64.StdEncoding, base64.RawURLEncoding
	return map[string]func(string) string{
		"base64":            func(s string) string { return std.EncodeToString([]byte(s)) },
		"base64 unpadded":   func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
		"base64url":         func(s string) string { return url.EncodeToString([]byte(s)) },
		"base64url padded":  func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) },
		"base64 in lines":   func(s string) string { return inLines(std.EncodeToString([]byte(s))) },
		"hex":               func(s string) string { return hex.EncodeToString([]byte(s)) },
		"upper hex":         func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
		"base64 of zlib":    func(s string) string { return std.EncodeToString([]byte(compressed(t, "zlib", s))) },
		"base64 of gzip":    func(s string) string { return std.EncodeToString([]byte(compressed(t, "gzip", s))) },
		"base64 of deflate": func(s string) string { return std.EncodeToString([]byte(compressed(t, "deflate", s))) },
		"base64 of deflate without matches": func(s string) string {
			return std.EncodeToString([]byte(compressed(t, "fixed codes", s)))
		},
		"hex of zlib": func(s string) string { return hex.EncodeToString([]byte(compressed(t, "zlib", s))) },
		"twice": func(s string) string {
			return url.EncodeToString([]byte(`{"in":"` + std.EncodeToString([]byte(s)) + `"}`))
		},
	}
}

var formHeader = http.Header{"Content-Type": {"application/x-www-form-urlencoded"}}

// holders put a value into a message.
var holders = map[string]func(string) leaf.Message{
	"form": func(v string) leaf.Message {
		return leaf.Message{Header: formHeader, Body: "a=1&v=" + url.QueryEscape(v) + "&b=%7e"}
	},
	"query": func(v string) leaf.Message { return leaf.Message{Target: "/p?v=" + url.QueryEscape(v)} },
	"json": func(v string) leaf.Message {
		return leaf.Message{Body: `{"n":1.00, "v":"` + strings.ReplaceAll(v, "\r\n", `\r\n`) + `"}`}
	},
	"page": func(v string) leaf.Message {
		return leaf.Message{Body: `<HTML><input name=v value="` + v + `"><br>x</html>`}
	},
	"text": func(v string) leaf.Message { return leaf.Message{Body: "<a><v>" + v + "</v></a>"} },
}

// find returns the leaf of a message with a key.
func find(t *testing.T, m *leaf.Message, key string) *leaf.Leaf {
	t.Helper()
	for i := range m.Leaves {
		if m.Leaves[i].Key == key {
			return &m.Leaves[i]
		}
	}
	t.Fatalf("no leaf %q among\n%s", key, listing(m))
	return nil
}

// TestPacked opens each document in each packing at each place, edits it, and reads it again.
func TestPacked(t *testing.T) {
	for how, pack := range packers(t) {
		for where, hold := range holders {
			for key, doc := range map[string]string{"messageVersion": creq, "version": pareq} {
				t.Run(how+" in a "+where+", "+key, func(t *testing.T) {
					raw := hold(pack(doc))
					m := leaf.Read(raw)
					l := find(t, m, key)
					if !strings.Contains(l.Path, ">") || l.Packed() == nil {
						t.Errorf("%s is not in a packed document", l.Path)
					}
					if got := m.Splice(nil); got.Body != raw.Body || got.Target != raw.Target {
						t.Error("splicing nothing changed the message")
					}
					const fresh = `1 "&<é` // and what it stands beside stays
					edited := m.Splice([]leaf.Edit{leaf.Whole(l, fresh)})
					again := leaf.Read(edited)
					if got := find(t, again, key); got.Value != fresh || got.Path != l.Path {
						t.Errorf("wrote %q to %s, read %q from %s", fresh, l.Path, got.Value, got.Path)
					}
					back := again.Splice([]leaf.Edit{leaf.Whole(find(t, again, key), l.Value)})
					if diff := cmp.Diff(listing(m), listing(leaf.Read(back))); diff != "" {
						t.Errorf("leaves after two edits (-want +got):\n%s", diff)
					}
					same := m.Splice([]leaf.Edit{leaf.Whole(l, l.Value)})
					if !strings.Contains(how, "of ") && (same.Body != raw.Body || same.Target != raw.Target) {
						t.Errorf("a value put in its own place gave other characters:\n%s%s",
							same.Target, same.Body)
					}
				})
			}
		}
	}
}

func TestNotPacked(t *testing.T) {
	b64 := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	tests := []struct{ name, value string }{
		{"a token of three parts", b64(`{"alg":"none"}`) + "." + b64(`{"sub":"x"}`) + ".sig"},
		{"text", b64("a plain sentence, not a document")},
		{"a broken document", b64(`{"a":1`)},
		{"markup without a value", b64(`<a></a> `)},
		{"bits beyond the end", "eyJhIjoxfR=="},
		{"bytes that are no text", b64("{\"a\":\"\xff\"}")},
		{"a stream with something behind it", b64(compressed(t, "zlib", creq) + "x")},
		{"a stream that was cut", b64(compressed(t, "zlib", creq)[:40])},
		{"hex of two cases", "7B2261223a317D"},
		{"an id", "06cf5599-3f17-7c86-bdbc-bd7d00a8b38b"},
		{"a number", "780112345678901234567890"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := leaf.Read(leaf.Message{Body: `{"v":"` + tt.value + `"}`})
			if len(m.Leaves) != 1 || m.Leaves[0].Value != tt.value || m.Leaves[0].Closed {
				t.Errorf("opened:\n%s", listing(m))
			}
		})
	}
}

func TestClosed(t *testing.T) {
	b64 := base64.StdEncoding.EncodeToString
	nested := `{"a":"x"}`
	for range leaf.MaxNesting + 1 {
		nested = `{"a":"` + b64([]byte(nested)) + `"}`
	}
	tests := []struct{ name, body string }{
		{"a bomb", `{"v":"` + b64([]byte(compressed(t, "zlib", `["`+strings.Repeat("a", 1<<19)+`"]`))) +
			`"}`},
		{"a large document", `{"v":"` + b64([]byte(`["`+strings.Repeat("a", leaf.MaxPacked)+`"]`)) +
			`"}`},
		{"too deep", nested},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := leaf.Read(leaf.Message{Body: tt.body})
			if len(m.Leaves) != 1 || !m.Leaves[0].Closed {
				t.Errorf("%d leaves, closed: %v", len(m.Leaves), m.Leaves[0].Closed)
			}
		})
	}
}

// TestManyEdits edits leaves of one packed document, of the one inside it, and beside it.
func TestManyEdits(t *testing.T) {
	b64 := base64.RawURLEncoding.EncodeToString
	inner := b64([]byte(`{"x":"1","y":"2"}`))
	m := leaf.Read(leaf.Message{Header: formHeader,
		Body: "p=" + b64([]byte(`{"a":"b","in":"`+inner+`","c":3}`)) + "&q=r"})
	var edits []leaf.Edit
	for _, key := range []string{"y", "q", "x", "c", "a"} {
		edits = append(edits, leaf.Whole(find(t, m, key), "new "+key))
	}
	got := m.Splice(edits).Body
	want := "p=" + b64([]byte(`{"a":"new a","in":"`+b64([]byte(`{"x":"new x","y":"new y"}`))+
		`","c":"new c"}`)) + "&q=new+q"
	if got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
}

// TestMayPack never says no of a message in which something is packed.
func TestMayPack(t *testing.T) {
	for how, pack := range packers(t) {
		for where, hold := range holders {
			if m := hold(pack(creq)); !leaf.MayPack(m.Body) && !leaf.MayPack(m.Target) {
				t.Errorf("%s in a %s is passed over", how, where)
			}
		}
	}
	if leaf.MayPack(`{"orderId":"06cf5599-3f17-7c86-bdbc-bd7d00a8b38b","amount":150000,"x":"PAYMENT"}`) {
		t.Error("ids and words are taken for documents")
	}
}
