package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestCheckSizes(t *testing.T) {
	t.Parallel()
	fits, long := strings.Repeat("ж", maxText), strings.Repeat("x", maxText+1)
	sealed := strings.Repeat("x", maxSealed)
	list := strings.Repeat("1,", maxList-1) + "1"
	card := "411111" + "1111111111"
	for name, row := range map[string]struct{ body, want string }{
		"nothing":                     {`{}`, ""},
		"characters and not bytes":    {`{"a":"` + fits + `"}`, ""},
		"a long text":                 {`{"a":"` + long + `"}`, "field a is too long"},
		"a long text beside others":   {`{"b":"1","line1":"` + long + `"}`, "field line1 is too long"},
		"a long item":                 {`{"a":["x","` + long + `"]}`, "field a is too long"},
		"a long text deep down":       {`{"a":[[{"b":[{"c":"` + long + `"}]}]]}`, "field c is too long"},
		"after an inner object":       {`{"a":{"b":{}},"c":"` + long + `"}`, "field c is too long"},
		"of two keys of one name":     {`{"a":"` + long + `","a":""}`, "field a is too long"},
		"an encrypted text":           {`{"newPinData":"` + sealed + `"}`, ""},
		"a long encrypted text":       {`{"pin":"` + sealed + `x"}`, "field pin is too long"},
		"a long name is no text":      {`{"` + long + `":1}`, ""},
		"an odd name is not repeated": {`{"` + card + `":"` + long + `"}`, "a field is too long"},
		"an empty name":               {`{"":"` + long + `","a":"b"}`, "a field is too long"},
		"a full list":                 {`{"a":[` + list + `]}`, ""},
		"a long list":                 {`{"a":[` + list + `,[]]}`, "field a has too many items"},
		"many fields are no list":     {`{` + manyFields(maxList+1) + `}`, ""},
		"deep nesting":                {strings.Repeat(`[`, 9000) + strings.Repeat(`]`, 9000), ""},
	} {
		got := ""
		if err := checkSizes([]byte(row.body)); err != nil {
			got = err.Error()
		}
		if got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

func manyFields(n int) string {
	var fields []string
	for i := range n {
		fields = append(fields, fmt.Sprintf(`"f%d":1`, i))
	}
	return strings.Join(fields, ",")
}

// The walk over tokens and a walk over the decoded document must agree, apart from what a
// repeated key hides from the latter.
func FuzzCheckSizes(f *testing.F) {
	f.Add(`{"a":"b"}`, 3)
	f.Add(`{"a":["b",{"":""}],"pin":"1"}`, 300)
	f.Add(`[[{"a":null}],"x"]`, 5000)
	f.Fuzz(func(t *testing.T, body string, pad int) {
		pad = min(max(pad, 0), maxSealed+10)
		body = strings.Replace(body, "x", strings.Repeat("x", pad), 1)
		var document any
		if json.Unmarshal([]byte(body), &document) != nil {
			return
		}
		if longest("", document) > 0 && checkSizes([]byte(body)) == nil {
			t.Error("an oversized text was passed over")
		}
	})
}

// longest is by how many characters the worst text of a document is too long.
func longest(name string, v any) int {
	worst := 0
	switch v := v.(type) {
	case string:
		limit := maxText
		if sealedFields[name] {
			limit = maxSealed
		}
		worst = len([]rune(v)) - limit
	case []any:
		for _, item := range v {
			worst = max(worst, longest(name, item))
		}
	case map[string]any:
		for field, item := range v {
			worst = max(worst, longest(field, item))
		}
	}
	return max(worst, 0)
}
