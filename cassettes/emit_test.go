package cassettes

import (
	"bytes"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dnaeon/go-vcr/v2/cassette"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/paytape/paytape/internal/leaf"
	"go.yaml.in/yaml/v3"
)

// awkward are strings that YAML, its libraries or our layout could get wrong.
func awkward() []string {
	return []string{
		"", " ", "\n", "\nleading line feed", "\ttab first\nsecond", "trailing \n  ",
		"a\r\nb\rc", "\x00\x01\x1b\x7f", "\u0085\u00a0\u2028\u2029\ufeff", "\ufffd\ufffe\uffff",
		"é 漢 😀 \u202e", `"quotes" and \backslashes\`, "'", "# no comment", "---", "...", "<<",
		"null", "~", "1.00", "!!binary x", "&a *a", "- request:\n", "\n- request:\n",
		"\n    number: 7\n", "line one\n\n  line three\n\ttab", strings.Repeat("k", 3000),
		`{"a":1.00,"b":[true,null,{"c":"x,[y{"}],"d":"\"\\","e":{}}`, `{ "a" : 1,  "b" : 2 }`,
		"{\n  \"a\": 1,\n  \"b\": [\n    1\n  ]\n}\n", `{"unterminated":"\`, "[[[[[[[[[[[[[1,2",
		"  {\"indented\":1}", "[1,]}}}},{", `{é,ü}`, "{,\u00a0,\t,\n,", `["4111 1111","x"]`,
	}
}

// exchangeOf puts strings wherever an exchange has some.
func exchangeOf(body, key, value string) *leaf.Exchange {
	values := map[string][]string{key: {value, body}, "b": nil, "a": {""}}
	return &leaf.Exchange{
		Interaction: cassette.Interaction{
			Request: cassette.Request{
				Body: body, Form: url.Values(values), Headers: http.Header(values),
				URL: value, Method: key,
			},
			Response: cassette.Response{
				Body: value, Headers: http.Header(values), Status: key, Code: 200, Duration: 1,
			},
		},
		Meta: leaf.Meta{
			Number: 1, Profile: key, Operation: value, Base: body, Host: key, RequestCoding: key,
			Aliases: []string{key, value},
			Coding:  value, RequestCharset: value, Charset: key,
			At:         time.Date(2026, 3, 1, 10, 0, 0, 123456789, time.FixedZone("", -34200)),
			Trailers:   http.Header(values),
			Rules:      []string{"status-flaky", "slow"},
			Profiles:   []string{"gateway@1a2b3c4d5e6f", "mine@98fe on gateway@1a2b: team/mine.yaml"},
			Redactions: []string{value, key}, Failure: body, Fault: key, Withheld: value,
			Relayed: key,
			Callback: &leaf.Callback{
				Of: 3, Operation: value, Gap: -1500 * time.Millisecond, Attempt: 2, Via: key,
				Checksum: body,
			},
		},
	}
}

// checkRoundTrip checks that one exchange reads back equal, by the YAML library and by
// go-vcr, and that the text can be found again among others.
func checkRoundTrip(t *testing.T, dir string, x *leaf.Exchange) {
	t.Helper()
	text, err := emit(x)
	if err != nil {
		t.Fatal(err)
	}
	got, err := readYAML(text)
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "the YAML library", x, got)
	own, ok := readItem(text)
	if !ok {
		t.Fatal("readItem does not know the layout")
	}
	compare(t, "readItem", x, own)
	lacking, ok := (&itemReader{formless: true}).read(text)
	if !ok || lacking.Request.Form != nil {
		t.Fatal("the reader of none does not know the layout, or reads a form")
	}
	lacking.Request.Form = x.Request.Form
	compare(t, "a reader without forms", x, lacking)
	if again, err := emit(got); err != nil || string(again) != string(text) {
		t.Errorf("writing what was read gives another text, error %v", err)
	}
	got.Meta.Number = 2
	second, err := emit(got)
	if err != nil {
		t.Fatal(err)
	}
	data := render(t, []entry{{number: 1, text: text}, {number: 2, text: second}})
	spans, err := unseal(bytes.NewReader(data), int64(len(data)))
	if err != nil || len(spans) != 2 {
		t.Fatalf("the file comes apart into %d entries, error %v", len(spans), err)
	}
	if first, err := spans[0].entry(); err != nil || string(first.text) != string(text) {
		t.Fatalf("the first entry reads as something else, error %v", err)
	}
	name := filepath.Join(dir, "tape")
	if err := os.WriteFile(name+tapeSuffix, data, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := cassette.Load(name)
	if err != nil || c.Version != 1 || len(c.Interactions) != 2 {
		t.Fatalf("go-vcr read %d interactions, error %v", len(c.Interactions), err)
	}
	compare(t, "go-vcr", &leaf.Exchange{Interaction: x.Interaction},
		&leaf.Exchange{Interaction: *c.Interactions[0]})
}

// render writes a whole tape.
func render(tb testing.TB, entries []entry) []byte {
	tb.Helper()
	var b bytes.Buffer
	w := newTapeWriter(&b, nil)
	for _, e := range entries {
		w.add(e)
	}
	if err := w.end(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func compare(t *testing.T, reader string, want, got *leaf.Exchange) {
	t.Helper()
	o := cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(cassette.Response{})}
	if diff := cmp.Diff(want, got, o); diff != "" {
		t.Errorf("%s read another exchange (-want +got):\n%s", reader, diff)
	}
	_, wantZone := want.Meta.At.Zone()
	if _, zone := got.Meta.At.Zone(); zone != wantZone {
		t.Errorf("%s read zone %d, want %d", reader, zone, wantZone)
	}
}

func TestEmitRoundTrip(t *testing.T) {
	dir := t.TempDir()
	all := awkward()
	for i, s := range all {
		checkRoundTrip(t, dir, exchangeOf(s, all[(i+1)%len(all)], all[(i+7)%len(all)]))
	}
}

// FuzzEmit checks that any UTF-8 text survives, wherever it stands, and that other bytes are
// refused.
func FuzzEmit(f *testing.F) {
	all := awkward()
	for i, s := range all {
		f.Add(s, all[(i+3)%len(all)], all[(i+11)%len(all)])
	}
	f.Add("\xff", "k", "v")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, body, key, value string) {
		x := exchangeOf(body, key, value)
		if utf8.ValidString(body) && utf8.ValidString(key) && utf8.ValidString(value) {
			checkRoundTrip(t, dir, x)
		} else if _, err := emit(x); err == nil {
			t.Fatal("bytes that are not UTF-8 were written")
		}
	})
}

// FuzzReadItem checks that a text which is read can be written and read again.
func FuzzReadItem(f *testing.F) {
	all := awkward()
	for i, s := range all {
		if text, err := emit(exchangeOf(s, all[(i+3)%len(all)], s)); err == nil {
			f.Add(string(text))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		x, ok := readItem([]byte(text))
		if !ok || !utf8.ValidString(text) {
			return
		}
		again, err := emit(x)
		if err != nil {
			t.Fatal(err)
		}
		if y, ok := readItem(again); !ok || !cmp.Equal(x, y,
			cmpopts.EquateEmpty(), cmpopts.IgnoreUnexported(cassette.Response{})) {
			t.Error("what was read does not survive being written")
		}
	})
}

// TestRandomBodies reads bodies back that are made of what matters to YAML and JSON.
func TestRandomBodies(t *testing.T) {
	alphabet := []rune("{}[],:\"\\'\n\r\t #-?|>&*!%@~=ax09\u00e9\u0085\u2028\ufeff\U0001F600")
	random := rand.New(rand.NewPCG(1, 2))
	var entries []entry
	var want []string
	for number := range 3000 {
		body := make([]rune, random.IntN(30))
		for i := range body {
			body[i] = alphabet[random.IntN(len(alphabet))]
		}
		x := &leaf.Exchange{Meta: leaf.Meta{Number: number + 1}}
		x.Response.Body = string(body)
		text, err := emit(x)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry{number: number + 1, text: text})
		want = append(want, string(body))
	}
	name := filepath.Join(t.TempDir(), "tape")
	data := render(t, entries)
	if err := os.WriteFile(name+tapeSuffix, data, 0o600); err != nil {
		t.Fatal(err)
	}
	vcr, err := cassette.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := unseal(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for i, body := range want {
		e, err := sealed[i].entry()
		if err != nil {
			t.Fatal(err)
		}
		x, err := e.open()
		if err != nil || x.Exchange().Response.Body != body ||
			vcr.Interactions[i].Response.Body != body {
			t.Fatalf("%q: read back as %q by go-vcr, error %v", body,
				vcr.Interactions[i].Response.Body, err)
		}
	}
}

// TestEmitWritesAllOfMeta fails when leaf.Meta gets a field that emit does not know.
func TestEmitWritesAllOfMeta(t *testing.T) {
	x := exchangeOf("b", "k", "v")
	for i := range reflect.TypeFor[leaf.Meta]().NumField() {
		name := reflect.TypeFor[leaf.Meta]().Field(i).Name
		if reflect.ValueOf(x.Meta).Field(i).IsZero() {
			t.Errorf("the exchange of this test has no %s; TestEmitRoundTrip needs one", name)
		}
	}
	text, err := emit(x)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []map[string]any
	if marker, err := yaml.Marshal(x); err != nil || string(marker) != "'[secret]'\n" {
		t.Errorf("as a whole it is written as %q, %v", marker, err)
	}
	type parts leaf.Exchange // without the methods that keep it from being printed
	library, err := yaml.Marshal([]*parts{(*parts)(x)})
	if err != nil {
		t.Fatal(err)
	}
	for data, into := range map[string]*[]map[string]any{string(library): &want, string(text): &got} {
		if err := yaml.Unmarshal([]byte(data), into); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the YAML library would write (-), emit writes (+):\n%s", diff)
	}
}

func TestEmitRefuses(t *testing.T) {
	year := exchangeOf("", "k", "")
	year.Meta.At = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
	tests := []struct {
		name string
		x    *leaf.Exchange
		want string
	}{
		{"a body that is not UTF-8", exchangeOf("secret\xff", "k", "v"), "body is not valid UTF-8"},
		{"a key that is not UTF-8", exchangeOf("", "secret\xff", "v"), "form is not valid UTF-8"},
		{"a year that the format has no place for", year, "the time at which it began"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := emit(tt.x)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Fatalf("got error %v, want one with %q", err, tt.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Error("the error repeats what it refuses")
			}
		})
	}
}

func TestBodyLayout(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"a form stays on one line", "a=1&b=2", `"a=1&b=2"`},
		{"JSON has a line for every member", `{"a":"x,y","b":[1,{"c":{}}]}`, `"{\
      \"a\":\"x,y\",\
      \"b\":[\
        1,\
        {\
          \"c\":{}}]}"`},
		{"JSON that was laid out keeps its white space", "{\n  \"a\": 1\n}\n", `"{\n  \
      \"a\": 1\n}\n"`},
		{"text has the lines it had", "<a>\n  <b/>\n</a>", `"<a>\n\
      \  <b/>\n\
      </a>"`},
		{"brackets do not indent without end", strings.Repeat("[", 12), `"[\
      [\
        [\
          [\
            [\
              [\
                [\
                  [\
                    [\
                      [\
                      [\
                      ["`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(appendBody(nil, tt.body))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("layout (-want +got):\n%s", diff)
			}
		})
	}
}
