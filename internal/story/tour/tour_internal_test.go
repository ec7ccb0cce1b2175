package tour

import (
	"net/url"
	"testing"
)

func TestExpand(t *testing.T) {
	t.Parallel()
	w := walker{values: map[string]string{
		"account": "123", "rrn": "000000456789", "card": "427600" + "0000001234",
		"name": `O"Hara & <Co>`, "none": "",
	}}
	for _, test := range []struct {
		name, give string
		escape     func(string) string
		want       string // "" for an error
	}{
		{"no reference", `{"a":1}`, inJSON, `{"a":1}`},
		{"a value", `{"a":"${account}2"}`, inJSON, `{"a":"1232"}`},
		{"a number without its zeros", "${rrn:number}", inJSON, "456789"},
		{"the last six digits", "${rrn:six}", inJSON, "456789"},
		{"fewer than six", "${account:six}", inJSON, "123"},
		{"a mask", "${card:mask}", inJSON, "427600******1234"},
		{"a quote in JSON, and no more escapes", "${name}", inJSON, `O\"Hara & <Co>`},
		{"in a query", "?a=${name}", url.QueryEscape, "?a=O%22Hara+%26+%3CCo%3E"},
		{"a name that nobody kept", "${other}", inJSON, ""},
		{"an empty value", "${none}", inJSON, ""},
		{"a rendering that there is not", "${rrn:backwards}", inJSON, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := w.expand(test.give, test.escape)
			if (err != nil) != (test.want == "") || err == nil && got != test.want {
				t.Errorf("got %q, %v, want %q", got, err, test.want)
			}
		})
	}
}
