package proxy_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/proxy"
)

// TestHiddenFieldsLeadToTheDeck has pages send an address of the sandbox along in a hidden field, as a
// shop does that tells an issuer where to return to (the TermUrl of 3-D Secure 1).
func TestHiddenFieldsLeadToTheDeck(t *testing.T) {
	t.Parallel()
	const (
		acs   = `<form action="https://acs.bank.test/base/pareq">`
		atACS = `<form action="DECK/~one/_host/acs/pareq">`
		term  = `<input type="hidden" name="TermUrl" value="https://gate.test/term/1?a=1&amp;b=2">`
		deck  = `<input type="hidden" name="TermUrl" value="DECK/~one/term/1?a=1&amp;b=2">`
		shop  = `<form action="https://shop.test/r">`
	)
	for _, tt := range []struct{ name, page, want string }{
		{"a form for a sandbox", acs + term, atACS + deck},
		{"of another host, and the type behind the value",
			acs + `<input value=https://acs.bank.test/base/r name=r type=HIDDEN>`,
			atACS + `<input value=DECK/~one/_host/acs/r name=r type=HIDDEN>`},
		{"a form for the page itself", "<form method=post><p>" + term, "<form method=post><p>" + deck},
		{"the second form", shop + "</form>" + acs + term, shop + "</form>" + atACS + deck},
		{"a form for the shop, which may look at a signature", shop + term, shop + term},
		{"the second form, for the shop", acs + "</form>" + shop + term, atACS + "</form>" + shop + term},
		{"no form", term, term},
		{"a form in parts, in which nothing is turned back",
			`<form enctype="multipart/form-data">` + term, `<form enctype="multipart/form-data">` + term},
		{"a text with an address in it", acs + strings.Replace(term, "https:", "see https:", 1),
			atACS + strings.Replace(term, "https:", "see https:", 1)},
		{"a path", acs + `<input type=hidden name=r value="/base/r">`,
			atACS + `<input type=hidden name=r value="/base/r">`},
		{"an address of the shop", acs + strings.Replace(term, "gate.test", "shop.test", 1),
			atACS + strings.Replace(term, "gate.test", "shop.test", 1)},
		{"a field that people see", acs + strings.Replace(term, "hidden", "text", 1),
			atACS + strings.Replace(term, "hidden", "text", 1)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, _, bodies := browse(t, http.Header{"Content-Type": {"text/html"}}, "<html>"+tt.page)
			for i, mode := range []string{"recorded", "replayed"} {
				if diff := cmp.Diff("<html>"+tt.want, bodies[i]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", mode, diff)
				}
			}
		})
	}
}

// TestAHiddenFieldComesBackAsItWas posts the form of a page, as a browser does: the sandbox gets the value
// that it has written, for it may have signed that.
func TestAHiddenFieldComesBackAsItWas(t *testing.T) {
	t.Parallel()
	const page = `<form action="/pareq"><input type=hidden name=TermUrl value=https://gate.test/term/1>`
	var got string
	sandbox := fake(func(req *http.Request) (*http.Response, error) {
		if req.Body != nil {
			body, err := io.ReadAll(req.Body)
			got = string(body)
			return reply(200, nil, "x"), err
		}
		return reply(200, http.Header{"Content-Type": {"text/html"}}, page), nil
	})
	for _, session := range []string{"", "/~one"} {
		m := recorder(t, sandbox, &tape{}, func(o *proxy.RecordOptions) { o.Upstreams = issuer(t) })
		_, body := send(t, m, request(t, "GET", session+"/pay", ""))
		_, value, found := strings.Cut(strings.TrimSuffix(body, ">"), "value=")
		if want := "http://deck.test" + session + "/term/1"; !found || value != want {
			t.Fatalf("the page has %q, want %q", value, want)
		}
		post := request(t, "POST", session+"/pareq", "PaReq=x&TermUrl="+value)
		post.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		send(t, m, post)
		if want := "PaReq=x&TermUrl=https%3A%2F%2Fgate.test/term/1"; got != want {
			t.Errorf("the sandbox got %s, want %s", got, want)
		}
	}
}
