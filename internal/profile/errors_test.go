package profile_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/paytape/paytape/internal/profile"
)

// provenances are what an error lists where it found none of them.
const provenances = "exact, ignored, client unique NOUN, client shared [NOUN], minted NOUN, " +
	"date FORM, mask of NOUN, last of NOUN, unpadded of NOUN or scheme of NOUN"

const (
	keys = "extends, profile, title, document, paths, lists, maxText, unsaid, denied, failed, entities, declines, sets, " +
		"common, operations, callbacks or outcome"

	operationKeys = "methods, path, carrier, writes, opens, uses, reads, failed, list, " +
		"document, doc, request, response, requestHeaders or responseHeaders"
)

func TestParseErrors(t *testing.T) {
	t.Parallel()
	row := func(row string) []string {
		return []string{"id: minted payment", `id: "` + row + `"`}
	}
	field := `operation "pay": request: field "id": expected `
	tests := []struct {
		name  string
		spoil []string // old and new text of minimal; one text alone replaces all of it
		want  string   // after the file's name
	}{
		{"empty", []string{""}, ":1: expected a mapping with " + keys + ", found nothing"},
		{"only a comment", []string{"# nothing\n"},
			":1: expected a mapping with " + keys + ", found nothing"},
		{"no mapping", []string{"[a]"}, ":1: expected a mapping with " + keys + ", found a list"},
		{"no YAML", []string{"profile: x\na: b: c"},
			":2: expected YAML: mapping values are not allowed in this context"},
		{"no text", []string{"profile: \x01"},
			":1: expected YAML: control characters are not allowed"},
		{"second document", []string{"doc: page 2", "doc: page 2\n---\na: b"},
			":31: expected one document, found a second"},
		{"broken second document", []string{"doc: page 2", "doc: page 2\n---\na: b: c"},
			":32: expected YAML: mapping values are not allowed in this context"},
		{"unknown key", []string{"title:", "titel:"}, ":2: expected " + keys + `, found "titel": did you mean "title"?`},
		{"unknown key of an operation", []string{"writes: true", "write: true"},
			`:18: operation "pay": expected ` + operationKeys + `, found "write": did you mean "writes"?`},
		{"key twice", []string{"title: A shop", "profile: again"},
			`:2: expected each name once, found "profile" again after line 1`},
		{"key that is no text", []string{"title: A shop", "[a]: b"},
			":2: expected a name, found a list"},
		{"no name", []string{"profile: shop\n", ""},
			`:1: expected the key "profile", found none`},
		{"bad name", []string{"profile: shop", "profile: My Shop"}, `:1: profile: ` +
			`expected a word of small letters, digits and dashes, found "My Shop"`},
		{"a file of passwords", []string{"password=hunter2"},
			":1: expected a mapping with " + keys + `, found "(16 characters)"`},
		{"a file of cards", []string{"title: A shop", "4276 0000" + " 0000 0000: yes"},
			":2: expected " + keys + `, found "(19 characters)"`},
		{"title is a list", []string{"title: A shop", "title: [A]"},
			":2: title: expected a text, found a list"},
		{"document is null", []string{"document: 7", "document:"},
			":3: document: expected a text, found nothing"},
		{"alias", []string{"[/shop/]\nlists: [extras]", "&a [/shop/]\nlists: *a"},
			":5: lists: expected a list of keys of name/value lists, found an alias"},
		{"list in a list", []string{"[extras]", "[[extras]]"},
			":5: lists: expected a text, found a list"},
		{"prefix", []string{"[/shop/]", "[/shop]"},
			`:4: paths: expected a prefix that begins and ends with "/", found "/shop"`},
		{"denied is no list", []string{"denied: [{status: 401}, {key: code, value: 5}]",
			"denied: 401"}, `:6: denied: expected a list of conditions, found "401"`},
		{"status", []string{"401", "4010"}, `:6: denied: status: ` +
			`expected an HTTP status code such as 401, found "4010"`},
		{"half a condition", []string{", value: 5", ""}, ":6: denied: expected a status, or " +
			"a key and its value, found half a condition"},
		{"a condition that denied does not have", []string{"value: 5", "not: 5"},
			`:6: denied: expected status, key or value, found "not"`},
		{"statuses that denied does not have", []string{"401", "400+"}, `:6: denied: status: ` +
			`expected an HTTP status code such as 401, found "400+"`},
		{"condition", []string{"{status: 401}", "401"},
			`:6: denied: expected a mapping with status, key or value, found "401"`},
		{"sets are a list", []string{"profile: x\nsets: [login]"},
			":2: sets: expected named groups of rows, found a list"},
		{"set name", []string{"login: {", "Log In: {"}, ":8: sets: expected a set name of " +
			`small letters, digits and dashes, found "Log In"`},
		{"set below", []string{"[login]", "[other]"}, `:9: sets: set "more": include: ` +
			`expected the name of a set, found "other"`},
		{"row in a set", []string{"note: client shared", "note: client"},
			`:9: sets: set "more": field "note": expected ` +
				provenances + `, found "client"`},
		{"include is a row", []string{"include: [more]", "include: [[more]]"},
			`:22: operation "pay": request: include: expected a text, found a list`},
		{"unknown set", []string{"[more]", "[less]"}, `:22: operation "pay": request: ` +
			`include: expected the name of a set, found "less"`},
		{"sets disagree", []string{"[more]", "[more, other]"},
			`:22: operation "pay": request: include: expected sets that agree, ` +
				`found another row for "user" in set "other"`},
		{"common", []string{"requestHeaders:", "headers:"}, ":12: common: expected request, " +
			`response, requestHeaders or responseHeaders, found "headers"`},
		{"no rows", []string{`response: {url: "exact, address"}`, "response:"},
			`:24: operation "pay": response: expected rows such as "amount: exact", found nothing`},
		{"row twice", []string{"id: minted payment", "id: exact\n      ID: exact"},
			`:24: operation "pay": request: expected each name once, found "ID" again after line 23`},
		{"row is a mapping", []string{"id: minted payment", "id: {a: b}"},
			`:23: ` + field + `a row such as "client unique order-number", found a mapping`},
		{"unknown provenance", row("unique order"),
			`:23: ` + field + provenances + `, found "unique order"`},
		{"a long name", []string{"id: minted payment", strings.Repeat("a", 513) + ": minted payment"},
			`:23: operation "pay": request: expected a name of 512 bytes at most`},
		{"provenance left out", row("cvc"), `:23: ` + field + provenances + `, found "cvc"`},
		{"nothing but a comma", row(", cvc"), `:23: ` + field + provenances + `, found nothing`},
		{"word after exact", row("exact order"),
			`:23: ` + field + `nothing after "exact", found "order"`},
		{"unknown form", row("date iso8601"), `:23: ` + field + `iso, epoch-ms, epoch-s, ` +
			`yyyy-mm-dd, yyyymmdd, yyyymm, yyyy, mm, yyyymmddhhmmss, ` +
			`rfc1123 or java, found "iso8601"`},
		{"no noun", row("minted"), `:23: ` + field + `a noun after "minted", found nothing`},
		{"bad noun", row("mask of the Card"),
			`:23: ` + field + `a noun after "mask of", found "the Card"`},
		{"unknown sensitivity", row("exact, secret"), `:23: ` + field + `pan, cvc, pin, track, ` +
			`token, key, blob, name, phone, email, address, birth, document or ip, found "secret"`},
		{"decides twice", row("exact, token, decides, decides"),
			`:23: ` + field + `"decides" once, found "decides, decides"`},
		{"decides without a secret", row("client shared, decides"), `:23: ` + field +
			`a sensitivity beside "decides", found "client shared, decides"`},
		{"two sensitivities", row("exact, pan, cvc"),
			`:23: ` + field + `one sensitivity, found "pan, cvc"`},
		{"address twice", row("exact, address, address"),
			`:23: ` + field + `"address" once, found "address, address"`},
		{"long value", row(strings.Repeat("long ", 30)),
			`:23: ` + field + provenances + `, found "` + strings.Repeat("long ", 12) + `..."`},
		{"operations are a list", []string{"profile: x\noperations: [pay]"},
			":2: expected operations by name, found a list"},
		{"operation is a text", []string{"profile: x\noperations: {pay: POST}"},
			`:2: operation "pay": expected a mapping with ` + operationKeys + `, found "POST"`},
		{"no path", []string{"    path: /shop/{id}/pay\n", ""},
			`:15: operation "pay": expected the key "path", found none`},
		{"no methods", []string{"[POST, PUT]", "[]"},
			`:15: operation "pay": methods: expected a list of methods, found an empty one`},
		{"small method", []string{"PUT", "Put"},
			`:15: operation "pay": methods: expected a method in capitals, found "Put"`},
		{"method twice", []string{"PUT", "POST"},
			`:15: operation "pay": methods: expected each method once, found "POST"`},
		{"methods is a text", []string{"[GET]", "GET"},
			`:26: operation "look": methods: expected a list of methods, found "GET"`},
		{"carrier", []string{"carrier: json", "carrier: soap"},
			`:17: operation "pay": carrier: expected form, json, xml, query or none, found "soap"`},
		{"writes", []string{"writes: true", "writes: yes"},
			`:18: operation "pay": writes: expected true or false, found "yes"`},
		{"opens", []string{"opens: payment", "opens: A Payment"}, `:19: operation "pay": opens: ` +
			`expected a word of small letters, digits and dashes, found "A Payment"`},
		{"part of a segment", []string{"{id}/pay", "{id}.do"}, `:16: operation "pay": path: ` +
			`expected a path such as "/v2/cards/{id}", found "/shop/{id}.do"`},
		{"same parameter", []string{"{id}/pay", "{id}/{id}"}, `:16: operation "pay": path: ` +
			`expected a path such as "/v2/cards/{id}", found "/shop/{id}/{id}"`},
		{"trailing slash", []string{"{id}/pay", "{id}/"}, `:16: operation "pay": path: ` +
			`expected a path such as "/v2/cards/{id}", found "/shop/{id}/"`},
		{"empty segment", []string{"{id}/pay", "{id}//pay"}, `:16: operation "pay": path: ` +
			`expected a path such as "/v2/cards/{id}", found "/shop/{id}//pay"`},
		{"query in a path", []string{"{id}/pay", "pay?id=1"}, `:16: operation "pay": path: ` +
			`expected a path such as "/v2/cards/{id}", found "/shop/pay?id=1"`},
		{"path elsewhere", []string{"/shop/{id}/pay", "/bank/pay"}, `:16: operation "pay": ` +
			`path: expected a path below one of the profile's paths, found "/bank/pay"`},
		{"equal paths", []string{"[GET]\n    path: /shop/{id}", "[PUT]\n    path: /shop/{x}/pay"},
			`:25: operation "look": path: expected a path that no other operation answers, ` +
				`found that of "pay"`},
		{"a noun that is never bound", []string{"exact, address", "mask of crd"},
			`:24: operation "pay": response: field "url": ` +
				`expected a noun that some row mints or a client brings, found "crd": did you mean "card"?`},
		{"a thread of no noun", []string{"opens: payment", "opens: paymnt"}, `:19: operation "pay": ` +
			`opens: expected a noun that some row has, found "paymnt": did you mean "payment"?`},
		{"neither operations nor paths", []string{"profile: x"}, ":1: expected operations, or paths below " +
			"which the common rows hold, found neither: nothing would follow this profile"},
		{"a base that is none of ours", []string{"profile: x\nextends: gatway"}, ":2: extends: expected " +
			`cardv1, cardv2, gateway or http, or a file such as ./bank.yaml, found "gatway": did you ` +
			`mean "gateway"?`},
		{"what is unsaid", []string{"title: A shop", "unsaid: exat"},
			`:2: unsaid: expected exact, inferred, found "exat": did you mean "exact"?`},
		{"paths that overlap", []string{"[GET]\n    path: /shop/{id}", "[PUT]\n    path: /shop/a/{x}"},
			`:25: operation "look": path: expected a path that no other operation answers, ` +
				`found that of "pay"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := tt.spoil[0]
			if len(tt.spoil) == 2 {
				text = strings.Replace(minimal, tt.spoil[0], tt.spoil[1], 1)
			}
			p, err := profile.Parse("shop.yaml", []byte(text))
			if err == nil || p != nil {
				t.Fatalf("parsed %v, error %v", p != nil, err)
			}
			if diff := cmp.Diff("shop.yaml"+tt.want, withoutColumn(err)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// position is where errors say that a mistake is.
var position = regexp.MustCompile(`^([a-z./]+\.yaml:\d+):\d+: `)

// withoutColumn returns an error without the column, which TestColumns looks at.
func withoutColumn(err error) string { return position.ReplaceAllString(err.Error(), "$1: ") }

// TestColumns tells where on its line a mistake is, and which word may be meant.
func TestColumns(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, old, new, at, meant string }{
		{"a key", "title:", "titel:", "2:1", "title"},
		{"a key in capitals", "title:", "Title:", "2:1", "title"},
		{"a key of an operation", "writes: true", "write: true", "18:5", "writes"},
		{"a kind of rows", "requestHeaders:", "requestHeader:", "12:3", "requestHeaders"},
		{"a carrier", "carrier: json", "carrier: jsn", "17:14", "json"},
		{"a set", "[more]", "[mor]", "22:17", "more"},
		{"a provenance", "id: minted payment", "id: mintd payment", "23:11", "minted"},
		{"a provenance of two words", "id: minted payment", "id: client uniqe payment", "23:11",
			"client unique"},
		{"a form", "id: minted payment", "id: date epochms", "23:11", "epoch-ms"},
		{"a sensitivity", "id: minted payment", "id: minted payment, tokn", "23:11", "token"},
	} {
		_, err := profile.Parse("shop.yaml", []byte(strings.Replace(minimal, tt.old, tt.new, 1)))
		if err == nil {
			t.Errorf("%s: parsed", tt.name)
			continue
		}
		if got := err.Error(); !strings.HasPrefix(got, "shop.yaml:"+tt.at+": ") ||
			!strings.HasSuffix(got, ": did you mean "+strconv.Quote(tt.meant)+"?") {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}
