package redact_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestNamesOfNames cleans the name on a card after the names that it is made of.
func TestNamesOfNames(t *testing.T) {
	header := http.Header{"Content-Type": {"application/json"}}
	tests := []struct{ name, first, embossed, want string }{
		{"in capitals", "Anna Maria", "ANNA MARIA SCHMIDT", "TAPERA TEST TAPERB"},
		{"the other way round", "Anna Maria", "Schmidt, Anna Maria", "Taperb, Tapera Test"},
		{"another person", "Anna Maria", "JOHN SCHMIDT", "TAPERC TEST"},
		{"nobody", "Anna Maria", "", ""},
		{"with a number", "Mia 2", "MIA 2 SCHMIDT", "TAPERA TEST TAPERB"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := redactor(t)
			x := exchange("POST", "https://v2.example/v2/cardholders", header,
				`{"firstName":"`+tt.first+`","lastName":"Schmidt"}`)
			r.Clean(x)
			x = exchange("GET", "https://v2.example/v2/cards/c-1", http.Header{}, "")
			x.Response.Headers = header
			x.Response.Body = `{"id":"c-1","embossedName":"` + tt.embossed + `"}`
			clean := r.Clean(x).Exchange()
			got := gjson.Get(clean.Response.Body, "embossedName").Str
			capitals := strings.ToUpper(tt.embossed) == tt.embossed
			if !strings.EqualFold(got, tt.want) || capitals && got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			again := redactor(t).Reclean(clean).Exchange()
			if again.Response.Body != clean.Response.Body {
				t.Errorf("cleaned again to %s", again.Response.Body)
			}
		})
	}
}
