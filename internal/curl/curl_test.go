package curl_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/curl"
	"github.com/paytape/paytape/internal/leaf"
	"github.com/paytape/paytape/internal/profile"
)

// card is a surrogate of a tape: its Luhn sum is that of no card.
const card = "400000" + "0000011111"

func exchange(method, url, contentType, body string) *leaf.Exchange {
	x := &leaf.Exchange{}
	x.Request.Method, x.Request.URL, x.Request.Body = method, url, body
	x.Request.Headers = http.Header{}
	if contentType != "" {
		x.Request.Headers.Set("Content-Type", contentType)
	}
	return x
}

func builtin(t testing.TB) *profile.Set {
	t.Helper()
	set, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const form = "application/x-www-form-urlencoded"

func TestCommand(t *testing.T) {
	t.Parallel()
	x := exchange("POST", "https://pay.example/payment/rest/paymentorder.do", form,
		"userName=shop&password=REDACTED-token-1&MDORDER=ab&%24PAN="+card+"&$CVC=000&TEXT=IT%27S")
	x.Request.Headers.Set("Content-Length", "99")
	x.Request.Headers.Set("Connection", "close")
	x.Request.Headers.Set("X-Trace", "Bearer REDACTED-token-2")
	want := strings.Join([]string{
		`curl 'http://127.0.0.1:8080/payment/rest/paymentorder.do'`,
		`-H 'Content-Type: application/x-www-form-urlencoded'`,
		`-H 'X-Trace: Bearer '"$X_TRACE"`,
		`--data-raw 'userName=shop' --data-urlencode 'password='"$PASSWORD" --data-raw 'MDORDER=ab' ` +
			`--data-urlencode '%24PAN='"$PAN" --data-urlencode '$CVC='"$CVC" --data-raw 'TEXT=IT%27S'`,
	}, " \\\n  ")
	got := curl.Command(x, curl.Options{Base: "http://127.0.0.1:8080/", Profiles: builtin(t)})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// arrived is what a server gets.
type arrived struct {
	Method, URI, Body string
	Header            http.Header
}

// TestRun runs commands by a shell and looks at what arrives.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("there is no %s", tool)
		}
	}
	var got arrived
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got = arrived{r.Method, r.RequestURI, string(body), r.Header.Clone()}
	}))
	defer s.Close()
	const multipart = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1 $HOME `id`\r\n--b--\r\n"
	secret := strings.NewReplacer("REDACTED-token-1", "pass&w'o\"rd%$HOME", card, "4111")
	for _, test := range []struct {
		name string
		x    *leaf.Exchange
		want string // the body; "": that of the exchange
	}{
		{"a form", exchange("POST", "/a?b=c&d", form, "a=1&b=two+words&&c=%27&d"), ""},
		{"quotes of a shell", exchange("POST", "/a", "text/plain", `'"$HOME"'`+"`id`\\\n\\"), ""},
		{"a form with a secret", exchange("POST", "/a", form, "a=1&password=REDACTED-token-1&b=2"),
			"a=1&password=pass%26w%27o%22rd%25%24HOME&b=2"},
		{"a secret alone", exchange("POST", "/a", form, "password=REDACTED-token-1"),
			"password=pass%26w%27o%22rd%25%24HOME"},
		{"two secrets", exchange("POST", "/a", form, "password=REDACTED-token-1&card="+card),
			"password=pass%26w%27o%22rd%25%24HOME&card=4111"},
		{"JSON", exchange("POST", "/a", "application/json", `{"a": "it's", "n": 1.0,`+"\n"+`"ж": null}`), ""},
		{"JSON with a card", exchange("POST", "/a", "application/json", `{"card":"`+card+`","b":1}`),
			`{"card":"4111","b":1}`},
		{"multipart", exchange("POST", "/a", "multipart/form-data; boundary=b", multipart), ""},
		{"binary", exchange("PUT", "/a", "application/octet-stream", "\x00\x01%s\xff\\n\x1b[0m"), ""},
		{"binary with a secret", exchange("POST", "/a", "text/plain", "\x01REDACTED-token-1\x02"),
			"\x01pass&w'o\"rd%$HOME\x02"},
		{"a method", exchange("PATCH", "/a", "application/json", "{}"), ""},
		{"a method of no name", exchange("X-Y", "/a", "", ""), ""},
		{"no body", exchange("POST", "/a", "", ""), ""},
		{"GET with a body", exchange("GET", "/a", "text/plain", "x"), ""},
		{"GET", exchange("GET", "/a?x=[1]&y={2,3}&z='$HOME'", "", ""), ""},
		{"HEAD", exchange("HEAD", "/a", "", ""), ""},
		{"dots", exchange("GET", "/a/../b/./c", "", ""), ""},
		{"no type", exchange("POST", "/a", "", "@file"), ""},
		{"a file's name", exchange("POST", "/a", form, "@file"), ""},
		{"only an ampersand", exchange("POST", "/a", form, "&"), ""},
	} {
		for name, value := range map[string]string{
			"X-Empty": "", "X-Quote": `it's "$HOME"`, "Cookie": "a=b; c=d", "User-Agent": "shop/1.0",
			"Accept": "application/json", "X-Latin": "caf\xe9",
		} {
			test.x.Request.Headers.Set(name, value)
		}
		test.x.Request.Headers.Add("X-Quote", "again")
		got = arrived{}
		cmd := exec.CommandContext(t.Context(), "sh", "-c",
			curl.Command(test.x, curl.Options{Base: s.URL, Profiles: builtin(t)}))
		cmd.Env = append(os.Environ(), "PASSWORD="+secret.Replace("REDACTED-token-1"), "CARD=4111",
			"VALUE="+secret.Replace("REDACTED-token-1"), "NO_PROXY=*")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s\n%s", test.name, err, out, strings.Join(cmd.Args, " "))
			continue
		}
		want := arrived{test.x.Request.Method, test.x.Request.URL, test.want, test.x.Request.Headers}
		if want.Body == "" {
			want.Body = test.x.Request.Body
		}
		got.Header.Del("Content-Length")
		got.Header.Del("Accept-Encoding")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", test.name, diff, cmd.Args[2])
		}
	}
}

