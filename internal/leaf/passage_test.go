package leaf_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

// addresses put a packed message into an address.
var addresses = map[string]func(string) string{
	"a parameter": func(v string) string {
		return "https://acs.example/auth?a=1&creq=" + url.QueryEscape(v) + "&b=2"
	},
	"padding as it is": func(v string) string { return "https://acs.example/auth?creq=" + v },
	"a path":           func(v string) string { return "/acs/auth?creq=" + url.QueryEscape(v) + "#top" },
	"an address in an address": func(v string) string {
		inner := "https://acs.example/auth?creq=" + url.QueryEscape(v)
		return "https://shop.example/r?a=1&back=" + url.QueryEscape(inner)
	},
	"three levels": func(v string) string {
		inner := url.QueryEscape("https://acs.example/auth?creq=" + url.QueryEscape(v))
		return "https://shop.example/r?back=" + url.QueryEscape("https://x.example/?to="+inner)
	},
	"a form":     func(v string) string { return "MD=1&creq=" + url.QueryEscape(v) },
	"a sentence": func(v string) string { return "please open https://acs.example/?creq=" + v + ", then wait" },
	"a script":   func(v string) string { return `var f = {'creq': '` + v + `'};` },
}

// addressed are messages that hold a value.
var addressed = map[string]func(string) leaf.Message{
	"json": func(v string) leaf.Message {
		return leaf.Message{Body: `{"n":1.00, "v":"` + strings.ReplaceAll(v, "/", `\/`) + `"}`}
	},
	"page": func(v string) leaf.Message {
		return leaf.Message{Body: `<html><form action="` + strings.ReplaceAll(v, "&", "&amp;") +
			`">x</form></html>`}
	},
	"form":  func(v string) leaf.Message { return leaf.Message{Header: formHeader, Body: "v=" + url.QueryEscape(v)} },
	"query": func(v string) leaf.Message { return leaf.Message{Target: "/p?v=" + url.QueryEscape(v)} },
	"header": func(v string) leaf.Message {
		return leaf.Message{Header: http.Header{"Link": {"<" + v + ">; rel=next"}}}
	},
	"text": func(v string) leaf.Message { return leaf.Message{Body: "go to " + v} },
}

// TestPassages finds a packed message in an address, wherever that is; the address stays a leaf.
// An edit of it changes the message alone, and putting it back changes nothing.
func TestPassages(t *testing.T) {
	packs := map[string]string{
		"base64url": base64.RawURLEncoding.EncodeToString([]byte(creq)),
		"base64":    base64.StdEncoding.EncodeToString([]byte(creq)),
	}
	for packing, packed := range packs {
		for how, address := range addresses {
			for where, message := range addressed {
				t.Run(packing+" in "+how+" in a "+where, func(t *testing.T) {
					raw := message(address(packed))
					m := leaf.Read(raw)
					l := find(t, m, "messageVersion")
					h := l.Passage()
					if h == nil || h.Leaf.Key != "creq" {
						t.Fatalf("%s lies in no passage", l.Path)
					}
					n, from, to := h.Part()
					if got := m.Leaves[n].Value[from:to]; !strings.Contains(got, packed[:20]) || len(got) > 2*len(packed) {
						t.Errorf("the passage is %q", got)
					}
					fresh := strings.Replace(creq, "2.1.0", "2.2.0&/", 1)
					edited := m.Splice([]leaf.Edit{leaf.Whole(l, "2.2.0&/")})
					again := find(t, leaf.Read(edited), "messageVersion")
					if again.Passage().Text() != fresh {
						t.Errorf("edited to %s", again.Passage().Text())
					}
					if same := m.Splice([]leaf.Edit{leaf.Whole(l, l.Value)}); !sameBytes(same, raw) {
						t.Errorf("the same value: %s %s", same.Target, same.Body)
					}
					// The address as a whole goes before what is in it.
					both := m.Splice([]leaf.Edit{leaf.Whole(l, "x"), leaf.Whole(&m.Leaves[n], "gone")})
					if !strings.Contains(both.Target+both.Body+both.Header.Get("Link"), "gone") ||
						strings.Contains(both.Target+both.Body+both.Header.Get("Link"), packed[:20]) {
						t.Errorf("both edited: %s %s", both.Target, both.Body)
					}
				})
			}
		}
	}
}

func sameBytes(a, b leaf.Message) bool {
	return a.Target == b.Target && a.Body == b.Body && a.Header.Get("Link") == b.Header.Get("Link")
}

// TestEscapedDocuments reads a document that lies in an address under percent escapes.
func TestEscapedDocuments(t *testing.T) {
	m := leaf.Read(leaf.Message{Header: http.Header{"Location": {"/a?x=1",
		"https://a.example/?d=" + url.QueryEscape(`{"orderId":"06cf5599","c":"1\n"}`) + "&z=1"}}})
	l := find(t, m, "orderId")
	if l.Value != "06cf5599" || l.Packed() != nil || l.Passage() == nil {
		t.Errorf("%s is %q", l.Path, l.Value)
	}
	out := m.Splice([]leaf.Edit{leaf.Whole(l, `new"`), leaf.Whole(find(t, m, "c"), "2")})
	want := "https://a.example/?d=%7B%22orderId%22%3A%22new%5C%22%22%2C%22c%22%3A%222%22%7D&z=1"
	if got := out.Header["Location"][1]; got != want {
		t.Errorf("got %s", got)
	}
}

// TestNoPassages has texts whose parts are no documents.
// TestNameOfAnEscapedPassage has the name stand before the first escape: it is the passage's,
// not that of the header.
func TestNameOfAnEscapedPassage(t *testing.T) {
	document := "<a><b>a value that is long</b></a>"
	for range 3 {
		document = url.QueryEscape(document)
		m := leaf.Read(leaf.Message{Header: http.Header{"Set-Cookie": {"s=1; Path=/?v=" + document}}})
		if h := find(t, m, "b").Passage(); h == nil || h.Leaf.Key != "v" {
			t.Errorf("the passage in %s has another name", document)
		}
	}
}

func TestNoPassages(t *testing.T) {
	for _, v := range []string{
		"https://shop.example/return?orderId=06cf5599-3f17-7c86-bdbc-bd7d00a8b38b&lang=en",
		"https://a.example/?back=https%3A%2F%2Fb.example%2F%3ForderId%3D06cf5599-3f17-7c86-bdbc",
		"a=eyJhbGciOiJub25lIn0=.eyJzdWIiOiJ4In0=.sig&b=1",
		"token=eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.sig",
		"?x=%7B%22a%22%3A%7D%20%20%20%20%20", "100%=" + strings.Repeat("%", 40),
	} {
		m := leaf.Read(leaf.Message{Body: `{"v":"` + v + `"}`})
		if len(m.Leaves) != 1 || m.Leaves[0].Value != v {
			t.Errorf("opened:\n%s", listing(m))
		}
	}
}
