package redact_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/leaf"
)

// wideOf writes text as UTF-16 with a byte order mark.
func wideOf(text string) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
		b.WriteString(string([]byte{byte(u), byte(u >> 8)}))
	}
	return b.String()
}

// secretsOf is a document in which everything that is secret comes before the word "kept".
func secretsOf(name string) string {
	return `{"pan":"` + visa + `","cvc":"784","password":"` + password + `","имя":"` + name +
		`","kept":1.00}`
}

// TestBodiesInOtherCharsets cleans bodies that are no UTF-8 on the wire. On tape they are, what
// they were is noted, and written again they differ in the secrets alone.
func TestBodiesInOtherCharsets(t *testing.T) {
	cyrillic := func(s string) string {
		return strings.NewReplacer("имя", "\xe8\xec\xff", "Поля", "\xcf\xee\xeb\xff").Replace(s)
	}
	doc := secretsOf("Поля")
	tests := []struct{ name, contentType, body, charset string }{
		{"UTF-16", "application/json", wideOf(doc), "utf-16le"},
		{"windows-1251", "application/json; charset=windows-1251", cyrillic(doc), "windows-1251"},
		{"windows-1251 that the document declares", "text/xml",
			`<?xml version="1.0" encoding="windows-1251"?><a>` + cyrillic(doc) + `</a>`, "windows-1251"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := exchange("POST", "https://h/unknown", http.Header{"Content-Type": {tt.contentType}},
				tt.body)
			x.Response.Headers, x.Response.Body = x.Request.Headers.Clone(), tt.body
			got := redactor(t).Clean(x).Exchange()
			if !got.Replayable() || got.Meta.Charset != tt.charset ||
				got.Meta.RequestCharset != tt.charset {
				t.Fatalf("in %q and %q, withheld %q",
					got.Meta.RequestCharset, got.Meta.Charset, got.Meta.Withheld)
			}
			wantNone(t, saved(t, got), visa, password)
			for _, kept := range []string{"Поля", `"cvc":"000"`, `"kept":1.00`} {
				if !strings.Contains(got.Response.Body, kept) {
					t.Errorf("%q is not in the answer", kept)
				}
			}
			wire, err := leaf.EncodeText(got.Meta.Charset, got.Response.Body)
			if err != nil {
				t.Fatal(err)
			}
			if text, charset, err := leaf.DecodeText(tt.contentType, wire); text != got.Response.Body ||
				charset != tt.charset || err != nil {
				t.Errorf("on the wire again it is in %q, error %v", charset, err)
			}
			wantSame(t, "cleaned once and twice", got, redactor(t).Reclean(got).Exchange())
		})
	}
}

func TestBodiesThatAreNoText(t *testing.T) {
	for name, contentType := range map[string]string{
		"nothing declared": "", "a picture": "image/jpeg", "another charset": "text/plain; charset=gbk",
	} {
		t.Run(name, func(t *testing.T) {
			x := exchange("POST", "https://h/unknown", http.Header{"Content-Type": {contentType}},
				"\xd6\xd0 "+visa)
			got := redactor(t).Clean(x).Exchange()
			const want = "[paytape: body of 19 bytes withheld: not UTF-8 text]"
			if got.Request.Body != want || got.Replayable() {
				t.Errorf("body %q, withheld %q", got.Request.Body, got.Meta.Withheld)
			}
			again := redactor(t).Reclean(got).Exchange()
			if again.Request.Body != want {
				t.Errorf("cleaned again it is %q", again.Request.Body)
			}
		})
	}
}

// TestValuesInOtherCharsets finds what is in the values of a form and packed in them.
func TestValuesInOtherCharsets(t *testing.T) {
	header := http.Header{"Content-Type": {formType + "; charset=windows-1251"}}
	pack := base64.StdEncoding.EncodeToString
	spaced := strings.Join([]string{visa[:4], visa[4:8], visa[8:12], visa[12:]}, "\xa0")
	body := "note=" + url.QueryEscape("\xca\xe0\xf0\xf2\xe0 "+spaced) +
		// a space that does not break
		"&creq=" + url.QueryEscape(pack([]byte(wideOf(secretsOf("Поля"))))) +
		"&wide=" + url.QueryEscape(wideOf(secretsOf("Поля"))) + "&kept=%CF"
	got := redactor(t).Clean(exchange("POST", "https://h/unknown", header, body)).Exchange()
	if !got.Replayable() {
		t.Errorf("withheld %q", got.Meta.Withheld)
	}
	values := map[string]string{}
	for _, l := range got.RequestMessage().Leaves {
		values[l.Path] = l.Value
	}
	surrogate := values["creq>pan"]
	want := map[string]string{
		"Content-Type": header.Get("Content-Type"), "0": "unknown", "kept": "П",
		"note": "Карта " + strings.Join([]string{surrogate[:4], surrogate[4:8], surrogate[8:12],
			surrogate[12:]}, "\u00a0"),
	}
	for _, path := range []string{"creq>", "wide>"} {
		want[path+"pan"], want[path+"cvc"], want[path+"password"] = surrogate, "000", "REDACTED-token-1"
		want[path+"имя"], want[path+"kept"] = "Поля", "1.00"
	}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	wantSame(t, "cleaned once and twice", got, redactor(t).Reclean(got).Exchange())
}

