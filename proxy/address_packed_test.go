package proxy_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

func packed(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

// zipped packs as 3-D Secure 1 does.
func zipped(t *testing.T, s string) string {
	t.Helper()
	b, err := leaf.Encode("deflate", []byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(b)
}

// unpacked is what the values of a body pack, one after the other.
func unpacked(body string) string {
	var text strings.Builder
	m := leaf.Read(leaf.Message{Body: body})
	var last *leaf.Holder
	for i := range m.Leaves {
		if h := m.Leaves[i].Packed(); h != nil && h != last {
			text.WriteString(h.Text())
			last = h
		}
	}
	return text.String()
}

// TestAddressesInPackedMessagesAndPages leads addresses to the deck that stand in a packed
// message, where no host can be read, and in the fields of a page.
func TestAddressesInPackedMessagesAndPages(t *testing.T) {
	const sandbox, deck = "https://shop.test:8443", "http://deck.test"
	message := func(at string) string { return `{"formUrl":"` + at + `/f","x":1.00}` }
	xml := func(at string) string { return "<a><formUrl>" + at + "/f</formUrl></a>" }
	page := func(at string) string {
		return `<HTML><form><INPUT value=` + at + `/f name='formUrl'><p title="` + sandbox + `">x`
	}
	tests := []struct{ name, body, want, inside string }{
		{"in a message", `{"creq":"` + packed(message(sandbox)) + `"}`,
			`{"creq":"` + packed(message(deck)) + `"}`, message(deck)},
		{"in a compressed one", `{"q":"` + zipped(t, xml(sandbox)) + `"}`, "", xml(deck)},
		{"in a page", page(sandbox), page(deck), ""},
		{"in a message in a page", `<form><input name=creq value="` + packed(message(sandbox)) + `">`,
			`<form><input name=creq value="` + packed(message(deck)) + `">`, message(deck)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tp := &tape{}
			m := recorder(t, always(200, nil, tt.body), tp, twoSandboxes(t))
			_, body := send(t, m, request(t, "POST", "/pay/register.do", "a=b"))
			if tt.want != "" && body != tt.want || unpacked(body) != tt.inside {
				t.Errorf("the client got\n%s, holding %s\nwant\n%s", body, unpacked(body), tt.want)
			}
			if got := tp.only(t).Response.Body; got != tt.body {
				t.Errorf("the tape holds %s", got)
			}
		})
	}
}

func TestAddressesInPackedMessagesAreTurnedBack(t *testing.T) {
	message := func(at string) string { return `{"url":"` + at + `/pay/x","v":"y"}` }
	want := "b=%7e&creq=" + packed(message("https://shop.test:8443"))
	got := ""
	m := recorder(t, fake(func(req *http.Request) (*http.Response, error) {
		b, err := io.ReadAll(req.Body)
		got = string(b)
		return reply(200, nil, "x"), err
	}), &tape{}, twoSandboxes(t))
	send(t, m, request(t, "POST", "/pay/register.do", "b=%7e&creq="+packed(message("http://deck.test"))))
	if got != want {
		t.Errorf("the sandbox got %s, want %s", got, want)
	}
}