// TestPlaceholders names variables.
func TestPlaceholders(t *testing.T) {
	t.Parallel()
	other := "500000" + "0000011119" // of another residue: no surrogate
	x := exchange("POST", "/payment/rest/api/p2p/performP2P.do", "application/json",
		`{"fromCard":{"pan":"`+card+`"},"toCard":{"pan":"`+strings.Replace(card, "0000011111", "0000021110", 1)+
			`"},"password":"REDACTED-token-1","cvc":"000","home":"REDACTED-token-3","plain":"000","x":"`+other+`"}`)
	got := curl.Command(x, curl.Options{Profiles: builtin(t)})
	for _, part := range []string{`"$BASE"'/payment`, `{"pan":"'"$PAN"'"}`, `"password":"'"$PASSWORD"'"`,
		`"cvc":"'"$CVC"'"`, `"home":"'"$HOME_VALUE"'"`, `"plain":"000"`, other} {
		if !strings.Contains(got, part) {
			t.Errorf("no %s in\n%s", part, got)
		}
	}
}

func FuzzCommand(f *testing.F) {
	f.Add("POST", "/a?b='c", "X-A", "it's\n", form, "a=REDACTED-token-1&b=\x00")
	f.Add("G'ET", "https://callback.invalid/x", "Host", "x", "", "REDACTED-")
	f.Fuzz(func(t *testing.T, method, url, name, value, contentType, body string) {
		x := exchange(method, url, contentType, body)
		x.Request.Headers[name] = []string{value}
		got := curl.Command(x, curl.Options{})
		if len(got) > 20*(len(method)+len(url)+len(name)+len(value)+len(contentType)+len(body))+400 {
			t.Fatalf("%d bytes", len(got))
		}
		if words := unquoted(got); strings.ContainsAny(words, "`();<>&!*?~#\x00") {
			t.Fatalf("outside of quotes: %q", words)
		}
	})
}

// escapes finds words that printf writes: a shell reads what is in their parentheses anew.
var escapes = regexp.MustCompile(`"\$\(printf '%b' ('(?:[^']|'\\'')*')\)"`)

// unquoted returns what stands outside of quotes, which a shell reads. What is in double quotes
// must be a variable, or a word that printf writes.
func unquoted(s string) string {
	s = escapes.ReplaceAllString(s, "$1")
	var b strings.Builder
	for s != "" {
		i := strings.IndexAny(s, `'"\`)
		if i < 0 {
			i = len(s)
		}
		b.WriteString(s[:i])
		if s = s[i:]; s == "" {
			break
		}
		if s[0] == '\\' {
			s = s[2:]
			continue
		}
		end := strings.IndexByte(s[1:], s[0])
		if end < 0 || s[0] == '"' && strings.Trim(s[2:1+end], "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") != "" {
			return "`" // open quotes, or a variable that is none
		}
		s = s[end+2:]
	}
	return b.String()
}
