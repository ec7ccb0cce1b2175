package har_test

import (
	"strings"
	"testing"
	"time"

	"github.com/paytape/paytape/cassettes/har"
)

// entries makes an archive of the text of some entries.
func entries(list ...string) []byte {
	return []byte(`{"log":{"version":"1.2","entries":[` + strings.Join(list, ",") + `]}}`)
}

const answer = `"response":{"status":200,"content":{"text":"eyJlcnJvckNvZGUiOjB9","encoding":"base64"}}`

func TestRead(t *testing.T) {
	t.Parallel()
	register := `{"startedDateTime":"2026-03-01T10:00:00+03:00","timings":{"send":1,"wait":5,"receive":2},
		"request":{"method":"POST","url":"https://gw.example/register.do#top",
		"headers":[{"name":":method","value":"POST"},{"name":"host","value":"gw.example"}],
		"postData":{"mimeType":"application/x-www-form-urlencoded",
		"params":[{"name":"orderNumber","value":"A 1"},{"name":"amount","value":"100"}]}},` + answer + "}"
	data := entries(register)
	items, err := har.Read(data)
	if err != nil || len(items) != 1 || items[0].Err != nil {
		t.Fatalf("%d items, %v", len(items), err)
	}
	item := items[0]
	if got := string(data[item.From:item.To]); got != register {
		t.Errorf("the entry lies at %q", got)
	}
	x := item.Exchange
	for _, test := range []struct{ what, got, want string }{
		{"form of parameters", x.Request.Body, "orderNumber=A+1&amount=100"},
		{"target without a fragment", x.Request.URL, "https://gw.example/register.do"},
		{"body in base64", x.Response.Body, `{"errorCode":0}`},
		{"status text of HTTP/2", x.Response.Status, "200 OK"},
		{"media type", x.Request.Headers.Get("Content-Type"), "application/x-www-form-urlencoded"},
		{"header of a connection", x.Request.Headers.Get("Host"), ""},
		{"duration", x.Response.Duration.String(), "8ms"},
		{"start", x.Meta.At.UTC().Format(time.RFC3339), "2026-03-01T07:00:00Z"},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %q, want %q", test.what, test.got, test.want)
		}
	}
}

// TestBadTime has times that can be read, and not.
func TestBadTime(t *testing.T) {
	t.Parallel()
	entry := func(at string) string {
		return `{"startedDateTime":"` + at + `","request":{"method":"GET","url":"/"},` + answer + "}"
	}
	for at, bad := range map[string]bool{"tomorrow": true, "": false, "2026-03-01T10:00:00+03:00": false} {
		items, err := har.Read(entries(entry(at)))
		if err != nil || len(items) != 1 || items[0].BadTime != bad {
			t.Errorf("%q: %v, bad %v", at, err, !bad)
		}
	}
}

// TestReadWrong wants errors that tell the place, and no error that repeats a value.
func TestReadWrong(t *testing.T) {
	t.Parallel()
	const secret = "hunter-very-Secret"
	for _, test := range []struct {
		name string
		data []byte
		want string // the error of the archive, or of its first entry
	}{
		{"no archive", []byte(`{"password":"` + secret + `"}`),
			"not an HTTP archive: expected log.entries"},
		{"an entry that ends early", []byte(`{"log":{"entries":[{"x":"` + secret),
			"entry 1 is not valid JSON"},
		{"an archive that ends early", []byte(`{"log":{"entries":[{}`), "the file ends after entry 1"},
		{"a field of another type", entries(`{"request":{"method":["` + secret + `"]}}`),
			"it is not what an archive has there"},
		{"a status that is none", entries(`{"request":{"method":"GET","url":"/a"},
			"response":{"status":12345}}`), "its status has more than three digits"},
		{"no request", entries(`{}`), "it has no request"},
		{"a body that is no base64", entries(`{"request":{"method":"GET","url":"/a"},
			"response":{"content":{"text":"` + secret + `?","encoding":"base64"}}}`),
			"its body is not valid base64"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			items, err := har.Read(test.data)
			if err == nil && len(items) > 0 {
				err = items[0].Err
			}
			if err == nil || err.Error() != test.want {
				t.Errorf("got error %v, want %q", err, test.want)
			}
		})
	}
}
