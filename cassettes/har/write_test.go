package har_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/cassettes/har"
	"github.com/paytape/paytape/internal/leaf"
)

// told is what an archive keeps of an exchange.
type told struct {
	Method, URL, Asked, Status, Answered string
	Code                                 int
	AskedHeader, AnsweredHeader          http.Header
	Took                                 time.Duration
	At                                   time.Time
	RequestCoding, Coding                string
}

func tell(x *leaf.Exchange) told {
	return told{
		x.Request.Method, x.Request.URL, x.Request.Body, x.Response.Status, x.Response.Body,
		x.Response.Code, x.Request.Headers, x.Response.Headers,
		x.Response.Duration.Round(time.Microsecond), x.Meta.At, x.Meta.RequestCoding, x.Meta.Coding,
	}
}

var by = har.Creator{Name: har.OwnCreator, Version: "1"}

// creators are whose archives are read: in those of others, notes of ours mean nothing.
var creators = []har.Creator{by, {Name: "another", Version: "1"}}

// back writes exchanges and reads them again.
func back(t *testing.T, by har.Creator, exchanges ...*leaf.Exchange) []*leaf.Exchange {
	t.Helper()
	data, err := har.Write(by, exchanges...)
	if err != nil {
		t.Fatal(err)
	}
	items, err := har.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	var read []*leaf.Exchange
	for i, item := range items {
		if item.Err != nil {
			t.Fatalf("entry %d: %v", i, item.Err)
		}
		read = append(read, item.Exchange)
	}
	return read
}

func TestWrite(t *testing.T) {
	t.Parallel()
	x := &leaf.Exchange{}
	x.Request.Method, x.Request.URL = "POST", "https://gw.example/payment/rest/register.do?a=%27&b&c=%zz"
	x.Request.Headers = http.Header{"Content-Type": {"application/json"}, "X-Two": {"1", "2"}}
	x.Request.Body, x.Meta.RequestCoding = `{"amount": 1.0}`, "gzip"
	x.Response.Code, x.Response.Status = 404, "404 Not Here"
	x.Response.Headers = http.Header{"Content-Type": {"text/plain"}, "Location": {"/x"}}
	x.Response.Body, x.Response.Duration = "\xff\x00<b>", 1500*time.Microsecond
	x.Meta.At = time.Date(2026, 11, 22, 11, 25, 21, 7000, time.FixedZone("", 3600))
	x.Meta.Operation, x.Meta.Number, x.Meta.Callback = "register.do", 7, &leaf.Callback{Operation: "x"}
	for _, by := range creators {
		read := back(t, by, x, x)
		if len(read) != 2 {
			t.Fatalf("%d exchanges", len(read))
		}
		if diff := cmp.Diff(tell(x), tell(read[1])); diff != "" {
			t.Errorf("of %s: -want +got:\n%s", by.Name, diff)
		}
		if ours := read[0].Meta.Operation != ""; ours != (by.Name == har.OwnCreator) {
			t.Errorf("of %s: the operation is %q", by.Name, read[0].Meta.Operation)
		}
	}
	data, err := har.Write(by)
	if err != nil || !strings.Contains(string(data), `"entries": []`) {
		t.Errorf("an archive of nothing: %s, %v", data, err)
	}
}

// TestWriteStandard looks for what HAR 1.2 asks of every archive.
func TestWriteStandard(t *testing.T) {
	t.Parallel()
	data, err := har.Write(by, &leaf.Exchange{})
	if err != nil {
		t.Fatal(err)
	}
	var a struct {
		Log struct {
			Version string
			Creator map[string]any
			Entries []map[string]any
		}
	}
	if err := json.Unmarshal(data, &a); err != nil || a.Log.Version != "1.2" || len(a.Log.Creator) != 2 {
		t.Fatalf("%+v, %v", a, err)
	}
	e := a.Log.Entries[0]
	for in, keys := range map[string]string{
		"":         "startedDateTime time request response cache timings",
		"request":  "method url httpVersion cookies headers queryString headersSize bodySize",
		"response": "status statusText httpVersion cookies headers content redirectURL headersSize bodySize",
		"timings":  "send wait receive",
	} {
		at := e
		if in != "" {
			at, _ = e[in].(map[string]any)
		}
		for _, key := range strings.Fields(keys) {
			if at[key] == nil {
				t.Errorf("%s has no %s", in, key)
			}
		}
	}
}

// FuzzWrite is the property that Read reads what Write wrote.
func FuzzWrite(f *testing.F) {
	f.Add("POST", "https://a.example/x?y=%zz", "X-A", "v", "a=b", 200, "OK", "text/plain", "\xff", int64(5), "")
	f.Add("GET", "/x", "Cookie", "a=b", "", 302, "", "", "", int64(0), "gzip")
	f.Fuzz(func(t *testing.T, method, url, name, value, asked string, code int, status, media,
		answered string, micro int64, coding string,
	) {
		x := &leaf.Exchange{}
		x.Request.Method, x.Request.URL, x.Request.Body = method, url, asked
		x.Request.Headers, x.Response.Headers = http.Header{}, http.Header{}
		x.Request.Headers.Set(name, value)
		x.Response.Headers.Set("Content-Type", media)
		x.Response.Code, x.Response.Body = code, answered
		x.Response.Status = status
		x.Response.Duration = time.Duration(micro) * time.Microsecond
		x.Meta.Coding = coding
		x.Meta.At = time.UnixMicro(micro).UTC()
		if !archivable(x) {
			t.Skip()
		}
		for _, by := range creators {
			want := tell(x)
			read := back(t, by, x)
			if len(read) != 1 {
				t.Fatalf("%d exchanges", len(read))
			}
			got := tell(read[0])
			want.Status, got.Status = "", "" // a status line is a code and a text there
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("of %s: -want +got:\n%s", by.Name, diff)
			}
		}
	})
}

// archivable reports whether the exchange is one that can be on a tape, as far as an archive must tell
// it: names of headers as they are written on the wire, no header of a connection, texts in UTF-8, a status of
// three digits at most.
func archivable(x *leaf.Exchange) bool {
	for name, values := range x.Request.Headers {
		known := http.Header{name: values}
		for _, of := range []string{"Host", "Connection", "Keep-Alive", "Transfer-Encoding", "Content-Encoding"} {
			known.Del(of)
		}
		if len(known) == 0 || name == "" || strings.HasPrefix(name, ":") ||
			http.CanonicalHeaderKey(name) != name || !utf8.ValidString(name) || !utf8.ValidString(values[0]) ||
			x.Request.Body != "" && name == "Content-Type" && values[0] == "" {
			return false
		}
	}
	const day = 24 * time.Hour
	took := x.Response.Duration
	return x.Request.Method != "" && x.Request.URL != "" && !strings.Contains(x.Request.URL, "#") &&
		utf8.ValidString(x.Request.Method+" "+x.Request.URL+" "+x.Response.Headers.Get("Content-Type")) &&
		took >= 0 && took < day && x.Response.Code > 0 && x.Response.Code <= 999 &&
		(x.Meta.Coding == "" || x.Meta.Coding == "gzip" && !strings.HasPrefix(x.Response.Body, "\x1f\x8b"))
}
