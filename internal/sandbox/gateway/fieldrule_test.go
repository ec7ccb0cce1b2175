package gateway

import (
	"testing"

	"github.com/paytape/paytape/internal/sandbox/wire"
	"github.com/tidwall/gjson"
)

func TestCheckFields(t *testing.T) {
	t.Parallel()
	rules := []fieldRule{
		{name: "text", ok: wire.Within(3)},
		{name: "number", kind: kindInteger, ok: wire.Within(2)},
		{name: "flag", kind: kindBoolean},
		{name: "object", kind: kindObject, fields: []fieldRule{
			{name: "must", required: true},
			{name: "card", ok: wire.OneOf("1"), refusal: &errCardData},
		}},
		{name: "list", kind: kindList, fields: []fieldRule{{name: "name", required: true}}},
	}
	missing, wrong := "A mandatory parameter is missing: ", "Wrong value of a parameter: "
	for name, row := range map[string]struct{ body, want string }{
		"nothing":                {`{}`, ""},
		"unknown fields":         {`{"other":[{}]}`, ""},
		"null is absent":         {`{"text":null,"object":null,"list":null,"flag":null}`, ""},
		"empty is absent":        {`{"text":"","number":"","flag":"","object":"","list":""}`, ""},
		"a text":                 {`{"text":"abc"}`, ""},
		"a number for a text":    {`{"text":123}`, ""},
		"a long text":            {`{"text":"abcd"}`, wrong + "text"},
		"a flag is no text":      {`{"text":true}`, wrong + "text"},
		"an object is no text":   {`{"text":{}}`, wrong + "text"},
		"an integer":             {`{"number":12}`, ""},
		"digits for an integer":  {`{"number":"12"}`, ""},
		"a fraction":             {`{"number":1.0}`, wrong + "number"},
		"an exponent":            {`{"number":1e1}`, wrong + "number"},
		"a sign":                 {`{"number":-1}`, wrong + "number"},
		"a long integer":         {`{"number":123}`, wrong + "number"},
		"a flag":                 {`{"flag":false}`, ""},
		"a text is no flag":      {`{"flag":"true"}`, wrong + "flag"},
		"the last of two counts": {`{"text":"abcd","text":"a"}`, ""},
		"and is looked at":       {`{"text":"a","text":"abcd"}`, wrong + "text"},
		"an object":              {`{"object":{"must":"x"}}`, ""},
		"an empty object":        {`{"object":{}}`, missing + "must"},
		"a refusal of its own":   {`{"object":{"must":1,"card":"2"}}`, errCardData.Error() + ": card"},
		"a list is no object":    {`{"object":[]}`, wrong + "object"},
		"a list":                 {`{"list":[{"name":"x"},{"name":"y"}]}`, ""},
		"an empty list":          {`{"list":[]}`, ""},
		"an item of a list":      {`{"list":[{"name":"x"},{"name":""}]}`, missing + "name"},
		"a list of texts":        {`{"list":["x"]}`, wrong + "list"},
	} {
		got := ""
		if err := checkFields(gjson.Parse(row.body), rules); err != nil {
			got = err.Error()
		}
		if got != row.want {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
}

// Whatever the rules let through as an amount is the amount that the call is read with.
func FuzzAmountIsReadAsChecked(f *testing.F) {
	f.Add(`{"amount":1}`)
	f.Add(`{"amount":1,"amount":-1}`)
	f.Add(`{"amount":-1,"amount":"12"}`)
	f.Add(`{"amount":1e3}`)
	f.Add(`{"\u0061mount":-2,"amount":null}`)
	f.Add(`{"amount":-2,"amount":{}}`)
	rules := []fieldRule{{name: "amount", kind: kindInteger, ok: isAmount}}
	f.Fuzz(func(t *testing.T, body string) {
		p, err := readJSON([]byte(body))
		if err != nil || checkFields(gjson.Parse(body), rules) != nil {
			return
		}
		if amount := p["amount"]; amount != "" && !isAmount(amount) {
			t.Error("an amount was let through that is none when it is read")
		}
	})
}
