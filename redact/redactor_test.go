package redact_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"testing"

	"github.com/paytape/paytape/redact"
)

// TestPrintsAsMarker gives a Redactor that knows secrets to everything that prints.
func TestPrintsAsMarker(t *testing.T) {
	r := redactor(t)
	r.Clean(checkout(visa, "123"))
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "r", r, "v", *r)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "r", r, "v", *r)
	encoded, err := json.Marshal(map[string]any{"r": r, "v": *r})
	if err != nil {
		t.Fatal(err)
	}
	wrapped := struct{ R *redact.Redactor }{r}
	printed := log.String() + string(encoded) + fmt.Sprint(r, *r) + fmt.Sprintln(wrapped)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		printed += fmt.Sprintf(verb+" "+verb+" "+verb, r, *r, wrapped)
	}
	wantNone(t, printed, visa, password)
	if n := strings.Count(printed, "[secret]"); n < 20 {
		t.Errorf("only %d markers", n)
	}
}

func TestText(t *testing.T) {
	r := redactor(t)
	r.Clean(checkout(visa, "123"))
	const address = "http://u:p@h/x?cvc=927&password=short&q="
	cause := &url.Error{
		Op: "Get", URL: address + grouped("%20"), Err: errors.New("dial: refused"),
	}
	tests := []struct{ name, in, want string }{
		{"an error of net/http", cause.Error(),
			`Get "http://u:REDACTED-token-2@h/x?cvc=000&password=REDACTED-token-3&q=` +
				`4111%201100%200012%201111": dial: refused`},
		{"a password seen before", "login with " + password, "login with REDACTED-token-1"},
		{"the same, quoted", fmt.Sprintf("%q", `{"password":"`+password+`"}`),
			`"{\"password\":\"REDACTED-token-1\"}"`},
		{"a credential", "sent Authorization: Bearer abc.def-ghi to it",
			"sent Authorization: Bearer REDACTED-token-4 to it"},
		{"bytes that are no text", "a\xff4\x001", "a\ufffd4\ufffd1"},
		{"nothing", "order 06cf5599-3f17-7c86-bdbc-bd7d00a8b38b paid at 1517746541000",
			"order 06cf5599-3f17-7c86-bdbc-bd7d00a8b38b paid at 1517746541000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := r.Text(tt.in).String(); got != tt.want {
				t.Errorf("got %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestZeroOptions(t *testing.T) {
	r := redact.New(redact.Options{})
	x := checkout(visa, "927")
	x.Request.Headers.Set("Authorization", "Basic c2hvcDp0cjB1YjRkb3ItZ3c=")
	got := saved(t, r.Clean(x).Exchange())
	wantNone(t, got, visa, password)
	if strings.Contains(got, "927") {
		t.Error("the CVC is still there")
	}
}

// A checksum in digits would be taken for a card number once in a few hundred tapes; the
// first tapes have one, and still open.
func TestSum(t *testing.T) {
	content := []byte("content")
	sum := redact.Sum(content)
	if len(sum) != 64 || strings.Trim(sum, "abcdefghijklmnop") != "" {
		t.Errorf("the checksum %q is not 64 letters", sum)
	}
	const old = "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"
	for _, s := range []string{sum, old} {
		if _, err := redact.CheckSeal(content, s); err != nil {
			t.Errorf("checksum %s: %v", s, err)
		}
		if _, err := redact.CheckSeal([]byte("Content"), s); err == nil {
			t.Errorf("checksum %s agrees with other content", s)
		}
		pieces := redact.NewSummer()
		for _, piece := range []string{"con", "", "tent"} {
			_, _ = pieces.Write([]byte(piece))
		}
		if _, err := pieces.CheckSeal(s); err != nil || pieces.Sum() != sum {
			t.Errorf("in pieces, checksum %s: %v", s, err)
		}
	}
}
