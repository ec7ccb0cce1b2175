package cassettes_test

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/leaf"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// goldenExchanges are two exchanges that use every key of the format.
func goldenExchanges() []*leaf.Exchange {
	first, second := sample(1), sample(2)
	first.Meta.Redactions = []string{"request.form.password: token"}
	first.Response.Body = `{"orderId":"70906e55-7114-41d6-8332-4609dc6590f4",` +
		`"formUrl":"https://sandbox.example/pay?mdOrder=70906e55-7114-41d6-8332-4609dc6590f4",` +
		`"attributes":[{"name":"mdOrder","value":"a, [b]"}],"empty":{}}`
	second.Request.Headers = http.Header{"X-Request-Id": {"1", "2"}, "Accept": {"*/*"}}
	second.Response.Body = "<html>\n  <p>\tZürich, \"quoted\"</p>\n</html>\n"
	second.Meta.Base = "/payment"
	second.Meta.RequestCoding = "br"
	second.Meta.Coding = "gzip"
	second.Meta.RequestCharset = "utf-16le"
	second.Meta.Charset = "windows-1251"
	second.Meta.Trailers = http.Header{"X-Checksum": {"5d41402a"}}
	second.Meta.Failure = "the sandbox closed the connection in the middle of the answer"
	second.Meta.Fault = leaf.FaultCut
	second.Meta.Withheld = "the answer is a marker: a card number was left in it"
	return []*leaf.Exchange{first, second}
}

// TestGolden shows what a small cassette looks like.
func TestGolden(t *testing.T) {
	l, dir := library(t)
	c := record(t, l, "checkout")
	for _, x := range goldenExchanges() {
		c.Next()
		if err := c.Append(cleaned(t, x)); err != nil {
			t.Fatal(err)
		}
	}
	finish(t, c)
	got := readFile(t, dir, "checkout.yaml")
	golden := filepath.Join("testdata", "checkout.yaml")
	if *update {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(readFile(t, golden)), string(got)); diff != "" {
		t.Errorf("cassette (-want +got):\n%s", diff)
	}
}

// earlierExchanges are goldenExchanges as earlier versions noted them: without faults, and the
// first without charsets.
func earlierExchanges(charsets bool) []*leaf.Exchange {
	xs := goldenExchanges()
	for _, x := range xs {
		x.Meta.Fault = ""
		if !charsets {
			x.Meta.RequestCharset, x.Meta.Charset = "", ""
		}
	}
	return xs
}

// TestEarlierVersions loads what earlier versions wrote. These files are never rewritten;
// a change of the format adds to them.
func TestEarlierVersions(t *testing.T) {
	tests := []struct {
		name, file, as string
		warnings       int
		charsets       bool
	}{
		{"a cassette", "v1.yaml", "a.yaml", 0, false},
		{"a journal", "v1.journal", "a.journal", 1, false},
		{"a cassette with a checksum in letters", "v2.yaml", "a.yaml", 0, false},
		{"a journal with checksums in letters", "v2.journal", "a.journal", 1, false},
		{"a cassette with charsets", "v3.yaml", "a.yaml", 0, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l, dir := library(t)
			writeFile(t, readFile(t, "testdata", tt.file), dir, tt.as)
			cleaner := &fakeCleaner{tb: t}
			tape, err := l.Load("a", cleaner)
			if err != nil {
				t.Fatal(err)
			}
			if len(tape.Warnings) != tt.warnings || cleaner.cleaned != 0 {
				t.Errorf("%d cleaned again, warnings %q", cleaner.cleaned, tape.Warnings)
			}
			var got []*leaf.Exchange
			for _, x := range tape.Exchanges {
				got = append(got, x.Exchange())
			}
			want := earlierExchanges(tt.charsets)
			if diff := cmp.Diff(want, got, exchangeOptions()); diff != "" {
				t.Errorf("exchanges (-want +got):\n%s", diff)
			}
		})
	}
}
