package sandbox_test

import (
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
)

// tab is a browser without scripts: it opens pages, follows redirects within the stand-in and
// sends forms. At the shop's own address it stops.
type tab struct {
	c      *client
	at     *url.URL
	status int
	header http.Header
	page   string // empty at the shop
}

func (c *client) open(address string) *tab {
	c.t.Helper()
	t := &tab{c: c, at: &url.URL{}}
	t.visit("GET", address, nil)
	return t
}

// post opens a page by a form that the shop has made.
func (c *client) post(address string, pairs ...string) *tab {
	c.t.Helper()
	t := &tab{c: c, at: &url.URL{}}
	t.visit("POST", address, values(pairs))
	return t
}

func values(pairs []string) url.Values {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

func (t *tab) visit(method, address string, form url.Values) {
	t.c.t.Helper()
	quiet := &http.Client{
		Transport:     t.c.http.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	for range 10 {
		next, err := t.at.Parse(address)
		if err != nil {
			t.c.t.Fatal("an address cannot be read")
		}
		t.at, t.page, t.status, t.header = next, "", 0, nil
		if !strings.HasPrefix(t.at.String(), t.c.base+"/") {
			return // at the shop
		}
		r, err := http.NewRequest(method, t.at.String(), strings.NewReader(form.Encode()))
		if err != nil {
			t.c.t.Fatal("a request cannot be made")
		}
		r.Header.Set("Content-Type", formType)
		resp, err := quiet.Do(r)
		if err != nil {
			t.c.t.Fatal("a page cannot be loaded")
		}
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.c.t.Fatal("a page cannot be read")
		}
		_ = resp.Body.Close()
		t.page, t.status, t.header = string(text), resp.StatusCode, resp.Header
		if resp.StatusCode != http.StatusSeeOther {
			return
		}
		method, address, form = "GET", resp.Header.Get("Location"), nil
	}
	t.c.t.Fatal("the redirects do not end")
}

var (
	formTag  = regexp.MustCompile(`<form method="post" action="([^"]*)"`)
	inputTag = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)
)

// hidden is a hidden field of the page.
func (t *tab) hidden(name string) string {
	for _, m := range inputTag.FindAllStringSubmatch(t.page, -1) {
		if m[1] == name {
			return html.UnescapeString(m[2])
		}
	}
	return ""
}

// send fills in the form of the page and sends it.
func (t *tab) send(pairs ...string) *tab {
	t.c.t.Helper()
	m := formTag.FindStringSubmatch(t.page)
	if m == nil {
		t.c.t.Fatalf("there is no form at %s", t.at.Path)
	}
	form := values(pairs)
	for _, field := range inputTag.FindAllStringSubmatch(t.page, -1) {
		if !form.Has(field[1]) {
			form.Set(field[1], html.UnescapeString(field[2]))
		}
	}
	t.visit("POST", html.UnescapeString(m[1]), form)
	return t
}

// shows checks that a page has a text.
func (t *tab) shows(text string) *tab {
	t.c.t.Helper()
	if !strings.Contains(t.page, text) {
		t.c.t.Errorf("the page at %s does not show %q", t.at.Path, text)
	}
	return t
}

// atShop checks that the tab has left for an address of the shop with orderId and lang.
func (t *tab) atShop(path, orderID string) {
	t.c.t.Helper()
	want := url.Values{"orderId": {orderID}, "lang": {"en"}}.Encode()
	if t.at.Host != "shop.example" || t.at.Path != path || t.at.Query().Encode() != want {
		t.c.t.Errorf("the browser is at %s%s, want the shop's %s with orderId and lang",
			t.at.Host, t.at.Path, path)
	}
}

// acsPassword is what the page of the ACS asks for.
const acsPassword = "12345678"

// confirm answers the ACS and goes on to where it leads.
func (t *tab) confirm() *tab {
	t.c.t.Helper()
	return t.send("password", acsPassword, "action", "confirm").send()
}

func (t *tab) cancel() *tab {
	t.c.t.Helper()
	return t.send("action", "cancel").send()
}
