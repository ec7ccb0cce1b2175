package audit_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/paytape/paytape/internal/pan"
	"github.com/paytape/paytape/redact/audit"
)

// jwt is a token of no one, in parts so that a scanner over these sources stays quiet.
var jwt = base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." +
	base64.RawURLEncoding.EncodeToString([]byte(`{"sub":"shop","exp":1}`)) + "." +
	strings.Repeat("Zm9vYmFyMTIz", 3)

func TestFindCredentials(t *testing.T) {
	key := "-----BEGIN EC " + "PRIVATE KEY-----"
	lines := strings.Repeat("MHcCAQEEIBkg4LVWM9nuwNSk3yByxZpYRTBnVJkq", 2)
	basic := base64.StdEncoding.EncodeToString([]byte("shop:tr0ub4dor-gw"))
	tests := []struct {
		name, text string
		want       []string
	}{
		{"a JWT", "x " + jwt + " y", []string{"credential"}},
		{"a JWT in base64", packed(`{"t":"` + jwt + `"}`), []string{"credential"}},
		{"a JWT whose header is no JSON", "eyJ" + jwt[5:], nil},
		{"a JWT without signature", jwt[:strings.LastIndexByte(jwt, '.')], nil},
		{"a private key", key + "\n" + lines + "\n", []string{"private key"}},
		{"a private key in JSON", `{"k":"` + key + `\n` + lines + `"}`, []string{"private key"}},
		{"the words alone", key + "\n...\n", nil},
		{"a secret key of an issuer", "k = sk_" + "live_4eC39HqLyjWDarjtT1zdp7dc",
			[]string{"credential"}},
		{"a publishable key", "k = pk_" + "live_4eC39HqLyjWDarjtT1zdp7dc", nil},
		{"a sample", "AKIA" + "IOSFODNN7EXAMPLE", nil},
		{"inside a longer word", "task_" + "live_4eC39HqLyjWDarjtT1zdp7dc", nil},
		{"Basic without a header", "curl said Basic " + basic, []string{"credential"}},
		{"Basic, cleaned", "Basic " + packed("shop:REDACTED-token-1"), nil},
		{"the word Basic", "Basic information about TypeScriptAnd", nil},
		{"Bearer", "bearer 4eC39Hq" + "LyjWDarjtT1zdp7dc", []string{"credential"}},
		{"a placeholder", `password=${P1}&pwd=changeme "token": "<token>" ` +
			`"secret": "[FILTERED]" "pass": "{{p}}"`, nil},
		{"percent is no placeholder", "password=%41bc1", []string{"credential"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, f := range audit.Find(tt.text) {
				got = append(got, f.Kind)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("kinds (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSearchOfSources(t *testing.T) {
	literal := `password = "tr0ub4dor` + `-gw"`
	tests := []struct {
		name, text  string
		data, tests bool // found in data, and in the source of tests
		source      bool
	}{
		{"a literal", literal, true, false, true},
		{"a word", `password = "correct horse"`, true, false, false},
		{"an identifier", "token := v2Token1", false, false, false},
		{"a call", "token = read(x1)", false, false, false},
		{"a member", "pass=cfg.Password2", true, false, false},
		{"an example's CVC", `{"cvc2":"` + `123"}`, true, false, false},
		{"a card number", visa, true, true, true},
		{"a constant", "0x" + visa, true, false, false},
		{"a JWT", jwt, true, true, true},
		{"a pair of an example", "Basic " + packed("Aladdin:open sesame"), true, false, false},
		{"empty", `password = ""`, false, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for what, is := range map[string]struct {
				search audit.Search
				want   bool
			}{
				"data":   {audit.Search{}, tt.data},
				"source": {audit.Search{Source: true}, tt.source},
				"tests":  {audit.Search{Source: true, Tests: true}, tt.tests},
			} {
				if got := is.search.Find(tt.text); len(got) > 0 != is.want {
					t.Errorf("in %s: found %v", what, got)
				}
			}
		})
	}
}

func TestSearchPrefixes(t *testing.T) {
	s := audit.Search{Prefixes: []string{"427600"}}
	number := "427600" + "1234567891"
	for text, want := range map[string]int{
		pan.WithResidue(number, 15, 1): 1, pan.WithResidue(number, 15, pan.Surrogate): 0,
		"427600" + "0000000000": 0, pan.WithResidue("427601"+"1234567891", 15, 1): 0,
	} {
		if got := s.Find("to " + text); len(got) != want {
			t.Errorf("%d finds in %s..., want %d", len(got), text[:7], want)
		}
	}
}
