package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/paytape/paytape/internal/leaf"
)

// Addresses are turned in bodies of any charset, and the bodies stay in it.
func TestAddressesInOtherCharsets(t *testing.T) {
	t.Parallel()
	for _, charset := range []string{"", "utf-16le", "utf-16be", "utf-32le"} {
		t.Run("charset "+charset, func(t *testing.T) {
			t.Parallel()
			in := func(text string) string {
				coded, err := leaf.EncodeText(charset, text)
				if err != nil {
					t.Fatal(err)
				}
				return coded
			}
			header := http.Header{"Content-Type": {"application/json"}}
			m := recorder(t, fake(func(req *http.Request) (*http.Response, error) {
				body, err := io.ReadAll(req.Body)
				if want := in(`{"back":"https://sandbox.test/b","n":1.00}`); string(body) != want {
					t.Errorf("the sandbox got %q, want %q, %v", body, want, err)
				}
				if req.ContentLength != int64(len(body)) {
					t.Errorf("its length is %d, and %d are announced", len(body), req.ContentLength)
				}
				return reply(200, header.Clone(), in(`{"formUrl":"https://sandbox.test/f","n":1.00}`)), nil
			}), &tape{})
			req := request(t, "POST", "/pay/register.do", in(`{"back":"http://deck.test/b","n":1.00}`))
			req.Host = "deck.test"
			req.Header.Set("Content-Type", "application/json")
			res, body := send(t, m, req)
			if want := in(`{"formUrl":"http://deck.test/f","n":1.00}`); body != want {
				t.Errorf("the client got %q, want %q", body, want)
			}
			if res.ContentLength != int64(len(body)) || !strings.HasPrefix(res.Header.Get("Content-Type"),
				"application/json") {
				t.Errorf("it is told of %d bytes, %v", res.ContentLength, res.Header)
			}
		})
	}
}
