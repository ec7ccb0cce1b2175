package tour

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// site is a gateway in small. Its pages show what was posted.
func site(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	var framed atomic.Int64
	for path, page := range map[string]string{
		"/pay": `<!doctype html><title>A & B</title><p>Order <b id="order">A&amp;1</b></p>
			<form method="post" action="done?a=1"><input type=hidden name=mdOrder value="7">
			<label>CVC <input name="$CVC" required></label>
			<button name="do" value="pay">Pay</button><button name="do" value="stop">Stop</button>
			</form><form><input name="other"></form>`,
		"/frames": `<iframe src="/frame"></iframe><form action="/done"><input name="a"></form>`,
		"/frame":  `<form action="/framed"><input name="b" value="2"></form>`,
		"/link":   `<a id="on" href="https://shop.example/">On</a>`,
		"/open":   `<p`,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page) })
	}
	mux.HandleFunc("/done", func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		fmt.Fprintf(w, `<i id="got">%s</i><i id="frames">%d</i>`, r.Form.Encode(), framed.Load())
	})
	mux.HandleFunc("POST /framed", func(http.ResponseWriter, *http.Request) { framed.Add(1) })
	mux.HandleFunc("/back", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://shop.example/return?id=7", http.StatusSeeOther)
	})
	mux.HandleFunc("/inside", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "link", http.StatusFound)
	})
	mux.HandleFunc("/round", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/round", http.StatusSeeOther)
	})
	mux.HandleFunc("/missed", func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, `{"message":"no such order"}`, http.StatusNotImplemented)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	return srv
}

func TestBrowser(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		open   string
		button string
		fill   url.Values // nil: no form is sent
		path   string     // in what the browser then shows
		want   string     // there
		fails  string     // part of the error; "" for none
	}{
		{name: "a text", open: "/pay", path: "texts.order", want: "A&1"},
		{name: "a hidden field", open: "/pay", path: "form.fields.mdOrder", want: "7"},
		{name: "the first form alone", open: "/pay", path: "form.fields.other"},
		{name: "a form is filled in", open: "/pay", button: "pay", fill: url.Values{"$CVC": {"1"}},
			path: "texts.got", want: "%24CVC=1&a=1&do=pay&mdOrder=7"},
		{name: "another button, an empty field", open: "/pay", button: "stop", fill: url.Values{},
			path: "texts.got", want: "%24CVC=&a=1&do=stop&mdOrder=7"},
		{name: "a script presses no button", open: "/pay", fill: url.Values{},
			path: "texts.got", want: "%24CVC=&a=1&mdOrder=7"},
		{name: "a frame sends its form", open: "/frames", fill: url.Values{},
			path: "texts.frames", want: "1"},
		{name: "a link", open: "/link", path: "links.0", want: "https://shop.example/"},
		{name: "a redirect inside", open: "/inside", path: "links.#", want: "1"},
		{name: "a redirect to the shop", open: "/back", path: "at",
			want: "https://shop.example/return?id=7"},
		{name: "nothing is seen of the shop", open: "/back", path: "texts"},
		{name: "a field that is not there", open: "/pay", fill: url.Values{"$PAN": {"4111"}},
			fails: `the form has no field "$PAN"`},
		{name: "a button that is not there", open: "/pay", button: "buy", fill: url.Values{},
			fails: `the form has no button "buy"`},
		{name: "no form", open: "/link", fill: url.Values{}, fails: "the page has no form"},
		{name: "redirects without end", open: "/round", fails: "more than 10 redirects"},
		{name: "a miss", open: "/missed?secret=1", fails: "GET /missed: status 501: no such order"},
		{name: "no HTML", open: "/open", fails: "GET /open: reading the page: this is no HTML"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := site(t)
			b := newBrowser(srv.Client(), srv.URL)
			err := b.open(t.Context(), srv.URL+test.open)
			if err == nil && test.fill != nil {
				err = b.press(t.Context(), test.button, test.fill)
			}
			if test.fails != "" {
				if err == nil || !strings.Contains(err.Error(), test.fails) {
					t.Errorf("got error %v, want one with %q", err, test.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := b.view().Get(test.path).String(); got != test.want {
				t.Errorf("%s is %q, want %q", test.path, got, test.want)
			}
		})
	}
}

func TestLook(t *testing.T) {
	t.Parallel()
	const (
		packed = "eyJhIjp7ImIiOiJjPz4ifX0"  // {"a":{"b":"c?>"}}
		other  = "eyJhIjp7ImIiOiJjPz4ifX0=" // the same, padded
	)
	doc := asJSON(map[string]any{
		"packed": packed, "padded": other, "plain": "p?>",
		"url":  "https://shop.example/r?id=7&to=" + url.QueryEscape("/x?in="+packed),
		"none": "%", "text": base64.StdEncoding.EncodeToString([]byte("text")), "cut": deflated("<M><a>"),
		"list":     []int{1, 45},
		"deflated": deflated(`<M id="1"><a>x</a><b><c>2</c></b><d/></M>`),
	})
	for path, want := range map[string]string{
		"plain":                  `"p?>"`,
		"packed>a.b":             `"c?>"`,
		"padded>a.b":             `"c?>"`,
		"packed>a":               `{"b":"c?>"}`,
		"packed>z":               "",
		"url?id":                 `"7"`,
		"url?to?in>a.b":          `"c?>"`,
		"url?none":               "",
		"plain>a":                "",
		"none?a":                 "",
		"text>a":                 "",
		"cut>M.b":                "",
		"list.#(>40)":            "45",
		"deflated>M.a":           `"x"`,
		"deflated>M.b.c":         `"2"`,
		"deflated>M.id":          `"1"`,
		"deflated>M.b":           `{"c":"2"}`,
		"deflated>M.nothing.a.b": "",
	} {
		if got := look(doc, path).Raw; got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
}

// deflated packs an XML document as version 1 of 3-D Secure does.
func deflated(document string) string {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	_, _ = w.Write([]byte(document)) // into memory: neither can fail
	_ = w.Close()
	return base64.StdEncoding.EncodeToString(out.Bytes())
}
