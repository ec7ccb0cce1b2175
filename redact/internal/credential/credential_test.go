package credential_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/redact/internal/credential"
)

// TestFindTakesAll puts a star in the place of each credential: all of it goes, and no more.
func TestFindTakesAll(t *testing.T) {
	t.Parallel()
	begin, end := "-----BEGIN RSA "+"PRIVATE KEY-----", "-----END RSA "+"PRIVATE KEY-----"
	line := strings.Repeat("MHcCAQEEIBkg4LVWM9nuwNSk3yByxZpY", 2)
	short := "RTBnVJkq/+A"
	apiKey := "sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc"
	tests := []struct{ name, text, want string }{
		{"a key", "a " + begin + "\n" + line + "\n" + line + "\n" + short + "==\n" + end + "\nb", "a *\nb"},
		{"a key in a JSON string", `{"k":"` + begin + `\n` + line + `\n` + short + `=\n` + end + `\n"}`,
			`{"k":"*\n"}`},
		{"a key that is encrypted", begin + "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00AA\n\n" +
			line + "\n" + end, "*"},
		{"a key that was cut in a line", begin + "\n" + line + "\n" + line[:50], "*"},
		{"a key that was cut behind a line", begin + "\n" + line + "\n", "*\n"},
		{"a key without its last line", begin + "\n" + line + "\n" + short + "==, and so on", "*, and so on"},
		{"two keys", begin + line + end + " " + begin + line + end, "* *"},
		{"the words alone", begin + "\n" + end, begin + "\n" + end},
		{"a certificate", "-----BEGIN CERTIFICATE-----\n" + line, "-----BEGIN CERTIFICATE-----\n" + line},
		{"API keys", apiKey + "," + apiKey + ".", "*,*."},
		{"an API key at the end", "k=" + apiKey, "k=*"},
		{"behind another credential", "Bearer 4eC39HqLyjWDarjtT1zdp7dc" + " " + apiKey, "Bearer * *"},
		{"the padding of a pair", "Basic dTpwYXNzdzByZA==; x", "Basic *; x"},
		{"a sign of equality behind it", "Bearer 4eC39HqLyjWDarjtT1zdp7dc=x", "Bearer *=x"},
		{"nothing", "begin bearing a basic eye-witness report, AKIN to sk_", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b strings.Builder
			at := 0
			for _, o := range credential.Find(tt.text) {
				b.WriteString(tt.text[at:o.From] + "*")
				at = o.To
			}
			got := b.String() + tt.text[at:]
			if tt.want == "" {
				tt.want = tt.text
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzFind looks into anything: what is found lies in the text, in order, and without it nothing is
// found there again.
func FuzzFind(f *testing.F) {
	f.Add("-----BEGIN PRIVATE KEY-----\n" + strings.Repeat("MHcCAQEE", 9) + "\n-----END PRIVATE KEY-----")
	f.Add("Basic dTpwYXNzdzByZA== bearer 4eC39HqLyjWDarjtT1zdp7dc eyJhbGciOiJub25lIn0.e30.e30")
	f.Fuzz(func(t *testing.T, s string) {
		last := 0
		for _, o := range credential.Find(s) {
			if o.From < last || o.To <= o.From || o.To > len(s) {
				t.Fatalf("found [%d, %d) behind %d of %d", o.From, o.To, last, len(s))
			}
			last = o.To
		}
	})
}