// TestJSONShapes cleans by field wherever a parser would find one.
func TestJSONShapes(t *testing.T) {
	const doc = `{"Name":"x","PAN":"` + visa + `","cvc":784,"cvc":"784","cvc":7.84e2,"kept":1}`
	n := "4" + "." + visa[1:] + "e15"
	deep := strings.Repeat(`{"a":`, leaf.MaxDepth+2) + doc + strings.Repeat("}", leaf.MaxDepth+2)
	for name, body := range map[string]string{
		"byte order mark": "\ufeff" + doc, "lines": doc + "\n" + doc + "\n", "guard": ")]}',\n" + doc,
		"JSONP": "cb(" + doc + ");", "a string": jsonOf(doc), "exponent": `{"cardNumber":` + n +
			`,"cvc":"784","kept":1}`,
		"too deep": deep, "cut": doc + doc[:40], "NDJSON that is cut": doc + "\n" + doc[:len(doc)-9],
		"an odd pair":        `{"kept":1,"Parameters":[{"NAME":"cvc","Value":"784"}],"p":"` + visa + `"}`,
		"a mark in a string": `{"kept":1,"s":"\ufeff{\"cvc\":\"784\"}","p":` + visa + `}`,
	} {
		t.Run(name, func(t *testing.T) {
			x := exchange("POST", "https://h/unknown", http.Header{}, "")
			x.Response.Body = body
			got := redactor(t).Clean(x).Exchange()
			wantNone(t, saved(t, got), visa)
			for _, gone := range []string{"784", "7.84e2", n} {
				if strings.Contains(got.Response.Body, gone) {
					t.Errorf("%s is left in %s", gone, got.Response.Body)
				}
			}
			if !strings.Contains(got.Response.Body, "kept") && name != "cut" || !got.Replayable() {
				t.Errorf("left: %s", got.Response.Body)
			}
			wantSame(t, "cleaned once and twice", got, redactor(t).Reclean(got).Exchange())
		})
	}
}

// TestMultipartInside cleans parts by what they are, and their headers.
func TestMultipartInside(t *testing.T) {
	pack := base64.StdEncoding.EncodeToString
	gz, err := leaf.Encode("gzip", []byte(secretsOf("x")))
	if err != nil {
		t.Fatal(err)
	}
	part := func(head, content string) string {
		return "--B\r\nContent-Disposition: form-data; " + head + "\r\n\r\n" + content + "\r\n"
	}
	body := part(`name="jsonParams"`, secretsOf("x")) +
		part(`name="f"; filename="`+visa+`.json"`, "a") +
		part(`name="base64"`+"\r\nContent-Transfer-Encoding: base64", pack([]byte(secretsOf("x")))) +
		part(`name="quoted"`+"\r\nContent-Transfer-Encoding: quoted-printable",
			"=34"+visa[1:8]+"=\r\n"+visa[8:]) +
		part(`name="form"`+"\r\nContent-Type: "+formType, "cvc=784&password="+password+"&kept=1") +
		part(`name="zip"`, string(gz)) + part(`name="picture"`, "\xff\xd8"+visa) +
		part(`name="batch"`+"\r\nAuthorization: Basic "+pack([]byte("u:"+password)), "b") +
		part(`name="`+visa+`"`, "c") + part(`name="cvc"`, "784") + "--B--\r\n"
	x := exchange("POST", "https://h/unknown",
		http.Header{"Content-Type": {"multipart/form-data; boundary=B"}}, body)
	got := redactor(t).Clean(x).Exchange()
	wantNone(t, saved(t, got)+strings.Join(inside(got), "\n"), visa, password)
	s := redactor(t).Text(visa).String()
	doc := strings.NewReplacer(visa, s, "784", "000", password,
		"REDACTED-token-1").Replace(secretsOf("x"))
	want := part(`name="jsonParams"`, doc) + part(`name="f"; filename="`+s+`.json"`, "a") +
		part(`name="base64"`+"\r\nContent-Transfer-Encoding: base64", pack([]byte(doc))) +
		part(`name="quoted"`+"\r\nContent-Transfer-Encoding: quoted-printable", s) +
		part(`name="form"`+"\r\nContent-Type: "+formType, "cvc=000&password=REDACTED-token-1&kept=1") +
		part(`name="zip"`, doc) +
		part(`name="picture"`, "[paytape: part of 18 bytes withheld: not UTF-8 text]") +
		part(`name="batch"`+"\r\nAuthorization: Basic REDACTED-token-2", "b") +
		part(`name="`+s+`"`, "c") + part(`name="cvc"`, "000") + "--B--\r\n"
	if diff := cmp.Diff(want, got.Request.Body); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if !got.Replayable() {
		t.Errorf("withheld %q", got.Meta.Withheld)
	}
	wantSame(t, "cleaned once and twice", got, redactor(t).Reclean(got).Exchange())
}
