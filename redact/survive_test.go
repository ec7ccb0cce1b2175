package redact_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// Media types of bodies.
const (
	formType = "application/x-www-form-urlencoded"
	jsonType = "application/json"
)

// TestCleanFindsSecrets lists places that no profile names, and the secrets in them.
func TestCleanFindsSecrets(t *testing.T) {
	const pw, track = "S3cretPw1", "30122011234567890"
	link := "https://shop:" + pw + "@shop.example/cb"
	typed := func(contentType, body string) edit {
		return func(x *exchanged) {
			x.Request.Headers["Content-Type"] = []string{contentType}
			x.Request.Body = body
		}
	}
	tests := []struct {
		name    string
		edit    edit
		secrets string
	}{
		{"keys in brackets", typed(formType, "card[cvc]=739&user[password]="+pw), "739 " + pw},
		{"an index behind", typed(formType, "cvc[0]=739&password[]="+pw), "739 " + pw},
		{"brackets in text", answer("<a href='/p?card[cvc]=739&user[password]=" + pw + "'>"),
			"739 " + pw},
		{"escaped brackets in a URL", sent("Referer", "https://h/?card%5Bcvc%5D=739"), "739"},
		{"a program", answer(`x["password"] = "` + pw + `"`), pw},
		{"URL in JSON", typed(jsonType, `{"callback":"`+link+`"}`), pw},
		{"URL in JSON, escaped", answer(`{"m":"at ` + strings.ReplaceAll(link, "/", `\/`) + `"}`), pw},
		{"URL in a form", typed(formType, "dynamicCallbackUrl="+url.QueryEscape(link)), pw},
		{"URL in a header", sent("Referer", link), pw},
		{"URL of a redirect", answered("Location", link), pw},
		{"URL of an origin", sent("Origin", "https://shop:"+pw+"@shop.example"), pw},
		{"URL in text", answer("see " + link), pw},
		{"track 2", answer("x ;" + visa + "=" + track + "? y"), track + " " + track[7:]},
		{"track 2 in JSON", answer(`{"t2":"` + visa + `D` + track + `F"}`), track + " " + track[7:]},
		{"track 2 in a form", typed(formType, "x="+visa+"%3D"+track), track + " " + track[7:]},
		{"track 1", answer("%B" + visa + "^IVANOV/IVAN^" + track + "?"), "IVANOV " + track},
		{"a track in groups", answer(grouped(" ") + "=" + track), track},
		{"kinds of codes", answer(`{"cvvValue":"739","card_cvv_code":"741","securityCode":"742",` +
			`"cardVerificationValue":"743"}`), "739 741 742 743"},
		{"kinds of PINs", answer(`{"cardPin":"9371","atmPin":"9372","user_pin":"9373",` +
			`"pinCode":"9374","newPinValue":"9375","card":{"PIN":"9376"}}`),
			"9371 9372 9373 9374 9375 9376"},
		{"kinds of tokens", answer(`{"jwt":"tok-1","accessKey":"tok-2","sessionId":"tok-3",` +
			`"client_secret":"tok-4","aws-secret-key":"tok-5","passwordConfirmation":"tok-6"}`),
			"tok-1 tok-2 tok-3 tok-4 tok-5 tok-6"},
		{"header of a session", sent("X-Session-Id", "tok-1"), "tok-1"},
		{"header of an access key", sent("X-Access-Key", "tok-1"), "tok-1"},
		{"header of a subscription", sent("Ocp-Apim-Subscription-Key", "tok-1"), "tok-1"},
		{"header of a signature", sent("X-Request-Signature", "tok-1"), "tok-1"},
		{"attributes", answer(`<s:password xsi:type="x">` + pw + `</s:password>`), pw},
		{"CDATA", answer("<cvc a='b'>\n<![CDATA[738]]></cvc>"), "738"},
		{"cut in an element", answer("<x><pin>9371"), "9371"},
		{"multipart", typed("multipart/form-data; boundary=B", multipartBody("B", "\r\n",
			"password", pw, "card[cvc]", "739", "$PAN", visa, "note", "a")), pw + " 739 " + visa},
		{"multipart, undeclared", typed("", multipartBody("--x", "\n", "pin", "9371", "token", pw)),
			pw + " 9371"},
		{"wide gaps", answer(`{"a":"` + grouped(`\t`) + `","b":"` + grouped("  ") + `","c":"` +
			grouped(" - ") + `","d":"` + grouped("/") + `","e":"` + grouped("_") + `"}`), visa},
		{"lines", answer(grouped("\r\n")), visa},
		{"entities of spaces", answer("<b>" + grouped("&nbsp;") + "</b>"), visa},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			x := exchange("POST", "https://h/unknown", http.Header{}, "")
			tt.edit(x)
			got := redactor(t).Clean(x).Exchange()
			if !got.Replayable() {
				t.Errorf("withheld %q", got.Meta.Withheld)
			}
			text := saved(t, got)
			wantNone(t, bare(text), visa)
			for i, s := range strings.Fields(tt.secrets) {
				if strings.Contains(text, s) {
					t.Errorf("secret %d is still there", i)
				}
			}
			wantSame(t, "cleaned once and twice", got, redactor(t).Reclean(got).Exchange())
		})
	}
}

// bare returns a text without what may stand between the groups of a number.
func bare(text string) string {
	return strings.NewReplacer(`\t`, "", `\r`, "", `\n`, "", "\n", "", "\r", "", "\t", "", " ", "",
		"-", "", "/", "", "_", "", "&nbsp;", "", `\u0026nbsp;`, "").Replace(text)
}

// multipartBody writes names and values as the parts of a body.
func multipartBody(boundary, line string, fields ...string) string {
	body := ""
	for i := 0; i < len(fields); i += 2 {
		body += "--" + boundary + line + `Content-Disposition: form-data; name="` + fields[i] +
			`"` + line + line + fields[i+1] + line
	}
	return body + "--" + boundary + "--" + line
}

func TestMultipartKeepsTheRest(t *testing.T) {
	body := multipartBody("B", "\r\n", "amount", "100", "password", "x", "orderNumber", "739")
	x := exchange("POST", "https://h/payment/rest/register.do",
		http.Header{"Content-Type": {"multipart/form-data; boundary=B"}}, body)
	got := redactor(t).Clean(x).Exchange().Request.Body
	want := strings.Replace(body, "\r\nx\r\n", "\r\nREDACTED-token-1\r\n", 1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
}

// TestFormInOtherCharset has go-vcr's copy of a form hold text alone, as files do.
func TestFormInOtherCharset(t *testing.T) {
	const body = "description=%CF%F0&%CF=1&a=b&a=%FF&amount=100"
	x := exchange("POST", "https://h/payment/rest/register.do",
		http.Header{"Content-Type": {formType}}, body)
	got := redactor(t).Clean(x).Exchange()
	if diff := cmp.Diff(url.Values{"a": {"b"}, "amount": {"100"}}, got.Request.Form); diff != "" {
		t.Errorf("form (-want +got):\n%s", diff)
	}
	if got.Request.Body != body || !got.Replayable() {
		t.Errorf("body %q, withheld %q", got.Request.Body, got.Meta.Withheld)
	}
	if text := saved(t, got); !utf8.ValidString(text) {
		t.Error("what would be saved is no text")
	}
}
