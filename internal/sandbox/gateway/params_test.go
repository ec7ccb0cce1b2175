package gateway

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadParams(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		query, body string
		want        params
	}{
		"form":                       {"", "a=1&b=2", params{"a": "1", "b": "2"}},
		"query and empty object":     {"a=1", " {} ", params{"a": "1"}},
		"query and form together":    {"a=1", "b=2", params{"a": "1", "b": "2"}},
		"the query comes first":      {"a=1", "a=2", params{"a": "1"}},
		"the first of two counts":    {"a=1&a=2", "", params{"a": "1"}},
		"dollar literal and encoded": {"$PAN=1", "%24CVC=2", params{"$PAN": "1", "$CVC": "2"}},
		"plus and %20 are spaces":    {"a=x+y", "b=x%20y", params{"a": "x y", "b": "x y"}},
		"a semicolon is a character": {"a=x;y", "", params{"a": "x;y"}},
		"a bad escape is absent":     {"a=%zz&%q=1&b=1", "", params{"b": "1"}},
		"a name without a value":     {"a", "", params{"a": ""}},
		"a value with equals signs":  {"a=b=c", "", params{"a": "b=c"}},
	} {
		got, err := readParams(row.query, []byte(row.body))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestReadJSON(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		body string
		want params
	}{
		"texts, numbers, flags":  {`{"a":"x","b":12,"c":true}`, params{"a": "x", "b": "12", "c": "true"}},
		"a name that is escaped": {`{"\u0061":"x"}`, params{"a": "x"}},
		"the last of two counts": {`{"a":1,"a":2}`, params{"a": "2"}},
		"also if it is null":     {`{"a":1,"a":null}`, params{}},
		"or an object":           {`{"a":1,"a":{"b":2}}`, params{}},
		"or a list":              {`{"a":1,"a":[2]}`, params{}},
	} {
		got, err := readJSON([]byte(row.body))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for _, body := range []string{"", "[]", `"a"`, `{"a":`, "a=1"} {
		if _, err := readJSON([]byte(body)); err == nil {
			t.Errorf("%q was taken for an object", body)
		}
	}
}
